package testbed_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// testNice has users who sort their own jobs with sbatch --nice, and one who thinks better
// of it. Jobs of others stay where they are.
func (b *bed) testNice(t *testing.T, channel string) {
	b.freeze(t)
	t.Cleanup(func() { b.empty(t); b.thaw(t) })
	through := append([]string{"--priority-channel", channel}, byWork...)
	submit := func(user, limit string, nice int) string {
		t.Helper()
		return b.submit(t, user, "--ntasks", strconv.Itoa(b.cpus), "--time", limit, "--nice="+strconv.Itoa(nice))
	}
	// Equal shares and nothing served yet: less work goes first, and so bob before alice.
	last, first, middle := submit("ob-alice", "20", 100), submit("ob-alice", "20", 0), submit("ob-alice", "20", 50)
	bobs := []string{submit("ob-bob", "5", 0), submit("ob-bob", "5", 1000)}
	b.settle(t, nil)
	ordered := func(want ...string) {
		t.Helper()
		want = append(slices.Clone(bobs), want...)
		p := b.applied(t, through...)
		if diff := cmp.Diff(want, p.order()); diff != "" {
			t.Errorf("order (-want +OStrich):\n%s", diff)
		}
		if diff := cmp.Diff(want, ids(b.queue(t))); diff != "" {
			t.Errorf("order (-want +squeue):\n%s", diff)
		}
	}
	ordered(first, middle, last)
	if q := b.job(t, last); channel == "sitefactor" && q.Nice != 100 {
		t.Errorf("the nice value is %d now", q.Nice)
	}
	want := []string{first, middle, last}
	if channel == "sitefactor" { // Slurm takes no nice value for a pinned job
		b.do(t, "ob-alice", "scontrol", "update", "jobid="+first, "nice=70")
		want = []string{middle, first, last}
		if p := b.plan(t, through...); p.Summary.Writes == 0 {
			t.Error("another nice value leads to no write")
		}
		ordered(want...)
	}
	want = append(slices.Clone(bobs), want...)
	b.thaw(t)
	b.idle(t)
	if diff := cmp.Diff(want, b.started(t, want)); diff != "" {
		t.Errorf("jobs did not start in the order of their nice values (-want +starts):\n%s", diff)
	}
}
