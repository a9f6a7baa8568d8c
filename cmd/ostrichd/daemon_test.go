package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/journal"
	"slurm-ostrich/priority/slurm"
	"slurm-ostrich/slurmdb"
)

// errSilent stands for a server that never answers: opening ends with its context.
var errSilent = errors.New("silent")

// world is a daemon in a bubble of its own time, with what it did.
type world struct {
	daemon *daemon
	began  time.Time
	hangup chan os.Signal

	// open, step and load are what happens when the daemon opens a sidecar, does
	// a cycle and reads its configuration. nil is success.
	openErr func(n int) error
	step    func(ctx context.Context, n int) (*sidecar.Cycle, error)
	load    func() (configuration.Config, error)

	mu      sync.Mutex
	cycles  []string // "10s observe"
	opened  []string
	told    []string // "10s READY=1", without the status texts
	output  bytes.Buffer
	closed  int
	writing atomic.Bool
	stopped error
}

func newWorld() *world {
	w := &world{began: time.Now(), hangup: make(chan os.Signal, 1)}
	c := configuration.Default()
	c.Socket, c.Listen, c.Interval, c.MinInterval = "", "", 10*time.Second, 10*time.Second
	w.daemon = &daemon{
		config: c, metrics: newMetrics("test"), reload: w.hangup, now: time.Now, log: zerolog.New(w),
		load: func() (configuration.Config, error) { return w.load() },
		open: w.open, page: page{shown: make(chan struct{})},
		notify: notifier{tell: func(state string) {
			if !strings.HasPrefix(state, "STATUS=") {
				w.note(&w.told, state)
			}
		}},
	}
	return w
}

// Write takes the log.
func (w *world) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.output.Write(p)
}

// note adds to a list, with the time that has passed.
func (w *world) note(list *[]string, what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	*list = append(*list, fmt.Sprintf("%v %s", time.Since(w.began), what))
}

func (w *world) open(ctx context.Context, c configuration.Config) (cycler, error) {
	w.note(&w.opened, c.Mode)
	if w.openErr != nil {
		err := w.openErr(len(w.opened))
		if errors.Is(err, errSilent) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, err
		}
	}
	return w, nil
}

func (w *world) Run(ctx context.Context, apply bool) (*sidecar.Cycle, error) {
	what := "observe"
	if apply {
		what = "enforce"
	}
	w.note(&w.cycles, what)
	if w.step != nil {
		return w.step(ctx, len(w.cycles))
	}
	return &sidecar.Cycle{}, nil
}

func (w *world) Writing() bool { return w.writing.Load() }

func (w *world) Config() configuration.Config { return w.daemon.config }
func (w *world) Live() []*ledger.Record       { return nil }

func (w *world) Nodes() ([]ledger.Needs, []ledger.Outage) { return nil, nil }
func (w *world) UserName(ostrich.UserID) string           { return "" }

func (w *world) Close() error {
	w.closed++
	return nil
}

// run lets the daemon run for some time, then stops it and waits for its end.
func (w *world) run(t *testing.T, d time.Duration, meanwhile ...func()) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), d)
	defer stop()
	for _, f := range meanwhile {
		go f()
	}
	w.stopped = w.daemon.run(ctx)
	if w.stopped != nil {
		t.Errorf("run: %v", w.stopped)
	}
}

// logged lists the messages of a level or above, with what they name.
func (w *world) logged(t *testing.T, least zerolog.Level) []string {
	t.Helper()
	var all []string
	for line := range bytes.Lines(w.output.Bytes()) {
		var e struct {
			Level    zerolog.Level
			Message  string
			Error    string
			Failures int
			After    float64 `json:"after_seconds"`
		}
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if e.Level < least {
			continue
		}
		text := e.Level.String() + " " + e.Message
		if e.Error != "" {
			text += ": " + e.Error
		}
		if e.Failures > 0 {
			text += fmt.Sprintf(" (%d failures, %.0f s)", e.Failures, e.After)
		}
		all = append(all, text)
	}
	return all
}

