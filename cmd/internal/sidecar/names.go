package sidecar

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/priority"
	"slurm-ostrich/slurmdb"
)

// Namer knows the names that settings may have. *slurmdb.Reader is one.
type Namer interface {
	Known(ctx context.Context) (slurmdb.Known, error)
}

// named is a setting that lists names of one kind.
type named struct {
	key, kind string
	names     []string
	of        func(slurmdb.Known, []string) []string // the names that exist; the second argument lists partitions
}

// namesSet lists the settings in force that choose jobs to manage or to leave alone.
func namesSet(c *configuration.Config) []named {
	users := func(k slurmdb.Known, _ []string) []string { return k.Users }
	accounts := func(k slurmdb.Known, _ []string) []string { return k.Accounts }
	qos := func(k slurmdb.Known, _ []string) []string { return k.QOS }
	partitions := func(_ slurmdb.Known, p []string) []string { return p }
	return slices.DeleteFunc([]named{
		{"include.users", "user", c.Include.Users, users},
		{"include.accounts", "account", c.Include.Accounts, accounts},
		{"include.qos", "QOS", c.Include.QOS, qos},
		{"include.partitions", "partition", c.Include.Partitions, partitions},
		{"exclude.users", "user", c.Exclude.Users, users},
		{"exclude.accounts", "account", c.Exclude.Accounts, accounts},
		{"exclude.qos", "QOS", c.Exclude.QOS, qos},
		{"exclude.partitions", "partition", c.Exclude.Partitions, partitions},
	}, func(n named) bool { return len(n.names) == 0 })
}

// ChoosesByName reports whether settings choose jobs to manage or to leave alone.
func ChoosesByName(c *configuration.Config) bool { return len(namesSet(c)) > 0 }

// UnknownNames returns the names in include and exclude that Slurm does not know,
// each with the nearest names, or why it cannot look them up. Without it, jobs
// that a misspelt name was to keep out would be managed silently.
func UnknownNames(ctx context.Context, c *configuration.Config, from Namer, partitions []priority.Partition) (unknown, err error) {
	set := namesSet(c)
	if len(set) == 0 {
		return nil, nil
	}
	known, err := from.Known(ctx)
	if err != nil {
		return nil, err
	}
	parts := format.Texts(partitions, func(p priority.Partition) string { return p.Name })
	var all []error
	for _, s := range set {
		for _, name := range s.names {
			if there := s.of(known, parts); !slices.Contains(there, name) {
				all = append(all, fmt.Errorf("%s: Slurm knows no %s %q%s", s.key, s.kind, name, format.DidYouMean(format.Nearest(name, there))))
			}
		}
	}
	return errors.Join(all...), nil
}

// refuseNames returns what UnknownNames returns, all of it as an error if the
// sidecar is to write. Otherwise the first cycle reports the names.
func refuseNames(ctx context.Context, c *configuration.Config, from Namer, partitions []priority.Partition, write bool) (unknown, err error) {
	unknown, err = UnknownNames(ctx, c, from, partitions)
	if unknown != nil && (write || c.Tried() == configuration.Enforce || c.Tried() == configuration.Trial) {
		return nil, fmt.Errorf("configuration: %w: %w", configuration.ErrConfig, unknown)
	}
	return unknown, err
}
