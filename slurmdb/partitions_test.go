package slurmdb_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/slurmdb"
)

// TestPartitions: nodes that come to a pool, and other limits of partitions, count from
// the next poll on. What is as it was is not reported again.
func TestPartitions(t *testing.T) {
	pools := func(b ...string) []ledger.Pool {
		return []ledger.Pool{{Name: "a", Nodes: []string{"n1", "n2"}}, {Name: "b", Nodes: b}}
	}
	l, err := slurmdb.NewLedger(slurmdb.Config{
		Cluster: "c1",
		Config: ledger.Config{
			Site:         ledger.Site{Pools: pools("n3"), Partitions: map[string]ledger.Partition{"main": {MaxTime: 1000}, "alt": {MaxTime: 2000}}},
			DefaultLimit: 9000,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	news := func(at ostrich.Time, tell func(*ledger.Poll)) string {
		poll := l.Begin(t0 + at)
		tell(poll)
		var s strings.Builder
		poll.Enter(func(e ostrich.Event) {
			switch e.Kind {
			case ostrich.Capacity:
				fmt.Fprintf(&s, "%d %v %s %d\n", e.At-t0, e.Kind, e.Pool, e.Procs)
			default:
				fmt.Fprintf(&s, "%d %v %d: %d\n", e.At-t0, e.Kind, e.Job.ID, e.Job.Estimate)
			}
		})
		return s.String()
	}
	nothing := func(*ledger.Poll) {}
	check := func(what, want, got string) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	check("first", "-900 capacity a 16\n-900 capacity b 8\n0 submit 1: 1000\n0 submit 2: 2000\n0 submit 3: 600\n10 start 3: 600\n20 submit 4: 1000\n30 start 4: 1000\n",
		news(40, func(p *ledger.Poll) {
			p.Nodes(accounting.NodeEvent{From: t0 - 900, TRES: accounting.TRES{CPUs: 32, Nodes: 4}})
			row := func(id ostrich.JobID, partition string, limit ostrich.Duration, submit, start ostrich.Time) {
				r := accounting.Row{
					ID: id, Task: -1, Partition: partition, Limit: limit, Submit: t0 + submit, Eligible: t0 + submit, Req: 1, UID: 1, State: accounting.Pending,
				}
				if start > 0 {
					r.Start, r.State, r.Alloc = t0+start, accounting.Running, 1
				}
				p.Row(&r)
			}
			row(1, "main", 0, 0, 0)
			row(2, "alt,main", 0, 0, 0)
			row(3, "main", 600, 0, 10)
			row(4, "main", 0, 20, 30)
		}))
	l.Divide(ledger.Site{Pools: pools("n3"), Partitions: map[string]ledger.Partition{"main": {MaxTime: 1000}, "alt": {MaxTime: 2000}}})
	check("as they were", "", news(60, nothing))
	l.Divide(ledger.Site{Pools: pools("n3", "n4"), Partitions: map[string]ledger.Partition{"alt": {MaxTime: 2000}}})
	check("a node more, and a limit less", "70 capacity b 16\n70 change 1: 9000\n70 change 4: 9000\n", news(70, nothing))
	check("once", "", news(80, nothing))
	check("the new node fails", "85 capacity b 8\n",
		news(90, func(p *ledger.Poll) {
			p.Nodes(accounting.NodeEvent{Node: "n4", From: t0 + 85, State: 1, TRES: accounting.TRES{CPUs: 8}})
		}))
}
