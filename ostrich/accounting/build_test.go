package accounting_test

import (
	"testing"

	"slurm-ostrich/ostrich/accounting"
)

// TestResizedBilling: a job of mean size costs the mean of what its parts cost.
func TestResizedBilling(t *testing.T) {
	for _, tt := range []struct {
		name          string
		first, second accounting.Job
		want          float64
	}{
		{
			"ended",
			accounting.Job{ID: 7, State: accounting.Resized, Procs: 8, Billing: 16, Submit: 100, Start: 100, End: 200},
			accounting.Job{ID: 7, State: accounting.Completed, Procs: 2, Billing: 4, Submit: 200, Start: 200, End: 500},
			7,
		},
		{
			"runs",
			accounting.Job{ID: 7, State: accounting.Resized, Procs: 8, Billing: 16, Submit: 100, Start: 100, End: 200},
			accounting.Job{ID: 7, State: accounting.Running, Procs: 2, Billing: 4, Submit: 200, Start: 200},
			4,
		},
	} {
		var b accounting.Builder
		b.Add(tt.first)
		b.Add(tt.second)
		h := b.History("c1", 0, 1000)
		if len(h.Jobs) != 1 || h.Jobs[0].Billing != tt.want {
			t.Errorf("%s: %+v, want a billing of %v", tt.name, h.Jobs, tt.want)
		}
	}
}
