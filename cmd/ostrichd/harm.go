package main

import "slurm-ostrich/cmd/internal/sidecar"

// harmful logs a setting of Slurm under which an order can do harm, once when it
// is found and once when it is gone. A daemon that enforces does no cycle under
// it, and reports that like any failure.
func (d *daemon) harmful(c *sidecar.Cycle) {
	found := c.Harm != nil
	if found == d.harm {
		return
	}
	d.harm = found
	if found {
		d.log.Warn().Err(c.Harm).Msg("an order can do harm under Slurm's present settings; mode enforce refuses to write")
	} else {
		d.log.Info().Msg("an order can do no harm any more under Slurm's settings")
	}
}
