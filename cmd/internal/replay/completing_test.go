package replay

import (
	"slices"
	"strings"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/priority/slurm"
)

// TestCompleting: what the main scheduler started tells when the nodes were free, what the
// backfill scheduler started that it was no later, and of the others it is as usual.
func TestCompleting(t *testing.T) {
	records, err := slurm.ParseRecords("NodeName=n[1-4] CPUs=4\nPartitionName=main Nodes=n[1-4]\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	h := &accounting.History{
		From: 1000, To: 9000, Procs: 16, Nodes: 4, Where: []string{"n1", "n2", "n3", "n4", "n[1-2]"},
		Associations: []accounting.Association{{ID: 1, User: "alice", Account: "physics"}}, Partitions: []string{"main"}, QOS: []string{"normal"},
		Jobs: []accounting.Job{
			{ID: 1, Where: 0, Procs: 4, Submit: 1000, Start: 1000, End: 2000},
			{ID: 2, Where: 1, Procs: 4, Submit: 1000, Start: 1000, End: 2000},
			{ID: 3, Where: 0, Procs: 4, Submit: 1001, Start: 2003, End: 3000},                   // it waited for n1, which was free after 3 s
			{ID: 4, Where: 1, Procs: 4, Submit: 1001, Start: 2002, End: 3000, Backfilled: true}, // n2 no later than after 2
			{ID: 5, Where: 2, Procs: 4, Submit: 1002, Start: 1002, End: 2500},                   // nobody followed for long
			{ID: 6, Where: 2, Procs: 4, Submit: 2600, Start: 2600, End: 4000},
			{ID: 7, Where: 4, Procs: 8, Submit: 2000, Start: 3004, End: 4000},
		},
	}
	s := mustNew(t, h, Setup{Options: window30, Records: records})
	got := make(map[ostrich.JobID]int32)
	for i := range s.Jobs {
		got[s.Jobs[i].Slurm] = s.Jobs[i].Completing
	}
	var list []int32
	for _, id := range []ostrich.JobID{1, 2, 3, 4, 5, 6, 7} {
		list = append(list, got[id])
	}
	if want := []int32{3, 2, 4, 4, 4, 4, 4}; !slices.Equal(list, want) {
		t.Errorf("nodes were completing for %d s, want %d", list, want)
	}
}

// TestCompletingWait: with CompleteWait only a job beside whose end there is no other tells how long its nodes were completing, as they
// all wait for the last. If nobody tells, CompleteWait is left out, and a note says so.
func TestCompletingWait(t *testing.T) {
	records, err := slurm.ParseRecords("CompleteWait=10\nNodeName=n[1-2] CPUs=4\nPartitionName=main Nodes=n[1-2]\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		other ostrich.Time // end of the job on the other node
		want  int32
	}{{3000, 3}, {2020, 3}, {2002, 0}, {1990, 0}} {
		h := &accounting.History{
			From: 1000, To: 9000, Procs: 8, Nodes: 2, Where: []string{"n1", "n2"},
			Associations: []accounting.Association{{ID: 1, User: "alice", Account: "physics"}}, Partitions: []string{"main"}, QOS: []string{"normal"},
			Jobs: []accounting.Job{
				{ID: 1, Where: 0, Procs: 4, Submit: 1000, Start: 1000, End: 2000},
				{ID: 2, Where: 1, Procs: 4, Submit: 1000, Start: 1000, End: tt.other},
				{ID: 3, Where: 0, Procs: 4, Submit: 1001, Start: 2003, End: 5000},
				{ID: 4, Where: 1, Procs: 4, Submit: 6000, Start: 6001, End: 6100, Backfilled: true},
			},
		}
		s := mustNew(t, h, Setup{Options: window30, Records: records})
		if got := s.Jobs[0].Completing; got != tt.want {
			t.Errorf("the other ends at %d: nodes were completing for %d s, want %d", tt.other, got, tt.want)
		}
		said := slices.ContainsFunc(s.Notes, func(note string) bool { return strings.Contains(note, "CompleteWait=10 is left out") })
		if said != (tt.want == 0) {
			t.Errorf("the other ends at %d: %q", tt.other, s.Notes)
		}
	}
}
