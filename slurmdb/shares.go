package slurmdb

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
)

// fairshareParent is what Slurm stores for "fairshare=parent".
const fairshareParent = 0x7fffffff

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
	assocs map[uint32]Association
	qos    map[uint32]string
	uids   map[uint32]uint32       // an association of each uid
	owned  map[owner][]Association // associations of users that are not deleted; nil until needed
	mark   mark
	whole  bool // deleted ones too, as the tables have them
}

// mark changes when the association table does.
type mark struct {
	rows, shares, deleted int64
	modified              int64
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
	n.assocs, n.owned, n.qos, n.mark = other.assocs, nil, other.qos, other.mark
}

func (n *names) user(uid uint32) string {
	if a, ok := n.assocs[n.uids[uid]]; ok && a.User != "" {
		return a.User
	}
	return strconv.FormatUint(uint64(uid), 10)
}

// fetchNames reads the associations if they changed, or if a job has a QOS that is new.
// Their times are whole seconds, so a change within the overlap is always read.
func (r *Reader) fetchNames(ctx context.Context, p *Poll) error {
	var m mark
	err := r.db.one(ctx, "SELECT COUNT(*), COALESCE(SUM(shares), 0), COALESCE(SUM(deleted), 0), COALESCE(MAX(mod_time), 0) FROM "+
		r.schema.table("assoc_table"), &m.rows, &m.shares, &m.deleted, &m.modified)
	if err != nil {
		return err
	}
	p.read++
	fresh := slices.ContainsFunc(p.rows, func(w row) bool { _, named := r.names.qos[w.qos]; return !named && w.qos != 0 })
	if !r.cold && !fresh && m == r.names.mark && m.modified < int64(p.now)-int64(r.config.Overlap) {
		return nil
	}
	p.names, err = r.readNames(ctx)
	p.names.mark = m
	p.read += len(p.names.assocs) + len(p.names.qos)
	return err
}

// readNames reads the associations and the names of QOS, deleted ones too.
func (r *Reader) readNames(ctx context.Context) (*names, error) {
	n := newNames()
	n.whole = true
	err := r.db.scan(ctx, func(scan func(...any) error) error {
		var a Association
		failed := scan(&a.ID, &a.User, &a.Account, &a.Partition, &a.Parent, &a.Shares, &a.Deleted)
		if a.Shares == fairshareParent {
			a.Shares = accounting.ParentShares
		}
		n.assocs[a.ID] = a
		return failed
	}, "SELECT id_assoc, `user`, acct, `partition`, parent_acct, shares, deleted <> 0 FROM "+r.schema.table("assoc_table"))
	if err != nil {
		return n, err
	}
	return n, r.db.scan(ctx, func(scan func(...any) error) error {
		var (
			id   uint32
			name string
		)
		failed := scan(&id, &name)
		n.qos[id] = name
		return failed
	}, "SELECT id, name FROM qos_table")
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

func equalShares(a, b *ostrich.Shares) bool {
	return slices.Equal(a.Accounts, b.Accounts) && slices.Equal(a.Users, b.Users)
}
