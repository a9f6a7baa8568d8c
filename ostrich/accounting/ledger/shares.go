package ledger

import (
	"maps"
	"slices"
	"strconv"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
)

// Association is a row of the association table: an account, or a user in one.
type Association struct {
	ID                       uint32
	User, Account, Partition string // User is "" for an account
	Parent                   string // the parent account of an account
	Shares                   int64  // or accounting.ParentShares
	Deleted                  bool
}

// names holds the associations and the other tables that turn numbers into names.
type names struct {
	assocs  map[uint32]Association
	qos     map[uint32]string
	uids    map[uint32]uint32       // an association of each uid
	owned   map[owner][]Association // associations of users that are not deleted; nil until needed
	factors map[string]float64      // UsageFactor of QOS, of a unit that follows them; those that are not there have 1
	whole   bool                    // deleted ones too, as the tables have them
}

func newNames() *names {
	return &names{assocs: map[uint32]Association{}, qos: map[uint32]string{}, uids: map[uint32]uint32{}}
}

// replace replaces the names by others. Unless the others are whole, it keeps the QOS that
// they lack, and the associations as deleted.
func (n *names) replace(other *names) {
	if !other.whole {
		for id, a := range n.assocs {
			if _, present := other.assocs[id]; !present {
				a.Deleted = true
				other.assocs[id] = a
			}
		}
		maps.Copy(n.qos, other.qos)
		other.qos = n.qos
	}
	n.assocs, n.owned, n.qos = other.assocs, nil, other.qos
}

// Association returns an association that a poll has read, and reports whether there is one.
func (l *Ledger) Association(id uint32) (a Association, known bool) {
	a, known = l.names.assocs[id]
	return a, known
}

// AddAssociation adds an association that no poll has read.
func (l *Ledger) AddAssociation(a Association) { l.names.assocs[a.ID] = a }

func (n *names) user(uid uint32) string {
	if a, ok := n.assocs[n.uids[uid]]; ok && a.User != "" {
		return a.User
	}
	return strconv.FormatUint(uint64(uid), 10)
}

// shares returns the association tree, with the account root as its root. It
// leaves out accounts with fairshare=parent; their children become children of
// their parent. A user with fairshare=parent has weight 1. Children of an account
// that is gone become children of the root.
func (n *names) shares() *ostrich.Shares {
	accounts := map[string]Association{}
	for _, a := range n.assocs {
		if a.User == "" && !a.Deleted {
			accounts[a.Account] = a
		}
	}
	above := func(name string) string {
		for range len(accounts) + 1 { // A longer path would be a cycle.
			a, ok := accounts[name]
			if !ok || name == accounting.RootAccount {
				return ""
			}
			if a.Shares != accounting.ParentShares {
				return name
			}
			name = a.Parent
		}
		return ""
	}
	s := &ostrich.Shares{}
	for _, name := range slices.Sorted(maps.Keys(accounts)) {
		if a := accounts[name]; above(name) == name {
			parent := above(a.Parent)
			if inCycle(accounts, name) {
				parent = ""
			}
			s.Accounts = append(s.Accounts, ostrich.Account{Name: name, Parent: parent, Weight: weight(a.Shares)})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(n.assocs)) {
		if a := n.assocs[id]; a.User != "" && !a.Deleted {
			s.Users = append(s.Users, ostrich.UserShare{
				User: ostrich.UserID(id), Account: above(a.Account), Weight: weight(a.Shares),
			})
		}
	}
	return s
}

// inCycle reports whether an account is its own ancestor, as a broken table may
// have it.
func inCycle(accounts map[string]Association, name string) bool {
	at := accounts[name].Parent
	for range len(accounts) {
		if at == name {
			return true
		}
		a, ok := accounts[at]
		if !ok {
			return false
		}
		at = a.Parent
	}
	return false
}

func weight(shares int64) float64 {
	if shares < 0 { // accounting.ParentShares
		return 1
	}
	return float64(shares)
}
