package report_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"slurm-ostrich/ostrich/report"
)

func TestRho(t *testing.T) {
	for _, tt := range []struct{ flow, shared, allowance, want float64 }{
		{90, 60, 0, 1.5}, {60, 60, 0, 1}, {70, 60, 10, 1}, {3, 1, 10, 3.0 / 11}, {0, 0, 0, 0},
	} {
		if got := report.Rho(tt.flow, tt.shared, tt.allowance); got != tt.want {
			t.Errorf("flow %v of %v, allowance %v: ρ %v, want %v", tt.flow, tt.shared, tt.allowance, got, tt.want)
		}
	}
}

func TestSummariseRho(t *testing.T) {
	got := report.SummariseRho([]float64{4, 0.5, 1, 2.5})
	if diff := cmp.Diff(report.Rhos{Le1: 0.5, Mean: 2, P50: 1, P95: 4, Max: 4}, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Error("-want +got\n", diff)
	}
	if got := report.SummariseRho(nil); got != (report.Rhos{}) {
		t.Errorf("of nothing %+v", got)
	}
}
