package sidecar

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/journal"
	"slurm-ostrich/priority/slurm"
	"slurm-ostrich/slurmdb"
)

// server is a database server's lock.
type server struct {
	mu     sync.Mutex
	holder *connection
	down   bool
}

// connection is a connection to the server. It is silent once it is cut: nobody
// is told.
type connection struct {
	*server

	term   time.Duration
	spoke  time.Time
	ended  bool
	silent bool
}

var errAway = errors.New("server has gone away")

func (s *server) open(_ context.Context, term time.Duration) (lock, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down {
		return nil, errAway
	}
	return &connection{server: s, term: term, spoke: time.Now()}, nil
}

// ask is one question to the server. A connection that is cut answers nothing.
func (c *connection) ask(ctx context.Context, answer func() bool) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	c.mu.Lock()
	if h := c.holder; h != nil && (h.ended || time.Since(h.spoke) >= h.term) {
		h.ended, c.holder = true, nil
	}
	switch {
	case c.silent:
		c.mu.Unlock()
		<-ctx.Done()
		return false, ctx.Err()
	case c.ended || c.down:
		c.mu.Unlock()
		return false, errAway
	}
	defer c.mu.Unlock()
	c.spoke = time.Now()
	return answer(), nil
}

func (c *connection) Take(ctx context.Context) (bool, error) {
	return c.ask(ctx, func() bool {
		if c.holder == nil {
			c.holder = c
		}
		return c.holder == c
	})
}

func (c *connection) Held(ctx context.Context) (bool, error) {
	return c.ask(ctx, func() bool { return c.holder == c })
}

func (c *connection) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended = !c.silent || c.ended; c.ended && c.holder == c {
		c.holder = nil
	}
	return nil
}

func (s *server) lead() *Lead {
	return &Lead{Wait: true, open: s.open, name: "a lock", wanted: termOf(10 * time.Second)}
}

// Whatever happens to the connections, two daemons never write at once, and as
// long as the server answers one of them writes again within two intervals.
func TestLeadNeverTwo(t *testing.T) {
	const interval = 10 * time.Second
	rapid.Check(t, func(r *rapid.T) {
		events := rapid.SliceOfN(rapid.IntRange(0, 6), 1, 12).Draw(r, "events")
		// Faults in the midst of bursts that outlast the other one's wait are what counts.
		gaps := rapid.SliceOfN(rapid.SampledFrom([]int{0, 400, 1300, 2600, 7100, 23_000}), len(events), len(events)).Draw(r, "gaps")
		length := rapid.SampledFrom([]int{100, 3000, 12_000, 30_000}).Draw(r, "burst")
		var bad []string
		synctest.Test(t, func(t *testing.T) {
			var s server
			var mu sync.Mutex
			writing, wrote := 0, time.Now()
			ctx, stop := context.WithCancel(t.Context())
			var all sync.WaitGroup
			for range 2 {
				all.Go(func() {
					l := s.lead()
					defer func() { _ = l.Release() }()
					for ctx.Err() == nil {
						if ours, err := l.try(ctx); ours && err == nil {
							if burst, done, err := l.while(ctx); err == nil {
								mu.Lock()
								if writing++; writing > 1 {
									bad = append(bad, "two write")
								}
								wrote = time.Now()
								mu.Unlock()
								select {
								case <-burst.Done():
								case <-time.After(time.Duration(length) * time.Millisecond):
								}
								mu.Lock()
								writing, wrote = writing-1, time.Now()
								mu.Unlock()
								done()
							}
						}
						select {
						case <-ctx.Done():
						case <-time.After(interval):
						}
					}
				})
			}
			calm := time.Now()
			for i, what := range events {
				time.Sleep(time.Duration(gaps[i]) * time.Millisecond)
				s.mu.Lock()
				h := s.holder
				switch {
				case what == 0:
					s.down = !s.down
				case what <= 2 && h != nil: // killed
					h.ended, s.holder = true, nil
				case what <= 4 && h != nil: // cut, and the server does not know
					h.silent = true
				}
				s.mu.Unlock()
				calm = time.Now()
			}
			s.mu.Lock()
			s.down = false
			s.mu.Unlock()
			time.Sleep(2*interval + time.Second)
			mu.Lock()
			if writing == 0 && wrote.Before(calm) {
				bad = append(bad, fmt.Sprintf("nobody writes %v after the latest fault", time.Since(calm)))
			}
			mu.Unlock()
			stop()
			all.Wait()
		})
		if len(bad) > 0 {
			r.Fatal(strings.Join(bad, "; "))
		}
	})
}

