package slurmdb_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/slurmdb"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

// unitSite is a machine of four nodes of 8 processors, 16000 MB and 4 GPUs, whose rows a Slurm
// 22.05.8 wrote with these weights.
func unitSite(t *testing.T, db *slurmdbtest.DB, resource string) slurmdb.Config {
	t.Helper()
	weights, err := accounting.ReadWeights("CPU=1,Mem=0.25G,GRES/gpu=8.5")
	if err != nil {
		t.Fatal(err)
	}
	u := &accounting.Unit{Resource: resource, Weights: map[string]accounting.Weights{"main": weights}}
	node := accounting.TRES{CPUs: 8, Memory: 16000, Nodes: 1, Others: []accounting.Count{{Name: "gres/gpu", N: 4}}}
	each := u.Node(&node, []string{"main"})
	u.Measure(4*each, 32)
	stored := accounting.TRES{CPUs: 32, Memory: 64000, Nodes: 4, Billing: 180, Others: []accounting.Count{{Name: "gres/gpu", N: 16}}}
	pool := ledger.Pool{Procs: 32, Units: 4 * each, NodeUnits: map[string]float64{}}
	for i := range 4 {
		name := fmt.Sprint("n", i+1)
		pool.Nodes = append(pool.Nodes, name)
		pool.NodeUnits[name] = each
	}
	c := config(db)
	c.Unit = u
	c.Site = ledger.Site{
		Pools: []ledger.Pool{pool}, Whole: u.Stored(&stored),
		Partitions: map[string]ledger.Partition{"main": {NodeProcs: 8, NodeUnits: each}},
	}
	db.Run("DELETE FROM tres_table WHERE id > 1000")
	db.Run("INSERT INTO tres_table (creation_time, deleted, id, type, name) VALUES (1, 0, 1001, 'gres', 'gpu')")
	db.Machine("1=32,2=64000,3=0,4=4,5=180,6=0,7=0,8=0,1001=16", t0-900, 0)
	return c
}

// inUnits tells events with what jobs and the machine are in units.
func inUnits(u *accounting.Unit, events []ostrich.Event) string {
	var s strings.Builder
	for _, e := range events {
		size := e.Size
		if e.Kind != ostrich.Capacity {
			size = e.Job.Size
			fmt.Fprintf(&s, "%d ", e.Job.ID)
		}
		fmt.Fprintf(&s, "%v %.3f\n", e.Kind, u.Units(float64(size)))
	}
	return s.String()
}

// TestUnitOfWork: the rows of a real Slurm count for what the unit says, waiting and running,
// an array and an exclusive job too, and an outage takes what the node has.
func TestUnitOfWork(t *testing.T) {
	rows := func(db *slurmdbtest.DB) {
		put(
			job{ID: 2, Start: 1, TRESReq: "1=1,2=2000,4=1,5=35,1001=4", TRES: "1=1,2=2000,3=18446744073709551614,4=1,5=35,1001=4"},
			job{ID: 3, CPUs: 4, TRESReq: "1=4,2=8000,4=1,5=14,1001=1"},
			job{ID: 6, Start: 1, TRESReq: "1=1,2=2000,4=1,5=1", TRES: "1=8,2=16000,3=18446744073709551614,4=1,5=45,1001=4"},
			job{ID: 7, Exclusive: "NODE", TRESReq: "1=1,2=2000,4=1,5=1"},
			job{ID: 8, CPUs: 5, TRESReq: "1=5,2=3500,4=2,5=39,1001=4"},
			job{ID: 9, Array: 9, Mask: "0x1F", CPUs: 2, TRESReq: "1=2,2=4000,4=1,5=11,1001=1"},
		)(db)
	}
	for _, tt := range []struct{ resource, first, outage string }{
		{
			"billing", "capacity 183.625\n3 submit 14.453\n7 submit 45.906\n8 submit 39.854\n9 submit 11.477\n" +
				"2 submit 35.488\n6 submit 1.488\n2 start 35.488\n6 start 45.906\n", "capacity 137.719\n",
		},
		{
			"gres/gpu", "capacity 16.000\n3 submit 1.000\n7 submit 4.000\n8 submit 4.000\n9 submit 1.000\n" +
				"2 submit 4.000\n6 submit 0.000\n2 start 4.000\n6 start 4.000\n", "capacity 12.000\n",
		},
		{
			"mem", "capacity 62.500\n3 submit 7.812\n7 submit 15.625\n8 submit 3.418\n9 submit 3.906\n" +
				"2 submit 1.953\n6 submit 1.953\n2 start 1.953\n6 start 15.625\n", "capacity 46.875\n",
		},
		{
			"node", "capacity 4.000\n3 submit 1.000\n7 submit 1.000\n8 submit 2.000\n9 submit 1.000\n" +
				"2 submit 1.000\n6 submit 1.000\n2 start 1.000\n6 start 1.000\n", "capacity 3.000\n",
		},
	} {
		t.Run(tt.resource, func(t *testing.T) {
			db := slurmdbtest.New(t, slurmdbtest.R2605)
			c := unitSite(t, db, tt.resource)
			rows(db)
			r := open(t, c)
			r.SetClock(t0 + 50)
			if diff := cmp.Diff(sorted(tt.first), sorted(inUnits(c.Unit, poll(t, r).Events))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			db.Node("n3", 1, 8, t0+60, 0) // without its GPUs, as Slurm writes it
			r.SetClock(t0 + 100)
			if diff := cmp.Diff(tt.outage, inUnits(c.Unit, poll(t, r).Events)); diff != "" {
				t.Errorf("after an outage (-want +got):\n%s", diff)
			}
		})
	}
}

// sorted sorts lines.
func sorted(text string) []string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	slices.Sort(lines)
	return lines
}

