package testbed_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// testShapes takes jobs of every shape through what can happen to them. After
// each step the plan that follows an applied one is empty.
func (b *bed) testShapes(t *testing.T) {
	t.Cleanup(func() { b.empty(t); b.thaw(t) })
	single := b.submit(t, "ob-bob", "--ntasks", "4", "--time", "40", "--wrap", "sleep 600")
	array := b.submit(t, "ob-alice", "--array", "0-6", "--ntasks", "4", "--time", "30", "--wrap", "sleep 600")
	eventually(t, "four run", func() string {
		return differ(4, len(b.lines(t, "squeue", "-h", "-t", "RUNNING", "-o", "%A")))
	})
	b.freeze(t)
	other := b.submit(t, "ob-erin", "--time", "15")

	// alone are the jobs that are not OStrich's for now: each with the word
	// that the plan has to say of them.
	alone := make(map[string]string)
	step := func(name string, do func(t *testing.T)) {
		t.Run(name, func(t *testing.T) {
			do(t)
			b.settle(t, alone)
			p := b.applied(t)
			order := p.order()
			queue := slices.DeleteFunc(b.queue(t), func(q queued) bool { return !slices.Contains(order, q.ID) })
			if diff := cmp.Diff(order, ids(queue)); diff != "" {
				t.Errorf("squeue is not in OStrich's order (-OStrich +squeue):\n%s", diff)
			}
			left := make(map[string]string)
			for _, q := range b.queue(t) {
				if !slices.Contains(order, q.ID) {
					left[q.ID] = p.why(q.ID)
				}
			}
			for id, why := range alone {
				if got := p.why(id); !strings.Contains(got, why) {
					t.Errorf("job %s: the plan says %q, want %q", id, got, why)
				}
			}
			if len(left) != len(alone) {
				t.Errorf("left alone: %v, want %v", left, alone)
			}
		})
	}
	record := func(t *testing.T, full string) string {
		t.Helper()
		return b.do(t, "root", "squeue", "-h", "-j", full, "-o", "%A")
	}

	step("array with tasks that run", func(*testing.T) {})
	step("cancel", func(t *testing.T) {
		b.do(t, "ob-alice", "scancel", array+"_6")
		b.do(t, "ob-erin", "scancel", other)
	})
	step("hold of one task", func(t *testing.T) {
		b.do(t, "root", "scontrol", "hold", array+"_5")
		alone[record(t, array+"_5")] = "held"
	})
	step("requeue of one task", func(t *testing.T) {
		id := record(t, array+"_0")
		b.requeue(t, array+"_0", id)
		alone[id] = "eligible"
	})
	step("requeue", func(t *testing.T) {
		b.requeue(t, single, single)
		alone[single] = "eligible"
	})
	var second, third string
	step("dependency chain", func(t *testing.T) {
		first := b.submit(t, "ob-carol", "--time", "5")
		second = b.submit(t, "ob-carol", "--time", "5", "--dependency=afterok:"+first)
		third = b.submit(t, "ob-carol", "--time", "5", "--dependency=afterok:"+second)
		alone[second], alone[third] = "eligible", "eligible"
	})
	step("heterogeneous job", func(t *testing.T) {
		b.submit(t, "ob-dave", "--time", "20", "--ntasks", "2", "--wrap", "true", ":", "--ntasks", "4")
	})
	step("begin in the future", func(t *testing.T) {
		alone[b.submit(t, "ob-frank", "--time", "5", "--begin", "now+1hour")] = "eligible"
	})
	step("throttled array", func(t *testing.T) {
		b.submit(t, "ob-erin", "--array", "1-6%2", "--time", "10")
	})
	step("tasks that start meanwhile", func(t *testing.T) {
		b.do(t, "root", "scancel", "--state=RUNNING", array)
		b.thaw(t)
		eventually(t, "the second job of the chain starts", func() string {
			return differ("", b.do(t, "root", "squeue", "-h", "-t", "PENDING", "-j", second, "-o", "%r"))
		})
		b.freeze(t)
		eventually(t, "only tasks of the long array run", func() string {
			return b.do(t, "root", "squeue", "-h", "-t", "RUNNING,COMPLETING", "-u", "ob-bob,ob-carol,ob-dave,ob-erin,ob-frank", "-o", "%i %T")
		})
		eventually(t, "the third job waits for no other", func() string {
			return differ(false, strings.Contains(b.do(t, "root", "squeue", "-h", "-j", third, "-o", "%E"), "after"))
		})
		delete(alone, second)
		delete(alone, third)
	})
}

// requeue puts a running job back into the queue. It may start again only after
// two minutes, which a slow machine needs for the rest of the test: make it an hour.
func (b *bed) requeue(t *testing.T, name, id string) {
	t.Helper()
	b.do(t, "root", "scontrol", "requeue", name)
	eventually(t, "job "+name+" is pending", func() string {
		return differ("PENDING", b.do(t, "root", "squeue", "-h", "-j", id, "-o", "%T"))
	})
	b.do(t, "root", "scontrol", "update", "jobid="+id, "starttime=now+1hour")
}

// settle waits until all jobs but some are ranked, and two plans agree: accounting
// knows of a job, and of what became of one, seconds later.
func (b *bed) settle(t *testing.T, but map[string]string) {
	t.Helper()
	var before []string
	eventually(t, "all jobs are ranked", func() string {
		p := b.plan(t)
		for _, j := range p.Jobs {
			if _, ok := but[j.ID.String()]; j.Rank == nil && !ok {
				return fmt.Sprintf("job %s: %s", j.ID, j.Why)
			}
		}
		order := p.order()
		moved := cmp.Diff(before, order)
		before = order
		return moved
	})
}
