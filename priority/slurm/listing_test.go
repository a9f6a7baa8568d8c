package slurm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// As long as Slurm's commands print the same, the queue is the same list. After any
// other output it is a new list, with the change.
func TestRemembered(t *testing.T) {
	for _, grouping := range []bool{false, true} {
		queue := "id=1\nid=2\nid=7 array=7 tasks=1-3"
		f := newFake(t, queue)
		if grouping {
			f.Set("config", "SLURM_VERSION = 23.02.7")
		}
		r := Remember(f.Commands)
		var before []priority.Queued
		read := func() []priority.Queued {
			t.Helper()
			queue, err := r.Queue(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return queue
		}
		for _, step := range []struct {
			what     string
			old, new string
			same     bool
		}{
			{"at first", "", "", false},
			{"nothing", "", "", true},
			{"a reason", "id=1", "id=1 reason=Dependency", false},
			{"nothing after a reason", "", "", true},
			{"a SiteFactor", "id=2", "id=2 site=5", false},
			{"tasks", "1-3", "1-2", false},
			{"nothing after tasks", "", "", true},
			{"a job less", "id=1 reason=Dependency\n", "", false},
			{"an undone write", "id=2", "id=2 restored=90", false},
			{"the same undone write, for which sprio is asked again", "", "", false},
		} {
			queue = strings.Replace(queue, step.old, step.new, 1)
			f.Set("queue", queue)
			jobs := read()
			if same := len(before) == len(jobs) && &before[0] == &jobs[0]; same != step.same {
				t.Errorf("grouping %v, %s: the same list: %v", grouping, step.what, same)
			}
			fresh, err := f.Queue(t.Context())
			if err != nil || len(fresh) != len(jobs) {
				t.Fatalf("grouping %v, %s: %d jobs, in fact %d: %v", grouping, step.what, len(jobs), len(fresh), err)
			}
			for i := range fresh {
				if fresh[i] != jobs[i] {
					t.Errorf("grouping %v, %s: %+v, in fact %+v", grouping, step.what, jobs[i], fresh[i])
				}
			}
			before = jobs
		}
	}
}

// Only the marks of two equal listings differ.
func TestSamePrinted(t *testing.T) {
	of := func(mark, sprio string, squeue ...string) *printed {
		p := &printed{sprio: sprio, mark: mark, squeue: squeue[0]}
		if len(squeue) > 1 {
			p.apart = squeue[1]
		}
		return p
	}
	a := of("<m1>", "s", "head<m1>one<m1>two", "<m1>x")
	for what, tt := range map[string]struct {
		b    *printed
		same bool
	}{
		"another mark":     {of("<m2>", "s", "head<m2>one<m2>two", "<m2>x"), true},
		"another head":     {of("<m2>", "s", "Head<m2>one<m2>two", "<m2>x"), false},
		"another record":   {of("<m2>", "s", "head<m2>One<m2>two", "<m2>x"), false},
		"another last one": {of("<m2>", "s", "head<m2>one<m2>twO", "<m2>x"), false},
		"a longer one":     {of("<m2>", "s", "head<m2>one<m2>two3", "<m2>x"), false},
		"its own mark":     {of("<m2>", "s", "head<m1>one<m1>two", "<m1>x"), false},
		"other factors":    {of("<m2>", "S", "head<m2>one<m2>two", "<m2>x"), false},
		"one list":         {of("<m2>", "s", "head<m2>one<m2>two"), false},
		"the second list":  {of("<m2>", "s", "head<m2>one<m2>two", "<m2>y"), false},
	} {
		if got := a.digest() == tt.b.digest(); got != tt.same {
			t.Errorf("%s: %v", what, got)
		}
	}
	b := *a
	if b.tasks = "7 7 1\n"; a.digest() == b.digest() {
		t.Error("the list of tasks makes no difference")
	}
}

// TestApart: of arrays in parts squeue is asked for a task of each part, and where there are very
// many for all tasks.
func TestApart(t *testing.T) {
	for _, held := range []int{0, 2, mostApart} {
		queue := []string{fmt.Sprintf("id=7 array=7 tasks=%d-%d", held+1, held+3)}
		for i := range held {
			queue = append(queue, fmt.Sprintf("id=%d array=7 task=%d held=yes reason=JobHeldUser", 8+i, i+1))
		}
		f := newFake(t, queue...)
		f.Set("config", "SLURM_VERSION = 23.02.7")
		p, err := f.listing(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want := map[int]int{0: 0, 2: 3, mostApart: mostApart + 3}[held]
		if got := strings.Count(p.apart, p.mark); got != want {
			t.Errorf("%d tasks apart: squeue prints %d records in full, want %d", held, got, want)
		}
		if all, _, err := f.read(t.Context(), p); err != nil || len(all) != held+1 {
			t.Errorf("%d tasks apart: %d records, %v", held, len(all), err)
		}
	}
}

// BenchmarkListing parses a listing of 100 000 pending jobs, and compares it with an
// equal one.
func BenchmarkListing(b *testing.B) {
	now, before := &printed{mark: "\x1emark of now\x1e"}, &printed{mark: "\x1emark before\x1e"}
	for _, p := range []*printed{now, before} {
		var sprio, squeue strings.Builder
		for i := range 100_000 {
			fmt.Fprintf(&sprio, "%d|1200|0.0000002794|0|0|1000|0|200|0|0|0|cpu=0\n", i+1)
			squeue.WriteString(p.mark)
			squeue.WriteString(strings.Join([]string{
				strconv.Itoa(i + 1), strconv.Itoa(i + 1), "N/A", strconv.Itoa(i + 1), "user", "1000", "main", "normal", "1200", "0",
				"PENDING", "1700000000", "(null)", "(null)", "Priority", "1", "1:00:00", "", "", "(null)", "(null)", "account", "(null)", "(null)", "a job's name\n",
			}, fieldSep))
		}
		p.sprio, p.squeue = sprio.String(), squeue.String()
	}
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			if queue, settled, err := (Commands{}).read(b.Context(), now); len(queue) != 100_000 || !settled || err != nil {
				b.Fatal(len(queue), settled, err)
			}
		}
	})
	b.Run("same", func(b *testing.B) {
		for b.Loop() {
			if now.digest() != before.digest() {
				b.Fatal("not the same")
			}
		}
	})
}

