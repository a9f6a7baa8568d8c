package conclusion_test

import (
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/trial"
	"slurm-ostrich/ostrich/trial/conclusion"
)

const day = 86400

// daily is a trial of days, that ends on 2026-03-30, a Monday, at midnight.
func daily(seed uint64) *trial.Design {
	return &trial.Design{Period: day, Washout: 2 * 3600, Seed: seed, Until: 1774828800}
}

var measure = flag.Bool("measure", false, "simulate 400 trials instead of 60, and print how many claim an effect")

// cluster draws the days of a cluster: the mean logarithm of what its users' jobs take, with
// a week's rhythm, a load that lasts for days, users of different habits, and waits that
// spread widely.
type cluster struct {
	random *rand.Rand
	load   float64
}

// days returns a series of days, the logarithms of the work submitted in them, and those of
// the day before. effect is added in the periods of OStrich.
func (c *cluster) days(periods []trial.Period, effect float64) (s conclusion.Series, known [][]float64) {
	known = make([][]float64, 2)
	last := 0.0
	for _, p := range periods {
		weekday := int(p.From/day) % 7
		work := 0.4*math.Cos(2*math.Pi*float64(weekday)/7) + 0.3*c.random.NormFloat64()
		c.load = 0.6*c.load + 0.06*c.random.NormFloat64() // what nobody sees
		users := 15 + c.random.IntN(30)
		sum := 0.0
		for range users {
			v := 0.9 + 0.5*work + 0.3*last + c.load + 0.6*c.random.NormFloat64()
			if p.Arm == trial.OStrich {
				v += effect
			}
			sum += v
		}
		s.Value, s.Weight = append(s.Value, sum/float64(users)), append(s.Weight, float64(users))
		known[0], known[1] = append(known[0], work), append(known[1], last)
		last = work
	}
	return s, known
}

// plan returns how many weeks a cluster's own twelve weeks ask for, to see 10 %.
func (c *cluster) plan(t *testing.T, seed uint64) int {
	t.Helper()
	d := daily(seed)
	before := d.Between(d.Until-12*7*day, d.Until)
	s, known := c.days(before, 0) // no trial, so the arms mean nothing
	weeks, ok := conclusion.New(d, before, known...).Weeks(d, s, math.Log(0.9))
	if !ok {
		t.Fatal("no length sees 10 %")
	}
	return weeks
}

// TestValidity: at the length that was planned for 10 %, trials without an effect claim one
// at most in 6 of 100, and those with 10 % see it in 80 of 100 at least.
func TestValidity(t *testing.T) {
	trials, mostFalse, leastSeen := 60, 8, 39 // three standard deviations beyond 5 % and below 80 %
	if *measure {
		trials, mostFalse, leastSeen = 400, 24, 320
	}
	claimed, seen, covered, weeks := 0, 0, 0, 0
	for k := range trials {
		c := &cluster{random: rand.New(rand.NewPCG(uint64(k), 34))}
		n := c.plan(t, uint64(k))
		weeks += n
		for _, effect := range []float64{0, math.Log(0.9)} {
			d := daily(uint64(1000 + k))
			periods := d.Between(d.Until-ostrich.Time(n)*7*day, d.Until)
			s, known := c.days(periods, effect)
			e := conclusion.New(d, periods, known...).Effect(s)
			if e.Interval == nil {
				t.Fatalf("trial %d of %d weeks has no interval: %+v", k, n, e)
			}
			if !e.Interval.Excludes(effect) {
				covered++
			}
			switch found := e.Interval.Excludes(0); {
			case effect == 0 && found:
				claimed++
			case effect != 0 && found && e.Estimate < 0:
				seen++
			}
		}
	}
	t.Logf("of %d trials without an effect %d claim one (%.1f %%); of %d with 10 %% %d see it (%.1f %%); of their intervals %.1f %% hold the effect; planned are %.1f weeks in the mean",
		trials, claimed, 100*float64(claimed)/float64(trials), trials, seen, 100*float64(seen)/float64(trials), 50*float64(covered)/float64(trials), float64(weeks)/float64(trials))
	if claimed > mostFalse || seen < leastSeen {
		t.Errorf("of %d trials without an effect %d claim one, at most %d may; of those with 10 %% %d see it, at least %d must", trials, claimed, mostFalse, seen, leastSeen)
	}
}

// TestEffectIsFound: with little noise the estimate is what was put in, and so is what the
// period before adds.
func TestEffectIsFound(t *testing.T) {
	d := daily(3)
	periods := d.Between(d.Until-8*7*day, d.Until)
	random := rand.New(rand.NewPCG(1, 2))
	var s conclusion.Series
	var load []float64
	last := trial.Stock
	for i, p := range periods {
		load = append(load, random.NormFloat64())
		v := 2 + 0.7*load[i] - 0.2*float64(p.Arm) - 0.1*float64(last) + 0.001*random.NormFloat64()
		if i == 0 {
			v = 2 + 0.7*load[i] - 0.2*float64(p.Arm)
		}
		s.Value, s.Weight, last = append(s.Value, v), append(s.Weight, 1), p.Arm
	}
	e := conclusion.New(d, periods, load).Effect(s)
	if math.Abs(e.Estimate+0.2) > e.Carried+0.01 || math.Abs(e.CarryOver+0.1) > 0.03 || e.P > 0.01 || e.Interval == nil || e.Interval.Excludes(e.Estimate) || e.Periods != [2]int{28, 28} {
		t.Errorf("found %+v", e)
	}
}

