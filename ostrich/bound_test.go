package ostrich_test

import (
	"math"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/campaign"
)

// TestBoundOfWideJobs has wide and narrow jobs in turn, which do not fit beside
// each other: followed in order, the last one ends at 466, and three p_max after
// the virtual schedule, which would be 389, is no bound.
func TestBoundOfWideJobs(t *testing.T) {
	s, err := ostrich.New(ostrich.Options{Procs: 10, Machine: ostrich.Parallel, Inside: ostrich.LJF, Rule: campaign.Rule{By: campaign.Arrival, Threshold: 10}})
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
	all := s.Campaigns()
	// t + k·W/(m·(1-α)) + p_max/(1-α) + p_max of the campaign, with users 1 and 6 active
	// and α = 9/10
	if c, want := all[len(all)-1], 100+2*9/(10*0.1)+100/0.1+1; c.User != 6 || !(math.Abs(c.Bound-want) <= 1e-6) {
		t.Errorf("the bound of user %d is %v, want %v of 6", c.User, c.Bound, want)
	}
}

// TestPromiseStandsStill has a job wait while the machine idles. The bound moves with
// the time, as nothing is served virtually; the promise does not, until another user
// comes.
func TestPromiseStandsStill(t *testing.T) {
	s, err := ostrich.New(ostrich.Options{Procs: 4, Machine: ostrich.Parallel, Grace: 1000, Rule: campaign.Rule{By: campaign.Max}})
	if err != nil {
		t.Fatal(err)
	}
	submit := func(at ostrich.Time, id ostrich.JobID, user ostrich.UserID) {
		j := ostrich.Job{ID: id, User: user, Procs: 1, Estimate: 100, Submit: at}
		if err := s.Step(ostrich.Event{At: at, Kind: ostrich.Submit, Job: j}); err != nil {
			t.Fatal(err)
		}
	}
	submit(10, 1, 1)
	// C~ + grace + (A + m·p)/m + p, alone and with another user's equal job
	alone, shared := 10+100.0/4+1000+(100+400)/4.0+100, 10+2*100.0/4+1000+(200+400)/4.0+100
	for _, at := range []ostrich.Time{10, 500, 5000} {
		if err := s.AdvanceTo(at); err != nil {
			t.Fatal(err)
		}
		c := s.Campaigns()[0]
		done := float64(at) + 25 // C~
		if want := done + max(done-10, 1000) + 225; c.Bound != want {
			t.Errorf("at %d: the bound is %v, want %v", at, c.Bound, want)
		}
		if c.Promise != alone {
			t.Errorf("at %d: the promise is %v, want %v", at, c.Promise, alone)
		}
	}
	submit(5000, 2, 2)
	if c := s.Campaigns()[0]; c.Promise != shared {
		t.Errorf("with another user the promise is %v, want %v", c.Promise, shared)
	}
}

// TestBoundCountsReopenedWork has a campaign's work grow when it and the next one are
// completed virtually: the one that comes then waits for all of that.
func TestBoundCountsReopenedWork(t *testing.T) {
	s, err := ostrich.New(ostrich.Options{Procs: 1, Rule: campaign.Rule{By: campaign.Groups}})
	if err != nil {
		t.Fatal(err)
	}
	step := func(at ostrich.Time, kind ostrich.Kind, id ostrich.JobID, estimate ostrich.Duration) {
		j := ostrich.Job{ID: id, User: 1, Procs: 1, Estimate: estimate, Submit: at}
		if err := s.Step(ostrich.Event{At: at, Kind: kind, Job: j}); err != nil {
			t.Fatal(err)
		}
	}
	step(1, ostrich.Submit, 1, 10)
	step(2, ostrich.Submit, 2, 10)
	step(30, ostrich.Change, 1, 100)
	step(30, ostrich.Submit, 3, 10)
	// t + k·(B + W)/m + 3·p_max
	if c, want := s.Campaigns()[2], 30+(90+10)/1.0+3*100; c.Bound != want {
		t.Errorf("the bound is %v, want %v", c.Bound, want)
	}
}

// A campaign none of whose jobs could start has no times, and nothing is promised.
func TestWaitingHasNoBound(t *testing.T) {
	for _, machine := range []ostrich.Machine{ostrich.Sequential, ostrich.Parallel} {
		for _, grace := range []ostrich.Duration{0, 1000} {
			s, err := ostrich.New(ostrich.Options{Procs: 4, Machine: machine, Grace: grace})
			if err != nil {
				t.Fatal(err)
			}
			j := ostrich.Job{ID: 1, User: 1, Procs: 1, Estimate: 100, Submit: 10}
			for _, kind := range []ostrich.Kind{ostrich.Submit, ostrich.Hold} {
				if err := s.Step(ostrich.Event{At: 10, Kind: kind, Job: j}); err != nil {
					t.Fatal(err)
				}
			}
			if c := s.Campaigns()[0]; !c.Waiting || !math.IsInf(c.Bound, 1) || !math.IsInf(c.Promise, 1) {
				t.Errorf("%v, grace %d: the bound is %v, the promise %v, want +Inf", machine, grace, c.Bound, c.Promise)
			}
		}
	}
}