func diff[T any](t *testing.T, what string, want, got T) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func TestInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.step = func(context.Context, int) (*sidecar.Cycle, error) {
			time.Sleep(time.Second)
			return &sidecar.Cycle{}, nil
		}
		w.run(t, 30*time.Second)
		diff(t, "cycles", []string{"0s observe", "11s observe", "22s observe"}, w.cycles)
		diff(t, "opened", []string{"0s observe"}, w.opened)
		diff(t, "systemd", []string{
			"1s READY=1", "1s WATCHDOG=1", "12s WATCHDOG=1", "20s WATCHDOG=1", "23s WATCHDOG=1", "30s STOPPING=1",
		}, w.told)
		if w.closed != 1 {
			t.Errorf("closed %d times", w.closed)
		}
	})
}

func TestOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		away := errors.New("no connection")
		w.step = func(_ context.Context, n int) (*sidecar.Cycle, error) {
			if n >= 2 && n <= 9 {
				return nil, away
			}
			return &sidecar.Cycle{}, nil
		}
		w.run(t, 2000*time.Second)
		diff(t, "cycles", []string{
			"0s observe", "10s observe", // the first failure, and then 20, 40, 80, 160, 300, ... seconds
			"30s observe", "1m10s observe", "2m30s observe", "5m10s observe", "10m10s observe", "15m10s observe", "20m10s observe",
			"25m10s observe", // recovered
			"25m20s observe",
		}, w.cycles[:11])
		diff(t, "log", []string{
			"info started",
			"error cycle failed; the queue stays as it is, and the next tries come at growing pauses: no connection",
			"info recovered (8 failures, 1500 s)",
			"info stopped",
		}, w.logged(t, zerolog.InfoLevel))
		if got := counter(t, w.daemon.metrics, `ostrich_cycles_total{result="failed"}`); got != 8 {
			t.Errorf("%v failed cycles, want 8", got)
		}
	})
}

func TestLongInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.daemon.config.Interval = 10 * time.Minute
		w.step = func(context.Context, int) (*sidecar.Cycle, error) { return nil, errors.New("away") }
		w.run(t, 25*time.Minute)
		diff(t, "cycles", []string{"0s observe", "10m0s observe", "20m0s observe"}, w.cycles)
	})
}

func TestErrorAtStart(t *testing.T) {
	for _, test := range []struct {
		name string
		err  error
		ends bool
	}{
		{"cluster", fmt.Errorf("slurmdb: %w: c9", slurmdb.ErrCluster), true},
		{"columns", fmt.Errorf("slurmdb: %w", slurmdb.ErrColumns), true},
		{"database configuration", fmt.Errorf("slurmdb: %w", slurmdb.ErrConfig), true},
		{"channel", fmt.Errorf("priority: %w", priority.ErrImpossible), true},
		{"configuration", fmt.Errorf("configuration: %w", configuration.ErrConfig), true},
		{"database away", fmt.Errorf("slurmdb: %w", slurmdb.ErrConnect), false},
		{"controller away", fmt.Errorf("scontrol: %w", slurm.ErrUnreachable), false},
		{"another daemon", fmt.Errorf("journal: %w", journal.ErrLocked), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				w.openErr = func(int) error { return test.err }
				ctx, stop := context.WithTimeout(t.Context(), time.Minute)
				defer stop()
				err := w.daemon.run(ctx)
				if test.ends && !errors.Is(err, test.err) || !test.ends && err != nil {
					t.Errorf("run: %v", err)
				}
				ready := slices.ContainsFunc(w.told, func(s string) bool { return strings.HasSuffix(s, "READY=1") })
				if ready == test.ends {
					t.Errorf("told %v", w.told)
				}
			})
		})
	}
}

// A configuration that breaks later, as when slurm.conf changes, is an outage.
func TestPermanentErrorLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.step = func(_ context.Context, n int) (*sidecar.Cycle, error) {
			if n == 2 {
				return nil, priority.ErrImpossible
			}
			return &sidecar.Cycle{}, nil
		}
		w.run(t, 55*time.Second)
		diff(t, "cycles", []string{"0s observe", "10s observe", "30s observe", "40s observe", "50s observe"}, w.cycles)
	})
}

