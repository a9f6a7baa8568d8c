package testbed_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// backfilling are settings with which a backfill cycle takes twenty seconds for
// sixty jobs, and yields its locks after each: what takes minutes and thousands
// of jobs elsewhere. Age and fairshare stay out of it.
const backfilling = "SchedulerParameters=bf_interval=2,bf_max_time=60,bf_continue,bf_yield_interval=1,bf_yield_sleep=300000," +
	"default_queue_depth=1,sched_interval=600,defer"

// TestBackfillUndo writes while the backfill scheduler works, which undoes it,
// and sees to it that the order comes into force all the same, that everything
// can be taken back, and that people are told.
func TestBackfillUndo(t *testing.T) {
	needSlurm(t)
	t.Parallel()
	b := up(t, "undo", "--set", backfilling, "--set", "PriorityCalcPeriod=5", "--set", "PriorityWeightAge=1000", "--set", "PriorityWeightFairshare=0")
	// Jobs wait for what a job of the whole machine has.
	b.submit(t, "ob-heidi", "--ntasks", strconv.Itoa(b.cpus), "--time", "60", "--wrap", "sleep 3600")
	eventually(t, "the machine is busy", func() string {
		return differ("R", b.do(t, "root", "squeue", "-h", "-o", "%t"))
	})
	b.submitMany(t, 60)
	for _, channel := range []string{"sitefactor", "nice", "priority"} {
		part(t, channel, func(t *testing.T) { b.testUndo(t, channel) })
	}
}

// backfill waits until a cycle of the backfill scheduler is under way, and for
// that it has begun less than a second ago.
func (b *bed) backfill(t *testing.T) {
	t.Helper()
	active := func() bool { return strings.Contains(b.do(t, "root", "sdiag"), "middle of backfilling") }
	for _, want := range []bool{false, true} {
		eventually(t, "backfilling: "+strconv.FormatBool(want), func() string { return differ(want, active()) })
	}
}

// stale is the jobs by whose factors slurmctld does not schedule, by more than
// age explains.
func (b *bed) stale(t *testing.T) (jobs []string) {
	t.Helper()
	sums := make(map[string]int64)
	for _, f := range b.lines(t, "sprio", "-h", "-o", "%i|%Y") {
		sums[f[0]] = number(t, f[1])
	}
	for _, q := range b.queue(t) {
		if sum, listed := sums[q.ID]; listed && max(sum-q.Priority, q.Priority-sum) > 10 {
			jobs = append(jobs, q.ID)
		}
	}
	return jobs
}

func (b *bed) testUndo(t *testing.T, channel string) {
	began := time.Now()
	through := []string{"--priority-channel", channel, "--journal", b.dir + "/ostrich/undo-" + channel + ".jsonl"}
	b.managed(t, 60, through...)
	b.backfill(t)
	b.apply(t, through...)
	t.Logf("%v: stale %d", time.Since(began), len(b.stale(t)))
	for range 12 {
		time.Sleep(3 * time.Second)
		p := b.plan(t, through...)
		got, want := ids(b.queue(t)), p.order()
		wrong := 0
		for i := range want {
			if want[i] != got[i] {
				wrong++
			}
		}
		t.Logf("%v: stale %d, wrong %d, writes %d %s", time.Since(began), len(b.stale(t)), wrong, p.Summary.Writes, p.Jobs[0].Why)
	}
	_ = slices.Max[[]int]
	t.Log(b.ostrich(t, append([]string{"reset"}, through...)...))
	t.Log(b.ostrich(t, append([]string{"reset", "--dry-run"}, through...)...))
}
