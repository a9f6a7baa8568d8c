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
		{0, 0, [3]float64{low - 0.2*half, ln(1200), high + 0.2*half}},
		{-unlearned - 1, 0.2, [3]float64{ln(1200) - (ln(1200)-low)/math.E, ln(1200), high + 0.4*half}},
	} {
		c.Cells[0] = Cell{Below: tt.below, Above: tt.above}
		for k, at := range c.Answer(d).Shown() {
			if want := 1000 + ostrich.Time(math.Round(max(0, math.Exp(tt.want[k])-600))); at != want {
				t.Errorf("%+v: %d %% at %d, want %d", c.Cells[0], Shown[k], at, want)
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
		for i := range c.Cells {
			c.Cells[i] = Cell{Below: learned.Draw(t, "below"), Above: learned.Draw(t, "above")}
		}
		o := c.Answer(drawsOf(waits...))
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
	cell := &c.Cells[0]
	step := 0.3 / math.Sqrt(10)
	want := func(what string, below, above float64, count int) {
		t.Helper()
		if math.Abs(cell.Below-below) > 1e-12 || math.Abs(cell.Above-above) > 1e-12 || cell.Count != count {
			t.Errorf("%s: %+v, want %v, %v, %d", what, *cell, below, above, count)
		}
	}
	o, first := c.Ask(d)
	at := o.Shown()
	_, second := c.Ask(d)
	_, third := c.Ask(d)
	c.Started(first, at[1])
	want("within", -0.1*step, -0.1*step, 1)
	step = 0.3 / math.Sqrt(11)
	below, above := cell.Below, cell.Above
	// The other ones still wait beyond the upper side, which is seen at the next question.
	_, fourth := c.Ask(&Draws{Now: at[2] + 1, Starts: []ostrich.Time{at[2] + 601}})
	want("two wait too long", below, above+1.8*step, 1)
	c.Gone(second, at[2]+5)
	want("one is cancelled", below, above+1.8*step, 1)
	c.Started(third, at[2]+9)
	want("it starts late, and counts once", below-0.1*step, above+1.8*step, 2)
	step = 0.3 / math.Sqrt(12)
	below, above = cell.Below, cell.Above
	c.Started(fourth, at[2]+1)
	want("early", below+0.9*step, above-0.1*step, 3)
	c.Started(first, 0)
	c.Gone(99, 0)
	want("what is over stays", below+0.9*step, above-0.1*step, 3)
	if len(c.open) != 0 {
		t.Errorf("%d questions are open", len(c.open))
	}
	c.Ask(drawsOf(1e6))
	if got := c.cellOf(newOdds(drawsOf(1e6))); got != &c.Cells[3] {
		t.Error("a million seconds have another cell")
	}
}

// TestNeverMissed: a side that cannot be missed does not go in for ever, and is soon back. Nothing starts before a
// moment of 10 % that is that of the question, and nothing later than one of 90 % if half of the draws were too late.
func TestNeverMissed(t *testing.T) {
	var c Correction
	ask := func(after ostrich.Time, waits ...ostrich.Time) {
		_, q := c.Ask(drawsOf(waits...))
		c.Started(q, 1000+after)
	}
	for range 10_000 {
		ask(1, 0)
		ask(300, 9e6, 9e6+1)
	}
	for i, cell := range map[int]Cell{0: c.Cells[0], 4: c.Cells[4]} {
		if side := min(cell.Below, cell.Above); side < least || side > least+0.5 {
			t.Errorf("cell %d: %+v", i, cell)
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
		cell := c.cellOf(newOdds(drawsOf(6600)))
		for side, misses := range map[float64]int{cell.Below: early, cell.Above: late} {
			if more := float64(misses - n/10); math.Abs(more) > math.Abs(side)/0.04+30 {
				t.Errorf("scale %v: %d of %d beyond a side at %v", scale, misses, n, side)
			}
		}
		if early+late > n*3/10 {
			t.Errorf("scale %v: %d early, %d late of %d", scale, early, late, n)
		}
	}
}
