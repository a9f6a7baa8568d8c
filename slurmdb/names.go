package slurmdb

import (
	"context"

	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
)

// fairshareParent is what Slurm stores for "fairshare=parent".
const fairshareParent = 0x7fffffff

// mark changes when the association table does.
type mark struct {
	rows, shares, deleted int64
	modified              int64
}

// fetchNames reads the associations if they changed, or if a job has a QOS that is new.
// Their times are whole seconds, so a change within the overlap is always read.
func (r *Reader) fetchNames(ctx context.Context, p *ledger.Poll) error {
	var m mark
	err := r.db.one(ctx, "SELECT COUNT(*), COALESCE(SUM(shares), 0), COALESCE(SUM(deleted), 0), COALESCE(MAX(mod_time), 0) FROM "+
		r.schema.table("assoc_table"), &m.rows, &m.shares, &m.deleted, &m.modified)
	if err != nil {
		return err
	}
	r.read = m
	r.named = 1
	if err = r.fetchFactors(ctx, p); err != nil {
		return err
	}
	if !r.Cold() && !p.NewQOS() && m == r.mark && m.modified < int64(p.Now)-int64(r.config.Overlap) {
		return nil
	}
	associations, qos, err := r.readNames(ctx)
	p.Names(associations, qos)
	r.named += len(associations) + len(qos)
	return err
}

// fetchFactors reads what the jobs of each QOS are charged, if work is counted by that.
func (r *Reader) fetchFactors(ctx context.Context, p *ledger.Poll) error {
	if !r.config.Unit.Charges() {
		return nil
	}
	factors := make(map[string]float64)
	p.Factors(factors)
	return r.db.scan(ctx, func(scan func(...any) error) error {
		var (
			name   string
			factor float64
		)
		failed := scan(&name, &factor)
		if factor >= 0 { // as slurmctld takes it
			factors[name] = factor
		}
		return failed
	}, "SELECT name, usage_factor FROM qos_table WHERE deleted = 0")
}

// readNames reads the associations and the names of QOS, deleted ones too.
func (r *Reader) readNames(ctx context.Context) (associations map[uint32]ledger.Association, qos map[uint32]string, err error) {
	associations, qos = make(map[uint32]ledger.Association), make(map[uint32]string)
	err = r.db.scan(ctx, func(scan func(...any) error) error {
		var a ledger.Association
		failed := scan(&a.ID, &a.User, &a.Account, &a.Partition, &a.Parent, &a.Shares, &a.Deleted)
		if a.Shares == fairshareParent {
			a.Shares = accounting.ParentShares
		}
		associations[a.ID] = a
		return failed
	}, "SELECT id_assoc, `user`, acct, `partition`, parent_acct, shares, deleted <> 0 FROM "+r.schema.table("assoc_table"))
	if err != nil {
		return associations, qos, err
	}
	return associations, qos, r.db.scan(ctx, func(scan func(...any) error) error {
		var (
			id   uint32
			name string
		)
		failed := scan(&id, &name)
		qos[id] = name
		return failed
	}, "SELECT id, name FROM qos_table")
}
