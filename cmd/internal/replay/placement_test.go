package replay

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/cmd/internal/simulation"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/slurm"
)

// TestLooks: the backfill scheduler looked when it started jobs, and between them as often as its interval
// allows. What it did not start, the main scheduler did.
func TestLooks(t *testing.T) {
	h := &accounting.History{}
	for _, at := range []ostrich.Time{1000, 1000, 1035, 1048, 2000} {
		h.Jobs = append(h.Jobs, accounting.Job{Start: at, Backfilled: at < 2000})
	}
	records, err := slurm.ParseRecords("KillWait=5\nSchedulerParameters=bf_interval=10,bf_min_age_reserve=60\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &Study{Setup: Setup{Records: records}, Scheduler: sim.Scheduler{BackfillInterval: 10}}
	if err := s.looks(h); err != nil {
		t.Fatal(err)
	}
	want := sim.Scheduler{BackfillInterval: 10, KillWait: 5, MinAge: 60, Backfills: []ostrich.Time{1000, 1011, 1023, 1035, 1048}, Looks: []ostrich.Time{2000}}
	if diff := cmp.Diff(want, s.Scheduler); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// twoNodes are nodes of four CPUs, on both of which the jobs of onBoth ran.
func twoNodes(t *testing.T) []slurm.Record {
	t.Helper()
	records, err := slurm.ParseRecords("NodeName=n[1-2] CPUs=4\nPartitionName=main Nodes=n[1-2]\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	return records
}

func onBoth() *accounting.History {
	h := history()
	h.Partitions, h.Where, h.Jobs = []string{"main"}, []string{"", "n[1-2]"}, nil
	for i := range ostrich.Time(2) {
		h.Jobs = append(h.Jobs, accounting.Job{
			ID: ostrich.JobID(i + 1), Procs: 8, Asked: 8, Nodes: 2, Where: 1, Submit: 1000, Eligible: 1000, Start: 1001 + 100*i, End: 1101 + 100*i, Limit: 100,
		})
	}
	return h
}

// TestOutAtTheEnd: a job that comes too late for a node that was still out when the data ended starts then.
func TestOutAtTheEnd(t *testing.T) {
	s := mustNew(t, onBoth(), Setup{Options: window30, Records: twoNodes(t), Events: []accounting.NodeEvent{{Node: "n2", From: 1100, State: accounting.NodeDown}}})
	policies, err := simulation.ParseVariants("fairshare,fcfs,ostrich", simulation.Site)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range policies {
		jobs, _, err := s.Replay(p, func(int) {})
		if err != nil {
			t.Fatal(err)
		}
		if at := max(jobs[0].Start, jobs[1].Start); at != 5000 {
			t.Errorf("%s: the later job starts at %d", p.Name, at)
		}
	}
}

// TestNoProcessors: a row without processors that asks for memory on several nodes never started, and is left out.
func TestNoProcessors(t *testing.T) {
	h := onBoth()
	h.Needs = []accounting.Needs{{}, {Memory: 1000}}
	h.Jobs = append(h.Jobs, accounting.Job{ID: 3, Nodes: 2, Needs: 1, Submit: 1000, End: 1050, Limit: 100})
	s := mustNew(t, h, Setup{Options: window30, Records: twoNodes(t)})
	if n := s.left.jobs[neverStarted] + s.left.jobs[forEver]; n != 1 || len(s.Jobs) != 2 {
		t.Errorf("%d jobs never started, and %d are there", n, len(s.Jobs))
	}
}

// TestComponentsWithoutBackfill: where no backfill scheduler runs, components of heterogeneous jobs start as other jobs do, as they did.
func TestComponentsWithoutBackfill(t *testing.T) {
	h := onBoth()
	h.Jobs[0].Het = 1
	controller := &priority.Controller{PriorityType: "priority/multifactor", Scheduling: priority.Scheduling{NoBackfill: true}}
	s := mustNew(t, h, Setup{Options: window30, Records: twoNodes(t), Controller: controller})
	policies, err := simulation.ParseVariants("fairshare", simulation.Site)
	if err != nil {
		t.Fatal(err)
	}
	if jobs, _, err := s.Replay(policies[0], func(int) {}); err != nil || jobs[0].Start > 1001 {
		t.Errorf("jobs %v, error %v", jobs, err)
	}
}

// TestBackwards: an outage that ends before it begins is no reason to refuse all others.
func TestBackwards(t *testing.T) {
	s := mustNew(t, onBoth(), Setup{Options: window30, Records: twoNodes(t), Events: []accounting.NodeEvent{
		{Node: "n1", From: 1100, To: 1090, State: accounting.NodeDown}, {Node: "n2", From: 1100, To: 1100, State: accounting.NodeDown},
	}})
	const want = "1 outage of nodes that ends before it begins, as slurmdbd notes it when a clock goes back: left out."
	if !slices.Contains(s.Notes, want) || len(s.placement.cluster.Outages) != 1 {
		t.Errorf("outages %+v, notes %q", s.placement.cluster.Outages, s.Notes)
	}
}
