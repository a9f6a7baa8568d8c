package archive

import (
	"context"

	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/slurmdb"
)

// Site reads the association tree and the QOS, without deleted ones.
func Site(ctx context.Context, r *slurmdb.Reader) (*accounting.Site, error) {
	associations, _, err := r.Names(ctx)
	if err != nil {
		return nil, err
	}
	s := &accounting.Site{}
	for _, a := range associations {
		shares := a.Shares
		if shares == slurmdb.FairshareParent {
			shares = accounting.ParentShares
		}
		switch {
		case a.Deleted:
		case a.User == "":
			s.Accounts = append(s.Accounts, accounting.Account{ID: a.ID, Name: a.Account, Parent: a.Parent, Shares: shares})
		default:
			s.Associations = append(s.Associations, accounting.AssociationShare{
				ID: a.ID, User: a.User, Account: a.Account, Partition: a.Partition, Shares: shares,
			})
		}
	}
	if s.QOS, err = r.QOS(ctx); err != nil {
		return nil, err
	}
	s.Sort()
	return s, nil
}
