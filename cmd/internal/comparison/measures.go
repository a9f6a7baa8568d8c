package comparison

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/report/confidence"
)

// measures are those that compare runs.
var measures = report.Comparison

// values are those of the measures of a sample, in their order.
func values(x *report.Sample) []float64 {
	v := make([]float64, len(measures))
	for i, m := range measures {
		v[i] = m.Of(x)
	}
	return v
}

// sample measures run r over a sample of the users; nil means everybody once. A
// value is NaN if the sample has nothing to measure. In a sample, only the
// measures by users have a meaning. The envy count of a sample is the part of its
// pairs of different users, times all pairs.
func (s *studied) sample(r int, times []int32) *report.Sample {
	run, none := &s.runs[r], 0.0
	if times != nil {
		none = math.NaN()
	}
	x := run.sample(times, none)
	owning := make([]int32, len(s.owning))
	for i, u := range s.owning {
		owning[i] = report.Often(times, u)
		if owning[i] > 0 {
			x.AddUser(run.users[u].MeanStretch, run.users[u].MaxStretch, float64(owning[i]))
		}
	}
	if x.Users > 0 {
		x.Rho.P95, x.Jain, x.Gini = run.rhos.Quantiles(times, 0.95)[0], run.fair.Jain(owning), run.fair.Gini(owning)
		if pairs, of := run.fair.Envy(owning); of > 0 {
			n := float64(len(s.owning))
			x.Envy = pairs / of * n * (n - 1)
		}
	}
	x.Busy, x.Makespan = s.utilisation(r, nil), float64(run.last-run.first)
	return x
}

// utilisation returns the part of the processors that are busy over a sample of
// the parts of the window; nil means each once.
func (s *studied) utilisation(r int, times []int32) float64 {
	var area, length float64
	for i, busy := range s.runs[r].busy {
		w := float64(report.Often(times, i)) * float64(min(int64(s.part()), int64(s.in.To-s.in.From)-int64(i)*int64(s.part())))
		area, length = area+w*busy, length+w
	}
	if length == 0 {
		return 0
	}
	return area / length
}

// resampled lists the runs that are compared with the baseline in resamples.
func (s *studied) resampled() []int {
	var list []int
	for r := range s.runs {
		if r != s.in.Baseline && !s.untold[r] {
			list = append(list, r)
		}
	}
	return list
}

// differences compares every run with the baseline. runs are the figures of all.
func (s *studied) differences(ctx context.Context, runs []Figures) ([]Difference, error) {
	resampled := s.resampled()
	samples := make([][][]float64, len(s.runs)) // differences of each round, by run and measure
	for r := range samples {
		samples[r] = make([][]float64, len(measures))
	}
	keep := func(r, m int, d float64) {
		if !math.IsNaN(d) && !math.IsInf(d, 0) {
			samples[r][m] = append(samples[r][m], d)
		}
	}
	err := confidence.Bootstrap(s.random(0), len(s.users), s.in.Resamples, func(times []int32) error {
		base := values(s.sample(s.in.Baseline, times))
		for _, r := range resampled {
			v := values(s.sample(r, times))
			for m := range measures {
				if measures[m].By <= report.ByOwner {
					keep(r, m, v[m]-base[m])
				}
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	parts := len(s.runs[s.in.Baseline].busy)
	overTime := slices.IndexFunc(measures, func(m report.Compared) bool { return m.Measure == &report.Busy })
	err = confidence.Bootstrap(s.random(1), parts, s.in.Resamples, func(times []int32) error {
		base := s.utilisation(s.in.Baseline, times)
		for _, r := range resampled {
			keep(r, overTime, s.utilisation(r, times)-base)
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	base := runs[s.in.Baseline].values
	list := []Difference{}
	for r := range s.runs {
		if r == s.in.Baseline {
			continue
		}
		v := runs[r].values
		for m, about := range measures {
			enough := map[report.Cluster]int{report.ByUser: len(s.users), report.ByOwner: len(s.owning), report.ByTime: parts}[about.By] >= confidence.Fewest
			d := Difference{
				Run: s.in.Runs[r].Name, Measure: about.Key, Name: about.Name, Unit: about.Unit,
				Baseline: base[m], Value: v[m], Change: Change{Difference: v[m] - base[m], Reading: NoneFor},
			}
			switch {
			case s.untold[r]:
				d.Reading = CannotTell
			case about.By != report.ByNobody:
				d.Change = read(d.Difference, samples[r][m], enough, s.good(r, about.Good))
			}
			list = append(list, d)
		}
	}
	return list, nil
}

// good returns the better direction for run r: neither for a recorded run, whose
// differences from a simulation are errors of the simulation.
func (s *studied) good(r, direction int) int {
	if s.in.Runs[r].Recorded {
		return 0
	}
	return direction
}

// read makes an interval of resampled differences and says what it means.
func read(difference float64, samples []float64, enough bool, good int) Change {
	c := Change{Difference: difference, Reading: TooFew}
	i, ok := confidence.Percentile(samples, confidence.Level)
	if !ok || !enough {
		return c
	}
	c.Interval = &i
	switch {
	case !i.Excludes(0):
		c.Reading = Unclear
	case good == 0:
		c.Reading = Differs
	case (i.Low > 0) == (good > 0):
		c.Reading = Better
	default:
		c.Reading = Worse
	}
	return c
}

// random returns a separate random source for each purpose.
func (s *studied) random(purpose uint64) *rand.Rand {
	return rand.New(rand.NewPCG(s.in.Seed, purpose))
}
