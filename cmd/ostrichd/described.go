package main

import (
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/view"
)

// described is the cycle that was described last, for all that print it. Belongs to the
// daemon's loop.
type described struct {
	cycle *sidecar.Cycle
	is    *view.Cycle
}

// of describes a cycle, unless that was done.
func (d *described) of(c *sidecar.Cycle, from view.Source) *view.Cycle {
	if d.cycle != c {
		d.cycle, d.is = c, view.Describe(from, c, d.is)
	}
	return d.is
}
