package testbed_test

import (
	"fmt"
	"os/exec"
	"testing"
	"time"
)

// TestFewWrites: campaigns of similar size, whose jobs all turn out far shorter than
// their limits, come nearer to their completion at the same pace. They do not change
// places all the time, each time with a write to all their jobs.
//
// Four users have 500 jobs each on 16 processors, and a cycle comes each second: a
// load of 30 s jobs and cycles of 10 s, ten times as fast. It costs some two updates for each
// job that starts, the first one that it gets included. When all jobs were written as they came,
// it was that one and up to two more.
//
// All have had a job before: it is known how long theirs run, so they have equal work and
// take turns. A turn costs writes to the head of the order. Of a user of whom nothing is
// known, the first job that ends would cost an update to each of the others, once,
// whenever that is.
func TestFewWrites(t *testing.T) {
	needSlurm(t)
	t.Parallel()
	b := up(t, "writes", "--set", "SchedulerParameters=default_queue_depth=100,bf_max_job_test=500,sched_interval=2,batch_sched_delay=1,bf_interval=3,bf_continue")
	t.Cleanup(func() { b.empty(t) })
	some := users[:4]
	for _, user := range some {
		b.do(t, user, "sbatch", "--wait", "--quiet", "--chdir=/", "--output=/dev/null", "--time=1", "--wrap=sleep 3")
	}
	b.freeze(t)
	const each = 500
	var running []*exec.Cmd
	for i, user := range some {
		script := fmt.Sprintf(`i=0; while [ $i -lt %d ]; do
			sbatch --quiet --chdir=/ --output=/dev/null --ntasks=$((1 + i %% 4)) --time=$((1 + (i * 37 + %d) %% 10)) --wrap='sleep 3' || exit
			i=$((i + 1)); done`, each, 13*i)
		cmd := b.command(t, user, "sh", "-c", script)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, cmd)
	}
	for _, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	d := b.daemon(t, "--apply", "--interval", "1s", "--campaign-rule", "max")
	// Jobs beyond the depth are not written to before they come within it.
	eventually(t, "all within the depth have a place", func() string {
		return differ(true, b.updates(t) >= 500 && d.metric(t, "ostrich_planned_writes") == 0)
	})
	if n := b.updates(t); n > len(some)*each/2 {
		t.Errorf("%d updates before anything starts, of %d jobs", n, len(some)*each)
	}
	b.thaw(t)
	pending := func() int { return len(b.queue(t)) }
	// The steady state begins when some jobs have ended, which correct what is expected of
	// those alike.
	const first, measured = 300, 250
	for _, n := range []int{first / 2, first} {
		eventually(t, "some have started", func() string { return differ(true, pending() < len(some)*each-n) })
	}
	jobs, updates, began := pending(), b.updates(t), time.Now()
	for _, n := range []int{measured / 2, measured} {
		eventually(t, "many more have started", func() string { return differ(true, jobs-pending() >= n) })
	}
	started, sent := jobs-pending(), b.updates(t)-updates
	report(t, "writes", "%d updates while %d jobs started in %v: %.1f for each", sent, started, time.Since(began).Round(time.Second), float64(sent)/float64(started))
	if per := float64(sent) / float64(started); per > 2.5 {
		t.Errorf("%.1f updates for each job that started, at most 2.5", per)
	}
	d.terminate(t)
}
