package sidecar

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/slurm"
)

func TestGovern(t *testing.T) {
	passes := func(last, mean time.Duration) slurm.Diag {
		return slurm.Diag{Main: slurm.CycleTimes{Last: last, Mean: mean}}
	}
	for _, tt := range []struct {
		name     string
		before   int
		diag     slurm.Diag
		answered time.Duration
		maxRPCs  int
		want     int
		why      string
	}{
		{"quiet", 1, slurm.Diag{ServerThread: 3}, 10 * time.Millisecond, 0, 1, ""},
		{"before the first cycle", 0, slurm.Diag{}, 0, 0, 1, ""},
		{"threads", 1, slurm.Diag{ServerThread: 64}, 0, 0, 2, "64 requests are being served or wait, and 64 are many"},
		{"threads and queues", 1, slurm.Diag{ServerThread: 20, RPCQueue: 50}, 0, 0, 2, "70 requests are being served or wait, and 64 are many"},
		{"threads that are not many", 1, slurm.Diag{ServerThread: 63}, 0, 0, 1, ""},
		{"max_rpc_cnt", 1, slurm.Diag{ServerThread: 20}, 0, 40, 2, "20 requests are being served or wait, and 20 are many"},
		{"a small max_rpc_cnt", 1, slurm.Diag{ServerThread: 5}, 0, 10, 1, ""},
		{"a large max_rpc_cnt", 1, slurm.Diag{ServerThread: 64}, 0, 1000, 2, "64 requests are being served or wait, and 64 are many"},
		{"agents", 2, slurm.Diag{AgentQueue: 256}, 0, 0, 4, "256 messages to nodes wait, and 256 are many"},
		{"messages by type", 4, slurm.Diag{AgentPending: 300}, 0, 0, 8, "300 messages to nodes wait, and 256 are many"},
		{"passes", 8, passes(1200*time.Millisecond, 300*time.Millisecond), 0, 0, 8, "the main scheduler's last pass took 1.2s and the mean one 300ms, and 1s and 250ms are long"},
		{"one long pass among short ones", 1, passes(2*time.Second, 5*time.Millisecond), 0, 0, 1, ""},
		{"short passes after long ones", 4, passes(5*time.Millisecond, 2*time.Second), 0, 0, 2, "the main scheduler's last pass took 5ms and the mean one 2s, and 1s and 250ms are long"},
		{"no answer for long", 1, slurm.Diag{}, 1500 * time.Millisecond, 0, 2, "sdiag took 1.5s, and 1s is long"},
		{"the worst is told", 1, slurm.Diag{ServerThread: 65}, 3 * time.Second, 0, 2, "sdiag took 3s, and 1s is long"},
		{"in between it stays", 4, slurm.Diag{ServerThread: 40}, 0, 0, 4, "40 requests are being served or wait, and 64 are many"},
		{"over", 2, slurm.Diag{ServerThread: 31}, 0, 0, 1, ""},
		{"a backfill scheduler at work is no load", 1, slurm.Diag{Backfill: slurm.CycleTimes{Last: time.Minute, Mean: time.Minute}, Backfilling: true}, 0, 0, 1, ""},
	} {
		g := throttle{slowdown: tt.before}
		if why := g.judge(&tt.diag, tt.answered, tt.maxRPCs); g.slowdown != tt.want || why != tt.why {
			t.Errorf("%s: %d, %q; want %d, %q", tt.name, g.slowdown, why, tt.want, tt.why)
		}
	}
	if words, want := burdens(&slurm.Diag{ServerThread: 1}, 0, 0)[0].words, "1 request is being served or waits, and 64 are many"; words != want {
		t.Errorf("%q, want %q", words, want)
	}
}

