package main

import (
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fakeCluster starts every job at once; jobs end after their lengths.
type fakeCluster struct {
	mu        sync.Mutex
	ends      map[string]time.Time
	submitted []string
	at        []time.Duration
	begin     time.Time
	cancelled []string

	refuse   string // the job name that is refused
	failures int    // how many looks at the queue fail
}

func newFakeCluster() *fakeCluster {
	return &fakeCluster{ends: make(map[string]time.Time), begin: time.Now()}
}

func (f *fakeCluster) Submit(_ context.Context, name string, p Plan) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if name == f.refuse {
		return errors.New("refused")
	}
	f.submitted = append(f.submitted, name)
	f.at = append(f.at, time.Since(f.begin))
	f.ends[name] = time.Now().Add(slices.Max(p.Lengths))
	return nil
}

func (f *fakeCluster) Queues(_ context.Context, prefix string) (map[string]Queue, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failures > 0 {
		f.failures--
		return nil, errors.New("no answer")
	}
	queues := make(map[string]Queue)
	for name, end := range f.ends {
		if strings.HasPrefix(name, prefix) && end.After(time.Now()) {
			queues[name] = Queue{Running: 1}
		}
	}
	return queues, nil
}

func (f *fakeCluster) Cancel(_ context.Context, names []string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cancelled = names
	for _, name := range names {
		delete(f.ends, name)
	}
	return nil
}

func loop(user string, campaigns int, length, think time.Duration) Loop {
	return Loop{User: user, Campaigns: campaigns, Think: think, Shapes: []Shape{{Jobs: 2, Length: length}}}
}

// A user submits only after the end of the campaign before, and after thinking.
func TestRunIsClosedLoop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFakeCluster()
		r := &Run{Name: "r", Seed: 1, Cluster: f, Log: io.Discard, Report: time.Second}
		plans, err := r.Do(t.Context(), []Loop{loop("a", 3, 10*time.Second, 5*time.Second)})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"r.a.1", "r.a.2", "r.a.3"}, f.submitted); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		if len(plans) != 3 {
			t.Errorf("%d plans, want 3", len(plans))
		}
		for i := 1; i < len(f.at); i++ {
			gap := f.at[i] - f.at[i-1]
			// The end is seen at the next look at the queue.
			if gap < 15*time.Second || gap > 15*time.Second+2*pollEvery {
				t.Errorf("campaign %d came %v after the one before, want 15 s and at most two looks", i+1, gap)
			}
		}
	})
}

func TestRunUntil(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFakeCluster()
		r := &Run{Name: "r", Until: 25 * time.Second, Cluster: f, Log: io.Discard}
		plans, err := r.Do(t.Context(), []Loop{loop("b", 0, 10*time.Second, 0), loop("a", 1, 100*time.Second, 0)})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range plans {
			got = append(got, r.jobName(p))
		}
		if diff := cmp.Diff([]string{"r.a.1", "r.b.1", "r.b.2", "r.b.3"}, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
}

func TestRunProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		r := &Run{Name: "r", Cluster: newFakeCluster(), Log: &log, Report: 10 * time.Second}
		if _, err := r.Do(t.Context(), []Loop{loop("a", 1, 15*time.Second, 0)}); err != nil {
			t.Fatal(err)
		}
		want := "r:   10 s: 0 campaigns ended, 1 under way; jobs: 1 running, 0 pending\n"
		if diff := cmp.Diff(want, log.String()); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
}