func TestReload(t *testing.T) {
	with := func(edit func(*configuration.Config)) func() (configuration.Config, error) {
		c := configuration.Default()
		c.Socket, c.Listen, c.Interval, c.MinInterval = "", "", 10*time.Second, 10*time.Second
		edit(&c)
		return func() (configuration.Config, error) { return c, nil }
	}
	for _, test := range []struct {
		name           string
		load           func() (configuration.Config, error)
		cycles, opened []string
		log            []string
	}{
		{
			name: "good", load: with(func(c *configuration.Config) { c.Mode = configuration.Enforce }),
			cycles: []string{"0s observe", "10s observe", "15s enforce", "25s enforce"},
			opened: []string{"0s observe", "15s observe", "15s enforce"}, // a look first
			log:    []string{"info started", "info reloaded", "info stopped"},
		},
		{
			name: "broken", load: func() (configuration.Config, error) { return configuration.Config{}, errors.New("ostrich.yaml:3: no") },
			cycles: []string{"0s observe", "10s observe", "15s observe", "25s observe"},
			opened: []string{"0s observe"},
			log:    []string{"info started", "error configuration not reloaded; the old one stays: ostrich.yaml:3: no", "info stopped"},
		},
		{
			name: "listen changed", load: with(func(c *configuration.Config) { c.Listen = "127.0.0.1:1" }),
			cycles: []string{"0s observe", "10s observe", "15s observe", "25s observe"},
			opened: []string{"0s observe", "15s observe", "15s observe"},
			log:    []string{"info started", "warn the address takes effect at the next start", "info reloaded", "info stopped"},
		},
		{
			name: "web file changed", load: with(func(c *configuration.Config) { c.Web.ConfigFile = "web.yml" }),
			cycles: []string{"0s observe", "10s observe", "15s observe", "25s observe"},
			opened: []string{"0s observe", "15s observe", "15s observe"},
			log:    []string{"info started", "warn the path of web.config_file takes effect at the next start", "info reloaded", "info stopped"},
		},
		{
			name: "level changed", load: with(func(c *configuration.Config) { c.Log.Level = "error" }),
			cycles: []string{"0s observe", "10s observe", "15s observe", "25s observe"},
			opened: []string{"0s observe", "15s observe", "15s observe"},
			log:    []string{"info started"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				w.load = test.load
				w.run(t, 30*time.Second, func() {
					time.Sleep(15 * time.Second)
					w.hangup <- syscall.SIGHUP
				})
				diff(t, "cycles", test.cycles, w.cycles)
				diff(t, "opened", test.opened, w.opened)
				diff(t, "log", test.log, w.logged(t, zerolog.InfoLevel))
				i := slices.Index(w.told, "15s RELOADING=1")
				if i < 0 || w.told[i+1] != "15s READY=1" {
					t.Errorf("told %v", w.told)
				}
				at, good := w.began.Add(15*time.Second), "1"
				if test.name == "broken" {
					at, good = w.began, "0"
				}
				got := samples(t, w.daemon.metrics)
				when, err := strconv.ParseFloat(got["ostrich_config_last_reload_success_timestamp_seconds"], 64)
				if err != nil || int64(when) != at.Unix() || got["ostrich_config_last_reload_successful"] != good {
					t.Errorf("settings read at %v (%v), successful %s; want %v, %s", when, err,
						got["ostrich_config_last_reload_successful"], at.Unix(), good)
				}
			})
		})
	}
}

