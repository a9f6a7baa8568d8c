package ostrich

import (
	"container/heap"
	"math"
)

// A node is a place in the share tree: an account, or a user as a leaf.
//
// Each account has a virtual clock of its own. It counts the processor-seconds
// that one unit of weight below the account has received, so a child of weight
// w is served w·dV. What an account receives it hands on to its active
// children only (hierarchical generalised processor sharing). With flat shares
// there is one clock, the root's, and it is the virtual clock V of the package comment:
//
//	dV/dt = M(t) / Σ w_u,  u active
type node struct {
	account string // name of an account
	user    *user  // of a leaf; nil for an account
	parent  *node  // nil for the root
	weight  float64

	// tag is when, on the parent's clock, the next campaign below this node
	// is completed. Kept while the node is active.
	tag   float64
	index int // in the parent's heap of active children; -1 while idle

	// Of an account:
	clock    float64 // at the moment of the latest synchronisation
	synced   float64 // the parent's clock then; for the root the real moment
	sharing  float64 // Σ weights of the active children
	siblings float64 // Σ weights of all children that the shares name
	children nodeHeap
}

func (n *node) active() bool { return n.index >= 0 }

// activate puts a child among the active ones of its parent, or moves it to the
// place of its new tag.
func (n *node) activate(tag float64) {
	n.tag = tag
	if n.active() {
		heap.Fix(&n.parent.children, n.index)
		return
	}
	heap.Push(&n.parent.children, n)
	n.parent.sharing += n.weight
}

// rest removes a child from the active ones of its parent.
func (n *node) rest() {
	if !n.active() {
		return
	}
	heap.Remove(&n.parent.children, n.index)
	n.parent.sharing -= n.weight
	if len(n.parent.children) == 0 {
		n.parent.sharing = 0 // without the rounding left over from sums
	}
}

// retag updates the tags from n up to the root after a change among n's children: the
// clock of each account says when the next completion below it is due.
func (n *node) retag() {
	for ; n.parent != nil; n = n.parent {
		if len(n.children) == 0 {
			n.rest()
			continue
		}
		n.activate(n.parent.clock + (n.children[0].tag-n.clock)*n.sharing/n.weight)
	}
}

// nodeHeap orders active nodes by tag; ties end on the user or the name.
type nodeHeap []*node

func (h nodeHeap) Len() int { return len(h) }
func (h nodeHeap) Less(i, j int) bool {
	a, b := h[i], h[j]
	if a.tag != b.tag {
		return a.tag < b.tag
	}
	if (a.user == nil) != (b.user == nil) {
		return a.user != nil
	}
	if a.user != nil {
		return a.user.id < b.user.id
	}
	return a.account < b.account
}

func (h nodeHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *nodeHeap) Push(x any) {
	n := x.(*node) // only nodes are pushed
	n.index = len(*h)
	*h = append(*h, n)
}

func (h *nodeHeap) Pop() any {
	old := *h
	n := old[len(old)-1]
	n.index = -1
	*h = old[:len(old)-1]
	return n
}

// rate is how fast the root's clock runs: processors per unit of weight.
func (s *Schedule) rate() float64 {
	if s.root.sharing == 0 {
		return 0
	}
	return float64(s.serving()) / s.root.sharing
}

// serving is M(t), the processors that the virtual schedule hands out: all of
// them for sequential jobs (thesis 5.1), those really busy for parallel ones
// (thesis 6.1.1, event-based resizing).
func (s *Schedule) serving() int {
	switch {
	case s.options.Machine == Parallel:
		return s.busy
	case s.options.Settle:
		return max(s.size, s.busy) // of a machine that has shrunk under its jobs
	}
	return s.size
}

// clockAt is the clock of an account at a moment between the latest event and
// the next. It is computed from the latest event, never from the latest
// question, so that asking often changes nothing.
func (s *Schedule) clockAt(n *node, moment float64) float64 {
	if n.parent == nil {
		return n.clock + (moment-n.synced)*s.rate()
	}
	if !n.active() {
		return n.clock
	}
	return n.clock + (s.clockAt(n.parent, moment)-n.synced)*n.weight/n.sharing
}

// sync brings the clocks from the root down to n to the present moment.
func (s *Schedule) sync(n *node) {
	if n.parent == nil {
		n.clock = s.clockAt(n, s.moment)
		n.synced = s.moment
		return
	}
	s.sync(n.parent)
	if n.active() {
		n.clock += (n.parent.clock - n.synced) * n.weight / n.sharing
	}
	n.synced = n.parent.clock
}

// nextCompletion is the moment at which the next campaign is completed
// virtually if nothing else happens before. What misses a full second by
// rounding is due on it, so that events of that second find it done.
func (s *Schedule) nextCompletion() float64 {
	rate := s.rate()
	if rate == 0 {
		return math.Inf(1)
	}
	due := s.root.synced + (s.root.children[0].tag-s.root.clock)/rate
	if second := math.Round(due); math.Abs(due-second) < rounding {
		due = second
	}
	return max(due, s.moment)
}