// TestAllStartMeanwhile: an array of which squeue shows no task any more, as all have started
// since its first list, is not taken to wait.
func TestAllStartMeanwhile(t *testing.T) {
	p := &printed{mark: mark, squeue: squeueLine("7 1-3"), joined: true}
	if queue, _, err := newFake(t).read(t.Context(), p); len(queue) != 0 || err != nil {
		t.Errorf("%+v, %v", queue, err)
	}
}

// TestStatesThatWait: jobs that slurmctld holds in states of their own are in the queue, and
// cannot start. Once released, one that was requeued too often keeps its state until it starts.
func TestStatesThatWait(t *testing.T) {
	f := newFake(t, "id=1", "id=2 state=SPECIAL_EXIT held=yes", "id=3 state=RESV_DEL_HOLD held=yes", "id=4 start=5", "id=5 state=COMPLETED", "id=6 state=REQUEUE_HOLD held=yes", "id=7 state=REQUEUE_HOLD")
	queue, err := f.Queue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[ostrich.JobID]priority.Wait)
	for i := range queue {
		got[queue[i].Job] = queue[i].Wait()
	}
	want := map[ostrich.JobID]priority.Wait{1: priority.Able, 2: priority.Kept, 3: priority.Kept, 6: priority.Kept, 7: priority.Able}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("why the jobs of the queue wait, -want +got:", diff)
	}
	ids, err := f.Values(t.Context(), "%i")
	if want := []string{"1", "2", "3", "4", "6", "7"}; err != nil || !slices.Equal(ids, want) {
		t.Errorf("unfinished jobs %v (%v), want %v", ids, err, want)
	}
}
