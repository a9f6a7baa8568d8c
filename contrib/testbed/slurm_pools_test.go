package testbed_test

import (
	"slices"
	"strings"
	"testing"
)

// TestPools sees to it that a job gains nothing by naming the partition of a quiet pool in
// which it can never run, and that pools that share nodes are refused.
func TestPools(t *testing.T) {
	needSlurm(t)
	t.Parallel()
	b := up(t, "pools", "--set", "PriorityWeightAge=0")
	pools := append([]string{"--pools", "a=main;b=debug"}, byWork...)
	const shared = "pools share nodes"
	if r := b.ostrich(t, append([]string{"check"}, pools...)...); r.code != 1 || !strings.Contains(r.stdout, shared) {
		t.Errorf("ostrich check with pools that share nodes: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	for _, mode := range []string{"--apply=false", "--apply"} {
		r := b.try(t, operator, "ostrichd", append([]string{"--config", b.config, "--once", mode}, pools...)...)
		if r.code == 0 || !strings.Contains(r.stderr, shared) {
			t.Errorf("ostrichd %s with pools that share nodes: exit code %d\n%s", mode, r.code, r.stderr)
		}
	}

	b.do(t, "root", "scontrol", "update", "partitionname=main", "nodes=n[1-3]")
	b.do(t, "root", "scontrol", "update", "partitionname=debug", "nodes=n4")
	if r := b.ostrich(t, append([]string{"check"}, pools...)...); r.code != 0 || strings.Contains(r.stdout, shared) {
		t.Errorf("ostrich check with nodes apart: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	fill := b.submit(t, "ob-grace", "--ntasks=12", "--time=20", "--wrap", "sleep 600")
	b.running(t, fill, b.submit(t, "ob-grace", "--partition=debug", "--ntasks=4", "--time=20", "--wrap", "sleep 600"))
	const few, many = 8, 30
	var first, flood []string
	for range few {
		first = append(first, b.submit(t, "ob-bob", "--partition=main", "--time=10", "--wrap", "sleep 600"))
	}
	for range many { // the pool of debug has 4 processors
		flood = append(flood, b.submit(t, "ob-carol", "--partition=debug,main", "--ntasks=8", "--time=10"))
	}
	b.managed(t, few+many, pools...)
	b.apply(t, pools...)
	sorted := func(list []string) []string { return slices.Sorted(slices.Values(list)) }
	if got := ids(b.queue(t)); !slices.Equal(sorted(got[:few]), sorted(first)) {
		t.Errorf("the queue is %v, want first %v", got, first)
	}
	for list, want := range map[string]string{first[0]: "\nplace     1 of 38 in OStrich's order, 1 of 38 in Slurm's present one", flood[0]: "\nplace     9 of 38 in OStrich's order, 9 of 38 in Slurm's present one"} {
		if r := b.ostrich(t, append([]string{"explain", list}, pools...)...); r.code != 0 || !strings.Contains(r.stdout, want) {
			t.Errorf("explain %s: exit code %d, no %q\n%s%s", list, r.code, want, r.stdout, r.stderr)
		}
	}
	b.do(t, "root", "scancel", fill)
	b.running(t, first...)
}
