package sidecar

import (
	"errors"
	"math"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/optimal"
)

// wide submits a job that uses so many processors for so long.
func (s *site) wide(id, user int, at ostrich.Time, procs int, length ostrich.Duration) {
	s.submit(id, user, at, "main")
	j := &s.Events[len(s.Events)-1].Job
	j.Procs, j.Estimate = procs, length
	s.Records[j.ID].Job = *j
}

func horizons(c *Config) { c.Schedule.Order = orderHorizon }

// ranked are the managed jobs of a cycle in their order.
func ranked(c *Cycle) (list []ostrich.JobID) {
	for i := range c.Plan.All.Managed {
		list = append(list, c.Plan.All.Entries[i].Job)
	}
	return list
}

// TestPlannedOrder: users accept to wait 2190 s for a job of 10 min, and 2260 s for one
// of 700 s. Job 1 has the least work and goes first; but jobs 2 and 3 are late already,
// by 740 s, and job 1 is not late until 1190 s have passed.
func TestPlannedOrder(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(*Config)
		want []ostrich.JobID
	}{
		{"plain", func(*Config) {}, []ostrich.JobID{1, 2, 3}},
		{"planned", horizons, []ostrich.JobID{2, 3, 1}},
		{"no budget", func(c *Config) { horizons(c); c.Schedule.Nodes = 0 }, []ostrich.JobID{1, 2, 3}},
		{"nobody may pass", func(c *Config) { horizons(c); c.Schedule.Ahead = 0 }, []ostrich.JobID{1, 2, 3}},
		{"for whom any wait is right", func(c *Config) { horizons(c); c.Satisfaction.Offset = 1e6 }, []ostrich.JobID{1, 2, 3}},
	} {
		s := newSite()
		s.wide(2, 2, 7000, 8, 700)
		s.wide(3, 2, 7000, 8, 700)
		s.wide(1, 1, 9000, 8, 600)
		sc := s.start(t, c.edit)
		cycle := run(t, sc, false)
		equal(t, c.name, c.want, ranked(cycle))
		equal(t, c.name+", again", c.want, ranked(run(t, sc, false)))
		if cycle.Unplanned != nil {
			t.Errorf("%s: %v", c.name, cycle.Unplanned)
		}
	}
}

// TestPlannedFailure: a queue that cannot be planned keeps its order, and that is told
// once.
func TestPlannedFailure(t *testing.T) {
	s := newSite()
	s.wide(2, 2, 7000, 8, 700)
	s.wide(3, 2, 7000, 8, 700)
	s.wide(1, 1, 9000, 7, 600)
	s.Events[0].Procs = math.MaxInt32 // more than can be planned
	sc := s.start(t, horizons)
	cycle := run(t, sc, false)
	if !errors.Is(cycle.Unplanned, optimal.ErrInstance) {
		t.Errorf("%v", cycle.Unplanned)
	}
	equal(t, "order", []ostrich.JobID{1, 2, 3}, ranked(cycle))
	s.Now++
	s.submit(4, 3, s.Now, "main") // another plan
	cycle = run(t, sc, false)
	if cycle.Unplanned != nil || len(ranked(cycle)) != 4 {
		t.Errorf("%v, %v", cycle.Unplanned, ranked(cycle))
	}
}
