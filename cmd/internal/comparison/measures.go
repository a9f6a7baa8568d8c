package comparison

import (
	"context"
	"math"
	"math/rand/v2"

	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/report/confidence"
)

// The measures that compare runs.
const (
	campaignP50 = iota
	userMean
	campaignP95
	campaignMean
	campaignP99
	campaignMax
	userMax
	campaignPlain
	rhoKept
	rhoMean
	rhoP95
	waitMean
	waitP50
	waitP95
	waitP99
	slowdown
	jobsInTime
	campaignsInTime
	lateness
	tardiness
	jain
	gini
	envy
	utilisation
	makespan
	numMeasures
)

// measure describes a measure.
type measure struct {
	key, name string
	unit      Unit
	good      int     // the better direction: −1 less, 1 more, 0 neither
	by        cluster // what is resampled
	show      place
}

// label returns the name in charts.
func (m *measure) label() string {
	if m.good > 0 {
		return m.name + " (more is better)"
	}
	return m.name
}

// place says where a measure is shown besides the long table and the JSON.
type place uint8

const (
	always   place = iota
	lead           // in the short table of the runs, too
	longOnly       // nowhere
)

// cluster is what an interval resamples.
type cluster uint8

const (
	byUser   cluster = iota // users
	byOwner                 // users, if enough of them own campaigns
	byTime                  // parts of the window
	byNobody                // nothing: no interval
)

var measures = [numMeasures]measure{
	campaignP50:     {"campaign_stretch_p50", "median campaign stretch", "", -1, byOwner, lead},
	userMean:        {"user_mean_stretch", "mean stretch per user", "", -1, byOwner, lead},
	campaignP95:     {"campaign_stretch_p95", "campaign stretch p95", "", -1, byOwner, lead},
	campaignMean:    {"campaign_stretch_mean", "mean campaign stretch", "", -1, byOwner, lead},
	campaignP99:     {"campaign_stretch_p99", "campaign stretch p99", "", -1, byOwner, always},
	campaignMax:     {"campaign_stretch_max", "greatest campaign stretch", "", -1, byNobody, always},
	userMax:         {"user_max_stretch", "greatest stretch per user", "", -1, byOwner, always},
	campaignPlain:   {"unbounded_stretch_mean", "mean campaign stretch, unbounded", "", -1, byOwner, longOnly},
	rhoKept:         {"rho_le_1", "share of campaigns with rho <= 1", "part", 1, byOwner, lead},
	rhoMean:         {"rho_mean", "mean rho", "", -1, byOwner, always},
	rhoP95:          {"rho_p95", "rho p95", "", -1, byOwner, always},
	waitMean:        {"wait_mean", "mean wait", "s", -1, byUser, lead},
	waitP50:         {"wait_p50", "wait p50", "s", -1, byUser, always},
	waitP95:         {"wait_p95", "wait p95", "s", -1, byUser, always},
	waitP99:         {"wait_p99", "wait p99", "s", -1, byUser, always},
	slowdown:        {"bounded_slowdown_mean", "mean bounded slowdown", "", -1, byUser, always},
	jobsInTime:      {"jobs_in_time", "share of jobs in time", "part", 1, byUser, lead},
	campaignsInTime: {"campaigns_in_time", "share of campaigns in time", "part", 1, byOwner, always},
	lateness:        {"lateness_mean", "mean lateness", "s", -1, byUser, always},
	tardiness:       {"tardiness_mean", "mean tardiness", "s", -1, byUser, always},
	jain:            {"jain", "Jain index", "index", 1, byOwner, always},
	gini:            {"gini", "Gini coefficient", "index", -1, byOwner, always},
	envy:            {"envy", "envy count", "pairs", -1, byOwner, always},
	utilisation:     {"utilisation", "utilisation", "part", 1, byTime, lead},
	makespan:        {"makespan", "makespan", "s", -1, byNobody, always},
}

