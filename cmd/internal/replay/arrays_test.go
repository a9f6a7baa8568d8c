package replay

import (
	"slices"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
)

// TestArrayAge: tasks that the array's own limit held back have the age of those before, but for one that was requeued.
func TestArrayAge(t *testing.T) {
	h := history()
	h.Jobs = nil
	for _, j := range []struct {
		id, array        ostrich.JobID
		submit, eligible ostrich.Time
	}{{20, 21, 1010, 1015}, {22, 21, 1010, 1015}, {23, 21, 1010, 1300}, {21, 21, 1010, 1400}, {20, 21, 1500, 1621}, {30, 0, 1010, 1200}} {
		h.Jobs = append(h.Jobs, accounting.Job{ID: j.id, Array: j.array, Procs: 1, Submit: j.submit, Eligible: j.eligible, Start: 1700, End: 1800, Limit: 100})
	}
	var got []ostrich.Duration
	for _, j := range mustNew(t, h, Setup{Options: window30}).Jobs {
		got = append(got, j.request().Aged)
	}
	if want := []ostrich.Duration{0, 0, 0, 285, 385, 0}; !slices.Equal(got, want) {
		t.Errorf("ages %v, want %v", got, want)
	}
}
