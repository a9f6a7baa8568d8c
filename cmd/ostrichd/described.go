package main

import (
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/view"
)

// described keeps the latest described cycle for the page and the metrics. It belongs
// to the daemon's loop.
type described struct {
	cycle *sidecar.Cycle
	is    *view.Cycle
}

// of describes a cycle, unless it already has.
func (d *described) of(c *sidecar.Cycle, from view.Source) *view.Cycle {
	if d.cycle != c {
		d.cycle, d.is = c, view.Describe(from, c, d.is)
	}
	return d.is
}
