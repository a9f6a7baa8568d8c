package testbed_test

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// classed is a cluster with an order of its own: a class of jobs whose options fill the
// machine, one that waits behind it, and one that may preempt the first.
type classed struct {
	fills, waits, urgent []string // options of sbatch, from the last class to the first
	names                string   // the classes, as check lists them
}

// TestClasses sees to it that what the site puts first goes first, whatever the mode: by QOS
// and by partition, with preemption.
func TestClasses(t *testing.T) {
	needSlurm(t)
	t.Parallel()
	b := up(t, "classes", "--set", "PriorityWeightAge=0", "--set", "PriorityWeightQOS=100000", "--set", "PreemptType=preempt/qos", "--set", "PreemptMode=REQUEUE")
	root := func(args ...string) { b.do(t, "root", "sacctmgr", append([]string{"-i"}, args...)...) }
	root("modify", "qos", "normal", "set", "priority=50")
	root("add", "qos", "scavenger", "priority=1")
	root("add", "qos", "urgent", "priority=100", "preempt=scavenger")
	for _, user := range users {
		root("modify", "user", user, "set", "qos+=scavenger,urgent")
	}
	eventually(t, "slurmctld knows what the QOS may preempt", func() string {
		return differ(true, strings.Contains(b.do(t, "root", "scontrol", "-o", "show", "assoc_mgr", "flags=qos"), "scavenger"))
	})

	c := classed{
		fills: []string{"--qos=scavenger"}, waits: []string{"--qos=normal"}, urgent: []string{"--qos=urgent"},
		names: "urgent, then normal, then scavenger",
	}
	for _, mode := range []string{"observe", "weight", "strict"} {
		part(t, "QOS, "+mode, func(t *testing.T) { b.testClasses(t, c, mode) })
	}
	part(t, "QOS changed", b.testOtherQOS)
	part(t, "QOS, check", func(t *testing.T) { b.testClassesChecked(t, c) })

	b.start(t, "--set", "PreemptType=preempt/partition_prio", "--set", "PriorityWeightQOS=0", "--set", "PreemptMode=REQUEUE", "--set", "PriorityWeightAge=0",
		"--set", "PartitionName=spare Nodes=ALL PriorityTier=2 PreemptMode=REQUEUE",
		"--set", "PartitionName=work Nodes=ALL PriorityTier=3 PreemptMode=REQUEUE",
		"--set", "PartitionName=urgent Nodes=ALL PriorityTier=4 PreemptMode=OFF")
	c = classed{
		fills: []string{"--partition=work"}, waits: []string{"--partition=work"}, urgent: []string{"--partition=urgent"},
		names: "urgent, then work, then spare, then debug+main",
	}
	for _, mode := range []string{"observe", "weight", "strict"} {
		part(t, "partition, "+mode, func(t *testing.T) { b.testClasses(t, c, mode) })
	}
	part(t, "partition, check", func(t *testing.T) { b.testClassesChecked(t, c) })
}

// testClasses fills the machine, lets many wait, and sees that an urgent job starts at once.
// A second one that cannot stands before all others, and the class that fills behind them.
func (b *bed) testClasses(t *testing.T, c classed, mode string) {
	t.Cleanup(func() { b.empty(t) })
	args := []string{"--apply", "--priority-mode", mode}
	if mode == "weight" {
		args[2] = "weight=5000"
	}
	if mode == "observe" {
		args = nil
	}
	d := b.daemon(t, append(args, byWork...)...)
	submit := func(user string, options []string, more ...string) string {
		t.Helper()
		return b.submit(t, user, append(append(more, options...), "--wrap", "sleep 600")...)
	}
	b.running(t, submit("ob-bob", c.fills, "--ntasks=8", "--time=60"), submit("ob-bob", c.fills, "--ntasks=8", "--time=60"))
	class := map[string]int{}
	for range 3 {
		class[submit("ob-frank", c.fills, "--ntasks=4", "--time=5")] = 2
	}
	class[submit("ob-carol", c.waits, "--array=1-50", "--time=10")] = 1
	d.cycles(t, 2)

	began := time.Now()
	b.soon(t, submit("ob-alice", c.urgent, "--ntasks=8", "--time=20:00:00"))
	report(t, "urgent", "started after %v", time.Since(began).Round(100*time.Millisecond))

	if slices.Equal(c.fills, c.waits) {
		for id := range class {
			class[id] = 1
		}
	}
	class[submit("ob-erin", c.urgent, "--ntasks=16", "--time=20:00:00")] = 0
	if strings.HasPrefix(c.urgent[0], "--partition") && mode != "strict" {
		return // Slurm sorts by tiers, which priorities do not show
	}
	eventually(t, "the queue goes by class", func() string {
		var got []int
		for _, q := range b.queue(t) {
			if n, mine := class[q.ID]; mine {
				got = append(got, n)
			}
		}
		want := slices.Sorted(slices.Values(got))
		if len(got) != len(class) || !slices.Equal(want, got) {
			return differ(strings.Join(ids(b.queue(t)), " "), "by class")
		}
		return ""
	})
}

// soon waits until a job runs, for as long as Slurm needs to preempt another.
func (b *bed) soon(t *testing.T, id string) {
	t.Helper()
	const limit = 40 * time.Second
	for end := time.Now().Add(limit); ; time.Sleep(200 * time.Millisecond) {
		state := b.do(t, "root", "squeue", "-h", "-j", id, "-o", "%T %r")
		if strings.HasPrefix(state, "RUNNING") {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("job %s: %s after %v", id, state, limit)
		}
	}
}

// testOtherQOS: a job whose user gives it another QOS has the place of its new class in the
// next cycle.
func (b *bed) testOtherQOS(t *testing.T) {
	b.freeze(t)
	t.Cleanup(func() { b.empty(t); b.thaw(t) })
	small := b.submit(t, "ob-frank", "--qos=scavenger", "--time=5")
	normal := b.submit(t, "ob-carol", "--qos=normal", "--time=10")
	large := b.submit(t, "ob-alice", "--qos=urgent", "--ntasks=16", "--time=20:00:00")
	b.managed(t, 3, byWork...)
	order := func(want ...string) {
		t.Helper()
		b.apply(t, byWork...)
		if got := ids(b.queue(t)); !slices.Equal(got, want) {
			t.Errorf("the queue is %v, want %v", got, want)
		}
	}
	order(large, normal, small)
	b.do(t, "ob-carol", "scontrol", "update", "jobid="+normal, "qos=scavenger")
	b.do(t, "ob-frank", "scontrol", "update", "jobid="+small, "qos=normal")
	order(large, small, normal)
}

// testClassesChecked: check lists the classes, and fails where they are off.
func (b *bed) testClassesChecked(t *testing.T, c classed) {
	if r := b.ostrich(t, "check"); r.code != 0 || !strings.Contains(r.stdout, c.names+" (priority.classes auto)") {
		t.Errorf("ostrich check: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	r := b.ostrich(t, "check", "--priority-classes", "off")
	if r.code != 1 || !strings.Contains(r.stdout, "\nfail  priority.classes ") {
		t.Errorf("ostrich check without classes: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
}
