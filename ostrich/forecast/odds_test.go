package forecast

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
)

// drawsOf are the draws of a job that waits for so many seconds from moment 1000 on.
func drawsOf(waits ...ostrich.Time) *Draws {
	d := &Draws{Now: 1000}
	for _, w := range waits {
		d.Starts = append(d.Starts, 1000+w)
	}
	return d
}

// TestOdds: by hand, for draws of 0 s, 600 s and 3000 s, of which the logarithms are ln 600, ln 1200 and
// ln 3600.
func TestOdds(t *testing.T) {
	ln := math.Log
	d := drawsOf(3000, 0, 600)
	low, high := ln(1200)-0.8*ln(2), ln(1200)+0.8*ln(3) // 10 and 90 %
	half := math.Hypot(0.6, (high-low)/2)
	var c Correction
	for _, tt := range []struct {
		below, above float64
		want         [3]float64
	}{
		{-unlearned, -unlearned, [3]float64{low, ln(1200), high}},
		{0, 0, [3]float64{low - 0.5*half, ln(1200), high + 0.5*half}},
		{-unlearned - 1, 0.2, [3]float64{ln(1200) - (ln(1200)-low)/math.E, ln(1200), high + 0.7*half}},
	} {
		c.Learned = Learned{Below: tt.below, Above: tt.above}
		for k, at := range c.Answer(d).Shown() {
			if want := 1000 + ostrich.Time(math.Round(max(0, math.Exp(tt.want[k])-600))); at != want {
				t.Errorf("%+v: %d %% at %d, want %d", c.Learned, Shown[k], at, want)
			}
		}
	}
	for _, percent := range []int{-1, 0, 100} {
		if _, err := c.Answer(d).At(percent); !errors.Is(err, ErrOdds) {
			t.Errorf("%d %%: %v", percent, err)
		}
	}
	if at, err := c.Answer(&Draws{Now: 7}).At(50); at != 7 || err != nil {
		t.Errorf("without draws: %d, %v", at, err)
	}
}

// TestOddsRise: higher odds are never earlier, and none is before now, whatever was learned.
func TestOddsRise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var waits []ostrich.Time
		for range rapid.IntRange(1, 11).Draw(t, "draws") {
			waits = append(waits, ostrich.Time(rapid.Int64Range(0, 1e7).Draw(t, "wait")))
		}
		var c Correction
		learned := rapid.Float64Range(-8, 8)
		c.Learned = Learned{Below: learned.Draw(t, "below"), Above: learned.Draw(t, "above"), Nearer: learned.Draw(t, "nearer")}
		d := drawsOf(waits...)
		d.Quiet = 1000 + ostrich.Time(rapid.Int64Range(0, 1e7).Draw(t, "quiet"))
		o := c.Answer(d)
		before := ostrich.Time(1000)
		for percent := 1; percent <= 99; percent++ {
			at, err := o.At(percent)
			if err != nil || at < before {
				t.Fatalf("%d %% at %d, and less at %d (%v)", percent, at, before, err)
			}
			before = at
		}
	})
}

// TestCorrection: by hand, step by step.
func TestCorrection(t *testing.T) {
	var c Correction
	d := drawsOf(600)
	step := 0.3 / math.Sqrt(10)
	want := func(what string, below, above float64, count int) {
		t.Helper()
		if math.Abs(c.Below-below) > 1e-12 || math.Abs(c.Above-above) > 1e-12 || c.Count != count {
			t.Errorf("%s: %+v, want %v, %v, %d", what, c.Learned, below, above, count)
		}
	}
	o, first := c.Ask(d)
	at := o.Shown()
	_, second := c.Ask(d)
	_, third := c.Ask(d)
	c.Started(first, at[1])
	want("within", -0.1*step, -0.1*step, 1)
	step = 0.3 / math.Sqrt(11)
	below, above := c.Below, c.Above
	// The other ones still wait beyond the upper side, which is seen at the next question.
	_, fourth := c.Ask(&Draws{Now: at[2] + 1, Starts: []ostrich.Time{at[2] + 601}})
	want("two wait too long", below, above+1.8*step, 1)
	c.Gone(second, at[2]+5)
	want("one is cancelled", below, above+1.8*step, 1)
	c.Started(third, at[2]+9)
	want("it starts late, and counts once", below-0.1*step, above+1.8*step, 2)
	step = 0.3 / math.Sqrt(12)
	below, above = c.Below, c.Above
	c.Started(fourth, at[2]+1)
	want("early", below+0.9*step, above-0.1*step, 3)
	c.Started(first, 0)
	c.Gone(99, 0)
	want("what is over stays", below+0.9*step, above-0.1*step, 3)
	if len(c.open) != 0 {
		t.Errorf("%d questions are open", len(c.open))
	}
}

