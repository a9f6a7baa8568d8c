package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"pgregory.net/rapid"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/memslurm"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/slurm"
)

// pauses are settings of the pauses between cycles.
func pauses(least, most time.Duration) *configuration.Config {
	c := configuration.Default()
	c.MinInterval, c.Interval = least, most
	return &c
}

// ring is a cycle of a simulated daemon.
type ring struct {
	began, ended time.Duration
	by           string
	failed       bool
}

// triggerRun is a simulated daemon beside a slurmctld in which something moves at
// some moments.
type triggerRun struct {
	trigger trigger
	moves   []time.Duration
	take    func(n int) (takes time.Duration, fails bool) // of the n-th cycle
	look    func(n int) (takes time.Duration, fails bool) // of the n-th look

	cycles []ring
	looks  int
	wrong  []time.Duration // when looks failed
}

// run lets it run for some time. Cycles and looks go on one after the other.
func (r *triggerRun) run(lasts time.Duration) {
	zero := time.Unix(1_000_000, 0)
	moved := func(now time.Time) slurm.JobCounts {
		n := 0
		for _, m := range r.moves {
			if !zero.Add(m).After(now) {
				n++
			}
		}
		return slurm.JobCounts{Submitted: n}
	}
	now, by := zero, byStart
	for {
		if len(r.cycles) > 0 {
			var due time.Time
			due, by = r.trigger.due()
			if at, wanted := r.trigger.nextLook(); wanted {
				due = at
				by = ""
			}
			if now.Before(due) {
				now = due
			}
		}
		switch {
		case now.Sub(zero) >= lasts:
			return
		case by == "":
			now = r.looked(now, moved(now))
			continue
		}
		r.trigger.begin(now)
		counts := moved(now)
		takes, fails := r.take(len(r.cycles))
		c := ring{began: now.Sub(zero), by: by, failed: fails}
		now = now.Add(takes)
		c.ended = now.Sub(zero)
		r.cycles = append(r.cycles, c)
		if fails {
			r.trigger.fail(now, r.trigger.most)
		} else {
			r.trigger.end(now, counts, false)
		}
	}
}

// looked is when a look is over that began at a moment. A cycle does not wait for it.
func (r *triggerRun) looked(now time.Time, counts slurm.JobCounts) time.Time {
	takes, fails := r.look(r.looks)
	r.looks++
	end := now.Add(takes)
	if due, _ := r.trigger.due(); end.After(due) {
		r.trigger.looked = due // the cycle's is the next one
		return due
	}
	var err error
	if fails {
		err = errors.New("no answer")
		r.wrong = append(r.wrong, end.Sub(time.Unix(1_000_000, 0)))
	}
	r.trigger.hear(end, counts, err)
	return end
}

// TestTriggerRandom: never more often than interval.min, never later than the
// interval, and what moves is seen soon by a cycle, and by another one once
// accounting knows of it.
func TestTriggerRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ms := func(least, most int, what string) time.Duration {
			return time.Duration(rapid.IntRange(least, most).Draw(t, what)) * time.Millisecond
		}
		least := ms(1000, 5000, "interval.min")
		most := least + ms(1000, 60_000, "more")
		const lasts = 10 * time.Minute
		r := triggerRun{}
		r.trigger.set(pauses(least, most), 1)
		for range rapid.IntRange(0, 40).Draw(t, "moves") {
			r.moves = append(r.moves, ms(0, int(lasts/time.Millisecond), "moment"))
		}
		slices.Sort(r.moves)
		slowest := ms(0, 3000, "slowest cycle")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		r.take = func(n int) (time.Duration, bool) {
			return time.Duration(random.Int64N(int64(slowest) + 1)), n > 0 && random.IntN(20) == 0
		}
		answers := ms(0, 500, "slowest look")
		r.look = func(int) (time.Duration, bool) {
			return time.Duration(random.Int64N(int64(answers) + 1)), random.IntN(50) == 0
		}
		r.run(lasts)

		for i := 1; i < len(r.cycles); i++ {
			last, c := r.cycles[i-1], r.cycles[i]
			if c.began-last.began < least {
				t.Fatalf("a cycle at %v and the next one at %v: less than %v", last.began, c.began, least)
			}
			if rest := min(last.ended-last.began, most); !last.failed && c.began-last.ended < rest {
				t.Fatalf("a cycle from %v to %v and the next one at %v: a rest of less than %v", last.began, last.ended, c.began, rest)
			}
			if c.began-last.ended > most {
				t.Fatalf("a cycle until %v and the next one at %v: more than %v", last.ended, c.began, most)
			}
		}
		// seen is the first good cycle that begins at a time or later, and may
		// be late by as much as failures are.
		seen := func(from time.Duration) (at ring, excused bool) {
			for i, c := range r.cycles {
				excused = excused || (c.failed && c.ended+most >= from)
				if c.began >= from && !c.failed {
					return r.cycles[i], excused
				}
			}
			return ring{}, true // after the end
		}
		for _, m := range r.moves {
			c, excused := seen(m)
			if soon := m + 2*slowest + least + lookEvery + answers; !excused && c.began > soon {
				t.Fatalf("moved at %v, seen at %v, later than %v (%s)", m, c.began, soon, c.by)
			}
			report, excused := seen(c.began + accountingAfter)
			if soon := c.began + accountingAfter + 2*slowest + least; !excused && report.began > soon {
				t.Fatalf("moved at %v, seen at %v, and again at %v, later than %v", m, c.began, report.began, soon)
			}
		}
		for _, at := range r.wrong {
			if c, excused := seen(at); !excused && c.began > at+least+2*slowest {
				t.Fatalf("no answer at %v, and a cycle at %v", at, c.began)
			}
		}
		for _, c := range r.cycles {
			if c.by == byChange && len(r.moves) == 0 && len(r.wrong) == 0 {
				t.Fatalf("a change at %v, and nothing has moved", c.began)
			}
		}
	})
}