// TestUsageFactor: a job counts for what its QOS makes of it, and changes with the factor, but
// is never free.
func TestUsageFactor(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2205)
	c := unitSite(t, db, "billing")
	db.Run("INSERT INTO qos_table (creation_time, mod_time, id, name, usage_factor) VALUES (1, 1, 2, 'half', 0.5), (1, 1, 3, 'free', 0)")
	put(
		job{ID: 1, QOS: 2, Start: 1, TRESReq: "1=4,5=4", TRES: "1=4,4=1,5=4"},
		job{ID: 2, QOS: 3, CPUs: 8, TRESReq: "1=8,5=8"},
		job{ID: 3, QOS: 1, CPUs: 8, TRESReq: "1=8,5=8"},
	)(db)
	r := open(t, c)
	step := ostrich.Time(t0)
	check := func(want string) {
		t.Helper()
		step += 50
		r.SetClock(step)
		if diff := cmp.Diff(want, inUnits(c.Unit, poll(t, r).Events)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	check("capacity 183.625\n1 submit 2.000\n2 submit 0.046\n3 submit 8.000\n1 start 2.000\n")
	db.Run("UPDATE qos_table SET usage_factor = 2 WHERE id = 2")
	check("1 change 8.000\n")
	check("")
}

// TestUnitRefused: a resource that accounting does not have is an error with those that it has.
func TestUnitRefused(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2205)
	c := unitSite(t, db, "gres/fpga")
	_, err := slurmdb.Open(t.Context(), c)
	if !errors.Is(err, slurmdb.ErrConfig) || !strings.Contains(err.Error(), "no resource gres/fpga") || !strings.Contains(err.Error(), "gres/gpu") {
		t.Errorf("%v", err)
	}
}

// TestNeeds: what the jobs of rows ask of nodes has a number, the same for the same but for a little memory, and comes with the generic resources that are
// wanted, but for one that accounting does not know. A change of it is no event, and a node that is out is told until it is back.
func TestNeeds(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2205)
	t0 := db.Clock() - 1000
	db.Size(32, 8, t0-100, 0)
	db.Resource(1001, "gres", "gpu")
	c := config(db)
	c.Resources = []string{"gres/gpu", "gres/tape"}
	r := open(t, c)
	row := slurmdbtest.Job{ID: 1, User: 1001, Submit: t0, CPUs: 2, TRESReq: "1=2,2=4000,4=1,5=2,1001=1"}
	db.Put(row)
	db.Put(slurmdbtest.Job{ID: 2, User: 1002, Submit: t0, CPUs: 2, TRESReq: "1=2,2=4001,4=1,5=2,1001=1"})
	db.Put(slurmdbtest.Job{ID: 3, User: 1002, Submit: t0, CPUs: 8, TRESReq: "1=8,2=16000,4=2,5=8"})
	poll(t, r)
	number := func(id ostrich.JobID) uint32 {
		rec, _ := r.Record(id)
		return rec.Job.Needs
	}
	asked, out := r.Nodes()
	want := []ledger.Needs{{}, {CPUs: 2, Nodes: 1, Memory: 3968, GRES: "gres/gpu=1", Partition: "main"}, {CPUs: 8, Nodes: 2, Memory: 15872, Partition: "main"}}
	if diff := cmp.Diff(want, asked); diff != "" || len(out) > 0 || number(1) != 1 || number(2) != 1 || number(3) != 2 {
		t.Errorf("jobs of %d, %d and %d (-want +got):\n%s%v is out", number(1), number(2), number(3), diff, out)
	}
	row.TRESReq = "1=2,2=8000,4=1,5=2"
	db.Put(row)
	if b := poll(t, r); len(b.Events) > 0 || number(1) != 3 {
		t.Errorf("events %v, and number %d", b.Events, number(1))
	}
	db.Node("n3", 1, 4, t0+100, 0)
	poll(t, r)
	if _, out = r.Nodes(); len(out) != 1 || out[0] != (ledger.Outage{Node: "n3", From: ostrich.Time(t0 + 100)}) {
		t.Errorf("%v is out", out)
	}
}

