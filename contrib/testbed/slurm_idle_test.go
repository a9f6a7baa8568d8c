package testbed_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestIdleDebt: what users did before the machine stood idle is no reason to
// let them wait. All campaigns end, the queue is empty, and the next small ones
// of two of their users start together, before what is left of a flood that
// came first, though one of the two has used the machine most.
func TestIdleDebt(t *testing.T) {
	needSlurm(t)
	t.Parallel()
	b := up(t, "idle")
	d := b.daemon(t, "--apply")
	d.await(t, "started", 1)

	const a, other, flooder = "ob-alice", "ob-bob", "ob-carol"
	// The limits are wrong, as limits are: what the campaigns were expected to
	// be is far more than what they were.
	b.submit(t, a, fmt.Sprintf("--array=1-%d", 2*b.cpus), "--time=30", "--wrap", "sleep 20")
	for _, user := range slices.Concat(users[1:2], users[3:]) {
		b.submit(t, user, "--time=10", "--wrap", "sleep 5")
	}
	b.idle(t)
	d.cycles(t, 2)
	if active := b.active(t); len(active) > 0 {
		t.Errorf("nobody has a job, and the virtual schedule is not empty: %v", active)
	}

	// The tasks of the flood that start first hold the machine until the small
	// campaigns have their places.
	open := filepath.Join(b.dir, "open")
	held := fmt.Sprintf("until [ -e %s ]; do sleep 0.2; done; sleep 2", open)
	flood := b.submit(t, flooder, fmt.Sprintf("--array=1-%d", 3*b.cpus), "--wrap", held)
	eventually(t, "the flood holds the machine", func() string {
		return differ(b.cpus, len(b.lines(t, "squeue", "-h", "-a", "--array", "-t", "RUNNING", "-o", "%i")))
	})
	small := make(map[string][]string)
	const records = 2 + 2 + 1 // the rest of the flood is one
	for range 2 {
		for _, user := range []string{other, a} {
			small[user] = append(small[user], b.submit(t, user, "--wrap", "sleep 5"))
		}
	}
	b.managed(t, records)
	eventually(t, "the queue is in OStrich's order", func() string { return differ(0, b.plan(t).Summary.Writes) })
	if queue := ids(b.queue(t)); len(queue) != records || queue[records-1] != flood {
		t.Errorf("the queue is %v, want the rest of the flood, %s, at its end", queue, flood)
	}
	b.do(t, "root", "touch", open)
	b.idle(t)

	rest := slices.Min(slices.Sorted(slices.Values(b.starts(t, flood)))[b.cpus:])
	for _, user := range []string{a, other} {
		last := slices.Max(b.starts(t, small[user]...))
		report(t, user, "has started %d s after the rest of the flood", last-rest)
		if last > rest {
			t.Errorf("%s waited until %d s after the start of the rest of the flood", user, last-rest)
		}
	}
}

// active is who has an unfinished campaign in the virtual schedule, and what it
// owes, in core-hours.
func (b *bed) active(t *testing.T) map[string]float64 {
	t.Helper()
	var shares struct {
		Shares []struct {
			User   string
			Active bool
			Owed   float64 `json:"owed_core_hours"`
		}
	}
	if err := json.Unmarshal([]byte(b.ostrich(t, "shares", "--json").stdout), &shares); err != nil {
		t.Fatal(err)
	}
	list := make(map[string]float64)
	for _, s := range shares.Shares {
		if s.Active {
			list[s.User] = s.Owed
		}
	}
	return list
}

// starts is when jobs, or all tasks of an array, started, as accounting has it.
func (b *bed) starts(t *testing.T, jobs ...string) []int64 {
	t.Helper()
	var list []int64
	for _, f := range b.lines(t, "sacct", "-X", "-n", "-P", "-a", "-S", "now-1hour", "-j", strings.Join(jobs, ","), "-o", "Start") {
		at, err := strconv.ParseInt(f[0], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, at)
	}
	return list
}