// A quiet cluster has one cycle an interval, and looks in between if one can be earlier.
func TestTriggerQuiet(t *testing.T) {
	// The report of the first cycle is one more.
	for _, test := range []struct {
		least, most   time.Duration
		slowdown      int
		looks, cycles int
	}{
		{2 * time.Second, 30 * time.Second, 1, 3600 - 2*121, 121},
		{2 * time.Second, 30 * time.Second, 4, 900 - 2*31, 31},
		{30 * time.Second, 30 * time.Second, 1, 0, 120}, // a look is no earlier than a cycle
		{2 * time.Second, time.Second, 1, 0, 3600},      // the default gives way
		{10 * time.Second, 11 * time.Second, 1, 326, 0}, // one look, and then a cycle
	} {
		r := triggerRun{
			take: func(int) (time.Duration, bool) { return 0, false },
			look: func(int) (time.Duration, bool) { return 0, false },
		}
		r.trigger.set(pauses(test.least, test.most), test.slowdown)
		r.run(time.Hour)
		if test.cycles == 0 {
			test.cycles = int(time.Hour/test.most) + 1
		}
		if r.looks != test.looks || len(r.cycles) != test.cycles {
			t.Errorf("interval.min %v, interval %v, slowdown %d: %d looks and %d cycles an hour, want %d and %d",
				test.least, test.most, test.slowdown, r.looks, len(r.cycles), test.looks, test.cycles)
		}
		for _, c := range r.cycles[2:] {
			if c.by != byInterval {
				t.Errorf("interval.min %v: a cycle for %s", test.least, c.by)
			}
		}
	}
}

// rings is a world with a trigger, whose counters a test moves. Cycles take no
// time.
type rings struct {
	*world

	counts slurm.JobCounts
	looks  []string
	answer error
	takes  time.Duration // until sdiag answers
}

func newRings() *rings {
	r := &rings{world: newWorld()}
	r.daemon.config = *pauses(2*time.Second, 30*time.Second)
	r.daemon.config.Socket, r.daemon.config.Listen = "", ""
	r.step = func(context.Context, int) (*sidecar.Cycle, error) {
		return &sidecar.Cycle{Diag: slurm.Diag{Jobs: r.now()}}, nil
	}
	r.daemon.probe = func(ctx context.Context, _ configuration.Config) (slurm.Diag, error) {
		r.note(&r.looks, "look")
		select {
		case <-time.After(r.takes):
		case <-ctx.Done():
			return slurm.Diag{}, ctx.Err()
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		return slurm.Diag{Jobs: r.counts}, r.answer
	}
	return r
}

// run is that of the world, and waits for looks that the daemon does not wait for.
func (r *rings) run(t *testing.T, d time.Duration, meanwhile ...func()) {
	t.Helper()
	r.world.run(t, d, meanwhile...)
	synctest.Wait()
}

func (r *rings) now() slurm.JobCounts {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.counts
}

// at does something some time after the beginning, on the loop's side of the lock.
func (r *rings) at(after time.Duration, do func()) func() {
	return func() {
		time.Sleep(after)
		r.mu.Lock()
		defer r.mu.Unlock()
		do()
	}
}

// cycles are those of a run, with what each began for.
func (r *rings) begun(t *testing.T) map[string]float64 {
	t.Helper()
	all := make(map[string]float64)
	for _, by := range causes {
		if n := counter(t, r.daemon.metrics, fmt.Sprintf("ostrich_cycles_begun_total{by=%q}", by)); n > 0 {
			all[by] = n
		}
	}
	return all
}

// A quiet minute costs a look a second and two cycles, beside that which follows
// the first one.
func TestQuietMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRings()
		r.run(t, 59500*time.Millisecond)
		diff(t, "cycles", []string{"0s observe", "6s observe", "36s observe"}, r.cycles)
		if n := len(r.looks); n != 54 { // none with a cycle, and none before one may begin
			t.Errorf("%d looks: %v", n, r.looks)
		}
		if got := counter(t, r.daemon.metrics, `ostrich_trigger_requests_total{answer="quiet"}`); got != 54 {
			t.Errorf("%v looks counted", got)
		}
	})
}

