package slurmdb_test

import (
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// wire is a socket that leads to a server. A test says what happens on the way.
type wire struct {
	path string

	mu      sync.Mutex
	left    int         // bytes of answers until the connection is cut; below 0: never
	request int         // requests so far
	before  func(n int) // happens before request n, from 1, reaches the server; nil: nothing
	cut     bool
}

// newWire leads to a server. Socket paths must be short.
func newWire(t *testing.T, to string) *wire {
	t.Helper()
	dir, err := os.MkdirTemp("", "wire") //nolint:usetesting // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{path: filepath.Join(dir, "s"), left: -1}
	l, err := new(net.ListenConfig).Listen(t.Context(), "unix", w.path)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	t.Cleanup(func() {
		_ = l.Close() // ends the loop
		all.Wait()
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	all.Go(func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("unix", to) //nolint:noctx // it ends with either side
			if err != nil {
				_ = in.Close()
				continue
			}
			all.Go(func() { w.pass(in, out, w.asks) })
			all.Go(func() { w.pass(out, in, w.answers) })
		}
	})
	return w
}

// pass copies until either side ends, or step lets less than all through.
func (w *wire) pass(from, to net.Conn, step func(int) int) {
	defer func() { _, _ = from.Close(), to.Close() }()
	buffer := make([]byte, 1<<16)
	for {
		n, err := from.Read(buffer)
		some := step(n)
		if _, bad := to.Write(buffer[:some]); bad != nil || err != nil || some < n {
			return
		}
	}
}

// asks sees a request; the driver writes each at once.
func (w *wire) asks(n int) int {
	w.mu.Lock()
	w.request++
	at, do := w.request, w.before
	w.mu.Unlock()
	if n > 0 && do != nil {
		do(at)
	}
	return n
}

// answers cuts the connection once enough has passed.
func (w *wire) answers(n int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.left < 0:
		return n
	case n <= w.left:
		w.left -= n
		return n
	}
	n, w.left, w.cut = w.left, -1, true
	return n
}

// cutAfter cuts the connection after so many bytes of answers, once.
func (w *wire) cutAfter(bytes int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.left, w.cut = bytes, false
}

// whole reports whether nothing has been cut since cutAfter, and cuts nothing more.
func (w *wire) whole() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.left = -1
	return !w.cut
}

// beforeEach calls do before each request from now on, which it numbers from 1.
func (w *wire) beforeEach(do func(n int)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.request, w.before = 0, do
}
