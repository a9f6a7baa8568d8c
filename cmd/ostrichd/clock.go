package main

import (
	"errors"

	"slurm-ostrich/cmd/internal/sidecar"
)

// doubt takes note of a database whose clock is wrong: the daemon is not ready,
// and where it has gone by that clock it begins anew.
func (d *daemon) doubt(err error) {
	if !errors.Is(err, sidecar.ErrClock) {
		return
	}
	d.status.distrust(err)
	if !errors.Is(err, sidecar.ErrAnew) {
		return
	}
	if err := d.close(); err != nil {
		d.log.Warn().Err(err).Msg("not closed cleanly")
	}
}