// Who loses the lock stops writing within half a term, and who gets it waits for a term, whether
// the server knows of the end of a connection or only hears nothing.
func TestLeadTurnsDoNotMeet(t *testing.T) {
	for _, silent := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var s server
			first, second := s.lead(), s.lead()
			second.Wait = false // it meets the first one
			if ours, err := first.try(t.Context()); !ours || err != nil {
				t.Fatal(ours, err)
			}
			burst, done, err := first.while(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer done()
			ours, err := second.try(t.Context())
			if ours || err != nil {
				t.Fatal(ours, err)
			}
			s.mu.Lock()
			if s.holder.silent = silent; !silent {
				s.holder.ended, s.holder = true, nil
			}
			s.mu.Unlock()
			cut, stopped := time.Now(), make(chan time.Duration, 1)
			go func() {
				<-burst.Done()
				stopped <- time.Since(cut)
			}()
			for ; !ours; time.Sleep(100 * time.Millisecond) {
				if ours, err = second.try(t.Context()); err != nil {
					t.Fatal(err)
				}
				if ours && len(stopped) == 0 {
					t.Errorf("silent %v: both write", silent)
				}
			}
			if took := <-stopped; took > first.term/2 {
				t.Errorf("silent %v: the first stopped after %v, want %v at most", silent, took, first.term/2)
			}
			if err := errors.Join(first.Release(), second.Release()); err != nil {
				t.Error(err)
			}
		})
	}
}

// A new configuration does not give the lock away; another server does.
func TestLeadOutlivesReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s server
		l := s.lead()
		other := s.lead()
		if ours, err := l.try(t.Context()); !ours || err != nil {
			t.Fatal(ours, err)
		}
		for range 100 {
			time.Sleep(time.Second)
			if ours, err := other.try(t.Context()); ours || err != nil {
				t.Fatal("the other one has it", err)
			}
		}
		if !l.Mine() {
			t.Error("lost without a reason")
		}
		if err := l.Release(); err != nil {
			t.Error(err)
		}
		if ours, err := other.try(t.Context()); !ours || err != nil {
			t.Error("not given back", err)
		}
		if all, due := other.toTakeOver(); !all || !due {
			t.Error("nothing is to be taken over")
		}
		if err := other.Release(); err != nil {
			t.Error(err)
		}
	})
}

// Where one of several servers is silent, it takes long to open the lock. It is kept all the same.
func TestLeadSlowOpening(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s server
		l := s.lead()
		l.open = func(ctx context.Context, term time.Duration) (lock, error) {
			time.Sleep(term)
			return s.open(ctx, term)
		}
		for range 20 {
			if ours, err := l.try(t.Context()); !ours || err != nil {
				t.Fatal(ours, err)
			}
			time.Sleep(time.Second)
		}
		if err := l.Release(); err != nil {
			t.Error(err)
		}
	})
}

// A lock that is lost while what another daemon wrote is being taken over: there may be
// more of it by the next turn.
func TestLeadLostMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s server
		l := s.lead()
		l.Wait = false
		turn := func(others bool) {
			t.Helper()
			if ours, err := l.try(t.Context()); !ours || err != nil {
				t.Fatal(ours, err)
			}
			if all, due := l.toTakeOver(); all != others || !due {
				t.Errorf("all %v, due %v; want %v, true", all, due, others)
			}
		}
		turn(false)
		s.mu.Lock()
		s.holder.ended = true
		s.mu.Unlock()
		time.Sleep(longestTerm) // until that is noticed
		l.tookOver()
		turn(true)
		l.tookOver()
		if all, due := l.toTakeOver(); all || due {
			t.Errorf("all %v, due %v after it was taken over", all, due)
		}
		if err := l.Release(); err != nil {
			t.Error(err)
		}
	})
}

