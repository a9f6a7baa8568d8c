package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/priority/slurm/slurmtest"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

// house is a daemon in mode enforce beside fake commands of Slurm and real
// databases. Its cycles come when a test wants them.
type house struct {
	t      *testing.T
	daemon *daemon
	slurm  *slurmtest.Slurm
	now    int64 // of the databases, when the house was built

	queue []string // lines of the fake's queue
	log   bytes.Buffer
}

// settle builds one at the databases' addresses.
func settle(t *testing.T, db *slurmdbtest.DB, addresses ...string) *house {
	t.Helper()
	h := &house{t: t, slurm: slurmtest.New(t), now: db.Clock()}
	h.slurm.Set("clock", "now")
	c := configuration.Default()
	c.Mode, c.Cluster, c.Socket, c.Listen = configuration.Enforce, db.Cluster, "", ""
	c.Slurm.Bin, c.Slurm.Timeout = h.slurm.Folder, 2*time.Minute
	c.Journal = filepath.Join(t.TempDir(), "journal.jsonl")
	c.Database.Addresses, c.Database.User, c.Database.Name = addresses, "root", db.Name
	lead := new(sidecar.Lead)
	h.daemon = &daemon{
		config: c, metrics: newMetrics("test"), now: time.Now, log: zerolog.New(&h.log), lead: lead,
		open: opener(lead, &sidecar.Servers{Every: time.Nanosecond}), notify: notifier{tell: func(string) {}},
	}
	h.daemon.configured()
	t.Cleanup(func() {
		if err := h.daemon.close(); err != nil {
			t.Error(err)
		}
		h.daemon.release()
	})
	return h
}

// wait puts a job of one processor and an hour into the queue, which was submitted
// some seconds ago, and into the tables of those databases.
func (h *house) wait(id, uid int, ago int64, tables ...*slurmdbtest.DB) {
	h.t.Helper()
	h.queue = append(h.queue, fmt.Sprintf("id=%d user=u%d uid=%[2]d submit=%d limit=60", id, uid, h.now-ago-slurmtest.Epoch))
	h.show()
	for _, db := range tables {
		db.Put(slurmdbtest.Job{ID: uint32(id), User: uint32(uid), Submit: h.now - ago})
	}
}

// show writes the queue, with the values that jobs have.
func (h *house) show() {
	h.t.Helper()
	have := map[string]string{}
	for line := range strings.Lines(h.slurm.Get("queue")) {
		if j, err := slurmtest.ParseJob(strings.Fields(line)); err == nil && j["site"] != "" {
			have[j["id"]] = " site=" + j["site"]
		}
	}
	var lines []string
	for _, line := range h.queue {
		j, err := slurmtest.ParseJob(strings.Fields(line))
		if err != nil {
			h.t.Fatal(err)
		}
		lines = append(lines, line+have[j["id"]])
	}
	h.slurm.Set("queue", strings.Join(lines, "\n"))
}

// cycle does a cycle and returns its error.
func (h *house) cycle() error {
	o := h.daemon.cycle(h.t.Context())
	h.daemon.report(o, zerolog.DebugLevel)
	h.daemon.judge(o.err)
	return o.err
}

// works does cycles that must succeed.
func (h *house) works(cycles int) {
	h.t.Helper()
	for range cycles {
		if err := h.cycle(); err != nil {
			h.t.Fatal(err)
		}
	}
}

// fails does cycles that must fail with these words and write nothing.
func (h *house) fails(cycles int, words string) {
	h.t.Helper()
	before := h.slurm.Get("log")
	for range cycles {
		if err := h.cycle(); err == nil || !strings.Contains(err.Error(), words) {
			h.t.Fatalf("error %v, want %q", err, words)
		}
	}
	if after := h.slurm.Get("log"); after != before {
		h.t.Errorf("written meanwhile: %s", strings.TrimPrefix(after, before))
	}
}

// site is the value of each job that has one, as Slurm has it.
func (h *house) site() map[string]string {
	h.t.Helper()
	site := map[string]string{}
	for line := range strings.Lines(h.slurm.Get("queue")) {
		j, err := slurmtest.ParseJob(strings.Fields(line))
		if err != nil {
			h.t.Fatal(err)
		}
		if j["site"] != "" {
			site[j["id"]] = j["site"]
		}
	}
	return site
}

// said returns what was logged at info and above since it was asked last, without
// the lines of cycles that wrote and those of the throttle, which tell how busy the
// machine is that runs the tests.
func (h *house) said() (lines []string) {
	h.t.Helper()
	for line := range strings.Lines(h.log.String()) {
		var l struct{ Level, Message, Error string }
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			h.t.Fatal(err)
		}
		if l.Level != "debug" && l.Message != "cycle" && l.Message != "work is counted by this resource" && !strings.HasPrefix(l.Message, "slurmctld is ") {
			lines = append(lines, l.Level+" "+l.Message)
		}
	}
	h.log.Reset()
	return lines
}

// gate is a socket that leads to a server as long as it is open.
type gate struct {
	t    *testing.T
	path string
	to   string

	mu       sync.Mutex
	listener net.Listener
	conns    []net.Conn
}

// newGate opens one. Socket paths must be short.
func newGate(t *testing.T, to string) *gate {
	t.Helper()
	dir, err := os.MkdirTemp("", "gate") //nolint:usetesting // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{t: t, path: filepath.Join(dir, "s"), to: to}
	t.Cleanup(func() {
		g.shut()
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	g.open()
	return g
}

func (g *gate) open() {
	g.t.Helper()
	l, err := new(net.ListenConfig).Listen(g.t.Context(), "unix", g.path)
	if err != nil {
		g.t.Fatal(err)
	}
	g.listener = l
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return // it is shut
			}
			out, err := net.Dial("unix", g.to) //nolint:noctx // it ends with the gate
			if err != nil {
				_ = in.Close()
				continue
			}
			g.mu.Lock()
			g.conns = append(g.conns, in, out)
			g.mu.Unlock()
			for _, way := range [][2]net.Conn{{in, out}, {out, in}} {
				go func() {
					_, _ = io.Copy(way[0], way[1]) // ends with either
					_, _ = way[0].Close(), way[1].Close()
				}()
			}
		}
	}()
}

// shut cuts all connections, and lets nobody in.
func (g *gate) shut() {
	if g.listener != nil {
		_ = g.listener.Close() // removes the socket too
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range g.conns {
		_ = c.Close() // it may have ended
	}
	g.conns, g.listener = nil, nil
}

// nothing is an empty log.
var nothing []string