// Whatever ends a run early takes its jobs out of the queue.
func TestRunCancels(t *testing.T) {
	t.Parallel()
	t.Run("interrupt", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			f := newFakeCluster()
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			r := &Run{Name: "r", Cluster: f, Log: io.Discard}
			if _, err := r.Do(ctx, []Loop{loop("a", 1, time.Hour, 0)}); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v", err)
			}
			if diff := cmp.Diff([]string{"r.a.1"}, f.cancelled); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	})
	t.Run("refused submission", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			f := newFakeCluster()
			f.refuse = "r.b.1"
			r := &Run{Name: "r", Cluster: f, Log: io.Discard}
			_, err := r.Do(t.Context(), []Loop{loop("a", 1, time.Hour, 0), loop("b", 1, time.Hour, 0)})
			if err == nil || !strings.Contains(err.Error(), "refused") {
				t.Errorf("error %v", err)
			}
			// The campaign that was refused may be half submitted. The other
			// one may not have come to be submitted at all.
			if !slices.Contains(f.cancelled, "r.b.1") || slices.ContainsFunc(f.cancelled, func(c string) bool { return c != "r.a.1" && c != "r.b.1" }) {
				t.Errorf("cancelled: %q", f.cancelled)
			}
		})
	})
	t.Run("queue away", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			f := newFakeCluster()
			f.failures = maxPollFailures
			r := &Run{Name: "r", Cluster: f, Log: io.Discard}
			_, err := r.Do(t.Context(), []Loop{loop("a", 1, time.Hour, 0)})
			if err == nil || !strings.Contains(err.Error(), "no answer") {
				t.Errorf("error %v", err)
			}
			if diff := cmp.Diff([]string{"r.a.1"}, f.cancelled); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	})
}

// A queue that is away for a moment ends no campaign.
func TestRunOutlivesOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFakeCluster()
		f.failures = maxPollFailures - 1
		r := &Run{Name: "r", Cluster: f, Log: io.Discard}
		if _, err := r.Do(t.Context(), []Loop{loop("a", 2, 3*time.Second, 0)}); err != nil {
			t.Fatal(err)
		}
		if gap := f.at[1] - f.at[0]; gap < (maxPollFailures-1)*pollEvery {
			t.Errorf("the second campaign came after %v, while the queue was away", gap)
		}
	})
}

func TestParseQueues(t *testing.T) {
	t.Parallel()
	got, err := parseQueues("PD|N/A|1|r.a.1\nPD|3,5-9:2|2|r.a.1\nR|1|2|r.a.1\nCG|N/A|3|r.b.2 \nR|N/A|4|other\nR|N/A|5|nf-A_(s1|2)\n", "r.", tooled.name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]Queue{"r.a.1": {Pending: 5, Running: 1}, "r.b.2": {Running: 1}, "r.c.1": {Running: 1}}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if _, err := parseQueues("slurm_load_jobs error\n", "r.", tooled.name); err == nil {
		t.Error("no error for a line that is not state|tasks|name")
	}
}

func TestCountTasks(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]int{
		"N/A": 1, "": 1, "7": 1, "1-3000": 3000, "1,4-9": 7, "1-9:2": 5, "1-10:3,12%4": 5, "0-0": 1, "5-4": 1, "1-x": 1, "1-9:0": 1,
	} {
		if got := countTasks(list); got != want {
			t.Errorf("countTasks(%q) = %d, want %d", list, got, want)
		}
	}
}

// A campaign in the background ends when the loops of the others have, and a
// loop in the background submits until then.
func TestRunBackground(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFakeCluster()
		r := &Run{Name: "r", Cluster: f, Log: io.Discard}
		flood, steady := loop("b", 1, time.Hour, 0), loop("c", 10, 3*time.Second, 0)
		flood.Background, steady.Background = true, true
		plans, err := r.Do(t.Context(), []Loop{loop("a", 1, 10*time.Second, 0), flood, steady})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range plans {
			if p.Background != (p.User != "a") {
				t.Errorf("plan %+v", p)
			}
			got = append(got, r.jobName(p))
		}
		if n := len(got); n < 4 || n > 6 || got[0] != "r.a.1" || got[1] != "r.b.1" || got[n-1] != "r.c."+strconv.Itoa(n-2) {
			t.Errorf("submitted: %q", got)
		}
		if diff := cmp.Diff(got[1:], f.cancelled); diff != "" {
			t.Errorf("cancelled (-want +got)\n%s", diff)
		}
		if took := time.Since(f.begin); took > 30*time.Second {
			t.Errorf("the load took %v, and the others' loops 10 s", took)
		}
	})
}
