package bot

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/lengths"
	"slurm-ostrich/ostrich/sim"
)

// TestPredict follows the last value by hand.
func TestPredict(t *testing.T) {
	var jobs []sim.Job
	task := func(user ostrich.UserID, start ostrich.Time, run ostrich.Duration) {
		jobs = append(jobs, sim.Job{ID: ostrich.JobID(len(jobs) + 1), User: user, Submit: start, Run: run, Start: start})
	}
	task(1, 0, 10)
	task(1, 0, 20)  // off by 1/2
	task(2, 5, 7)   // alone in its bag
	task(1, 30, 40) // by user off by 1/2
	task(1, 35, 10) // off by 3, but known to have run 40 only after its start: by user 20 was the last, off by 1
	task(3, 40, 50) // in no bag
	task(4, 45, 100)
	task(4, 45, 100) // not off
	numbers := []int{0, 0, 1, 2, 2, -1, 3, 3}
	for _, tt := range []struct {
		byBag bool
		known Known
		want  Inaccuracy
	}{
		{true, Before, Inaccuracy{Tasks: 3, Mean: 3.5 / 3, Max: 3, Median: 0.5}},
		{false, Before, Inaccuracy{Tasks: 4, Mean: 1, Max: 3, Median: 0.5}},
		{true, Ended, Inaccuracy{}},
		{false, Ended, Inaccuracy{Tasks: 2, Mean: 0.75, Max: 1, Median: 1}},
	} {
		got := Predict(jobs, numbers, lengths.ByLast, tt.byBag, tt.known)
		if diff := cmp.Diff(tt.want, got, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
			t.Errorf("by bag %t, known %d (-want +got):\n%s", tt.byBag, tt.known, diff)
		}
	}
}

// TestPredictAtOneMoment: what ends when a task starts had ended, in whatever order
// the two were submitted.
func TestPredictAtOneMoment(t *testing.T) {
	task := func(id ostrich.JobID, submit, start ostrich.Time, run ostrich.Duration) sim.Job {
		return sim.Job{ID: id, User: 1, Submit: submit, Run: run, Start: start}
	}
	for name, jobs := range map[string][]sim.Job{
		"submitted before": {task(1, 0, 5, 5), task(2, 2, 10, 10)},
		"submitted after":  {task(1, 0, 10, 10), task(2, 2, 5, 5)},
	} {
		if got := Predict(jobs, []int{0, 0}, lengths.ByLast, true, Ended); got.Tasks != 1 || got.Mean != 0.5 {
			t.Errorf("%s: %+v, want one task off by 0.5", name, got)
		}
	}
}
