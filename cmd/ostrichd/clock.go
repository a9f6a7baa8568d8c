package main

import (
	"errors"

	"slurm-ostrich/cmd/internal/sidecar"
)

// doubt records that the database's clock is wrong: the daemon is not ready, and
// begins anew if it has used that clock.
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
