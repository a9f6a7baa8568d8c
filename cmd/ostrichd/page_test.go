package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"slurm-ostrich/cmd/internal/access"
	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/statuspage"
	"slurm-ostrich/cmd/internal/statuspage/statuspagetest"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/journal"
)

// looks asks the daemon's API.
func looks(d *daemon, path string) (code int, body []byte) {
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(context.Background(), http.MethodGet, path, nil)
	r.Host = "localhost"
	d.pages().ServeHTTP(w, r.WithContext(access.WithUID(r.Context(), 0))) // who sees everything
	return w.Code, w.Body.Bytes()
}

// asked is what status answers.
func asked(t *testing.T, d *daemon) statuspage.HealthAnswer {
	t.Helper()
	code, body := looks(d, "/v1/status")
	var s statuspage.HealthAnswer
	if err := json.Unmarshal(body, &s); err != nil || code != http.StatusOK {
		t.Errorf("status: %d %s: %v", code, body, err)
	}
	return s
}

// counted is a sidecar that counts how often it is looked at.
type counted struct {
	*world
	looks atomic.Int64
}

func (c *counted) Live() []*ledger.Record {
	c.looks.Add(1)
	return nil
}

// Each cycle is described, once. Who asks while a cycle runs gets
// the cycle before it at once; while the first one runs there is none, and who
// asks waits, but not for long.
func TestPageLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		c := &counted{world: w}
		w.daemon.open = func(context.Context, configuration.Config) (cycler, error) { return c, nil }
		w.step = func(_ context.Context, n int) (*sidecar.Cycle, error) {
			// A cycle begins every 15 s. The one that begins at 600 s takes a
			// minute, and the next ones begin at 670 and 681 s.
			if begin := time.Since(w.began); begin < 600*time.Second {
				time.Sleep(5 * time.Second)
			} else if begin < 650*time.Second {
				time.Sleep(time.Minute)
			} else {
				time.Sleep(time.Second)
			}
			return &sidecar.Cycle{Time: ostrich.Time(n), Generation: uint64(n)}, nil
		}
		at := func(second float64) {
			time.Sleep(time.Until(w.began.Add(time.Duration(second * float64(time.Second)))))
		}
		// check asks for the state, and compares how long that takes, after which
		// cycle it is, and how often it has been looked at until then.
		check := func(what string, took time.Duration, cycle ostrich.Time, looks int64) {
			t.Helper()
			began := time.Now()
			s := asked(t, w.daemon)
			if time.Since(began) != took || s.Time != cycle || c.looks.Load() != looks {
				t.Errorf("%v: %s: took %v, cycle %d, looks %d; want %v, %d, %d",
					time.Since(w.began), what, time.Since(began), s.Time, c.looks.Load(), took, cycle, looks)
			}
		}
		w.run(t, 20*time.Minute, func() {
			at(1)
			code, body := looks(w.daemon, "/v1/shares")
			if said := fmt.Sprint(code, " ", string(body)); said != `503 {"error":"ostrichd has not completed a cycle since its start; try again soon, or look into its log"}`+"\n" {
				t.Errorf("before the first cycle: %s", said)
			}
			at(4)
			check("the end of a cycle is awaited", time.Second, 1, 1)
			check("a cycle is looked at once", 0, 1, 1)
			at(17) // the second cycle runs, from 15 to 20 s
			check("in a cycle", 0, 1, 1)
			at(25)
			check("after the next cycle", 0, 2, 2)
			at(640) // in a long cycle, which began at 600 s
			check("in a long cycle, after a time in which nobody asked", 0, 40, 40)
			at(690)
			check("after it, at 660, 671 and 682 s", 0, 43, 43)
		})
	})
}

// What the daemon knows besides its cycles is shown at once, cycles or not.
func TestPageTellsOfOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.step = func(_ context.Context, n int) (*sidecar.Cycle, error) {
			if n == 2 || n == 3 {
				return nil, errors.New("no connection")
			}
			return &sidecar.Cycle{}, nil
		}
		w.run(t, 100*time.Second, func() {
			time.Sleep(5 * time.Second)
			if s := asked(t, w.daemon); s.Failures != 0 || !s.Ready || s.Mode != "observe" || s.LastSuccess != s.Started {
				t.Errorf("well: %+v", s)
			}
			time.Sleep(30 * time.Second) // failures at 10 and 30 s
			s := asked(t, w.daemon)
			if s.Failures != 2 || s.Since != s.Started+10 || s.LastError != "no connection" || s.LastErrorAt != s.Started+30 || !strings.Contains(s.Words, "2 cycles failed since") {
				t.Errorf("failing: %+v", s)
			}
			time.Sleep(40 * time.Second) // recovered at 70 s
			if s = asked(t, w.daemon); s.Failures != 0 || s.Since != 0 || s.LastErrorAt == 0 || s.LastSuccess != s.Started+70 {
				t.Errorf("recovered: %+v", s)
			}
		})
	})
}

