package policy_test

import (
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/policy"
)

// figure213 has the users of thesis figures 2.13 and 2.14 on 6 processors: dark
// (1) and medium gray (2) from time 0, light gray (3) from 2 on. The text has
// pools change at 2, 8 and 12, which gives the work of those who leave; it does
// not say who leaves first, nor when the last one does.
var figure213 = []policy.Divisible{
	{User: 1, Work: 3*2 + 2*6 + 3*4 + 6*3},
	{User: 2, Work: 3*2 + 2*6},
	{User: 3, Arrive: 2, Work: 2*6 + 3*4},
}

func TestFigure213(t *testing.T) {
	ends, err := policy.SpaceShare(6, figure213)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{15, 8, 12}, ends); diff != "" {
		t.Error("-want +got\n", diff)
	}
	// Thesis figure 2.9: two users with m jobs of an hour both wait for two
	// hours, where one after the other one of them would wait for one.
	if ends, err = policy.SpaceShare(4, []policy.Divisible{{User: 1, Work: 4}, {User: 2, Work: 4}}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{2, 2}, ends); diff != "" {
		t.Error("-want +got\n", diff)
	}
}

// TestFigure214: factors every 2 s, and light gray is chosen before medium gray
// at 2, as in the thesis. The thesis does not say what it chose at 6 and at 8; it has only dark
// gray from 10 on, and here that is from 11 on.
func TestFigure214(t *testing.T) {
	turns, err := policy.FairShare(6, 2, []policy.Divisible{figure213[0], figure213[2], figure213[1]})
	if err != nil {
		t.Fatal(err)
	}
	want := []policy.Turn{
		{User: 1, Start: 0, End: 2},
		{User: 3, Start: 2, End: 4},
		{User: 2, Start: 4, End: 6},
		{User: 1, Start: 6, End: 8},
		{User: 3, Start: 8, End: 10},
		{User: 2, Start: 10, End: 11},
		{User: 1, Start: 11, End: 15},
	}
	if diff := cmp.Diff(want, turns); diff != "" {
		t.Error("-want +got\n", diff)
	}
}

// TestFairSharePeriod: only the usage in the period before counts, so what user 1
// had while alone does not matter from 12 on.
func TestFairSharePeriod(t *testing.T) {
	turns, err := policy.FairShare(1, 2, []policy.Divisible{{User: 1, Work: 12}, {User: 2, Arrive: 10, Work: 4}})
	if err != nil {
		t.Fatal(err)
	}
	want := []policy.Turn{
		{User: 1, Start: 0, End: 10}, {User: 2, Start: 10, End: 12}, {User: 1, Start: 12, End: 14}, {User: 2, Start: 14, End: 16},
	}
	if diff := cmp.Diff(want, turns); diff != "" {
		t.Error("-want +got\n", diff)
	}
}

// TestSharing: both ways to share keep the machine busy while somebody has work,
// give everybody what is asked for, and end together.
func TestSharing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 7).Draw(t, "m")
		loads := make([]policy.Divisible, rapid.IntRange(1, 4).Draw(t, "users"))
		for i := range loads {
			loads[i] = policy.Divisible{
				User: ostrich.UserID(i), Arrive: ostrich.Time(rapid.IntRange(0, 40).Draw(t, "arrive")),
				Work: ostrich.Work(rapid.IntRange(1, 60).Draw(t, "work")),
			}
		}
		period := ostrich.Duration(rapid.IntRange(1, 9).Draw(t, "period"))
		ends, err := policy.SpaceShare(m, loads)
		if err != nil {
			t.Fatal(err)
		}
		turns, err := policy.FairShare(m, period, loads)
		if err != nil {
			t.Fatal(err)
		}
		near := func(a, b float64) bool { return math.Abs(a-b) < 1e-6 }
		last, done := 0.0, make([]float64, len(loads))
		for i, turn := range turns {
			arrive := float64(loads[turn.User].Arrive)
			if turn.Start < arrive || turn.End <= turn.Start || i > 0 && turn.Start < turns[i-1].End {
				t.Fatalf("turns %+v", turns)
			}
			if i > 0 && turn.Start > turns[i-1].End { // idle: nobody is there with work
				for u, l := range loads {
					if float64(l.Arrive) < turn.Start && !near(done[u], float64(l.Work)) {
						t.Fatalf("idle before %v with work of user %d: %+v", turn.Start, u, turns)
					}
				}
			}
			done[turn.User] += (turn.End - turn.Start) * float64(m)
			last = turn.End
		}
		for u, l := range loads {
			if !near(done[u], float64(l.Work)) {
				t.Fatalf("user %d has %v of %v", u, done[u], l.Work)
			}
			if alone := float64(l.Arrive) + float64(l.Work)/float64(m); ends[u] < alone-1e-6 {
				t.Fatalf("user %d ends at %v, and %v alone", u, ends[u], alone)
			}
			if bound := float64(l.Arrive) + float64(l.Work)*float64(len(loads))/float64(m); ends[u] > bound+1e-6 {
				t.Fatalf("space sharing stretches user %d by more than k: %v", u, ends[u])
			}
		}
		latest := 0.0
		for _, end := range ends {
			latest = max(latest, end)
		}
		if !near(latest, last) {
			t.Fatalf("space sharing ends at %v, time sharing at %v", latest, last)
		}
	})
}

func TestSharingRefusals(t *testing.T) {
	one := policy.Divisible{User: 1, Work: 1}
	for _, tt := range []struct {
		name   string
		m      int
		period ostrich.Duration
		loads  []policy.Divisible
		want   string
	}{
		{"processors", 0, 1, []policy.Divisible{one}, "policy: a machine of 0 processors: cannot be scheduled"},
		{"large", 1 << 21, 1, []policy.Divisible{one}, "policy: a machine of 2097152 processors: cannot be scheduled"},
		{"period", 1, 0, []policy.Divisible{one}, "policy: factors every 0 s: cannot be scheduled"},
		{"arrival", 1, 1, []policy.Divisible{{User: 2, Arrive: -1, Work: 1}}, "policy: user 2: arrives at -1: cannot be scheduled"},
		{"work", 1, 1, []policy.Divisible{{User: 2, Work: 1.5}}, "policy: user 2: a work of 1.5: cannot be scheduled"},
		{"no work", 1, 1, []policy.Divisible{{User: 2}}, "policy: user 2: a work of 0: cannot be scheduled"},
		{"NaN", 1, 1, []policy.Divisible{{User: 2, Work: ostrich.Work(math.NaN())}}, "policy: user 2: a work of NaN: cannot be scheduled"},
		{"twice", 1, 1, []policy.Divisible{one, one}, "policy: user 1: named twice: cannot be scheduled"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := policy.FairShare(tt.m, tt.period, tt.loads); err == nil || err.Error() != tt.want || !errors.Is(err, policy.ErrInstance) {
				t.Errorf("got %v\nwant %s", err, tt.want)
			}
			if _, err := policy.SpaceShare(tt.m, tt.loads); tt.name != "period" && (err == nil || err.Error() != tt.want) {
				t.Errorf("got %v\nwant %s", err, tt.want)
			}
		})
	}
}
