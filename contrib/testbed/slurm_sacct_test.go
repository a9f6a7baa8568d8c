package testbed_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// testSacct reads accounting by Slurm's commands: the order is that of the tables, whatever
// happens to the jobs, and a plan from the tables finds nothing to add to what was written by it.
func (b *bed) testSacct(t *testing.T) {
	b.empty(t)
	b.freeze(t)
	t.Cleanup(func() { b.empty(t); b.thaw(t) })
	commands := []string{"--source", "sacct"}
	same := func(what string, jobs int) {
		t.Helper()
		b.managed(t, jobs)
		eventually(t, "both sources have the same order "+what, func() string {
			return cmp.Diff(b.plan(t).order(), b.plan(t, commands...).order())
		})
	}
	_, jobs := b.burst(t, "--comment=none")
	array := b.submit(t, "ob-grace", "--array", "0-9%2", "--time", "7")
	jobs++
	same("of what was submitted", jobs)

	eventually(t, "what was written by Slurm's commands is what the tables want", func() string {
		b.apply(t, commands...)
		p := b.plan(t)
		return differ(0, p.Summary.Writes)
	})

	queue := ids(b.queue(t))
	for _, id := range queue {
		if !strings.HasPrefix(id, array) {
			b.do(t, "root", "scancel", id)
			jobs--
			break
		}
	}
	b.do(t, "root", "scontrol", "update", "jobid="+array, "timelimit=90")
	b.submit(t, "ob-heidi", "--ntasks", "3", "--time", "2")
	same("after a cancellation, a longer limit and one job more", jobs+1)

	b.thaw(t)
	b.idle(t)
	b.freeze(t)
	b.submit(t, "ob-heidi", "--time", "2")
	b.submit(t, "ob-bob", "--time", "3")
	same("after all have run", 2)
}
