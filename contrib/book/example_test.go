package book

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/campaign"
)

// The example of docs/how-it-decides.md is what a Schedule makes of it: when
// each campaign is done virtually, V as the sum of what each user was given
// until then, and the order at minute 22.
func TestHowItDecides(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root(t), "docs/how-it-decides.md"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := ostrich.New(ostrich.Options{Procs: 6, Rule: campaign.Rule{By: campaign.Arrival, Threshold: 5}})
	if err != nil {
		t.Fatal(err)
	}
	step := func(e ostrich.Event) {
		t.Helper()
		if err := s.Step(e); err != nil {
			t.Fatal(err)
		}
	}
	names := map[ostrich.JobID]string{100: "A", 200: "B1", 300: "C", 400: "B2"}
	var id ostrich.JobID
	for _, c := range []struct {
		lead ostrich.JobID
		user ostrich.UserID
		at   ostrich.Time
		jobs int
		each ostrich.Duration
	}{{100, 1, 0, 18, 10}, {200, 2, 10, 6, 10}, {300, 3, 20, 2, 6}, {400, 2, 22, 2, 6}} {
		for id = c.lead; id < c.lead+ostrich.JobID(c.jobs); id++ {
			step(ostrich.Event{At: c.at, Kind: ostrich.Submit, Job: ostrich.Job{ID: id, User: c.user, Procs: 1, Estimate: c.each, Submit: c.at}})
		}
		row := fmt.Sprintf("| %s | %s | %d | %d of %d minutes | %d |", names[c.lead], []string{"Alice", "Bob", "Carol"}[c.user-1], c.at, c.jobs, c.each, c.jobs*int(c.each))
		if !strings.Contains(string(text), row) {
			t.Errorf("the page does not have the row %s", row)
		}
	}
	var order []string
	for _, p := range s.Order() {
		if name := names[p.Lead]; len(order) == 0 || order[len(order)-1] != name {
			order = append(order, name)
		}
	}
	if got := strings.Join(order, " "); got != "C B1 A B2" {
		t.Errorf("the order at minute 22 is %s", got)
	}
	ends := map[string]float64{}
	for minute := ostrich.Time(23); minute <= 44; minute++ {
		if err := s.AdvanceTo(minute); err != nil {
			t.Fatal(err)
		}
		for _, c := range s.Campaigns() {
			if c.Completed {
				ends[names[c.Lead]] = c.VirtualEnd
			}
		}
	}
	// V where a campaign ends is its tag; it grows by 6 over the active users.
	for _, w := range []struct {
		name   string
		minute float64
		v      int
	}{{"C", 26, 102}, {"B1", 32, 120}, {"B2", 36, 132}, {"A", 44, 180}} {
		if ends[w.name] != w.minute {
			t.Errorf("%s is done virtually at minute %v, not at %v", w.name, ends[w.name], w.minute)
		}
		if row := fmt.Sprintf("| %v | V reaches %d: %s is done", w.minute, w.v, w.name); !strings.Contains(string(text), row) {
			t.Errorf("the page does not have a row that begins with %s", row)
		}
	}
}
