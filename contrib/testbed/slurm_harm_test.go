package testbed_test

import (
	"strings"
	"testing"
)

// TestHarm runs the commands under settings with which an order can do harm: an
// enforcing daemon refuses, one that observes goes on and says so, and check
// names each with a fix.
func TestHarm(t *testing.T) {
	needSlurm(t)
	t.Parallel()
	within := []string{
		"--set", "PreemptType=preempt/qos", "--set", "PreemptMode=WITHIN,REQUEUE", "--set", "PreemptExemptTime=10",
		"--set", "PriorityFlags=MAX_TRES", "--set", "SchedulerParameters=bf_continue,bf_min_prio_reserve=5000",
	}
	b := up(t, "harm", within...)
	b.freeze(t)
	id := b.submit(t, "ob-alice")
	b.managed(t, 1)

	check := func(code int, lines ...string) {
		t.Helper()
		r := b.ostrich(t, "check")
		for _, line := range lines {
			if !strings.Contains(r.stdout, "\n"+line) {
				t.Errorf("ostrich check does not say %q", line)
			}
		}
		if r.code != code || t.Failed() {
			t.Errorf("ostrich check: exit code %d, want %d\n%s%s", r.code, code, r.stdout, r.stderr)
		}
	}
	refused := func(words string) {
		t.Helper()
		r := b.try(t, operator, "ostrichd", "--config", b.config, "--apply", "--once")
		if r.code != 1 || !strings.Contains(r.stderr, words) {
			t.Errorf("ostrichd --apply: exit code %d\n%s", r.code, r.stderr)
		}
		if q := b.job(t, id); q.Site != "0" {
			t.Errorf("and it wrote: %+v", q)
		}
		r = b.try(t, operator, "ostrichd", "--config", b.config, "--once")
		if r.code != 0 || !strings.Contains(r.stderr, words) {
			t.Errorf("ostrichd that observes: exit code %d\n%s", r.code, r.stderr)
		}
	}
	check(1,
		"fail  PreemptMode=WITHIN PreemptMode=WITHIN,REQUEUE: ", "warn  PreemptExemptTime  PreemptExemptTime of 600 s: ",
		"warn  bf_min_prio_reserve SchedulerParameters=bf_min_prio_reserve=5000: ", "ok    PriorityFlags      MAX_TRES: ")
	refused("PreemptMode=WITHIN: cannot work here")

	// A QOS alone is enough, and so are thresholds and a federation.
	b.start(t, "--set", "PreemptType=preempt/qos", "--set", "PreemptMode=REQUEUE", "--set", "AccountingStorageEnforce=associations,limits")
	b.freeze(t) // slurmctld has started again
	id = b.submit(t, "ob-alice")
	b.managed(t, 2)
	root := func(args ...string) { b.do(t, "root", "sacctmgr", append([]string{"-i"}, args...)...) }
	root("add", "qos", "kill")
	root("modify", "qos", "kill", "set", "preemptmode=within,requeue", "minprio=50")
	root("modify", "user", "ob-alice", "set", "minprio=77")
	eventually(t, "slurmctld knows the QOS", func() string {
		return differ(true, strings.Contains(b.do(t, "root", "scontrol", "-o", "show", "assoc_mgr", "flags=qos"), "PreemptMode=WITHIN,REQUEUE"))
	})
	check(1,
		"fail  PreemptMode=WITHIN PreemptMode=WITHIN,REQUEUE of QOS kill: ", "warn  MinPrioThreshold   MinPrioThreshold=50 of QOS kill: ",
		"warn  MinPrioThreshold   MinPrioThreshold=77 of user ob-alice of account astro: ")
	refused("of QOS kill")
	root("modify", "qos", "kill", "set", "preemptmode=requeue", "minprio=-1")
	root("modify", "user", "ob-alice", "set", "minprio=-1")
	root("add", "cluster", "other")
	check(0, "warn  clusters           2 clusters in one database (other, "+cluster+"): ")
	root("add", "federation", "fed", "clusters="+cluster+",other")
	eventually(t, "slurmctld knows the federation", func() string {
		return differ(true, strings.Contains(b.do(t, "root", "scontrol", "show", "federation"), "fed"))
	})
	check(1, "fail  federation         federation fed: ")
	refused("federation fed")
	root("delete", "federation", "fed")
	eventually(t, "slurmctld has left the federation", func() string {
		return b.do(t, "root", "scontrol", "show", "federation")
	})
	b.apply(t)
	if q := b.job(t, id); q.Site == "0" {
		t.Errorf("nothing was written with the settings fixed: %+v", q)
	}
}