// A daemon that was stopped for longer than the term, as by a debugger, has lost the lock,
// whoever notices it first: another one may have written meanwhile and ended.
func TestLeadLostWhileStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s server
		l := s.lead()
		if ours, err := l.try(t.Context()); !ours || err != nil {
			t.Fatal(ours, err)
		}
		l.tookOver()
		l.mu.Lock()
		l.confirmed = l.confirmed.Add(-time.Hour)
		l.mu.Unlock()
		if ours, err := l.try(t.Context()); !ours || err != nil {
			t.Fatal(ours, err)
		}
		if all, due := l.toTakeOver(); !all || !due {
			t.Errorf("all %v, due %v; want both", all, due)
		}
		if err := l.Release(); err != nil {
			t.Error(err)
		}
	})
}

// A configuration that is tried, with other servers, does not make us forget how far ours
// have been read.
func TestServersKnown(t *testing.T) {
	ours, tried := slurmdb.Config{Addresses: []string{"a:1", "b:1"}}, slurmdb.Config{Addresses: []string{"a:1", "c:1"}}
	reached := slurmdb.Reached{Address: "b:1", Latest: 7}
	v := &Servers{of: serversOf(&ours), reached: reached}
	equal(t, "of those that are tried", slurmdb.Reached{}, v.known(&tried))
	equal(t, "of ours", reached, v.known(&ours))
}

// Two daemons with journals of their own: one writes, the other one computes the
// same and stands by; it takes over what it finds in the queue, and calls nobody
// another writer for it. A journal that cannot be written delays that.
func TestStandby(t *testing.T) { synctest.Test(t, testStandby) }

func testStandby(t *testing.T) {
	w := newSite()
	for i := range 5 {
		w.submit(i+1, i+1, 9000+1, "main")
	}
	var s server
	dir := t.TempDir()
	daemon := func(name string) *Sidecar {
		sc := w.start(t, func(c *configuration.Config) { c.Journal = filepath.Join(dir, name) })
		sc.lead = s.lead()
		t.Cleanup(func() { _ = sc.lead.Release() })
		return sc
	}
	first := daemon("first")
	equal(t, "writes of the first", 5, len(run(t, first, true).Outcomes))
	second := daemon("second")
	// Accounting tells everybody the same.
	second.pools.Add(ostrich.Event{At: 1, Kind: ostrich.Capacity, Procs: 8})
	for i := range w.Pending {
		second.pools.Add(ostrich.Event{At: 9001, Kind: ostrich.Submit, Job: w.Records[w.Pending[i].Job].Job})
	}
	c := run(t, second, true)
	equal(t, "stands by", "another daemon orders this cluster and holds a lock", c.StandsBy)
	equal(t, "managed while standing by", 5, c.Plan.Summary.Managed)
	if _, err := os.Stat(filepath.Join(dir, "second")); err == nil {
		t.Error("a journal of who has written nothing")
	}
	if err := errors.Join(first.journal.Close(), first.lead.Release()); err != nil {
		t.Fatal(err)
	}

	if ours, err := second.lead.try(t.Context()); !ours || err != nil {
		t.Fatal(ours, err)
	}
	j, err := journal.Open(filepath.Join(dir, "second"))
	if err != nil {
		t.Fatal(err)
	}
	second.journal, second.leads = j, true
	if err = j.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err = second.Run(t.Context(), true); !errors.As(err, new(JournalError)) {
		t.Errorf("taken over without a note: %v", err)
	}
	second.leads = false
	c = run(t, second, true)
	equal(t, "others", 0, len(c.OtherWriters))
	equal(t, "managed after taking over", 5, c.Plan.Summary.Managed)
	if c.StandsBy != "" {
		t.Error("still stands by")
	}
	for i := range w.Pending {
		if q := &w.Pending[i]; !second.journal.Ours(priority.SiteFactor, q.Job, q.Site) {
			t.Errorf("job %d is not taken over", q.Job)
		}
	}
}

// hanging is a site that writes until it is told to end.
type hanging struct{ *site }

func (hanging) Update(ctx context.Context, _ priority.Channel, changes []priority.Change) (r priority.Result, err error) {
	<-ctx.Done()
	for _, c := range changes {
		r.Outcomes = append(r.Outcomes, c.Outcome(priority.Unknown, ""))
	}
	return r, fmt.Errorf("scontrol: %w", ctx.Err())
}

// A burst that is ended because the lock is lost says so.
func TestLostInBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newSite()
		w.submit(1, 1, 9000, "main")
		sc := w.start(t, func(c *configuration.Config) { c.Journal = filepath.Join(t.TempDir(), "journal") })
		var s server
		sc.lead, sc.slurm = s.lead(), hanging{w}
		defer func() { _ = errors.Join(sc.Close(), sc.lead.Release()) }()
		time.AfterFunc(time.Minute, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.down = true
		})
		if _, err := sc.Run(t.Context(), true); !errors.Is(err, ErrLost) || !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// A sidecar that observes, with an empty journal, takes for its own a value that it
