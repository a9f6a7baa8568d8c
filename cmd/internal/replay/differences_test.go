package replay

import (
	"testing"

	"slurm-ostrich/cmd/internal/comparison"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/priority/slurm"
)

// TestHeldByWhom: a job that had nodes waited for another one before it only if that could have taken them.
func TestHeldByWhom(t *testing.T) {
	for _, tt := range []struct {
		nodes string // of the second partition
		held  comparison.Holder
		by    ostrich.JobID
	}{
		{"n[2-3]", comparison.ByScheduler, 0},
		{"n[1-2]", comparison.ByPriority, 2},
	} {
		records, err := slurm.ParseRecords("NodeName=n[1-3] CPUs=4\nPartitionName=one Nodes=n1\nPartitionName=two Nodes="+tt.nodes+"\n", nil)
		if err != nil {
			t.Fatal(err)
		}
		h := &accounting.History{
			From: 1000, To: 9000, Procs: 12, Nodes: 3, Where: []string{"n1", "n2"},
			Associations: []accounting.Association{{ID: 1, User: "alice", Account: "physics"}}, Partitions: []string{"one", "two"}, QOS: []string{"normal"},
			Jobs: []accounting.Job{
				{ID: 1, Where: 0, Procs: 4, Asked: 4, Submit: 1000, Start: 3000, End: 4000},
				{ID: 2, Where: 1, Procs: 4, Asked: 4, Partition: 1, Submit: 1001, Start: 2000, End: 4000},
			},
		}
		s := mustNew(t, h, Setup{Options: window30, Records: records})
		of := &story{start: []ostrich.Time{3000, 2000}, end: []ostrich.Time{4000, 4000}, on: [][]int{{0}, {1}}}
		if held, by := s.held(0, 1500, of); held != tt.held || by != tt.by {
			t.Errorf("the other partition has %s: held by %s, job %d, want %s, job %d", tt.nodes, held, by, tt.held, tt.by)
		}
	}
}
