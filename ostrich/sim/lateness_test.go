package sim_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
)

// TestLateness has two users with two jobs of 10 s each on one processor. Each
// gets half of it, so both campaigns end virtually at 40.
func TestLateness(t *testing.T) {
	jobs := []report.Job{
		{ID: 1, User: 1, Campaign: 0, Submit: 0, Start: 0, End: 10, Procs: 1, Estimate: 10},
		{ID: 2, User: 1, Campaign: 0, Submit: 0, Start: 10, End: 20, Procs: 1, Estimate: 10},
		{ID: 3, User: 2, Campaign: 1, Submit: 0, Start: 20, End: 30, Procs: 1, Estimate: 10},
		{ID: 4, User: 2, Campaign: 1, Submit: 0, Start: 35, End: 45, Procs: 1, Estimate: 10},
		{ID: 5, User: 2, Campaign: -1, Submit: 60, Start: 60, End: 70, Procs: 1, Estimate: 10},
	}
	got, err := sim.Lateness(jobs, ostrich.Options{Procs: 1})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{-20, 5}, got, cmpopts.EquateApprox(0, 1e-6)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	// On a Parallel machine the clock stands while nothing runs, from 30 to 35.
	got, err = sim.Lateness(jobs, ostrich.Options{Procs: 1, Machine: ostrich.Parallel})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{-25, 0}, got, cmpopts.EquateApprox(0, 1e-6)); diff != "" {
		t.Errorf("parallel (-want +got):\n%s", diff)
	}
}

// TestLatenessSameSecond: two campaigns that a user submits in the same second
// end virtually one after the other.
func TestLatenessSameSecond(t *testing.T) {
	jobs := []report.Job{
		{ID: 1, User: 1, Campaign: 0, Submit: 0, Start: 0, End: 10, Procs: 1, Estimate: 10},
		{ID: 2, User: 1, Campaign: 1, Submit: 0, Start: 10, End: 15, Procs: 1, Estimate: 5},
	}
	got, err := sim.Lateness(jobs, ostrich.Options{Procs: 1})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{0, 0}, got, cmpopts.EquateApprox(0, 1e-6)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestLatenessOfARun sees that jobs that follow the virtual schedule without
// contention are never late, and that estimates that were too long end with the job.
func TestLatenessOfARun(t *testing.T) {
	var jobs []report.Job
	for i := range 20 {
		at := ostrich.Time(100 * i)
		jobs = append(jobs, report.Job{ID: ostrich.JobID(i + 1), User: 1, Campaign: i, Submit: at, Start: at, End: at + 10, Procs: 2, Estimate: 1000})
	}
	got, err := sim.Lateness(jobs, ostrich.Options{Procs: 2})
	if err != nil {
		t.Fatal(err)
	}
	for n, late := range got {
		if math.IsNaN(late) || math.Abs(late) > 1e-6 {
			t.Errorf("campaign %d is %v s late", n, late)
		}
	}
}
