package slurmdb

import (
	"context"

	"slurm-ostrich/ostrich/accounting"
)

// Site reads the association tree and the QOS, without deleted ones, and with their limits if the
// configuration asks for them.
func (r *Reader) Site(ctx context.Context) (*accounting.Site, error) {
	associations, _, err := r.Names(ctx)
	if err != nil {
		return nil, err
	}
	s := &accounting.Site{}
	for _, a := range associations {
		switch {
		case a.Deleted:
		case a.User == "":
			s.Accounts = append(s.Accounts, accounting.Account{ID: a.ID, Name: a.Account, Parent: a.Parent, Shares: a.Shares})
		default:
			s.Associations = append(s.Associations, accounting.AssociationShare{
				ID: a.ID, User: a.User, Account: a.Account, Partition: a.Partition, Shares: a.Shares,
			})
		}
	}
	if s.QOS, err = r.QOS(ctx); err != nil {
		return nil, err
	}
	if r.config.Limits {
		limits, prioritized, err := r.Limits(ctx)
		if err != nil {
			return nil, err
		}
		s.Prioritized = prioritized
		for i := range s.Accounts {
			s.Accounts[i].Limits = limits[s.Accounts[i].ID]
		}
		for i := range s.Associations {
			s.Associations[i].Limits = limits[s.Associations[i].ID]
		}
	}
	s.Sort()
	return s, nil
}
