package policy_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/policy"
)

// TestFigure26 is thesis 2.3, figure 2.6: user 1 with two jobs of 4, user 2 with
// jobs of 3 and 7, on one machine. Of all schedules A and E are Pareto-optimal,
// and A is that of MULTICMAX. The thesis has points A to F; without idle time
// there are five, since C and D give both users the same.
func TestFigure26(t *testing.T) {
	type makespans [2]ostrich.Time
	var all []makespans
	for _, second := range [][]ostrich.Time{{3, 7}, {7, 3}} {
		orders([][]ostrich.Time{{4, 4}, second}, func(ends [][]ostrich.Time) {
			all = append(all, makespans{ends[0][1], ends[1][1]})
		})
	}
	compare := func(a, b makespans) int { return slices.Compare(a[:], b[:]) }
	slices.SortFunc(all, compare)
	all = slices.Compact(all)
	want := []makespans{{8, 18}, {11, 18}, {15, 18}, {18, 10}, {18, 14}} // A, B, F, E, and C with D
	if diff := cmp.Diff(want, all); diff != "" {
		t.Error("points -want +got\n", diff)
	}
	optimal := slices.DeleteFunc(slices.Clone(all), func(p makespans) bool {
		return slices.ContainsFunc(all, func(o makespans) bool { return o != p && o[0] <= p[0] && o[1] <= p[1] })
	})
	if diff := cmp.Diff([]makespans{{8, 18}, {18, 10}}, optimal); diff != "" {
		t.Error("optimal points -want +got\n", diff)
	}

	campaigns := []policy.Campaign{campaign(2, 3, 7), campaign(1, 4, 4)}
	m := policy.Machine{Procs: 1}
	s, err := m.MultiCmax(campaigns)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]row{{User: 1, Number: 1, End: 8}, {User: 2, Number: 1, Start: 8, End: 18}}, rows(s, campaigns)); diff != "" {
		t.Error("MULTICMAX -want +got\n", diff)
	}
	if z := [2]ostrich.Duration{m.Length(&campaigns[1]), m.Length(&campaigns[0])}; z != [2]ostrich.Duration{8, 10} {
		t.Errorf("Z = %v", z)
	}
}

// TestFigure29 is thesis 2.4, figure 2.9: two users with m jobs of an hour. On
// half of the processors each both need 2 h (B); one after the other, the first
// needs 1 h and the second still 2 h (A). TestFigure213 has B for divisible work.
func TestFigure29(t *testing.T) {
	for _, m := range []int{2, 4, 10} {
		campaigns := []policy.Campaign{equal(1, m, 1), equal(2, m, 1)}
		s, err := policy.Machine{Procs: m}.MultiCmax(campaigns)
		if err != nil {
			t.Fatal(err)
		}
		want := []row{{User: 1, Number: 1, End: 1}, {User: 2, Number: 1, Start: 1, End: 2}}
		if diff := cmp.Diff(want, rows(s, campaigns)); diff != "" {
			t.Errorf("m = %d: A -want +got\n%s", m, diff)
		}
		for i := range campaigns {
			if got := (policy.Machine{Procs: m / 2}).Length(&campaigns[i]); got != 2 {
				t.Errorf("m = %d: B takes user %d %d h", m, i+1, got)
			}
		}
	}
}
