package slurmdb

import (
	"context"
	"maps"
	"slices"
)

// Known are the names that accounting has, each list sorted: users and accounts
// of the cluster, and the QOS of all clusters. Deleted names are included,
// because a setting may name somebody who has left.
type Known struct {
	Users, Accounts, QOS []string
}

// Known reads the names.
func (r *Reader) Known(ctx context.Context) (Known, error) {
	users, accounts, qos := map[string]bool{}, map[string]bool{}, map[string]bool{}
	err := r.db.scan(ctx, func(scan func(...any) error) error {
		var user, account string
		failed := scan(&user, &account)
		users[user], accounts[account] = true, true
		return failed
	}, "SELECT DISTINCT `user`, acct FROM "+r.schema.table("assoc_table"))
	if err != nil {
		return Known{}, r.failed("associations", err)
	}
	err = r.db.scan(ctx, func(scan func(...any) error) error {
		var name string
		failed := scan(&name)
		qos[name] = true
		return failed
	}, "SELECT name FROM qos_table")
	if err != nil {
		return Known{}, r.failed("QOS", err)
	}
	delete(users, "") // the association of an account
	return Known{
		Users: slices.Sorted(maps.Keys(users)), Accounts: slices.Sorted(maps.Keys(accounts)), QOS: slices.Sorted(maps.Keys(qos)),
	}, nil
}
