package sharing

import (
	"cmp"
	"math"
	"slices"

	"slurm-ostrich/ostrich/scalar"
)

// New returns the tree of an idle machine at time 0, with flat shares.
func New(o Options) Tree {
	t := Tree{options: o}
	t.Divide(&Shares{})
	return t
}

// Change lets time pass up to the moment of an event, which must not be after Next.
func (t *Tree) Change(moment float64) {
	t.pass(moment)
	t.settled = false
}

// pass lets time pass up to a moment. Both what the virtual schedule owes and
// what is really left shrink; surplus is by how much the former exceeds the
// latter.
func (t *Tree) pass(moment float64) {
	served := scalar.Work(0)
	if t.root.sharing > 0 {
		served = scalar.Work(t.Serving())
	}
	t.surplus += (scalar.Work(t.left.busy) - served) * scalar.Work(moment-t.moment)
	t.moment = moment
}

// Next is the moment at which the next stage is completed
// virtually if nothing else happens before, +Inf if there is none. What misses a full second by
// rounding is due on it, so that events of that second find it done.
func (t *Tree) Next() float64 {
	rate := t.rate()
	if rate == 0 {
		return math.Inf(1)
	}
	due := t.root.synced + (t.root.children[0].tag-t.root.clock)/rate
	if second := math.Round(due); math.Abs(due-second) < rounding {
		due = second
	}
	return max(due, t.moment)
}

// Complete lets time pass up to the moment of Next, and completes the stage that is due then.
func (t *Tree) Complete(moment float64) {
	t.pass(moment)
	t.completeNext()
}

// completeNext completes the stage with the smallest tag at the present moment.
func (t *Tree) completeNext() {
	n := t.root
	n.synced = t.moment
	for n.line == nil {
		// Exact by definition, where a sum of products would be nearly so.
		n.clock = n.children[0].tag
		child := n.children[0]
		child.synced = n.clock
		n = child
	}
	t.refresh(n.line, n.line.completed)
}

// Occupy adds to what is busy of the machine, for a job of a user.
func (t *Tree) Occupy(l *Line, size int) {
	t.Sync(l)
	t.busy += size
}

// Recount replaces what is left of some jobs of a stage.
func (t *Tree) Recount(g *Stage, was, now Left) {
	at := scalar.Time(t.moment)
	t.surplus += was.At(at) - now.At(at)
	g.left.change(was, now)
	t.left.change(was, now)
}

// Plant adds the line of a new user where the shares have a place for it.
func (t *Tree) Plant(l *Line) {
	l.leaf = t.plant(l)
	i, _ := slices.BinarySearchFunc(t.lines, l.User, compareUser)
	t.lines = slices.Insert(t.lines, i, l)
}

func compareUser(l *Line, id scalar.UserID) int { return cmp.Compare(l.User, id) }

// plant makes the leaf of a user where the shares have a place for it.
func (t *Tree) plant(l *Line) *node {
	parent, weight := t.root, 1.0
	if p, ok := t.places[l.User]; ok {
		weight = max(p.Weight, MinWeight)
		if a, ok := t.accounts[p.Account]; ok {
			parent = a
		}
	}
	return &node{line: l, parent: parent, index: -1, weight: weight}
}

// Shares returns how the machine is divided. The caller must not change it.
func (t *Tree) Shares() *Shares { return t.shares }

// Divide builds the share tree anew from the given shares and hangs every user
// where it says.
func (t *Tree) Divide(shares *Shares) {
	surplus := t.surplus
	for _, l := range t.lines {
		t.Sync(l)
	}
	t.root = &node{index: -1, weight: 1, synced: t.moment}
	t.shares = shares
	t.accounts = map[string]*node{"": t.root}
	t.places = make(map[scalar.UserID]UserShare, len(shares.Users))
	parents := make(map[string]Account, len(shares.Accounts))
	for _, a := range shares.Accounts {
		parents[a.Name] = a
	}
	for _, a := range shares.Accounts {
		n := t.account(a.Name, parents, 0)
		if n.parent != nil {
			n.parent.siblings += n.weight
		}
	}
	for _, p := range shares.Users {
		t.places[p.User] = p
		n := t.root
		if a, ok := t.accounts[p.Account]; ok {
			n = a
		}
		n.siblings += max(p.Weight, MinWeight)
	}
	for _, l := range t.lines {
		t.transplant(l, t.plant(l))
	}
	t.surplus = surplus // a new division owes as much as the old one
}

// account returns the node of an account, planting it and its ancestors where
// needed. An unknown parent, or a circle of parents, ends at the root.
func (t *Tree) account(name string, parents map[string]Account, depth int) *node {
	if n, ok := t.accounts[name]; ok {
		return n
	}
	a, ok := parents[name]
	if !ok || depth > len(parents) {
		return t.root
	}
	parent := t.account(a.Parent, parents, depth+1)
	if n, ok := t.accounts[name]; ok { // planted on the way, in a circle
		return n
	}
	n := &node{account: name, parent: parent, index: -1, weight: max(a.Weight, MinWeight)}
	t.accounts[name] = n
	return n
}

// Nested reports whether there are accounts: tags on the root's clock are sums of all
// that is active then.
func (t *Tree) Nested() bool { return len(t.accounts) > 1 }
