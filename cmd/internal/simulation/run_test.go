package simulation

import (
	"slices"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
)

// logged is a job of a log on one processor that ran as it was submitted.
func logged(id ostrich.JobID, user ostrich.UserID, submit ostrich.Time, run, limit ostrich.Duration) sim.Job {
	return sim.Job{ID: id, User: user, Submit: submit, Run: run, Estimate: limit, Procs: 1, Start: submit}
}

// order is the order in which options have jobs start.
func order(t *testing.T, log []sim.Job, options map[string]string) []ostrich.JobID {
	t.Helper()
	o := Defaults()
	for name, value := range options {
		if err := o.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	r, err := o.Run()
	if err != nil {
		t.Fatal(err)
	}
	r.Policy, r.Procs = variant(t, o.Policy, Log), 1
	out, err := r.Do(log, func(int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(out.Jobs, func(a, b report.Job) int { return int(a.Start - b.Start) })
	var ids []ostrich.JobID
	for i := range out.Jobs {
		ids = append(ids, out.Jobs[i].ID)
	}
	return ids
}

// TestMultifactorOfLog: whoever used the machine waits for who did not, in an
// open and in a closed loop.
func TestMultifactorOfLog(t *testing.T) {
	log := []sim.Job{logged(1, 1, 0, 7200, 7200), logged(2, 3, 10, 600, 600), logged(3, 1, 7300, 60, 60), logged(4, 2, 7310, 60, 60)}
	for _, loop := range []string{"open", "closed"} {
		got := order(t, log, map[string]string{"policy": "multifactor", "replay": loop})
		if want := []ostrich.JobID{1, 2, 4, 3}; !slices.Equal(got, want) {
			t.Errorf("%s: %d, want %d", loop, got, want)
		}
	}
}

// TestPredictorOfLog: lengths are expected as the setting says. The limits are all
// the same, but one user's job before was short.
func TestPredictorOfLog(t *testing.T) {
	log := []sim.Job{
		logged(1, 1, 0, 1000, 3600), logged(2, 2, 0, 10, 3600),
		logged(3, 1, 5000, 1000, 3600), logged(4, 3, 5000, 100, 3600), logged(5, 2, 5001, 10, 3600),
	}
	for predictor, want := range map[string][]ostrich.JobID{"limit": {1, 2, 3, 4, 5}, "last": {1, 2, 3, 5, 4}} {
		if got := order(t, log, map[string]string{"policy": "ostrich-sequential:gate=off:predictor=" + predictor}); !slices.Equal(got, want) {
			t.Errorf("by %s: %d, want %d", predictor, got, want)
		}
	}
}