// A configuration that can never work here leaves the working one alone; that
// something is away says nothing of it.
func TestReloadOfWhatCannotWork(t *testing.T) {
	for _, test := range []struct {
		name   string
		err    error
		cycles []string
		closed int
		log    string
		until  time.Duration
	}{
		{
			"wrong cluster", fmt.Errorf("slurmdb: %w", slurmdb.ErrCluster),
			[]string{"0s observe", "10s observe", "15s observe", "25s observe"},
			1,
			"error configuration not reloaded; the old one stays: slurmdb: " + slurmdb.ErrCluster.Error(), 30 * time.Second,
		},
		{"database away", fmt.Errorf("slurmdb: %w", slurmdb.ErrConnect), []string{"0s observe", "10s observe", "15s enforce", "25s enforce"}, 2, "info reloaded", 30 * time.Second},
		{"database silent", errSilent, []string{"0s observe", "10s observe", "45s enforce", "55s enforce"}, 2, "info reloaded", time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				w.load = func() (configuration.Config, error) {
					c := w.daemon.config
					c.Mode = configuration.Enforce
					return c, nil
				}
				w.openErr = func(n int) error {
					if n == 2 {
						return test.err
					}
					return nil
				}
				w.run(t, test.until, func() {
					time.Sleep(15 * time.Second)
					w.hangup <- syscall.SIGHUP
				})
				diff(t, "cycles", test.cycles, w.cycles)
				diff(t, "log", []string{"info started", test.log, "info stopped"}, w.logged(t, zerolog.InfoLevel))
				if w.closed != test.closed {
					t.Errorf("closed %d times, want %d", w.closed, test.closed)
				}
			})
		})
	}
}

// A cycle that does not hear of the end is left alone, unless it writes.
func TestStopInLongCycle(t *testing.T) {
	for _, test := range []struct {
		writes time.Duration
		want   time.Duration
	}{{0, 11500 * time.Millisecond}, {4 * time.Second, 13 * time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld()
			w.step = func(context.Context, int) (*sidecar.Cycle, error) {
				w.writing.Store(test.writes > 0)
				time.Sleep(8*time.Second + test.writes) // begins at 0 s
				w.writing.Store(false)
				time.Sleep(time.Minute)
				return &sidecar.Cycle{}, nil
			}
			w.run(t, 10*time.Second)
			if took := time.Since(w.began); took != test.want {
				t.Errorf("with %v of writing: stopped after %v, want %v", test.writes, took, test.want)
			}
			if w.closed != 0 {
				t.Error("closed under a cycle that runs")
			}
			ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
			defer stop()
			w.daemon.sidecar = nil
			began := time.Now()
			if err := w.daemon.once(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("once: %v", err)
			}
			if took := time.Since(began); took != test.want {
				t.Errorf("once with %v of writing: stopped after %v, want %v", test.writes, took, test.want)
			}
			time.Sleep(2 * time.Minute) // a bubble ends with all that is in it
		})
	}
}

// A signal that comes within a cycle waits for its end.
func TestReloadInCycle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.load = func() (configuration.Config, error) {
			c := w.daemon.config
			c.Mode = configuration.Enforce
			return c, nil
		}
		w.step = func(context.Context, int) (*sidecar.Cycle, error) {
			time.Sleep(8 * time.Second)
			return &sidecar.Cycle{}, nil
		}
		w.run(t, 20*time.Second, func() {
			time.Sleep(3 * time.Second)
			w.hangup <- syscall.SIGHUP
		})
		diff(t, "cycles", []string{"0s observe", "8s enforce"}, w.cycles)
	})
}

func TestStopInCycle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.step = func(ctx context.Context, n int) (*sidecar.Cycle, error) {
			if n == 1 {
				return &sidecar.Cycle{}, nil
			}
			<-ctx.Done()
			time.Sleep(300 * time.Millisecond) // what was written is read back
			return &sidecar.Cycle{Outcomes: []priority.Change{{Status: priority.Applied}, {Status: priority.Unsent}}}, ctx.Err()
		}
		w.run(t, 15*time.Second)
		if took := time.Since(w.began); took != 15300*time.Millisecond {
			t.Errorf("stopped after %v", took)
		}
		if w.closed != 1 {
			t.Errorf("closed %d times", w.closed)
		}
		diff(t, "log", []string{"info started", "info stopped"}, w.logged(t, zerolog.InfoLevel))
		if got := counter(t, w.daemon.metrics, `ostrich_writes_total{result="applied"}`); got != 1 {
			t.Errorf("%v writes counted, want 1", got)
		}
	})
}