// counting is a controller that counts what it is asked.
type counting struct {
	slurmctld

	mu    sync.Mutex
	calls map[string]int
}

func (c *counting) count(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls[what]++
}

func (c *counting) Queue(ctx context.Context) ([]priority.Queued, error) {
	c.count("queue")
	return c.slurmctld.Queue(ctx)
}

func (c *counting) Diag(ctx context.Context) (slurm.Diag, error) {
	c.count("sdiag")
	return c.slurmctld.Diag(ctx)
}

// What a quiet hour costs slurmctld, counted where the sidecar and the trigger
// ask: an sdiag a second, and a list of the queue each half minute.
func TestQuietHourOfRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cluster, err := memslurm.New(memslurm.Config{
			Cluster: "test", Nodes: 2, CPUs: 2, Users: []memslurm.User{{UID: 1, Name: "alice", Account: "a"}},
			Rule: memslurm.Classic, Age: 1000, Fairshare: 10_000, MaxAge: 1000, HalfLife: 693, CalcPeriod: 100,
		})
		if err != nil {
			t.Fatal(err)
		}
		c := &counting{slurmctld: cluster.Controller, calls: make(map[string]int)}
		w := newWorld()
		w.daemon.config = configuration.Default()
		w.daemon.config.Cluster, w.daemon.config.Socket, w.daemon.config.Listen, w.daemon.config.Mode = "test", "", "", configuration.Enforce
		w.daemon.open = func(ctx context.Context, config configuration.Config) (cycler, error) {
			controller, bad := cluster.Controller.Controller(ctx)
			if bad != nil {
				return nil, bad
			}
			return sidecar.New(config, cluster.Accounting, c, controller, nil)
		}
		w.daemon.probe = func(ctx context.Context, _ configuration.Config) (slurm.Diag, error) { return c.Diag(ctx) }
		w.run(t, time.Hour-500*time.Millisecond)
		if n := c.calls["queue"]; n != 121 { // and the report of the first
			t.Errorf("%d queue lists in a quiet hour", n)
		}
		if n := c.calls["sdiag"]; n != 3600-121 { // a cycle's takes the place of two
			t.Errorf("%d sdiag in a quiet hour", n)
		}
	})
}

// A movement brings a cycle, and another one when accounting knows of it.
func TestBell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRings()
		r.run(t, 50*time.Second,
			r.at(10500*time.Millisecond, func() { r.counts.Submitted++ }),
			r.at(12500*time.Millisecond, func() { r.counts.Started++ })) // seen when a cycle may begin again
		diff(t, "cycles", []string{"0s observe", "6s observe", "11s observe", "13s observe", "17s observe", "19s observe", "49s observe"}, r.cycles)
		if got := fmt.Sprint(r.begun(t)); got != "map[accounting:3 change:2 interval:1 start:1]" {
			t.Error(got)
		}
	})
}

// What moved just before the interval was over is seen by that cycle, and has an
// report as well.
func TestMovedBeforeInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRings()
		r.run(t, 50*time.Second, r.at(35500*time.Millisecond, func() { r.counts.Canceled++ }))
		diff(t, "cycles", []string{"0s observe", "6s observe", "36s observe", "42s observe"}, r.cycles)
	})
}

// Counters that begin anew have moved.
func TestCountersReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRings()
		r.counts = slurm.JobCounts{Since: 1, Submitted: 5}
		r.run(t, 15*time.Second, r.at(9500*time.Millisecond, func() { r.counts.Since = 86400 }))
		diff(t, "cycles", []string{"0s observe", "6s observe", "10s observe"}, r.cycles)
	})
}

