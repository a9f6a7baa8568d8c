package replay

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/priority"
)

// classed is a machine of one job at a time. Job 1 runs when the others come, of which 3
// and 5 are urgent.
func classed(weight bool) (*accounting.History, Setup) {
	h := &accounting.History{
		From: 1000, To: 5000, Procs: 8, Nodes: 1, Partitions: []string{"main"}, QOS: []string{"normal", "urgent"},
	}
	at := ostrich.Time(1000)
	for i, run := range []ostrich.Time{100, 10, 500, 20, 50} {
		j := accounting.Job{ID: ostrich.JobID(i + 1), Association: int32(i), Procs: 8, Submit: 1001, Start: at, End: at + run, Limit: ostrich.Duration(run), State: accounting.Completed}
		if i == 0 {
			j.Submit = 1000
		}
		if i == 2 || i == 4 {
			j.QOS = 1
		}
		h.Associations = append(h.Associations, accounting.Association{ID: uint32(i + 1), User: string(rune('a' + i)), Account: "all"})
		h.Jobs = append(h.Jobs, j)
		at += run
	}
	return h, Setup{
		Options: window30, Weight: weight,
		Controller: &priority.Controller{PriorityType: "priority/multifactor", Weights: priority.Weights{Fairshare: 100000, QOS: 1000}},
		Site:       &accounting.Site{QOS: []accounting.QOS{{Name: "normal", UsageFactor: 1}, {Name: "urgent", Priority: 10, UsageFactor: 1}}},
	}
}

// TestClasses: the classes of the site go first, and with the settings that have none
// OStrich's order alone decides.
func TestClasses(t *testing.T) {
	one, two := []ostrich.JobID{1, 2, 4, 5, 3}, []ostrich.JobID{1, 5, 3, 2, 4}
	for _, tt := range []struct {
		policy string
		weight bool
		want   []ostrich.JobID
	}{
		{"ostrich", false, two},
		{"ostrich:classes=off", false, one},
		{"ostrich:classes=qos", false, two},
		{"ostrich:classes=partition", false, one},
		{"ostrich:classes=qos+partition", false, two},
		{"in weight=ostrich", true, one},
	} {
		t.Run(tt.policy, func(t *testing.T) {
			h, setup := classed(tt.weight)
			s := mustNew(t, h, setup)
			jobs, _, err := s.Replay(sitePolicy(t, tt.policy), func(int) {})
			if err != nil {
				t.Fatal(err)
			}
			slices.SortFunc(jobs, func(a, b report.Job) int { return int(a.Start - b.Start) })
			var got []ostrich.JobID
			for _, j := range jobs {
				got = append(got, j.ID)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("order of starts -want +got:\n%s", diff)
			}
		})
	}
}
