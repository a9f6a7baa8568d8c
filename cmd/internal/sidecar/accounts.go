package sidecar

import (
	"context"

	"slurm-ostrich/cmd/internal/sacctsource"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority/slurm"
	"slurm-ostrich/slurmdb"
)

// accounts is all that is asked of accounting. *slurmdb.Reader and *sacctsource.Source
// are such.
type accounts interface {
	Accounting
	Namer
	asked
}

// asked answers questions that no poll does, see Past.
type asked interface {
	Find(ctx context.Context, id ostrich.JobID, task, offset int) (slurmdb.Record, bool, error)
	Started(ctx context.Context, from, to ostrich.Time, visit func(*slurmdb.Row)) error
	Close() error
}

// openAccounts opens what the setting source names. It reads no job.
func (c *Config) openAccounts(ctx context.Context, source slurmdb.Config) (accounts, error) {
	if c.From == Sacct {
		return sacctsource.New(c.accountants(), source)
	}
	return slurmdb.Open(ctx, source)
}

// accountants are the commands that ask accounting. They have as much time as a query.
func (c *Config) accountants() slurm.Commands {
	commands := c.Commands()
	commands.Timeout = max(c.Slurm.Timeout, c.Database.Timeout)
	return commands
}
