package comparison

import (
	"math"
	"slices"

	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/report/confidence"
)

// Agreement says how far the simulated baseline is from what happened. That is the error of
// the simulation: a change that is smaller is not told of, see [Comparison.CannotTell].
type Agreement struct {
	// Rank correlations between the baseline and the recorded run, of the starts
	// of jobs and of their waits; nil where they are not defined. Over a long
	// window starts are mostly in the order of submission under any scheduler, so
	// the waits say more.
	StartTau *float64 `json:"start_kendall_tau"`
	StartRho *float64 `json:"start_spearman_rho"`
	WaitTau  *float64 `json:"wait_kendall_tau"`
	WaitRho  *float64 `json:"wait_spearman_rho"`

	MeanWait         float64 `json:"mean_wait"`            // of the baseline
	RecordedMeanWait float64 `json:"recorded_mean_wait"`   // as it happened
	WaitDifference   float64 `json:"mean_wait_difference"` // baseline − recorded
	MeanError        float64 `json:"mean_wait_error"`      // mean over the jobs of |baseline − recorded|
	Near             float64 `json:"near"`                 // part of the jobs that start within nearSeconds of the recorded start
	Far              bool    `json:"far"`                  // not close, see isClose

	// UserStretchDifference is the baseline's mean stretch per user less the recorded one.
	UserStretchDifference float64 `json:"user_mean_stretch_difference"`

	// 95 % intervals by the jackknife over blocks of jobs that follow one another; nil with
	// fewer than confidence.Fewest blocks.
	TauInterval  *report.Interval `json:"start_kendall_tau_interval"`
	WaitInterval *report.Interval `json:"mean_wait_difference_interval"`
}

// What a claim of closeness needs, see docs/adr/0043-what-a-record-can-tell.md.
const (
	closeTau    = 0.9 // of the order of the starts, at least
	closeWait   = 0.1 // of the recorded mean wait, at most
	closeSecond = 1   // or as many seconds, as accounting counts whole ones
	closeWaits  = 0.5 // tau of the waits, at least, unless the mean error is below noError
	noError     = 60  // seconds
	nearSeconds = 300 // a start this near counts as the recorded one
)

// isClose reports whether the baseline may be called close to what happened.
func (a *Agreement) isClose() bool {
	sameOrder := a.MeanError <= noError // one job has no order, nor have jobs that start at one moment
	if a.StartTau != nil {
		sameOrder = *a.StartTau >= closeTau
	}
	sameMean := math.Abs(a.WaitDifference) <= max(closeSecond, closeWait*a.RecordedMeanWait)
	sameJobs := a.MeanError <= noError || a.WaitTau == nil || *a.WaitTau >= closeWaits // wait long
	return sameOrder && sameMean && sameJobs
}

// agreement compares the baseline with the recorded run, by the figures of all runs; nil if there
// is only one of them.
func (s *studied) agreement(runs []Figures) *Agreement {
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
	a.WaitDifference = a.MeanWait - a.RecordedMeanWait
	a.UserStretchDifference = runs[s.in.Baseline].UserMeanStretch - runs[recorded].UserMeanStretch
	defined := func(of func(x, y []float64) (float64, bool), pair [2][]float64) *float64 {
		if c, ok := of(pair[0], pair[1]); ok {
			return &c
		}
		return nil
	}
	a.StartTau, a.StartRho = defined(report.KendallTau, starts), defined(report.Spearman, starts)
	a.WaitTau, a.WaitRho = defined(report.KendallTau, waits), defined(report.Spearman, waits)
	ids := make([]float64, len(theirs))
	for i := range theirs {
		ids[i] = float64(theirs[i].ID)
	}
	order := report.Ascending(starts[1], ids)
	apart := make([]float64, len(order)+1) // sums of whole seconds, which are exact
	for k, i := range order {
		apart[k+1] = apart[k] + waits[0][i] - waits[1][i]
	}
	mean := func(from, to int) (float64, bool) {
		count := len(order) - (to - from)
		return (apart[len(order)] - (apart[to] - apart[from])) / float64(max(1, count)), count > 0
	}
	a.WaitInterval = jackknife(len(order), a.WaitDifference, mean)
	if a.StartTau != nil {
		every := (len(order) + mostForTau - 1) / mostForTau
		var x, y []float64
		for k := 0; k < len(order); k += every {
			x, y = append(x, starts[0][order[k]]), append(y, starts[1][order[k]])
		}
		pairs := report.Rank(x, y)
		sparse := func(from, to int) (float64, bool) { return pairs.Tau((from+every-1)/every, (to+every-1)/every) }
		if a.TauInterval = jackknife(len(order), *a.StartTau, sparse); a.TauInterval != nil {
			a.TauInterval.Low, a.TauInterval.High = max(a.TauInterval.Low, -1), min(a.TauInterval.High, 1)
		}
	}
	a.Far = !a.isClose()
	return a
}

// mostForTau is of how many jobs, evenly taken, the interval of tau is computed at most: each
// block needs a tau of its own.
const mostForTau = 20_000

// jackknife returns the 95 % interval of a figure of n jobs in the order of time, of which the
// figure leaves out those from one place to another: Tukey's
// pseudo-values, each of the jobs without one of up to timeParts blocks, and Student's t
// (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 11). Blocks of
// neighbours, because what goes wrong for one job goes wrong for those behind it. It is nil
// with too few blocks, and where the figure of a part is not defined.
func jackknife(n int, whole float64, of func(from, to int) (float64, bool)) *report.Interval {
	blocks := min(n, timeParts)
	if blocks < confidence.Fewest {
		return nil
	}
	all, ok := of(0, 0)
	if !ok {
		return nil
	}
	pseudo := make([]float64, blocks)
	for b := range pseudo {
		part, ok := of(b*n/blocks, (b+1)*n/blocks)
		if !ok {
			return nil
		}
		pseudo[b] = float64(blocks)*all - float64(blocks-1)*part
	}
	reach := confidence.MeanOf(pseudo).Reach()
	return &report.Interval{Low: whole - reach, High: whole + reach}
}

// untold reports whether a run changes the mean wait, or the mean stretch per user, by less
// than the baseline misses what happened by.
func (c *Comparison) untold(run *Figures) bool {
	base := &c.Runs[c.s.in.Baseline]
	if c.Agreement == nil || run.Recorded || run == base {
		return false
	}
	for m, about := range measures {
		if miss, is := c.miss(about.Key); is && math.Abs(run.values[m]-base.values[m]) < math.Abs(miss) {
			return true
		}
	}
	return false
}

// miss returns by how much the baseline misses what happened in a measure on which the
// verdict depends.
func (c *Comparison) miss(measure string) (miss float64, is bool) {
	switch measure {
	case report.WaitMean.Key:
		return c.Agreement.WaitDifference, true
	case report.UserMean.Key:
		return c.Agreement.UserStretchDifference, true
	}
	return 0, false
}
