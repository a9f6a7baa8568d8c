package main

import "slurm-ostrich/cmd/internal/sidecar"

// moved logs at which of several database servers accounting is read: once when it
// is another one, and once when it is the first again.
func (d *daemon) moved(c *sidecar.Cycle) {
	before := d.server
	d.server = c.Server
	switch {
	case c.Passed != nil && c.Server != before:
		d.log.Warn().Str("address", c.Server).AnErr("error", c.Passed).Msg("accounting is read at another database server")
	case c.Passed == nil && d.passed:
		d.log.Info().Str("address", c.Server).Msg("accounting is read at the first database server again")
	}
	d.passed = c.Passed != nil
}
