package slurmdb

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"

	"slurm-ostrich/ostrich"
)

// FairshareParent is what Slurm stores for "fairshare=parent".
const FairshareParent = 0x7fffffff

// rootAccount is the account above all others.
const rootAccount = "root"

// Association is a row of the association table: an account, or a user in one.
type Association struct {
	ID                       uint32
	User, Account, Partition string // User is "" for an account
	Parent                   string // the account above an account
	Shares                   int64  // or FairshareParent
	Deleted                  bool
}

// names are associations and what else turns numbers into names.
type names struct {
	assocs map[uint32]Association
	qos    map[uint32]string
	uids   map[uint32]uint32       // an association of each uid seen
	owned  map[owner][]Association // those of users, not deleted; nil until one is looked for
	mark   mark
}

// mark changes when the association table does.
type mark struct {
	rows, shares, deleted int64
	modified              int64
}

func newNames() *names {
	return &names{assocs: map[uint32]Association{}, qos: map[uint32]string{}, uids: map[uint32]uint32{}}
}

func (n *names) take(other *names) {
	n.assocs, n.owned, n.qos, n.mark = other.assocs, nil, other.qos, other.mark
}

func (n *names) user(uid uint32) string {
	if a, ok := n.assocs[n.uids[uid]]; ok && a.User != "" {
		return a.User
	}
	return strconv.FormatUint(uint64(uid), 10)
}

// fetchNames reads the associations if they changed. Their times have a grain
// of a second, so a change within the overlap is always read.
func (r *Reader) fetchNames(ctx context.Context, f *fetched) error {
	table := r.schema.table("assoc_table")
	var m mark
	err := r.db.scan(ctx, func(scan func(...any) error) error {
		return scan(&m.rows, &m.shares, &m.deleted, &m.modified)
	}, "SELECT COUNT(*), COALESCE(SUM(shares), 0), COALESCE(SUM(deleted), 0), COALESCE(MAX(mod_time), 0) FROM "+table)
	if err != nil {
		return err
	}
	f.read++
	if !r.cold && m == r.names.mark && m.modified < int64(f.now)-int64(r.config.Overlap) {
		return nil
	}
	n := newNames()
	n.mark = m
	err = r.associations(ctx, func(a Association) { n.assocs[a.ID] = a })
	if err == nil {
		err = r.qosNames(ctx, n.qos)
	}
	f.read += len(n.assocs) + len(n.qos)
	f.names = n
	return err
}

// associations reads the association table, deleted rows too.
func (r *Reader) associations(ctx context.Context, take func(Association)) error {
	return r.db.scan(ctx, func(scan func(...any) error) error {
		var a Association
		failed := scan(&a.ID, &a.User, &a.Account, &a.Partition, &a.Parent, &a.Shares, &a.Deleted)
		take(a)
		return failed
	}, "SELECT id_assoc, `user`, acct, `partition`, parent_acct, shares, deleted <> 0 FROM "+r.schema.table("assoc_table"))
}

// qosNames reads the names of QOS, also of those that are deleted.
func (r *Reader) qosNames(ctx context.Context, names map[uint32]string) error {
	return r.db.scan(ctx, func(scan func(...any) error) error {
		var (
			id   uint32
			name string
		)
		failed := scan(&id, &name)
		names[id] = name
		return failed
	}, "SELECT id, name FROM qos_table")
}

// shares is the association tree. The root account is the root of the tree. An
// account with fairshare=parent is left out, and what is below it hangs below
// its parent; a user with it has weight 1. What hangs below an account that is
// gone hangs below the root.
func (n *names) shares() *ostrich.Shares {
	accounts := map[string]Association{}
	for _, a := range n.assocs {
		if a.User == "" && !a.Deleted {
			accounts[a.Account] = a
		}
	}
	above := func(name string) string {
		for range len(accounts) + 1 { // As a cycle would be longer.
			a, ok := accounts[name]
			if !ok || name == rootAccount {
				return ""
			}
			if a.Shares != FairshareParent {
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

// inCycle tells whether an account is its own ancestor, which a broken table
// may say.
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
	if shares == FairshareParent || shares < 0 {
		return 1
	}
	return float64(shares)
}

func equalShares(a, b *ostrich.Shares) bool {
	return slices.EqualFunc(a.Accounts, b.Accounts, func(a, b ostrich.Account) bool { return a == b }) &&
		slices.EqualFunc(a.Users, b.Users, func(a, b ostrich.UserShare) bool {
			return cmp.Compare(a.User, b.User) == 0 && a == b
		})
}
