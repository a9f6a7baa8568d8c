package replay

import (
	"slices"
	"testing"

	"slurm-ostrich/cmd/internal/comparison"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/priority/slurm"
)

// TestWaitedBefore: of a window that is cut from a longer record, jobs that ran when it began are where they ran, and those that waited
// wait until then, with their age. A dump may begin with a machine that was idle within the last hour.
func TestWaitedBefore(t *testing.T) {
	records, err := slurm.ParseRecords("NodeName=n1 CPUs=4\nPartitionName=main Nodes=n1\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		cut         bool
		began, came ostrich.Time // of the one that ran and the one that waited
		start       ostrich.Time // of that in the replay
		waited      int
		aged        ostrich.Duration
	}{
		{true, 9995, 9990, 10100, 1, 10},
		{true, 9995, 10000, 10100, 0, 0},
		{false, 6000, 6300, 10100, 1, 3700},
		{false, 9995, 9990, 9991, 0, 0}, // the first one starts when it comes
	} {
		s := mustNew(t, &accounting.History{
			From: 10000, To: 20000, Procs: 4, Nodes: 1, Associations: []accounting.Association{{ID: 1, User: "alice", Account: "physics"}},
			Partitions: []string{"main"}, QOS: []string{"normal"}, Needs: make([]accounting.Needs, 1), Where: []string{"", "n1"},
			Jobs: []accounting.Job{
				{ID: 1, Procs: 4, Nodes: 1, Submit: 5000, Eligible: 5000, Start: tt.began, End: 10100, Limit: 600, State: accounting.Completed, Where: 1},
				{ID: 2, Array: 2, Procs: 4, Nodes: 1, Submit: tt.came, Eligible: tt.came, Start: 10100, End: 10200, Limit: 600, State: accounting.Completed, Where: 1},
			},
		}, Setup{Options: window30, Records: records, Cut: tt.cut})
		jobs, err := s.replayAll(sitePolicy(t, "fcfs"), func(int) {})
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(s.Jobs, func(j Job) bool { return j.Slurm == 2 })
		if got := jobs[at].Start; got != tt.start || s.Jobs[at].aged != tt.aged {
			t.Errorf("%+v: starts at %d, aged %d", tt, got, s.Jobs[at].aged)
		}
		rows := s.left.rows()
		if is := slices.ContainsFunc(rows, func(r comparison.LeftOut) bool { return r.What == "waited_before" && r.Jobs == tt.waited }); is != (tt.waited > 0) {
			t.Errorf("%+v: %+v", tt, rows)
		}
	}
}
