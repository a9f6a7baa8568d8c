package comparison

import (
	"math"
	"slices"

	"slurm-ostrich/ostrich/report"
)

// Agreement says how far the simulated baseline is from what happened.
type Agreement struct {
	// Rank correlations between the baseline and the recorded run, of the starts
	// of jobs and of their waits; nil where they are not defined. Over a long
	// window starts are mostly in the order of submission under any scheduler, so
	// the waits say more.
	StartTau *float64 `json:"start_kendall_tau"`
	StartRho *float64 `json:"start_spearman_rho"`
	WaitTau  *float64 `json:"wait_kendall_tau"`
	WaitRho  *float64 `json:"wait_spearman_rho"`

	MeanWait         float64 `json:"mean_wait"`          // of the baseline
	RecordedMeanWait float64 `json:"recorded_mean_wait"` // as it happened
	MeanError        float64 `json:"mean_wait_error"`    // mean over the jobs of |baseline − recorded|
	Near             float64 `json:"near"`               // part of the jobs that start within nearSeconds of the recorded start
	Far              bool    `json:"far"`                // too far for a forecast, as Verdict says
}

const (
	nearSeconds = 300 // a start this near counts as the recorded one
	farWait     = 0.25
	farTau      = 0.5
	noWait      = 60 // seconds: mean waits that differ by less count as equal
)

// agreement compares the baseline with the recorded run; nil if there is only one
// of them.
func (s *studied) agreement() *Agreement {
	recorded := slices.IndexFunc(s.in.Runs, func(r Run) bool { return r.Recorded })
	if recorded < 0 || s.in.Runs[s.in.Baseline].Recorded {
		return nil
	}
	ours, theirs := s.in.Runs[s.in.Baseline].Jobs, s.in.Runs[recorded].Jobs
	starts, waits := [2][]float64{}, [2][]float64{}
	for k, jobs := range [2][]report.Job{ours, theirs} {
		starts[k], waits[k] = make([]float64, len(jobs)), make([]float64, len(jobs))
		for i := range jobs {
			starts[k][i], waits[k][i] = float64(jobs[i].Start), float64(jobs[i].Start-jobs[i].Submit)
		}
	}
	a := &Agreement{}
	n := float64(len(ours))
	for i := range ours {
		apart := math.Abs(starts[0][i] - starts[1][i])
		a.MeanWait += waits[0][i] / n
		a.RecordedMeanWait += waits[1][i] / n
		a.MeanError += apart / n
		if apart <= nearSeconds {
			a.Near += 1 / n
		}
	}
	a.Near = min(a.Near, 1)
	defined := func(of func(x, y []float64) (float64, bool), pair [2][]float64) *float64 {
		if c, ok := of(pair[0], pair[1]); ok {
			return &c
		}
		return nil
	}
	a.StartTau, a.StartRho = defined(report.KendallTau, starts), defined(report.Spearman, starts)
	a.WaitTau, a.WaitRho = defined(report.KendallTau, waits), defined(report.Spearman, waits)
	gap := math.Abs(a.MeanWait - a.RecordedMeanWait)
	a.Far = gap > max(noWait, farWait*a.RecordedMeanWait) || (a.WaitTau != nil && *a.WaitTau < farTau && a.MeanError > noWait)
	return a
}
