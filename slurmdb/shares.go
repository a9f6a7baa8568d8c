package slurmdb

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"

	"slurm-ostrich/ostrich"
)

// fairshareParent is what Slurm stores for "fairshare=parent".
const fairshareParent = 0x7fffffff

// rootAccount is the account above all others.
const rootAccount = "root"

// assoc is a row of the association table.
type assoc struct {
	id                       uint32
	user, account, partition string
	parent                   string // account above an account
	shares                   int64
	deleted                  bool
}

// names are associations and what else turns numbers into names.
type names struct {
	assocs map[uint32]assoc
	qos    map[uint32]string
	uids   map[uint32]uint32 // an association of each uid seen
	mark   mark
}

// mark changes when the association table does.
type mark struct {
	rows, shares, deleted int64
	modified              int64
}

func newNames() *names {
	return &names{assocs: map[uint32]assoc{}, qos: map[uint32]string{}, uids: map[uint32]uint32{}}
}

func (n *names) take(other *names) {
	n.assocs, n.qos, n.mark = other.assocs, other.qos, other.mark
}

func (n *names) user(uid uint32) string {
	if a, ok := n.assocs[n.uids[uid]]; ok && a.user != "" {
		return a.user
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
	err = r.db.scan(ctx, func(scan func(...any) error) error {
		var a assoc
		failed := scan(&a.id, &a.user, &a.account, &a.partition, &a.parent, &a.shares, &a.deleted)
		n.assocs[a.id] = a
		f.read++
		return failed
	}, "SELECT id_assoc, `user`, acct, `partition`, parent_acct, shares, deleted <> 0 FROM "+table)
	if err != nil {
		return err
	}
	err = r.db.scan(ctx, func(scan func(...any) error) error {
		var (
			id   uint32
			name string
		)
		failed := scan(&id, &name)
		n.qos[id] = name
		f.read++
		return failed
	}, "SELECT id, name FROM qos_table")
	f.names = n
	return err
}

// shares is the association tree. The root account is the root of the tree. An
// account with fairshare=parent is left out, and what is below it hangs below
// its parent; a user with it has weight 1. What hangs below an account that is
// gone hangs below the root.
func (n *names) shares() *ostrich.Shares {
	accounts := map[string]assoc{}
	for _, a := range n.assocs {
		if a.user == "" && !a.deleted {
			accounts[a.account] = a
		}
	}
	above := func(name string) string {
		for range len(accounts) + 1 { // As a cycle would be longer.
			a, ok := accounts[name]
			if !ok || name == rootAccount {
				return ""
			}
			if a.shares != fairshareParent {
				return name
			}
			name = a.parent
		}
		return ""
	}
	s := &ostrich.Shares{}
	for _, name := range slices.Sorted(maps.Keys(accounts)) {
		if a := accounts[name]; above(name) == name {
			parent := above(a.parent)
			if inCycle(accounts, name) {
				parent = ""
			}
			s.Accounts = append(s.Accounts, ostrich.Account{Name: name, Parent: parent, Weight: weight(a.shares)})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(n.assocs)) {
		if a := n.assocs[id]; a.user != "" && !a.deleted {
			s.Users = append(s.Users, ostrich.UserShare{
				User: ostrich.UserID(id), Account: above(a.account), Weight: weight(a.shares),
			})
		}
	}
	return s
}

// inCycle tells whether an account is its own ancestor, which a broken table
// may say.
func inCycle(accounts map[string]assoc, name string) bool {
	at := accounts[name].parent
	for range len(accounts) {
		if at == name {
			return true
		}
		a, ok := accounts[at]
		if !ok {
			return false
		}
		at = a.parent
	}
	return false
}

func weight(shares int64) float64 {
	if shares == fairshareParent || shares < 0 {
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
