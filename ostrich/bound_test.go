package ostrich_test

import (
	"testing"

	"slurm-ostrich/ostrich"
)

// TestBoundOfWideJobs has wide and narrow jobs in turn, which do not fit beside
// each other: followed in order, the last one ends at 466, and three p_max after
// the virtual schedule, which would be 389, is no bound.
func TestBoundOfWideJobs(t *testing.T) {
	s, err := ostrich.New(ostrich.Options{Procs: 10, Machine: ostrich.Parallel, Inside: ostrich.LJF, Rule: ostrich.Rule{By: ostrich.Arrival, Threshold: 10}})
	if err != nil {
		t.Fatal(err)
	}
	id := ostrich.JobID(0)
	submit := func(at ostrich.Time, user ostrich.UserID, procs int, run ostrich.Duration) ostrich.Job {
		id++
		j := ostrich.Job{ID: id, User: user, Procs: procs, Estimate: run, Submit: at}
		if err := s.Step(ostrich.Event{At: at, Kind: ostrich.Submit, Job: j}); err != nil {
			t.Fatal(err)
		}
		return j
	}
	wide, narrow := submit(1, 1, 9, 100), submit(1, 1, 1, 100)
	for _, j := range []ostrich.Job{wide, narrow} {
		j.Start = 1
		if err := s.Step(ostrich.Event{At: 1, Kind: ostrich.Start, Job: j}); err != nil {
			t.Fatal(err)
		}
	}
	for user := ostrich.UserID(2); user <= 5; user++ {
		submit(2, user, 9, 1)
		submit(2, user, 2, 90)
	}
	submit(100, 6, 9, 1)
	for _, c := range s.Campaigns() {
		if c.User == 6 && c.Bound < 466 {
			t.Errorf("the bound is %v, and the job may end at 466", c.Bound)
		}
	}
}
