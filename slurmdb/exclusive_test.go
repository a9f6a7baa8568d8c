package slurmdb_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

// TestExclusive: a job that waits to have its nodes for itself counts for all their
// processors, as soon as accounting or its partition says that it is one.
func TestExclusive(t *testing.T) {
	for _, tt := range []struct {
		name      string
		row       job
		partition ledger.Partition
		want      int
	}{
		{"one of 16", job{Exclusive: "NODE"}, ledger.Partition{NodeProcs: 16}, 16},
		{"more than a node has", job{Exclusive: "NODE", CPUs: 17}, ledger.Partition{NodeProcs: 16}, 32},
		{"four nodes", job{Exclusive: "NODE", CPUs: 4, TRESReq: "1=4,2=1000,4=4"}, ledger.Partition{NodeProcs: 16}, 64},
		{"nodes in the mean", job{Exclusive: "NODE", TRESReq: "1=2,4=3"}, ledger.Partition{NodeProcs: 10.5}, 32},
		{"all of its nodes", job{Exclusive: "NODE", TRESReq: "1=32,4=2"}, ledger.Partition{NodeProcs: 16}, 32},
		{"nodes of no known size", job{Exclusive: "NODE", CPUs: 3}, ledger.Partition{}, 3},
		{"an array", job{Exclusive: "NODE", Array: 1, Mask: "0x7"}, ledger.Partition{NodeProcs: 16}, 16},
		{"in one of two partitions", job{Exclusive: "NODE", Partition: "other,main"}, ledger.Partition{NodeProcs: 16}, 16},
		{"not exclusive", job{CPUs: 3}, ledger.Partition{NodeProcs: 16}, 3},
		{"against other users", job{Exclusive: "USER", CPUs: 3}, ledger.Partition{NodeProcs: 16}, 3},
		{"by the partition", job{CPUs: 3}, ledger.Partition{NodeProcs: 16, Exclusive: true}, 16},
		{"running", job{Exclusive: "NODE", Start: 5, CPUs: 3, Procs: 8}, ledger.Partition{NodeProcs: 16}, 8},
		{"huge", job{Exclusive: "NODE", TRESReq: "1=1,4=2147483648"}, ledger.Partition{NodeProcs: 1024}, 1 << 31},
	} {
		t.Run(tt.name, func(t *testing.T) {
			db := slurmdbtest.New(t, slurmdbtest.R2605)
			c := config(db)
			c.Partitions = map[string]ledger.Partition{"main": tt.partition}
			c.Hints = true
			tt.row.ID, tt.row.Comment = 1, "length:5"
			put(tt.row)(db)
			r := open(t, c)
			r.SetClock(t0 + 50)
			events := jobEvents(poll(t, r).Events)
			if got := events[len(events)-1].Job; got.Procs != tt.want {
				t.Errorf("%d processors, want %d", got.Procs, tt.want)
			}
			if again := poll(t, r); len(again.Events) != 0 {
				t.Errorf("told again: %s", tellAll(again.Events))
			}
		})
	}
}

// TestExclusiveChanges: nodes of another size, a job that is made exclusive, a start and a
// requeue each are news.
func TestExclusiveChanges(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2605)
	c := config(db)
	c.Partitions = map[string]ledger.Partition{"main": {NodeProcs: 16}}
	r := open(t, c)
	step := ostrich.Time(t0)
	check := func(want string) {
		t.Helper()
		step += perStep
		r.SetClock(step)
		if diff := cmp.Diff(want, tellAll(poll(t, r).Events)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	put(job{ID: 1})(db)
	check("0 submit 1 of 1001: 1 x 1 for 3600 in main\n")
	put(job{ID: 1, Exclusive: "NODE"})(db)
	check("200 change 1 of 1001: 1 x 16 for 3600 in main since 0\n")
	r.Divide(ledger.Site{Partitions: map[string]ledger.Partition{"main": {NodeProcs: 24}}})
	check("300 change 1 of 1001: 1 x 24 for 3600 in main since 0\n")
	put(job{ID: 1, Exclusive: "NODE", Start: 310, Procs: 12})(db)
	check("310 start 1 of 1001: 1 x 12 for 3600 in main since 0\n")
	r.Divide(ledger.Site{Partitions: map[string]ledger.Partition{"main": {NodeProcs: 16}}})
	check("")
	put(job{ID: 1, Exclusive: "NODE", Start: 310, End: 550, Procs: 12, State: 1 << 10})(db)
	check("550 requeue 1 of 1001: 1 x 16 for 3600 in main since 0\n")
	put(job{ID: 1, Submit: 551, Exclusive: "NODE"})(db)
	check("")
}
