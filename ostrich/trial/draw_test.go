package trial_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/trial"
)

const day = 86400

// daily is a trial of days, that ends on 2026-03-30, a Monday, at midnight.
func daily(seed uint64) *trial.Design {
	return &trial.Design{Period: day, Washout: 2 * 3600, Seed: seed, Until: 1774828800}
}

// TestDrawIsBalanced: of the same weekday in two successive weeks, one is of each arm.
func TestDrawIsBalanced(t *testing.T) {
	for seed := range uint64(50) {
		d := daily(seed)
		list := d.Between(d.Until-8*7*day, d.Until)
		if len(list) != 56 {
			t.Fatalf("%d periods in 8 weeks", len(list))
		}
		of := make(map[int]int)
		for i, p := range list {
			if p.Arm == trial.OStrich {
				of[i%7]++
			}
			if i > 0 && p.From != list[i-1].To || p.To-p.From != day {
				t.Errorf("a period from %d to %d", p.From, p.To)
			}
		}
		for weekday := range 7 {
			if of[weekday] != 4 {
				t.Errorf("seed %d: weekday %d is %d times of OStrich in 8 weeks", seed, weekday, of[weekday])
			}
		}
	}
}

// TestDrawIsRandom: over seeds, a day is as often of OStrich as not, and two days that are
// no pair are as often alike as not.
func TestDrawIsRandom(t *testing.T) {
	const seeds = 4000
	var is, alike [14]int
	for seed := range uint64(seeds) {
		d := daily(seed)
		list := d.Between(d.Until-14*day, d.Until)
		for i, p := range list {
			if p.Arm == trial.OStrich {
				is[i]++
			}
			if i > 0 && list[i-1].Arm == p.Arm {
				alike[i]++
			}
		}
	}
	for i := range is {
		// 5 standard deviations
		if off := is[i] - seeds/2; off < -160 || off > 160 {
			t.Errorf("day %d is of OStrich in %d of %d draws", i, is[i], seeds)
		}
		if off := alike[i] - seeds/2; i > 0 && (off < -160 || off > 160) {
			t.Errorf("day %d is as the day before in %d of %d draws", i, alike[i], seeds)
		}
	}
}

// TestDrawWhereverItBegins: what a period is does not depend on who asks when.
func TestDrawWhereverItBegins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := &trial.Design{
			Period: ostrich.Duration(rapid.Int64Range(10, 40*day).Draw(t, "period")), Seed: rapid.Uint64().Draw(t, "seed"), Until: 1774828800,
		}
		if d.Validate() != nil {
			d.Period = 3600
		}
		now := d.Until - ostrich.Time(rapid.Int64Range(1, 200*int64(d.Period)).Draw(t, "before"))
		p, ok := d.At(now)
		if !ok || now < p.From || now >= p.To || p.To-p.From != ostrich.Time(d.Period) {
			t.Fatalf("%d is in %+v, %v", now, p, ok)
		}
		for _, from := range []ostrich.Time{p.From, p.From - 1, p.From - ostrich.Time(d.Period)} {
			list := d.Between(from, d.Until)
			found := false
			for _, q := range list {
				found = found || q == p
			}
			if !found || list[len(list)-1].To != d.Until || list[0].From < from {
				t.Errorf("%+v is not among those from %d on: %d", p, from, len(list))
			}
		}
		if list := d.Between(p.From+1, p.To); len(list) != 0 {
			t.Errorf("a part of a period is one: %+v", list)
		}
		if list := d.Between(p.From, p.To); len(list) != 1 {
			t.Errorf("a period alone: %+v", list)
		}
		next := d.Switch(now)
		if q, on := d.At(next); next <= now || on && q.Arm == p.Arm || !on && next != d.Until {
			t.Errorf("after %d the arm changes at %d to %+v", now, next, q)
		}
		if q, _ := d.At(next - 1); q.Arm != p.Arm {
			t.Errorf("it changed before %d", next)
		}
		if _, on := d.At(d.Until); on {
			t.Error("the trial does not end")
		}
	})
}

// TestDrawStays: a draw that changed with a version of the program would be another trial.
func TestDrawStays(t *testing.T) {
	var arms strings.Builder
	d := daily(7)
	for _, p := range d.Between(d.Until-28*day, d.Until) {
		arms.WriteByte("sO"[p.Arm])
	}
	if want := "sssOssOOOOsOOsOOOOssOssssOOs"; arms.String() != want {
		t.Errorf("drawn: %s, want %s", &arms, want)
	}
}

func TestDesignValidate(t *testing.T) {
	for _, bad := range []trial.Design{
		{Period: 9, Until: 1}, {Period: 29 * day, Until: 1}, {Period: day, Washout: day, Until: 1}, {Period: day, Washout: -1, Until: 1}, {Period: day},
	} {
		if bad.Validate() == nil {
			t.Errorf("%+v is valid", bad)
		}
	}
	if err := daily(1).Validate(); err != nil {
		t.Error(err)
	}
}