// The watchdog hears of the daemon while a cycle takes long, but not of one
// that hangs.
func TestWatchdog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.daemon.notify.period = time.Minute
		w.step = func(ctx context.Context, n int) (*sidecar.Cycle, error) {
			if n == 1 {
				time.Sleep(150 * time.Second)
				return &sidecar.Cycle{}, nil
			}
			<-ctx.Done() // hangs
			return nil, ctx.Err()
		}
		w.run(t, 3*time.Hour)
		diff(t, "start", []string{
			"1m0s WATCHDOG=1", "1m0s EXTEND_TIMEOUT_USEC=60000000", "2m0s WATCHDOG=1", "2m0s EXTEND_TIMEOUT_USEC=60000000",
			"2m30s READY=1", "2m30s WATCHDOG=1", "3m0s WATCHDOG=1",
		}, w.told[:7])
		diff(t, "end", []string{"1h2m0s WATCHDOG=1", "3h0m0s STOPPING=1"}, w.told[len(w.told)-2:])
	})
}

func TestOnce(t *testing.T) {
	away := errors.New("away")
	for _, test := range []struct {
		name    string
		openErr error
		runErr  error
		want    error
		closed  int
		log     []string
	}{
		{name: "good", closed: 1, log: []string{"info cycle"}},
		{name: "not opened", openErr: away, want: away},
		{name: "failed", runErr: away, want: away, closed: 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld()
			w.openErr = func(int) error { return test.openErr }
			w.step = func(context.Context, int) (*sidecar.Cycle, error) {
				if test.runErr != nil {
					return nil, test.runErr
				}
				return &sidecar.Cycle{}, nil
			}
			if err := w.daemon.once(t.Context()); !errors.Is(err, test.want) {
				t.Errorf("once: %v, want %v", err, test.want)
			}
			if w.closed != test.closed {
				t.Errorf("closed %d times, want %d", w.closed, test.closed)
			}
			diff(t, "log", test.log, w.logged(t, zerolog.InfoLevel))
		})
	}
}

// What an administrator may want to fix is logged, and not again in each cycle.
func TestReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		refused := func(n int) []priority.Change {
			var all []priority.Change
			for i := range n {
				all = append(all, priority.Change{
					Job: ostrich.JobID(i + 1), Status: priority.Refused, Words: "Access/permission denied",
				})
			}
			return all
		}
		w.step = func(_ context.Context, n int) (*sidecar.Cycle, error) {
			c := &sidecar.Cycle{}
			switch n {
			case 1:
				c.Outcomes = refused(200)
				for i := range 12 {
					c.Skipped = append(c.Skipped, ledger.Skip{Job: ostrich.JobID(i + 1), Why: "ends before it starts"})
				}
				c.Odd = []error{errors.New("start of job 5 twice")}
			case 2, 3:
				c.Outcomes, c.Lag = refused(200), 30
			case 4:
				c.Outcomes = append(refused(200), priority.Change{Status: priority.NotApplied})
			}
			return c, nil
		}
		w.run(t, 45*time.Second)
		want := []string{"warn priorities not changed; the journal names each job"}
		want = append(want, slices.Repeat([]string{"warn accounting row left out"}, 10)...)
		want = append(
			want, "warn event rejected: start of job 5 twice", "warn more rows left out and events rejected",
			"warn accounting is behind: messages for slurmdbd wait in slurmctld, or it does not tell of new jobs; the virtual schedule stands still",
			"warn priorities not changed; the journal names each job",
		)
		diff(t, "warnings", want, w.logged(t, zerolog.WarnLevel))
		for result, want := range map[string]float64{"refused": 800, "unchanged": 1, "applied": 0} {
			if got := counter(t, w.daemon.metrics, `ostrich_writes_total{result="`+result+`"}`); got != want {
				t.Errorf("%v writes %s, want %v", got, result, want)
			}
		}
	})
}

func (*world) Past() *sidecar.Past { return nil }