// TestQuiet: by hand. The middle begins halfway between that of the draws and that of the quiet start, and goes to
// what is nearer.
func TestQuiet(t *testing.T) {
	ln := math.Log
	d := drawsOf(600)
	d.Quiet = 1870
	drawn, quiet := ln(1200), ln(1470)
	var c Correction
	wanted := 0.0
	for _, start := range []ostrich.Time{1600, 1600, 2000, 1470, 1000, 1000} {
		o, q := c.Ask(d)
		middle := drawn + (quiet-drawn)/(1+math.Exp(-0.2*wanted))
		if at, want := o.Shown()[1], 1000+ostrich.Time(math.Round(math.Exp(middle)-600)); at != want {
			t.Errorf("after %v: the middle is %d, want %d", c.Nearer, at, want)
		}
		c.Started(q, start)
		y := ln(float64(start - 1000 + 600))
		wanted = 0.97*wanted + math.Abs(y-drawn) - math.Abs(y-quiet)
		if math.Abs(c.Nearer-wanted) > 1e-12 {
			t.Errorf("after a start at %d: %v, want %v", start, c.Nearer, wanted)
		}
	}
	for range 200 {
		_, q := c.Ask(d)
		c.Started(q, 1600)
	}
	if far := c.Answer(d).Shown()[1]; far < 1600 || far > 1690 {
		t.Errorf("after many starts where the draws are: %d", far)
	}
	unknown := drawsOf(600)
	if at := c.Answer(unknown).Shown()[1]; at != 1600 {
		t.Errorf("without a quiet start: %d", at)
	}
}

// TestNeverMissed: a side that cannot be missed does not go in for ever, and is soon back. Nothing starts before a
// moment of 10 % that is that of the question, and nothing later than one of 90 % if half of the draws were too late.
func TestNeverMissed(t *testing.T) {
	ask := func(c *Correction, after ostrich.Time, waits ...ostrich.Time) {
		_, q := c.Ask(drawsOf(waits...))
		c.Started(q, 1000+after)
	}
	var never, always Correction
	for range 10_000 {
		ask(&never, 1, 0)
		ask(&always, 300, 9e6, 9e6+1)
	}
	for _, c := range []*Correction{&never, &always} {
		if side := min(c.Below, c.Above); side < least || side > least+0.5 {
			t.Errorf("%+v", c.Learned)
		}
	}
}

// TestCoverage: whatever the truth does, about one in ten lies beyond each side in the long run: more
// by as many misses as it takes to go where the sides are at last.
func TestCoverage(t *testing.T) {
	for _, scale := range []float64{0.2, 1, 4} {
		var c Correction
		seed, n := uint64(7), 4000
		early, late := 0, 0
		for i := range n {
			seed = seed*6364136223846793005 + 1442695040888963407
			if i == n/2 {
				scale *= 2 // a flood
			}
			now := ostrich.Time(i) * 1e8
			o, q := c.Ask(&Draws{Now: now, Starts: []ostrich.Time{now + 6600}})
			start := now + ostrich.Time(max(0, 7200*math.Exp(scale*(float64(seed>>11)/(1<<53)-0.5))-600))
			if at := o.Shown(); start < at[0] {
				early++
			} else if start > at[2] {
				late++
			}
			c.Started(q, start)
		}
		for side, misses := range map[float64]int{c.Below: early, c.Above: late} {
			if more := float64(misses - n/10); math.Abs(more) > math.Abs(side)/0.04+30 {
				t.Errorf("scale %v: %d of %d beyond a side at %v", scale, misses, n, side)
			}
		}
		if early+late > n*3/10 {
			t.Errorf("scale %v: %d early, %d late of %d", scale, early, late, n)
		}
	}
}
