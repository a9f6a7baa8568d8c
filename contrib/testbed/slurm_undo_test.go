package testbed_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// backfilling are settings with which a backfill cycle takes some ten seconds
// for sixty jobs, and yields its locks after each: what takes thousands of jobs
// elsewhere.
const backfilling = "SchedulerParameters=bf_interval=2,bf_max_time=60,bf_continue,bf_yield_interval=1,bf_yield_sleep=20000," +
	"default_queue_depth=1,sched_interval=600,defer"

// TestBackfillUndo writes while the backfill scheduler works, which undoes it,
// and sees to it that the order comes into force all the same, that people are
// told, and that everything can be taken back.
func TestBackfillUndo(t *testing.T) {
	needSlurm(t)
	t.Parallel()
	b := up(t, "undo", "--set", backfilling, "--set", "PriorityCalcPeriod=5", "--set", "PriorityWeightFairshare=0")
	b.submit(t, "ob-heidi", "--ntasks", strconv.Itoa(b.cpus), "--time", "60", "--wrap", "sleep 3600")
	eventually(t, "the machine is busy", func() string {
		return differ("R", b.do(t, "root", "squeue", "-h", "-o", "%t"))
	})
	const jobs = 60
	b.submitMany(t, jobs)
	b.managed(t, jobs)
	for _, channel := range []string{"sitefactor", "nice", "priority"} {
		part(t, channel, func(t *testing.T) { b.testUndo(t, channel) })
	}
}

// testUndo: a burst falls into a backfill cycle, and what is undone of it is
// written again.
func (b *bed) testUndo(t *testing.T, channel string) {
	through := []string{"--interval", "1s", "--priority-channel", channel}
	t.Cleanup(func() { b.giveBack(t, through...) })
	b.backfill(t)
	// It waits no longer than an interval, and some may be undone by the time it ends.
	r := b.try(t, operator, "ostrichd", append([]string{"--config", b.config, "--apply", "--once"}, through...)...)
	if r.code != 0 && !strings.Contains(r.stderr, "undone by the backfill scheduler; another cycle") {
		t.Fatalf("exit code %d: %s", r.code, r.stderr)
	}
	var undone []string
	eventually(t, "writes are undone, and the plan says so", func() string { // another backfill cycle may come between
		if undone = b.undone(t, channel); len(undone) < 3 {
			return fmt.Sprint("undone: ", undone)
		}
		had := len(undone)
		// All are written again; one that is to have another value by now is not called undone.
		p := b.plan(t, through...)
		undone = slices.DeleteFunc(undone, func(job string) bool { return p.why(job) != "undone by the backfill scheduler" })
		if p.code != 2 || p.Summary.Writes < had || p.Summary.Undone < 1 || len(undone) < 1 {
			return fmt.Sprintf("%d writes are undone; the plan: exit code %d, %+v, of which it says so: %v", had, p.code, p.Summary, undone)
		}
		return ""
	})
	if r = b.ostrich(t, append([]string{"explain", undone[0]}, through...)...); !strings.Contains(r.stdout, ": undone by the backfill scheduler") ||
		channel != "priority" && !strings.Contains(r.stdout, "an earlier value that Slurm's backfill scheduler put back; its factors add up to") {
		t.Errorf("explain: %s", r.stdout)
	}
	if channel == "priority" { // our own pins, which look like somebody else's
		b.giveBack(t, through...)
		return
	}

	d := b.daemon(t, append(through, "--apply")...)
	d.await(t, "the backfill scheduler undoes writes", 1)
	for range 2 { // also once another backfill cycle is over
		eventually(t, "the order is in force", func() string {
			return cmp.Diff(b.plan(t, through...).order(), ids(b.queue(t)))
		})
		b.backfill(t)
	}
	if left := b.undone(t, channel); len(left) > 0 {
		t.Errorf("still undone: %v", left)
	}
	if n := d.metric(t, "ostrich_repeated_writes_total"); n < 1 {
		t.Errorf("%v writes were made again", n)
	}
	if n := len(d.events(t, "the backfill scheduler undoes writes")); n != 1 {
		t.Errorf("%d lines tell of it", n)
	}
	d.terminate(t)
	if text := b.do(t, "root", "cat", b.dir+"/ostrich/journal.jsonl"); !strings.Contains(text, `"code":"undone","result":"applied","undone":true`) {
		t.Error("the journal does not tell of it")
	}
}

// backfill waits until a cycle of the backfill scheduler has just begun.
func (b *bed) backfill(t *testing.T) {
	t.Helper()
	for _, want := range []bool{false, true} {
		eventually(t, "backfilling: "+strconv.FormatBool(want), func() string {
			return differ(want, strings.Contains(b.do(t, "root", "sdiag"), "in the middle of backfilling"))
		})
	}
}

// undone is the jobs by whose values slurmctld does not schedule: those whose
// priority is not the sum of their factors, and pins of no value of ours.
func (b *bed) undone(t *testing.T, channel string) (jobs []string) {
	t.Helper()
	sums := make(map[string]int64)
	for _, f := range b.lines(t, "sprio", "-h", "-o", "%i|%Y") {
		sums[f[0]] = number(t, f[1])
	}
	for _, q := range b.queue(t) {
		sum, listed := sums[q.ID]
		if listed && (max(sum-q.Priority, q.Priority-sum) > 1<<16 || channel == "priority" && q.Priority < 1<<16) {
			jobs = append(jobs, q.ID)
		}
	}
	return jobs
}

// giveBack takes back all that was written, again and again while a backfill cycle
// puts it back, until a whole cycle has put back nothing. Then no job is pinned or
// has a value, and all are scheduled by the sum of their factors.
func (b *bed) giveBack(t *testing.T, through ...string) {
	t.Helper()
	since := -1 // cycles when there was nothing to give back for the first time
	eventually(t, "all is given back", func() string {
		r := b.ostrich(t, append([]string{"reset"}, through...)...)
		// What was put back before it was read back counts as not applied.
		if r.code != 0 && !strings.Contains(r.stderr, ": not applied") {
			t.Fatalf("reset: exit code %d: %s%s", r.code, r.stdout, r.stderr)
		}
		m := regexp.MustCompile(`Total cycles: (\d+)`).FindAllStringSubmatch(b.do(t, "root", "sdiag"), -1)
		now := int(number(t, m[len(m)-1][1])) // the last one is of backfilling
		switch {
		case !strings.HasPrefix(r.stdout, "0 jobs"):
			since = -1
		case since < 0:
			since = now
		}
		return differ(true, since >= 0 && now > since)
	})
	if left := b.undone(t, ""); len(left) > 0 {
		t.Errorf("not scheduled by the sum of their factors: %v", left)
	}
	for _, f := range b.lines(t, "sprio", "-h", "-o", "%i|%y|%S|%N") {
		if !strings.HasPrefix(strings.TrimSpace(f[1]), "0.") || f[2] != "0" || f[3] != "0" {
			t.Errorf("not given back: %v", f)
		}
	}
}