// TestCarryOverExplains: where only the arm of the period before does anything, what is carried
// over explains the whole estimate, also of neighbouring pairs, whose later period comes after the other arm.
func TestCarryOverExplains(t *testing.T) {
	for _, period := range []ostrich.Duration{3600, day} {
		for seed := range uint64(20) {
			d := &trial.Design{Period: period, Seed: seed, Until: 1774828800}
			periods := d.Between(d.Until-141*ostrich.Time(period), d.Until)
			random := rand.New(rand.NewPCG(seed, 5))
			var s conclusion.Series
			for i := range periods[1:] {
				s.Value, s.Weight = append(s.Value, 0.3*float64(periods[i].Arm)+1e-4*random.NormFloat64()), append(s.Weight, 1)
			}
			e := conclusion.New(d, periods[1:]).Effect(s)
			if math.Abs(e.CarryOver-0.3) > 0.01 || math.Abs(e.Estimate) > e.Carried+0.001 {
				t.Errorf("periods of %d s, seed %d: %+v", period, seed, e)
			}
		}
	}
}

// TestCarryOverHidden: where each period comes after the other arm, nothing tells what is
// carried over.
func TestCarryOverHidden(t *testing.T) {
	d := &trial.Design{Period: 3600, Seed: 4, Until: 1774828800}
	var periods []trial.Period
	var s conclusion.Series
	all := d.Between(d.Until-400*3600, d.Until)
	for i, p := range all[1:] {
		if p.Arm != all[i].Arm {
			periods = append(periods, p)
			s.Value, s.Weight = append(s.Value, float64(p.Arm)), append(s.Weight, 1)
		}
	}
	if e := conclusion.New(d, periods).Effect(s); !math.IsInf(e.Carried, 1) || !math.IsNaN(e.CarryOver) {
		t.Errorf("%+v", e)
	}
}

// TestTooFewPeriods: six days of two arms cannot be told from chance, whatever they measured.
func TestTooFewPeriods(t *testing.T) {
	d := &trial.Design{Period: 3600, Seed: 1, Until: 1774828800}
	for _, tt := range []struct {
		pairs int
		told  bool
	}{{5, false}, {8, true}} {
		periods := d.Between(d.Until-ostrich.Time(2*tt.pairs)*3600, d.Until)
		var s conclusion.Series
		for _, p := range periods {
			s.Value, s.Weight = append(s.Value, float64(p.Arm)), append(s.Weight, 1)
		}
		e := conclusion.New(d, periods).Effect(s)
		if e.Estimate != 1 || (e.P < 0.05) != tt.told {
			t.Errorf("%d pairs: %+v", tt.pairs, e)
		}
	}
	periods := d.Between(d.Until-20*3600, d.Until)
	none := conclusion.Series{Value: make([]float64, 20), Weight: make([]float64, 20)}
	if e := conclusion.New(d, periods).Effect(none); e.Interval != nil || e.P != 1 || !math.IsNaN(e.Estimate) {
		t.Errorf("of nothing: %+v", e)
	}
}

// TestSameAgain: the same in, the same out.
func TestSameAgain(t *testing.T) {
	run := func() conclusion.Effect {
		c := &cluster{random: rand.New(rand.NewPCG(5, 6))}
		d := daily(5)
		periods := d.Between(d.Until-6*7*day, d.Until)
		s, known := c.days(periods, -0.3)
		return conclusion.New(d, periods, known...).Effect(s)
	}
	a, b := run(), run()
	if a.Estimate != b.Estimate || *a.Interval != *b.Interval || a.P != b.P || a.Carried != b.Carried {
		t.Errorf("%+v and %+v", a, b)
	}
}

// TestWeeks: half the effect takes four times as long, and too little history plans nothing.
func TestWeeks(t *testing.T) {
	c := &cluster{random: rand.New(rand.NewPCG(8, 6))}
	d := daily(5)
	before := d.Between(d.Until-20*7*day, d.Until)
	s, known := c.days(before, 0)
	a := conclusion.New(d, before, known...)
	ten, _ := a.Weeks(d, s, math.Log(0.9))
	five, ok := a.Weeks(d, s, math.Log(0.95))
	if !ok || ten%2 != 0 || five < 3*ten || five > 5*ten {
		t.Errorf("%d weeks for 10 %%, %d for 5 %%", ten, five)
	}
	if weeks, ok := a.Weeks(d, s, -1e-6); ok {
		t.Errorf("%d weeks for nothing", weeks)
	}
	few := d.Between(d.Until-10*day, d.Until)
	s = conclusion.Series{Value: slices.Repeat([]float64{1}, 10), Weight: slices.Repeat([]float64{1}, 10)}
	if weeks, ok := conclusion.New(d, few).Weeks(d, s, -0.1); ok {
		t.Errorf("%d weeks from ten days", weeks)
	}
}
