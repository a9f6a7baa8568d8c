package slurmdb

import (
	"context"
	"slices"
)

// Known are the names that accounting has, each list sorted: users and accounts
// of the cluster, and the QOS of all clusters. Deleted names are included,
// because a setting may name somebody who has left.
type Known struct {
	Users, Accounts, QOS []string
}

// Known reads the names.
func (r *Reader) Known(ctx context.Context) (k Known, err error) {
	err = r.db.scan(ctx, func(scan func(...any) error) error {
		var user, account string
		failed := scan(&user, &account)
		if k.Accounts = append(k.Accounts, account); user != "" { // else the association of an account
			k.Users = append(k.Users, user)
		}
		return failed
	}, "SELECT DISTINCT `user`, acct FROM "+r.schema.table("assoc_table"))
	if err != nil {
		return Known{}, r.failed("associations", err)
	}
	if k.QOS, err = r.db.list(ctx, "SELECT name FROM qos_table"); err != nil {
		return Known{}, r.failed("QOS", err)
	}
	for _, names := range []*[]string{&k.Users, &k.Accounts, &k.QOS} {
		slices.Sort(*names)
		*names = slices.Compact(*names)
	}
	return k, nil
}
