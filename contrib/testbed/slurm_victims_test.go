package testbed_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim/nodes"
)

// TestVictims fills the machine with jobs of two QOS that may be preempted and one that may not, and sees that Slurm lets
// those leave for an urgent job that the replay lets leave, and starts it on the nodes that the replay takes.
func TestVictims(t *testing.T) {
	needSlurm(t)
	t.Parallel()
	options := []string{"--set", "PreemptType=preempt/qos", "--set", "PreemptMode=REQUEUE"}
	b := up(t, "victims", options...)
	root := func(args ...string) { b.do(t, "root", "sacctmgr", append([]string{"-i"}, args...)...) }
	root("add", "qos", "cheap", "priority=1")
	root("add", "qos", "dear", "priority=2")
	root("add", "qos", "urgent", "priority=100", "preempt=cheap,dear")
	for _, user := range users {
		root("modify", "user", user, "set", "qos+=cheap,dear,urgent")
	}
	eventually(t, "slurmctld knows what the QOS may preempt", func() string {
		return differ(true, strings.Contains(b.do(t, "root", "scontrol", "-o", "show", "assoc_mgr", "flags=qos"), "dear"))
	})
	for k, tt := range []struct {
		parameters string
		preempt    nodes.Preempt
	}{
		{"bf_interval=5", nodes.Preempt{}},
		{"bf_interval=5,preempt_youngest_first", nodes.Preempt{YoungestFirst: true}},
		{"bf_interval=5,preempt_strict_order,preempt_reorder_count=2", nodes.Preempt{StrictOrder: true, Reorder: 2}},
	} {
		// The cases begin with some seventy jobs, one after the other, and each would wait up to 3 s.
		b.start(t, append(options, "--set", "SchedulerParameters=batch_sched_delay=1,sched_interval=2,"+tt.parameters)...)
		random := rand.New(rand.NewPCG(1, uint64(k))) //nolint:gosec // the same cases each time
		for n := range 3 {
			part(t, fmt.Sprintf("%s %d", tt.parameters, n), func(t *testing.T) { b.testVictims(t, tt.preempt, random) })
		}
	}
}

// testVictims draws jobs that fill the machine, and one that makes some of them leave.
func (b *bed) testVictims(t *testing.T, p nodes.Preempt, random *rand.Rand) {
	t.Cleanup(func() { b.empty(t) })
	p.By, p.Mode = nodes.PreemptByQOS, nodes.PreemptRequeue
	c := &nodes.Cluster{Nodes: slices.Repeat([]nodes.Node{{CPUs: 4, Weight: 1}}, 4), Preempt: p}
	f, err := nodes.NewFloor(c)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"cheap", "dear", "normal"}
	qos := []*nodes.QOS{{Priority: 1}, {Priority: 2}, {}}
	load, choose := f.NewLoad(), f.NewChooser()
	var victims []nodes.Victim
	var ids []string
	for node := range 4 {
		for left := 4; left > 0; {
			cpus, q := min(left, 1+random.IntN(3)), []int{0, 0, 1, 1, 2}[random.IntN(5)]
			left -= cpus
			ids = append(ids, b.submit(t, "ob-bob", "--qos="+names[q], fmt.Sprintf("--ntasks=%d", cpus), fmt.Sprintf("--nodelist=n%d", node+1), "--time=60", "--wrap", "sleep 600"))
			b.running(t, ids...) // one after the other, so that no two are of an age
			var w *nodes.Want
			if w, err = f.Want(&nodes.Request{CPUs: cpus, Tasks: cpus, NodeList: []int{node}, QOS: qos[q]}, -1); err != nil {
				t.Fatal(err)
			}
			a, ok := choose.Choose(w, 1, f.All(), load)
			if !ok {
				t.Fatalf("node %d does not take %d CPUs", node, cpus)
			}
			if load.Add(a); q < 2 {
				victims = append(victims, nodes.Victim{Allocation: a, Want: w, Job: int32(len(ids) - 1), Start: b.began(t, ids[len(ids)-1]), Mode: nodes.PreemptRequeue})
			}
		}
	}
	f.Sort(victims)
	r := nodes.Request{QOS: &nodes.QOS{Preempts: qos[:2]}}
	var a *nodes.Allocation
	var gone []nodes.Victim
	for a == nil { // as many processors as are to be had
		r.MinNodes = 1 + random.IntN(2)
		r.MaxNodes, r.CPUs = r.MinNodes, r.MinNodes*(1+random.IntN(4))
		r.Tasks = r.CPUs
		w, err := f.Want(&r, -1)
		if err != nil {
			t.Fatal(err)
		}
		a, gone = choose.Preempt(w, 2, f.All(), load, slices.Clone(victims))
	}
	var want, on []string
	for _, v := range gone {
		want = append(want, ids[v.Job])
	}
	for _, n := range a.Nodes {
		on = append(on, fmt.Sprintf("n%d", n+1))
	}
	slices.Sort(want)
	urgent := b.submit(t, "ob-alice", "--qos=urgent", fmt.Sprintf("--nodes=%d", r.MinNodes), fmt.Sprintf("--ntasks=%d", r.Tasks), "--time=60", "--wrap", "sleep 600")
	b.soon(t, urgent)
	var got []string
	for _, x := range b.lines(t, "squeue", "-h", "-t", "PENDING", "-j", strings.Join(ids, ","), "-o", "%i|%r") {
		got = append(got, x[0])
		if x[1] != "BeginTime" {
			t.Errorf("job %s waits for %s", x[0], x[1])
		}
	}
	slices.Sort(got)
	if diff := differ(strings.Join(want, " "), strings.Join(got, " ")); diff != "" {
		t.Errorf("jobs that leave: %s", diff)
	}
	ran := b.do(t, "root", "scontrol", "show", "hostnames", b.do(t, "root", "squeue", "-h", "-j", urgent, "-o", "%N"))
	if diff := differ(strings.Join(on, " "), strings.Join(strings.Fields(ran), " ")); diff != "" {
		t.Errorf("nodes: %s", diff)
	}
	for _, id := range got {
		if wait := b.begins(t, id); wait != 121 {
			t.Errorf("job %s may start %d s after it was requeued", id, wait)
		}
	}
}

// began is when a job started.
func (b *bed) began(t *testing.T, id string) ostrich.Time {
	t.Helper()
	return b.moment(t, id, "StartTime")
}

// begins is how long after it was requeued a job may start again.
func (b *bed) begins(t *testing.T, id string) ostrich.Time {
	t.Helper()
	return b.moment(t, id, "EligibleTime") - b.moment(t, id, "SubmitTime")
}

// moment is a time that scontrol shows of a job.
func (b *bed) moment(t *testing.T, id, key string) ostrich.Time {
	t.Helper()
	for word := range strings.FieldsSeq(b.do(t, "root", "scontrol", "-o", "show", "job", id)) {
		if text, is := strings.CutPrefix(word, key+"="); is {
			at, err := strconv.ParseInt(text, 10, 64) // SLURM_TIME_FORMAT is %s
			if err != nil {
				t.Fatal(err)
			}
			return ostrich.Time(at)
		}
	}
	t.Fatalf("job %s has no %s", id, key)
	return 0
}