// A look without an answer is no outage: it brings a cycle, which finds out. In an
// outage there are the probes of an outage, and no others.
func TestTriggerFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRings()
		away := errors.New("slurmctld does not answer")
		good := r.step
		r.step = func(ctx context.Context, n int) (*sidecar.Cycle, error) {
			if at := time.Since(r.began); at > 20*time.Second && at < 45*time.Second {
				return nil, away
			}
			return good(ctx, n)
		}
		r.run(t, 60*time.Second,
			r.at(4500*time.Millisecond, func() { r.answer = errors.New("sdiag: exit status 1") }),
			r.at(6500*time.Millisecond, func() { r.answer = nil }),
			r.at(20500*time.Millisecond, func() { r.answer = away }),
			r.at(45500*time.Millisecond, func() { r.answer = nil }))
		diff(t, "cycles", []string{"0s observe", "5s observe", "7s observe", "21s observe", "46s observe"}, r.cycles[:5])
		outage := slices.DeleteFunc(r.looks, func(at string) bool {
			d, _ := time.ParseDuration(strings.Fields(at)[0])
			return d <= 21*time.Second || d > 46*time.Second
		})
		diff(t, "probes", []string{"26s look", "31s look", "36s look", "41s look", "46s look"}, outage)
		diff(t, "log", []string{
			"error cycle failed; the queue stays as it is, and the next tries come at growing pauses: slurmctld does not answer",
			"info recovered (1 failures, 25 s)", "info stopped",
		}, r.logged(t, zerolog.InfoLevel)[1:])
	})
}

// A cycle does not wait for a look that hangs, nor runs beside one.
func TestTriggerHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRings()
		r.takes = time.Hour
		r.run(t, 65*time.Second)
		diff(t, "cycles", []string{"0s observe", "6s observe", "36s observe"}, r.cycles)
		diff(t, "looks", []string{"2s look", "8s look", "38s look"}, r.looks)
	})
}

// A reload takes new pauses over.
func TestReloadTrigger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRings()
		r.load = func() (configuration.Config, error) {
			c := r.daemon.config
			c.MinInterval, c.Interval = 20*time.Second, 20*time.Second
			return c, nil
		}
		r.run(t, 50*time.Second,
			func() { time.Sleep(4500 * time.Millisecond); r.hangup <- syscall.SIGHUP },
			r.at(10*time.Second, func() { r.counts.Submitted++ }))
		diff(t, "cycles", []string{"0s observe", "4.5s observe", "24.5s observe", "44.5s observe"}, r.cycles)
		diff(t, "looks", []string{"2s look", "3s look", "4s look"}, r.looks)
	})
}

// Writes that are left over do not wait for the interval.
func TestRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRings()
		good := r.step
		r.step = func(ctx context.Context, n int) (*sidecar.Cycle, error) {
			c, err := good(ctx, n)
			c.Left = max(0, 3-n)
			return c, err
		}
		r.run(t, 33*time.Second)
		diff(t, "cycles", []string{"0s observe", "2s observe", "4s observe", "6s observe"}, r.cycles)
	})
}

// A loaded slurmctld is logged once when that begins and once when it is over;
// meanwhile all comes slower.
func TestGoverned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRings()
		good := r.step
		r.step = func(ctx context.Context, n int) (*sidecar.Cycle, error) {
			c, err := good(ctx, n)
			if c.Slowdown = []int{1, 2, 4, 2, 1}[min(n-1, 4)]; c.Slowdown > 1 {
				c.Loaded = "80 requests are being served"
			}
			return c, err
		}
		r.run(t, 5*time.Minute, func() {
			time.Sleep(100 * time.Second)
			if got := counter(t, r.daemon.metrics, "ostrich_slowdown_ratio"); got != 4 {
				t.Errorf("slowdown %v", got)
			}
			words := r.daemon.state(t.Context()).Snapshot().Health.Words
			if !strings.Contains(words, "slurmctld is loaded: 80 requests are being served; cycles and writes come 4 times as slowly.") {
				t.Errorf("the page says %q", words)
			}
			get(t, r.daemon, "/readyz", 200)
		})
		diff(t, "cycles", []string{"0s observe", "6s observe", "1m6s observe", "3m6s observe", "4m6s observe"}, r.cycles[:5])
		diff(t, "log", []string{
			"info started", "warn slurmctld is loaded; cycles and writes come slower until it is not",
			"info slurmctld is not loaded any more; cycles and writes come as set", "info stopped",
		}, r.logged(t, zerolog.InfoLevel))
	})
}
