package comparison

import (
	"strings"
	"testing"

	"slurm-ostrich/ostrich/report"
)

// TestGroups: two groups of a layer, and one above them with all jobs; what each got of the window,
// and how long it waited. Names of accounts are replaced with the others.
func TestGroups(t *testing.T) {
	in := madeUp(20, 25)
	half := .5
	jobs := in.Runs[0].Jobs
	all, parts := make([]int32, len(jobs)), make([]int32, len(jobs))
	for i := range jobs {
		parts[i] = 1 + int32(jobs[i].User%2)
	}
	in.Groupings = []Grouping{{
		By: "account", Name: "account", Accounts: true, Of: [][]int32{all, parts},
		Groups: []Group{{Name: "physics", Paid: &half}, {Name: "even", Level: 1}, {Name: "odd", Level: 1}, {Name: "nobody", Level: 1}},
	}}
	c := compare(t, in)
	rows := c.Groups[0].Groups
	if len(rows) != 3 || rows[0].Jobs != len(jobs) || rows[1].Jobs+rows[2].Jobs != len(jobs) || rows[0].Paid != &half {
		t.Fatalf("%+v", rows)
	}
	for r, f := range c.Runs {
		top, even, odd := rows[0].Runs[r], rows[1].Runs[r], rows[2].Runs[r]
		if !near(top.Got, 1) || !near(even.Got+odd.Got, 1) {
			t.Errorf("%s: got %v of the window, %v and %v", f.Run, top.Got, even.Got, odd.Got)
		}
		wait := report.WaitMean.Key
		sum := even.Measures[wait]*float64(rows[1].Jobs) + odd.Measures[wait]*float64(rows[2].Jobs)
		if !near(top.Measures[wait], f.Wait.Mean) || !near(sum/float64(len(jobs)), f.Wait.Mean) {
			t.Errorf("%s: mean waits %v, %v and %v, want %v", f.Run, top.Measures[wait], even.Measures[wait], odd.Measures[wait], f.Wait.Mean)
		}
	}
	if page := htmlOf(t, c); !strings.Contains(page, "What each group got") || !strings.Contains(page, "physics") {
		t.Error("the page has no groups")
	}
	Anonymize(&in)
	for _, row := range compare(t, in).Groups[0].Groups {
		if !strings.HasPrefix(row.Group, "account") {
			t.Errorf("account %q", row.Group)
		}
	}
}
