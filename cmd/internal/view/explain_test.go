package view

import (
	"slices"
	"testing"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// A campaign on time has no word on lateness; a late one competes by what is left
// of it until it is overdue.
func TestLate(t *testing.T) {
	const end, front = 5000, 91_400
	for _, test := range []struct {
		completed, overdue       bool
		verdict, late, lateShort string
	}{
		{verdict: "campaigns that are nearer to their completion in the virtual schedule go first"},
		{
			completed: true, lateShort: "late",
			verdict: "its campaign is late, and campaigns with less work left go first",
			late:    "since " + format.Moment(end) + ", 1.50 core-hours left; it goes first from " + format.Moment(front) + " on",
		},
		{
			completed: true, overdue: true, lateShort: "overdue",
			verdict: "its campaign is overdue, and campaigns that are overdue for longer go first",
			late:    "since " + format.Moment(end) + ", 1.50 core-hours left; overdue since " + format.Moment(front) + ", so it goes first",
		},
	} {
		c := ostrich.Campaign{
			User: 2, Lead: 20, First: 100, Pending: []ostrich.JobID{20}, Work: 7200, Left: 5400, VirtualEnd: end, FrontBy: front,
			Completed: test.completed, Overdue: test.overdue,
		}
		entry := func(job ostrich.JobID, rank int) sidecar.Entry {
			return sidecar.Entry{Entry: &priority.Entry{Queued: priority.Queued{Job: job}, Place: ostrich.Place{Lead: job}, Rank: rank}}
		}
		s := &Cycle{
			Plan:  sidecar.Plan{Entries: []sidecar.Entry{entry(10, 1), entry(20, 2)}},
			known: known{works: []ostrich.Work{3600, 5400}}, Pools: []Pool{{Procs: 4}},
		}
		s.describePool(&s.Pools[0], []ostrich.User{{User: 1}, {User: 2}}, []ostrich.Campaign{{User: 1, Lead: 10, Pending: []ostrich.JobID{10}}, c},
			func(ostrich.UserID) string { return "user" })
		name, err := ParseJob("20")
		if err != nil {
			t.Fatal(err)
		}
		e, err := s.Explain(name)
		if err != nil {
			t.Fatal(err)
		}
		if e.Verdict != test.verdict {
			t.Errorf("verdict %q, want %q", e.Verdict, test.verdict)
		}
		late := ""
		if i := slices.IndexFunc(e.Lines(), func(l Line) bool { return l.Label == "late" }); i >= 0 {
			late = e.Lines()[i].Text
		}
		if late != test.late {
			t.Errorf("late: %q, want %q", late, test.late)
		}
		listed := s.Campaigns[1]
		if got := listed.Late(); got != test.lateShort || listed.Left != 1.5 || *listed.FrontBy != front || listed.Overdue != test.overdue {
			t.Errorf("late %q, %v core-hours left, first by %v, overdue %v", got, listed.Left, *listed.FrontBy, listed.Overdue)
		}
	}
}
