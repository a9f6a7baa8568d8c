package slurm

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/priority"
)

// TestRecorded2411 reads what 24.11 says of its configuration, partitions and
// counters.
func TestRecorded2411(t *testing.T) {
	got, err := parseConfig(captured(t, "24.11/config.txt"))
	if err != nil {
		t.Fatal(err)
	}
	want := priority.Controller{
		ClusterName: "testbed", Version: "24.11.5", PriorityType: "priority/multifactor",
		AccountingTRES: []string{"cpu", "mem", "energy", "node", "billing", "fs/disk", "vmem", "pages"},
		Weights:        priority.Weights{Age: 1000, Fairshare: 10000, JobSize: 100, Partition: 1000, QOS: 1000},
		PriorityMaxAge: 3600, CalcPeriod: 60, DecayHalfLife: 3600, FairShareDamping: 1, SelectType: "select/cons_tres",
		DefaultQueueDepth: 1000, BackfillMaxJobTest: 1000, BackfillContinue: true, SlurmUser: 64030,
		AccountingEnforce: []string{"associations", "limits"},
		SchedulerParameters: []string{
			"sched_interval=2", "batch_sched_delay=1", "default_queue_depth=1000", "bf_interval=3", "bf_resolution=10", "bf_window=120",
			"bf_max_job_test=1000", "bf_continue",
		},
		Scheduling: priority.Scheduling{
			Interval: 2, BatchDelay: 1, MinInterval: 2, BackfillInterval: 3, BackfillWindow: 7200, BackfillResolution: 10,
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("controller (-want +got):\n%s", diff)
	}
	parts, nodes, err := parsePartitions(captured(t, "24.11/partitions.txt"))
	if err != nil {
		t.Fatal(err)
	}
	wantParts := []priority.Partition{
		{Name: "main", Default: true, MaxTime: 86400, TotalCPUs: 8, PriorityTier: 1, PriorityJobFactor: 1},
		{Name: "debug", MaxTime: 1800, TotalCPUs: 8, PriorityTier: 1, PriorityJobFactor: 1},
	}
	if diff := cmp.Diff(wantParts, parts); diff != "" {
		t.Errorf("partitions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"n[1-2]", "n[1-2]"}, nodes); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
	diag, err := parseDiag(captured(t, "24.11/sdiag.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if diag.Jobs.Since == 0 || diag.At < diag.Jobs.Since {
		t.Errorf("%+v: something is missing", diag)
	}
	equalDiag(t, diag, JobCounts{Since: 1795318013, Submitted: 127, Started: 2, Completed: 1},
		CycleTimes{200 * time.Microsecond, 442 * time.Microsecond}, CycleTimes{624 * time.Microsecond, 624 * time.Microsecond})
}
