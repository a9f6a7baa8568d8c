package sidecar

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

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
	of        func(slurmdb.Known, []string) []string // the names that there are; the second are partitions
}

// named lists the settings in force that choose jobs to manage or to leave alone.
func (c *Config) named() []named {
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

// checkNames returns the names in include and exclude that Slurm does not know,
// each with the nearest names, or why it cannot look them up. Without it, jobs
// that a misspelt name was to keep out would be managed silently.
func (c *Config) checkNames(ctx context.Context, from Namer, partitions []priority.Partition) (unknown, err error) {
	set := c.named()
	if len(set) == 0 {
		return nil, nil
	}
	known, err := from.Known(ctx)
	if err != nil {
		return nil, err
	}
	parts := make([]string, len(partitions))
	for i, p := range partitions {
		parts[i] = p.Name
	}
	var all []error
	for _, s := range set {
		for _, name := range s.names {
			if there := s.of(known, parts); !slices.Contains(there, name) {
				all = append(all, fmt.Errorf("%s: Slurm knows no %s %q%s", s.key, s.kind, name, didYouMean(nearest(name, there))))
			}
		}
	}
	return errors.Join(all...), nil
}

// refuseNames returns what checkNames returns, all of it as an error if the
// sidecar is to write. Otherwise the first cycle reports the names.
func (c *Config) refuseNames(ctx context.Context, from Namer, partitions []priority.Partition, write bool) (unknown, err error) {
	unknown, err = c.checkNames(ctx, from, partitions)
	if unknown != nil && (write || c.trial) {
		return nil, fmt.Errorf("configuration: %w: %w", ErrConfig, unknown)
	}
	return unknown, err
}

// didYouMean ends an error with the names that may have been meant.
func didYouMean(names []string) string {
	if len(names) == 0 {
		return ""
	}
	for i := range names {
		names[i] = fmt.Sprintf("%q", names[i])
	}
	return "; did you mean " + strings.Join(names, " or ") + "?"
}

// mostNearest is how many names are proposed.
const mostNearest = 3

// nearest returns the names that differ least from one, the nearest first: those
// that differ in at most a third of its letters, or in one.
func nearest(name string, from []string) []string {
	type candidate struct {
		name string
		far  int
	}
	var all []candidate
	for _, other := range from {
		if far := distance(strings.ToLower(name), strings.ToLower(other)); far <= max(1, len([]rune(name))/3) {
			all = append(all, candidate{other, far})
		}
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.far, b.far), cmp.Compare(a.name, b.name))
	})
	var names []string
	for _, c := range all[:min(len(all), mostNearest)] {
		names = append(names, c.name)
	}
	return names
}

// distance returns how many letters to insert, remove, replace or swap with the
// next to turn a into b (optimal string alignment).
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			replaced := rows[i-1][j-1]
			if x[i-1] != y[j-1] {
				replaced++
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, replaced)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(x)][len(y)]
}