// values measures run r over a sample of the users; nil means everybody once. A
// value is NaN if the sample has nothing to measure. In a sample, only the
// measures by users have a meaning. The envy count of a sample is the part of its
// pairs of different users, times all pairs.
func (s *studied) values(r int, times []float64) [numMeasures]float64 {
	run := &s.runs[r]
	var v [numMeasures]float64
	var all sums
	for u := range run.sums {
		if w := report.Often(times, u); w > 0 {
			all.add(&run.sums[u], w)
		}
	}
	var owners, means, most float64
	owning := make([]float64, len(s.owning))
	for i, u := range s.owning {
		w := report.Often(times, u)
		owning[i] = w
		owners, means, most = owners+w, means+w*run.users[u].MeanStretch, most+w*run.users[u].MaxStretch
	}
	none := math.NaN()
	if times == nil {
		none = 0
	}
	over := func(sum, n float64) float64 {
		if n == 0 {
			return none
		}
		return sum / n
	}
	jobs, campaigns := all[sumJobs], all[sumCampaigns]
	v[waitMean], v[slowdown] = over(all[sumWait], jobs), over(all[sumSlowdown], jobs)
	v[jobsInTime], v[lateness], v[tardiness] = over(all[sumJobsInTime], jobs), over(all[sumLate], jobs), over(all[sumTardy], jobs)
	v[campaignsInTime] = over(all[sumCampaignsInTime], campaigns)
	q := run.waits.Quantiles(times, 0.5, 0.95, 0.99)
	v[waitP50], v[waitP95], v[waitP99] = q[0], q[1], q[2]
	v[campaignMean], v[userMean], v[userMax] = over(all[sumStretch], campaigns), over(means, owners), over(most, owners)
	v[campaignPlain], v[rhoMean], v[rhoKept] = over(all[sumPlain], campaigns), over(all[sumRho], campaigns), over(all[sumKept], campaigns)
	for _, m := range []int{campaignP50, campaignP95, campaignP99, campaignMax, rhoP95, jain, gini, envy} {
		v[m] = none
	}
	if owners > 0 {
		q = run.stretches.Quantiles(times, 0.5, 0.95, 0.99, 1)
		v[campaignP50], v[campaignP95], v[campaignP99], v[campaignMax] = q[0], q[1], q[2], q[3]
		v[rhoP95] = run.rhos.Quantiles(times, 0.95)[0]
		v[jain], v[gini] = run.fair.Jain(owning), run.fair.Gini(owning)
		pairs, of := run.fair.Envy(owning)
		n := float64(len(s.owning))
		v[envy] = over(pairs, of) * n * (n - 1)
	}
	v[utilisation] = s.utilisation(r, nil)
	v[makespan] = float64(run.last - run.first)
	return v
}

// utilisation returns the part of the processors that are busy over a sample of
// the parts of the window; nil means each once.
func (s *studied) utilisation(r int, times []float64) float64 {
	var area, length float64
	for i, busy := range s.runs[r].busy {
		w := report.Often(times, i) * float64(min(int64(s.part()), int64(s.in.To-s.in.From)-int64(i)*int64(s.part())))
		area, length = area+w*busy, length+w
	}
	if length == 0 {
		return 0
	}
	return area / length
}

// differences compares every run with the baseline.
func (s *studied) differences(ctx context.Context) ([]Difference, error) {
	samples := make([][numMeasures][]float64, len(s.runs)) // differences of each round
	keep := func(r, m int, d float64) {
		if !math.IsNaN(d) && !math.IsInf(d, 0) {
			samples[r][m] = append(samples[r][m], d)
		}
	}
	err := confidence.Bootstrap(s.random(0), len(s.users), s.in.Resamples, func(times []float64) error {
		base := s.values(s.in.Baseline, times)
		for r := range s.runs {
			if r == s.in.Baseline {
				continue
			}
			v := s.values(r, times)
			for m := range measures {
				if measures[m].by <= byOwner {
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
	err = confidence.Bootstrap(s.random(1), parts, s.in.Resamples, func(times []float64) error {
		base := s.utilisation(s.in.Baseline, times)
		for r := range s.runs {
			keep(r, utilisation, s.utilisation(r, times)-base)
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	base := s.values(s.in.Baseline, nil)
	list := []Difference{}
	for r := range s.runs {
		if r == s.in.Baseline {
			continue
		}
		v := s.values(r, nil)
		for m, about := range measures {
			enough := map[cluster]int{byUser: len(s.users), byOwner: len(s.owning), byTime: parts}[about.by] >= confidence.Fewest
			d := Difference{
				Run: s.in.Runs[r].Name, Measure: about.key, Name: about.name, Unit: about.unit,
				Baseline: base[m], Value: v[m], Change: Change{Difference: v[m] - base[m], Reading: NoneFor},
			}
			if about.by != byNobody {
				d.Change = read(d.Difference, samples[r][m], enough, s.good(r, about.good))
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
