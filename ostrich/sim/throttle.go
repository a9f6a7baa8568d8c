package sim

import (
	"fmt"

	"slurm-ostrich/ostrich"
)

// throttle is an array of whose tasks no more than a number run at a time (%N, ArrayTaskThrottle). While as many run, Slurm does not look
// at the others (job_mgr.c, job_array_start_test).
type throttle struct {
	most, running int
	full          bool         // since as many ran, no scheduler has looked
	let           ostrich.Time // when one did: from then on the others are eligible again (job_mgr.c, job_independent)
}

// checkThrottles returns what is wrong with the limits of arrays.
func (m *Machine) checkThrottles() error {
	if len(m.Throttles) > 0 && (m.Backfill != Slurm || m.Cluster == nil) {
		return fmt.Errorf("sim: arrays whose tasks wait for each other, but not on nodes under %s: %w", BackfillNames[Slurm], ErrWorkload)
	}
	for id, most := range m.Throttles {
		if most < 1 {
			return fmt.Errorf("sim: array %d, of which %d tasks may run: %w", id, most, ErrWorkload)
		}
	}
	return nil
}

// throttleOf returns the array of a job, nil if it has no such limit.
func (p *placed) throttleOf(i int32) *throttle { return p.throttles[p.jobs[i].Array] }

// throttled reports whether a job at which a scheduler looks waits for other tasks of its array.
func (p *placed) throttled(i int32) bool {
	t := p.throttleOf(i)
	if t == nil {
		return false
	}
	if t.running >= t.most {
		return true
	}
	if t.full {
		t.full, t.let = false, p.now
	}
	return false
}

// throttledStart counts a task that starts.
func (p *placed) throttledStart(i int32) {
	if t := p.throttleOf(i); t != nil {
		t.running++
		t.full = t.running >= t.most
	}
}

// throttledEnd counts a task that has ended.
func (p *placed) throttledEnd(i int32) {
	if t := p.throttleOf(i); t != nil {
		t.running--
	}
}