// The slowdown is 1, 2, 4 or 8 and has a reason if it is not 1; it changes by one
// step, never to and fro while a load stays within a factor of two.
func TestGovernRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		level := rapid.Float64Range(0, 3).Draw(t, "level")
		slowdown, turns, last := 1, 0, 0
		for range 30 {
			// Not quite to its double.
			threads := int(math.Floor(64 * level * rapid.Float64Range(1, 1.9).Draw(t, "sway")))
			d := slurm.Diag{ServerThread: threads}
			g := throttle{slowdown: slowdown}
			why := g.judge(&d, 0, 0)
			now := g.slowdown
			if now != slowdown && now != 2*slowdown && 2*now != slowdown || now < 1 || now > mostSlowdown {
				t.Fatalf("from %d to %d", slowdown, now)
			}
			if (now > 1) != (why != "") {
				t.Fatalf("%d because of %q", now, why)
			}
			if direction := now - slowdown; direction != 0 {
				if direction*last < 0 {
					turns++
				}
				last = direction
			}
			slowdown = now
		}
		if turns > 0 {
			t.Fatalf("it went to and fro %d times", turns)
		}
	})
}

// A steady load that would not have begun a slowdown does not keep one for ever.
func TestSlowdownEnds(t *testing.T) {
	w := newSite()
	w.Counts.ServerThread = 200
	s := w.start(t)
	for _, want := range []int{2, 4, 8, 8} {
		equal(t, "slowdown under load", want, run(t, s, false).Slowdown)
	}
	w.Counts.ServerThread = 40
	for cycle := range 3 * calmCycles {
		want := 8 >> ((cycle + 1) / calmCycles)
		c := run(t, s, false)
		equal(t, "slowdown", want, c.Slowdown)
		equal(t, "a reason", want > 1, c.Loaded != "")
	}
	equal(t, "slowdown in the end", 1, run(t, s, false).Slowdown)
}

// Beside a loaded slurmctld a burst is smaller, and what is left over is told.
func TestLoadedBurst(t *testing.T) {
	w := newSite()
	for i := range mostWrites {
		w.submit(i+1, i%7, 9000, "main")
	}
	w.Counts = slurm.Diag{ServerThread: 100, Jobs: slurm.JobCounts{Submitted: 7}}
	s := w.start(t, func(c *configuration.Config) { c.Priority.Depth = mostWrites })
	c := run(t, s, true)
	equal(t, "slowdown", 2, c.Slowdown)
	equal(t, "counts", 7, c.Diag.Jobs.Submitted)
	equal(t, "writes", mostWrites/2, len(c.Outcomes))
	equal(t, "left", mostWrites-mostWrites/2, c.Left)
	if !strings.HasPrefix(c.Loaded, "100 requests") {
		t.Errorf("because of %q", c.Loaded)
	}
	w.Counts.ServerThread = 1
	c = run(t, s, true)
	equal(t, "slowdown after it", 1, c.Slowdown)
	equal(t, "writes after it", mostWrites-mostWrites/2, len(c.Outcomes))
	equal(t, "left after it", 0, c.Left)
	equal(t, "reason after it", "", c.Loaded)
}

// busyWhileWritten is a site whose slurmctld is loaded from when the queue is read
// until the writes are made.
type busyWhileWritten struct {
	*site

	busy  bool
	asked int // times in which it was
}

func (b *busyWhileWritten) Diag(ctx context.Context) (slurm.Diag, error) {
	d, err := b.site.Diag(ctx)
	if b.busy {
		b.asked++
		d.ServerThread = 200
	}
	return d, err
}

func (b *busyWhileWritten) Queue(ctx context.Context) ([]priority.Queued, error) {
	b.busy = true
	return b.site.Queue(ctx)
}

func (b *busyWhileWritten) Update(ctx context.Context, ch priority.Channel, changes []priority.Change) (priority.Result, error) {
	r, err := b.site.Update(ctx, ch, changes)
	b.busy = false
	return r, err
}

// What slurmctld has to do while the sidecar itself asks and writes does not count:
// a cycle is judged by what it was told before all else.
func TestGovernedByTheBeginning(t *testing.T) {
	w := &busyWhileWritten{site: newSite()}
	c := configuration.Default()
	c.Cluster = w.Conf.ClusterName
	s, err := New(c, w, w, w.Conf, w.Parts)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		w.submit(i+1, i, 9000, "main")
		w.submit(i+11, i+3, 9000, "main")
		got := run(t, s, true)
		equal(t, "slowdown", 1, got.Slowdown)
	}
	equal(t, "bursts, before each of which a busy slurmctld answered", w.asked, len(w.sent))
	if w.asked == 0 {
		t.Error("there was no burst")
	}
}
