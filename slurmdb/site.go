package slurmdb

import (
	"context"

	"slurm-ostrich/ostrich/accounting"
)

// Site reads the association tree and the QOS. Deleted ones are left out.
func (r *Reader) Site(ctx context.Context) (*accounting.Site, error) {
	s := &accounting.Site{}
	err := r.db.scan(ctx, func(scan func(...any) error) error {
		var a assoc
		if err := scan(&a.id, &a.user, &a.account, &a.partition, &a.parent, &a.shares); err != nil {
			return err
		}
		if a.shares == fairshareParent {
			a.shares = accounting.ParentShares
		}
		if a.user == "" {
			s.Accounts = append(s.Accounts, accounting.Account{ID: a.id, Name: a.account, Parent: a.parent, Shares: a.shares})
		} else {
			s.Associations = append(s.Associations, accounting.AssociationShare{
				ID: a.id, User: a.user, Account: a.account, Partition: a.partition, Shares: a.shares,
			})
		}
		return nil
	}, "SELECT id_assoc, `user`, acct, `partition`, parent_acct, shares FROM "+r.schema.table("assoc_table")+" WHERE deleted = 0")
	if err != nil {
		return nil, r.failed("associations", err)
	}
	err = r.db.scan(ctx, func(scan func(...any) error) error {
		var q accounting.QOS
		failed := scan(&q.Name, &q.Priority, &q.UsageFactor)
		s.QOS = append(s.QOS, q)
		return failed
	}, "SELECT name, COALESCE(priority, 0), usage_factor FROM qos_table WHERE deleted = 0")
	if err != nil {
		return nil, r.failed("QOS", err)
	}
	s.Sort()
	return s, nil
}
