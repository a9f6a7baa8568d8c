package testbed_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestBasic is what must hold under priority/basic: there, a new nice value
// would release held jobs, and a SiteFactor would have no effect.
func TestBasic(t *testing.T) {
	needSlurm(t)
	t.Parallel()
	b := up(t, "basic", "--priority", "basic")
	b.freeze(t)
	t.Cleanup(func() { b.empty(t) })
	held := []string{
		b.submit(t, "ob-alice", "--time", "1", "--hold"),
		b.submit(t, "ob-bob", "--time", "1"),
		b.submit(t, "ob-carol", "--time", "1", "--hold", "--nice=20"),
	}
	b.do(t, "root", "scontrol", "hold", held[1])
	stillHeld := func(t *testing.T) {
		t.Helper()
		for _, id := range held {
			if q := b.job(t, id); q.Priority != 0 || !strings.HasPrefix(q.Reason, "JobHeld") {
				t.Errorf("job %s is no longer held: %+v", id, q)
			}
		}
	}
	want, jobs := b.burst(t, "--comment=none")
	through := []string{"--priority-channel", "priority"}
	b.managed(t, jobs, through...)
	stock := b.queue(t)

	for _, channel := range []string{"sitefactor", "nice"} {
		for _, command := range [][]string{
			{"ostrichd", "--apply", "--once"},
			{"ostrichd", "--apply"},
			{"ostrichd"},
			{"ostrich", "plan"},
			{"ostrich", "reset"},
			{"ostrich", "check"},
		} {
			t.Run(channel+" "+strings.Join(command, " "), func(t *testing.T) {
				before := b.updates(t)
				r := b.try(t, operator, command[0], append(command[1:], "--config", b.config, "--priority-channel", channel)...)
				said := r.stderr
				if command[len(command)-1] == "check" {
					said = r.stdout
				}
				if r.code != 1 || !strings.Contains(said, "priority/basic") || !strings.Contains(said, "channel "+channel) {
					t.Errorf("exit code %d, want 1 with the reason: %s", r.code, said)
				}
				if n := b.updates(t) - before; n != 0 {
					t.Errorf("%d updates", n)
				}
				if diff := cmp.Diff(stock, b.queue(t)); diff != "" {
					t.Errorf("the queue changed (-before +after):\n%s", diff)
				}
			})
		}
	}

	ordered := func() []string {
		t.Helper()
		p := b.applied(t, append(through, byWork...)...)
		queue := slices.DeleteFunc(b.queue(t), func(q queued) bool { return slices.Contains(held, q.ID) })
		if diff := cmp.Diff(p.order(), ids(queue)); diff != "" {
			t.Errorf("squeue is not in OStrich's order (-OStrich +squeue):\n%s", diff)
		}
		var got []string
		for _, q := range queue {
			got = append(got, q.User)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("users in the order of their campaigns' work (-want +squeue):\n%s", diff)
		}
		stillHeld(t)
		return ids(queue)
	}
	ordered()
	b.do(t, operator, "ostrich", append([]string{"reset", "--config", b.config}, through...)...)
	if diff := cmp.Diff(ids(stock), ids(b.queue(t))); diff != "" {
		t.Errorf("after reset the queue is not in the order of submission (-stock +now):\n%s", diff)
	}
	stillHeld(t)

	order := ordered()
	b.thaw(t)
	eventually(t, "only held jobs are left", func() string {
		return differ(len(held), len(b.lines(t, "squeue", "-h", "-o", "%A")))
	})
	eventually(t, "all starts are in accounting", func() string {
		return differ(false, slices.Contains(b.started(t, order), "Unknown"))
	})
	if diff := cmp.Diff(order, b.started(t, order)); diff != "" {
		t.Errorf("jobs did not start in the order of the queue (-queue +starts):\n%s", diff)
	}
	stillHeld(t)
}