// rounding is some units in the last place of today's Unix time, in seconds,
// and an amount of work that does not matter, in processor-seconds.
const rounding = 1e-6

// completeNext ends the campaign that nextCompletion found, at the present moment.
func (s *Schedule) completeNext() {
	n := s.root
	n.synced = s.moment
	for n.user == nil {
		// Exact by definition, where a sum of products would be nearly so.
		n.clock = n.children[0].tag
		child := n.children[0]
		child.synced = n.clock
		n = child
	}
	s.refresh(n.user, n.user.completed)
}

// project carries a tag on the clock of an account up to the root's clock, as
// if the active users stayed the same. With flat shares it is the tag itself.
func (s *Schedule) project(n *node, tag float64) float64 {
	for ; n.parent != nil; n = n.parent {
		tag = s.clockAt(n.parent, s.moment) + (tag-s.clockAt(n, s.moment))*n.sharing/n.weight
	}
	return tag
}

// spread is how far the root's clock has to go for a processor-second of service
// to the user of a leaf, as if the active users stayed the same: with flat shares
// the inverse of the weight. An idle user is counted as active.
func (s *Schedule) spread(n *node) float64 {
	spread := 1 / n.weight
	for ; n.parent != s.root; n = n.parent {
		sharing := n.parent.sharing
		if !n.active() {
			sharing += n.weight
		}
		spread *= sharing / n.parent.weight
	}
	return spread
}

// fraction is the part of the machine that a user gets while active, the papers' 1/k:
// the product, up the tree, of the weight among the active siblings. For an idle user
// it is what the user would get by becoming active now.
func (s *Schedule) fraction(n *node) float64 {
	f := 1.0
	for ; n.parent != nil; n = n.parent {
		sharing := n.parent.sharing
		if !n.active() {
			sharing += n.weight
		}
		f *= n.weight / sharing
	}
	return f
}

// grow builds the share tree anew from the given shares and hangs every user
// where it says.
func (s *Schedule) grow(shares *Shares) {
	users, surplus := sortedUsers(s.users), s.surplus
	for _, u := range users {
		s.sync(u.leaf.parent)
	}
	s.root = &node{index: -1, weight: 1, synced: s.moment}
	s.shares = shares
	s.accounts = map[string]*node{"": s.root}
	s.places = make(map[UserID]UserShare, len(shares.Users))
	parents := make(map[string]Account, len(shares.Accounts))
	for _, a := range shares.Accounts {
		parents[a.Name] = a
	}
	for _, a := range shares.Accounts {
		n := s.account(a.Name, parents, 0)
		if n.parent != nil {
			n.parent.siblings += n.weight
		}
	}
	for _, p := range shares.Users {
		s.places[p.User] = p
		n := s.root
		if a, ok := s.accounts[p.Account]; ok {
			n = a
		}
		n.siblings += max(p.Weight, MinWeight)
	}
	for _, u := range users {
		s.transplant(u, s.plant(u))
	}
	s.surplus = surplus // a new division owes as much as the old one
}

// account returns the node of an account, planting it and its ancestors where
// needed. An unknown parent, or a circle of parents, ends at the root.
func (s *Schedule) account(name string, parents map[string]Account, depth int) *node {
	if n, ok := s.accounts[name]; ok {
		return n
	}
	a, ok := parents[name]
	if !ok || depth > len(parents) {
		return s.root
	}
	parent := s.account(a.Parent, parents, depth+1)
	if n, ok := s.accounts[name]; ok { // planted on the way, in a circle
		return n
	}
	n := &node{account: name, parent: parent, index: -1, weight: max(a.Weight, MinWeight)}
	s.accounts[name] = n
	return n
}

// plant makes the leaf of a user where the shares have a place for it.
func (s *Schedule) plant(u *user) *node {
	parent, weight := s.root, 1.0
	if p, ok := s.places[u.id]; ok {
		weight = max(p.Weight, MinWeight)
		if a, ok := s.accounts[p.Account]; ok {
			parent = a
		}
	}
	return &node{user: u, parent: parent, index: -1, weight: weight}
}

// entitled is the part of the machine that the user of a leaf would get if all
// users that the shares name were active, as a multiple of what each would get
// if they were equal. With flat shares it is 1.
func (s *Schedule) entitled(n *node) float64 {
	if len(s.places) == 0 {
		return 1
	}
	part := float64(len(s.places))
	if _, ok := s.places[n.user.id]; !ok {
		return part * n.weight / (n.parent.siblings + n.weight)
	}
	for ; n.parent != nil; n = n.parent {
		part *= n.weight / n.parent.siblings
	}
	return part
}
