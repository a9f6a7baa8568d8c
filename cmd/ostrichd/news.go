package main

import (
	"fmt"
	"time"

	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/priority"
)

// calm is how long no write must have been undone until it counts as over: one
// backfill cycle undoes some writes, and the next one others.
const calm = 10 * time.Minute

// undone logs that the backfill scheduler undoes writes, once when it begins and
// once when it is over.
func (d *daemon) undone(c *sidecar.Cycle) {
	n := c.Plan.Summary.Undone + count(c.Outcomes, priority.Undone)
	switch began := !d.undoing.IsZero(); {
	case n > 0:
		if !began {
			d.log.Warn().Int("jobs", n).Msg("the backfill scheduler undoes writes; they are made again. ostrich check tells of bf_continue, and plan names the jobs")
		}
		d.undoing = d.now()
	case began && d.now().Sub(d.undoing) >= calm:
		d.undoing = time.Time{}
		d.log.Info().Stringer("for", calm).Msg("the backfill scheduler has undone no write for some time")
	}
}

// repeated returns the number of writes that were repeated.
func repeated(outcomes []priority.Change) int {
	n := 0
	for i := range outcomes {
		if outcomes[i].Undone {
			n++
		}
	}
	return n
}

// notInForce returns an error if the backfill scheduler undid writes before they
// were read back.
func notInForce(outcomes []priority.Change) error {
	if n := count(outcomes, priority.Undone); n > 0 {
		return fmt.Errorf("%d of %d priorities undone by the backfill scheduler; another cycle writes them again", n, len(outcomes))
	}
	return nil
}

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