// TestNewResources: a site that adds a GRES while the reader is there gives it a number, which the reader looks up. A number that has
// no name is looked up once.
func TestNewResources(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2205)
	t0 := db.Clock() - 1000
	db.Size(32, 8, t0-100, 0)
	db.Resource(1001, "gres", "gpu")
	c := config(db)
	c.Resources = []string{accounting.AllGRES}
	r := open(t, c)
	put := func(id uint32, asked string) string {
		t.Helper()
		db.Put(slurmdbtest.Job{ID: id, User: 1001, Submit: t0, CPUs: 2, TRESReq: "1=2,2=4000,4=1,5=2" + asked})
		b := poll(t, r)
		rec, _ := r.Record(ostrich.JobID(id))
		if len(jobEvents(b.Events)) != 1 {
			t.Errorf("job %d: events %v", id, b.Events)
		}
		asks, _ := r.Nodes()
		return asks[rec.Job.Needs].GRES
	}
	if got := put(1, ",1001=1"); got != "gres/gpu=1" {
		t.Errorf("asks for %q", got)
	}
	db.Resource(1002, "gres", "tape")
	if got := put(2, ",1001=1,1002=3"); got != "gres/gpu=1,gres/tape=3" {
		t.Errorf("asks for %q", got)
	}
	for id := range uint32(2) { // it is not looked up a second time
		if got := put(3+id, ",1003=1"); got != "" {
			t.Errorf("asks for %q", got)
		}
		db.Resource(1003, "gres", "late")
	}
	db.Resource(1004, "gres", "disk")
	if got := put(5, ",1003=1,1004=2"); got != "gres/late=1,gres/disk=2" {
		t.Errorf("asks for %q", got)
	}
}

// TestNeedsOfYears: what jobs have asked for that are over is forgotten, however much that was. Those that have not ended, or came in the
// last four weeks, keep their numbers, for who has an earlier list too.
func TestNeedsOfYears(t *testing.T) {
	l, err := slurmdb.NewLedger(slurmdb.Config{Cluster: "c1"})
	if err != nil {
		t.Fatal(err)
	}
	row := func(id ostrich.JobID, cpus uint64, submit, end ostrich.Time) *accounting.Row {
		r := &accounting.Row{
			ID: id, Task: -1, UID: 1, Partition: "main", Submit: submit, Eligible: submit, Limit: 3600, Req: cpus, Asked: accounting.TRES{CPUs: cpus, Nodes: 1},
		}
		if end != 0 {
			r.Start, r.End, r.State = submit, end, accounting.Completed
		}
		return r
	}
	const each, long = 400, 1 << 30 // a job of most processors waits all the time
	var asked []ledger.Needs
	var came []ostrich.Job
	for round := range 150 {
		now := ostrich.Time(t0 + 86400*round)
		p := l.Begin(now)
		if round == 0 {
			p.Row(row(long, long, now, 0))
		}
		p.Same(long)
		first := uint64(1 + each*round)
		for i := range uint64(each) {
			p.Row(row(ostrich.JobID(first+i), first+i, now, 0))
			if round > 0 {
				p.Row(row(ostrich.JobID(first+i-each), first+i-each, now-86400, now-500))
			}
		}
		p.Enter(func(e ostrich.Event) {
			if e.Kind == ostrich.Submit {
				came = append(came, e.Job)
			}
		})
		before := slices.Clone(asked)
		earlier := asked
		asked, _ = l.Nodes()
		if !slices.Equal(before, earlier) || len(asked) > 32*each {
			t.Fatalf("round %d: %d needs, the former list is as it was: %v", round, len(asked), slices.Equal(before, earlier))
		}
		check := func(j *ostrich.Job) {
			if n := int(j.Needs); n == 0 || n >= len(asked) || asked[n].CPUs != uint32(j.Procs) {
				t.Fatalf("round %d: job %d of %d processors has number %d", round, j.ID, j.Procs, n)
			}
		}
		for _, r := range l.Live() {
			check(&r.Job)
		}
		for i := range came {
			if came[i].Submit >= now-28*86400 {
				check(&came[i])
			}
		}
	}
}
