package comparison

import (
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
)

// TestAgreement: four jobs whose starts are 0, 300, 301 and 1000 s from the
// recorded ones.
func TestAgreement(t *testing.T) {
	recorded, simulated := []ostrich.Time{100, 400, 2000, 9000}, []ostrich.Time{100, 100, 2301, 8000}
	in := Input{Procs: 8, Baseline: 1, Runs: []Run{{Name: "recorded", Recorded: true}, {Name: "fairshare"}}}
	for i := range recorded {
		j := report.Job{ID: ostrich.JobID(i + 1), User: 1, Submit: ostrich.Time(i), Procs: 1}
		for r, wait := range []ostrich.Time{recorded[i], simulated[i]} {
			j.Start = j.Submit + wait
			j.End = j.Start + 60
			in.Runs[r].Jobs = append(in.Runs[r].Jobs, j)
		}
	}
	a := compare(t, in).Agreement
	if a == nil || a.Near != 0.5 || a.MeanError != (300+301+1000)/4.0 || a.RecordedMeanWait != 11500/4.0 || a.MeanWait != 10501/4.0 || a.Far {
		t.Fatalf("%+v", a)
	}
	// Of 6 pairs of waits 5 agree, and one is tied in the simulation; the starts
	// of that one differ by a second, in the same order.
	if !near(*a.WaitTau*(*a.WaitTau), 25.0/30) || *a.StartTau != 1 || *a.StartRho != 1 {
		t.Errorf("tau %v of waits, %v of starts, rho %v", *a.WaitTau, *a.StartTau, *a.StartRho)
	}
	in.Runs[0].Recorded = false
	if c := compare(t, in); c.Agreement != nil {
		t.Errorf("agreement with nothing: %+v", c.Agreement)
	}
}

// TestAgreementOfOneMoment: where all jobs start at once there is no order to agree in, and
// how far apart the starts are decides alone.
func TestAgreementOfOneMoment(t *testing.T) {
	for _, tt := range []struct {
		jobs  int
		later ostrich.Time
		far   bool
	}{{1, 0, false}, {1, 7200, true}, {3, 0, false}, {3, 7200, true}} {
		in := Input{Procs: 8, Baseline: 1, Runs: []Run{{Name: "recorded", Recorded: true}, {Name: "fairshare"}}}
		for i := range tt.jobs {
			j := report.Job{ID: ostrich.JobID(i + 1), User: 1, Submit: 100, Start: 100, End: 160, Procs: 1}
			in.Runs[0].Jobs = append(in.Runs[0].Jobs, j)
			j.Start, j.End = j.Start+tt.later, j.End+tt.later
			in.Runs[1].Jobs = append(in.Runs[1].Jobs, j)
		}
		if a := compare(t, in).Agreement; a == nil || a.StartTau != nil || a.Far != tt.far {
			t.Errorf("%d jobs, %d s later: %+v", tt.jobs, tt.later, a)
		}
	}
}