// Many look while cycles run as fast as they can, and disturb none: none fails, and
// the race detector looks on.
func TestPageDuringCycles(t *testing.T) {
	cluster := statuspagetest.New(20, 500)
	cluster.Busy = true
	config := configuration.Default()
	config.Socket, config.Listen, config.Mode, config.Journal = "", "", configuration.Enforce, filepath.Join(t.TempDir(), "journal")
	config.Interval = time.Millisecond
	inner, err := cluster.Sidecar(config)
	if err != nil {
		t.Fatal(err)
	}
	s := &tallied{cycler: inner}
	d := &daemon{
		config: config, metrics: newMetrics("test"), now: time.Now, log: zerolog.Nop(),
		open:   func(context.Context, configuration.Config) (cycler, error) { return s, nil },
		notify: notifier{tell: func(string) {}},
		page:   page{shown: make(chan struct{})},
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- d.run(ctx) }()
	for deadline := time.Now().Add(5 * time.Minute); d.page.latest.Load() == nil; {
		if time.Now().After(deadline) {
			t.Fatal("no cycle within five minutes")
		}
		time.Sleep(time.Millisecond)
	}
	handler := d.pages()
	looking, enough := context.WithCancel(ctx)
	var all sync.WaitGroup
	for _, path := range []string{
		"/", "/explain?job=30", "/v1/plan", "/v1/campaigns", "/v1/explain?job=500", "/v1/schedule", "/v1/status",
	} {
		all.Go(func() {
			for n := 0; n < 15 || looking.Err() == nil; n++ {
				w := httptest.NewRecorder()
				r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
				r.Host = "127.0.0.1"
				handler.ServeHTTP(w, r)
				if w.Code != http.StatusOK {
					t.Errorf("%s: %d %s", path, w.Code, w.Body)
					return
				}
			}
		})
	}
	s.reaches(t, 10)
	enough()
	all.Wait()
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if failed := counter(t, d.metrics, `ostrich_cycles_total{result="failed"}`); failed != 0 {
		t.Errorf("%v cycles failed", failed)
	}
}

// The page shows the journal's latest writes, or that it cannot be read.
func TestPageWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j, err := journal.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	changes := make([]priority.Change, 60)
	for i := range changes {
		changes[i] = priority.Change{Job: 1, To: int64(i)}
	}
	if err := errors.Join(j.Intend(5, priority.Nice, changes), j.Close()); err != nil {
		t.Fatal(err)
	}
	d := &daemon{config: configuration.Default(), metrics: newMetrics("test"), now: time.Now}
	d.config.Journal = path
	d.status.configured(&d.config)
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // nobody runs cycles: do not wait
	if list := d.state(ctx).Snapshot().Writes; len(list) != 50 || list[0].To != 59 || list[0].Result != "intended" {
		t.Errorf("%d writes: %+v", len(list), list)
	}
	d.config.Journal = t.TempDir()
	d.status.configured(&d.config)
	bad := d.state(ctx).Snapshot().Checks
	if last := bad[len(bad)-1]; last.Name != "journal" || last.OK || !strings.Contains(last.Words, "is a directory") {
		t.Errorf("a journal that cannot be read: %+v", bad)
	}
}

func TestPageReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.load = func() (configuration.Config, error) {
			c := w.daemon.config
			c.Status.Listen = "127.0.0.1:1"
			c.Interval = 20 * time.Second
			return c, nil
		}
		w.run(t, time.Minute, func() {
			time.Sleep(5 * time.Second)
			w.hangup <- syscall.SIGHUP
			time.Sleep(time.Second)
			if s := asked(t, w.daemon); s.Interval != 20 {
				t.Errorf("after the reload: %+v", s)
			}
		})
		if w.daemon.config.Status.Listen != "" {
			t.Error("the address has changed")
		}
		if !strings.Contains(w.output.String(), "take effect at the next start") {
			t.Errorf("log: %s", w.output.String())
		}
	})
}