// would give. Once it writes it leaves the value alone, although the queue is the same.
func TestOtherWriterBesideAnObserver(t *testing.T) {
	w := newSite()
	for i := range 3 {
		w.submit(i+1, i+1, 9000, "main")
	}
	s := w.start(t)
	j, err := journal.Open(filepath.Join(t.TempDir(), "journal"))
	if err != nil {
		t.Fatal(err)
	}
	s.journal = j
	defer func() { _ = s.Close() }()
	value := run(t, s, false).Plan.Entries[0].To
	w.Pending[2].Site = value
	equal(t, "managed while it observes", 3, run(t, s, false).Plan.Summary.Managed)
	equal(t, "managed once it writes", 2, run(t, s, true).Plan.Summary.Managed)
	equal(t, "the value", value, w.Pending[2].Site)
}

// What the journal learns counts in the next plan, although the queue is the same.
func TestPlanAfterRecord(t *testing.T) {
	w := newSite()
	w.submit(1, 1, 9000, "main")
	s := w.start(t)
	j, err := journal.Open(filepath.Join(t.TempDir(), "journal"))
	if err != nil {
		t.Fatal(err)
	}
	s.journal = j
	defer func() { _ = s.Close() }()
	change := run(t, s, false).Plan.Changes()[0]
	if err = j.Conclude(ostrich.Time(time.Now().Unix()), priority.SiteFactor, []priority.Change{change.Outcome(priority.Refused, "no")}); err != nil {
		t.Fatal(err)
	}
	equal(t, "refused", 1, run(t, s, false).Plan.Reasons[priority.WasRefused])
}

// A value that somebody else wrote is left alone, said once, and written again
// later.
func TestOtherWriterIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newSite()
		for i := range 3 {
			w.submit(i+1, i+1, 9000, "main")
		}
		w.Pending[2].Site = 555
		s := w.start(t)
		j, err := journal.Open(filepath.Join(t.TempDir(), "journal"))
		if err != nil {
			t.Fatal(err)
		}
		s.journal = j
		defer func() { _ = s.Close() }()
		c := run(t, s, true)
		equal(t, "writes beside the foreign job", 2, len(c.Outcomes))
		equal(t, "foreign value", int64(555), w.Pending[2].Site)
		w.Pending[0].Site = 777
		told := 0
		for range 10 {
			c = run(t, s, true)
			told += len(c.OtherWriters)
			others := c.Plan.Reasons[priority.OtherWriter]
			equal(t, "left alone", 1, others)
			equal(t, "the other writer's value", int64(777), w.Pending[0].Site)
			time.Sleep(10 * time.Second)
		}
		equal(t, "told", 1, told)
		time.Sleep(5 * time.Minute)
		c = run(t, s, true)
		if w.Pending[0].Site == 777 || len(c.Outcomes) == 0 {
			t.Error("left alone for ever")
		}
		s.config.Takeover = true
		s.made = nil
		run(t, s, true)
		if w.Pending[2].Site == 555 {
			t.Error("takeover does not take over")
		}
	})
}

// What a slow controller has done is done, and the rest follows.
func TestSlowController(t *testing.T) {
	w := newSite()
	for i := range 6 {
		w.submit(i+1, i+1, 9000, "main")
	}
	s := w.start(t)
	w.fail["update"], w.cut = fmt.Errorf("scontrol: %w: killed", slurm.ErrSlow), 2
	for left := 6; left > 2; left -= 2 {
		c := run(t, s, true)
		equal(t, "tried", left, len(c.Outcomes))
		if c.Slow == nil {
			t.Error("not slow")
		}
	}
	delete(w.fail, "update")
	c := run(t, s, true)
	equal(t, "the rest", 2, len(c.Outcomes))
	if c.Slow != nil {
		t.Error("slow")
	}
	w.submit(7, 7, 9000, "main")
	w.fail["update"], w.cut = fmt.Errorf("scontrol: %w: killed", slurm.ErrSlow), 0
	if _, err := s.Run(t.Context(), true); err == nil {
		t.Error("no progress is no failure")
	}
}
