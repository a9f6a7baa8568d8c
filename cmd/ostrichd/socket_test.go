package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sys/unix"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/socket"
	"slurm-ostrich/cmd/internal/socket/client"
	"slurm-ostrich/cmd/internal/statuspage/statuspagetest"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/priority/slurm"
)

// tallied counts the cycles of a sidecar.
type tallied struct {
	cycler
	cycles atomic.Int64
}

func (c *tallied) Run(ctx context.Context, apply bool) (*sidecar.Cycle, error) {
	cycle, err := c.cycler.Run(ctx, apply)
	c.cycles.Add(1)
	return cycle, err
}

// reaches waits until so many more cycles have ended.
func (c *tallied) reaches(t *testing.T, more int64) {
	t.Helper()
	target := c.cycles.Load() + more
	for deadline := time.Now().Add(5 * time.Minute); c.cycles.Load() < target; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("no %d cycles within five minutes", more)
		}
	}
}

// dialAs connects as a user, whom the kernel tells the server. Only one thread of this
// process is that user, and it ends with the goroutine that is locked to it.
func dialAs(t *testing.T, path string, uid int) net.Conn {
	t.Helper()
	type dialed struct {
		c   net.Conn
		err error
	}
	result := make(chan dialed)
	go func() {
		runtime.LockOSThread()
		c, err := func() (net.Conn, error) {
			same := ^uintptr(0)
			if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, same, uintptr(uid), same); errno != 0 {
				return nil, errno
			}
			fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
			if err != nil {
				return nil, err
			}
			file := os.NewFile(uintptr(fd), path)
			c, bad := net.FileConn(file)
			if err = unix.Connect(fd, &unix.SockaddrUnix{Name: path}); err != nil {
				bad = errors.Join(err, bad)
			}
			return c, errors.Join(bad, file.Close())
		}()
		result <- dialed{c, err}
	}()
	d := <-result
	if d.err != nil {
		t.Fatal(d.err)
	}
	return d.c
}

// Clients that hang, send rubbish, send too much, ask all the time, or never read,
// delay no cycle and nobody else.
func TestHostileClients(t *testing.T) {
	dir := t.TempDir()
	for _, one := range []string{filepath.Dir(dir), dir} { // for another user
		if err := os.Chmod(one, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cluster := statuspagetest.New(20, 5000)
	cluster.Busy = true
	config := configuration.Default()
	config.Listen, config.Mode, config.Journal = "", configuration.Observe, ""
	config.Socket, config.Interval = dir+"/s.sock", time.Millisecond
	inner, err := cluster.Sidecar(config)
	if err != nil {
		t.Fatal(err)
	}
	s := &tallied{cycler: inner}
	d := &daemon{
		config: config, metrics: newMetrics("test"), now: time.Now, log: zerolog.Nop(),
		open:   func(context.Context, configuration.Config) (cycler, error) { return s, nil },
		notify: notifier{tell: func(string) {}},
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- d.run(ctx) }()
	s.reaches(t, 2)

	var hostile sync.WaitGroup
	var refused atomic.Int64
	dial := func() net.Conn {
		var dialer net.Dialer
		c, err := dialer.DialContext(t.Context(), "unix", config.Socket)
		if err != nil {
			return nil // the backlog is full: no worse for the daemon
		}
		return c
	}
	// hang sends something and waits, again whenever the daemon has had enough.
	hang := func(sends string, wait func(net.Conn)) {
		hostile.Go(func() {
			for ctx.Err() == nil {
				c := dial()
				if c == nil {
					time.Sleep(time.Millisecond)
					continue
				}
				_, _ = io.WriteString(c, sends) // may be refused
				wait(c)
				_ = c.Close() // may be closed already
			}
		})
	}
	silent := func(c net.Conn) { _, _ = c.Read(make([]byte, 1)) } // an answer, or the end
	unread := func(c net.Conn) {
		for err := error(nil); err == nil; time.Sleep(20 * time.Millisecond) {
			_, err = io.WriteString(c, "x") // fails once the daemon has closed the connection
		}
	}
	for range 80 {
		hang("", silent)
		hang("GET /v1/pl", silent)
		hang("GET /v1/plan HTTP/1.1\r\nHost: x\r\n\r\n", unread) // 5000 jobs
		hang("GET /v1/explain?job=1,2,3,4,5,6,7,8,9,10 HTTP/1.1\r\nHost: x\r\n\r\n", silent)
		hang("\x00\xff rubbish\r\n\r\n", silent)
		hang("GET /v1/plan HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\nx", unread)
	}
	for range 4 {
		hostile.Go(func() {
			for {
				_, err := client.Ask(ctx, config.Socket, "plan", &view.Selection{})
				switch {
				case ctx.Err() != nil:
					return
				case err != nil && strings.Contains(err.Error(), "connections to ostrichd already"):
					refused.Add(1)
				}
				if c := dial(); c != nil {
					_, _ = io.WriteString(c, "GET /v1/plan?user="+strings.Repeat("a", 1<<20)+" HTTP/1.1\r\n\r\n") // will be refused
					_ = c.Close()                                                                                 // may be closed already
				}
			}
		})
	}
	for deadline := time.Now().Add(5 * time.Minute); refused.Load() == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nobody was refused within five minutes")
		}
	}
	s.reaches(t, 20)
	if os.Getuid() == 0 {
		for _, uid := range []int{3, 65534} {
			polite(t, config.Socket, uid)
			s.reaches(t, 2)
		}
	} else {
		t.Log("LEFT OUT: only root can ask as another user")
	}
	s.reaches(t, 20)
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	hostile.Wait()
	if failed := counter(t, d.metrics, `ostrich_cycles_total{result="failed"}`); failed != 0 {
		t.Errorf("%v cycles failed", failed)
	}
	if _, err := os.Lstat(config.Socket); !os.IsNotExist(err) {
		t.Errorf("the socket stays: %v", err)
	}
}

// Whoever asks is answered at once though connections of others take all places: under many
// uids, as one user has them with a range of subuids, and a few for each of some uids.
func TestIdleClients(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("LEFT OUT: only root can ask as another user")
	}
	dir := t.TempDir()
	for _, one := range []string{filepath.Dir(dir), dir} { // for another user
		if err := os.Chmod(one, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, each := range map[string]int{"each": 1, "some": 8} {
		path := filepath.Join(dir, name)
		s, err := socket.Open(t.Context(), path, (&daemon{metrics: newMetrics("test"), now: time.Now}).api(), time.Now, func(err error) { t.Error(err) })
		if err != nil {
			t.Fatal(err)
		}
		for i := range 160 {
			c := dialAs(t, path, 100_000+i/each)
			defer func() { _ = c.Close() }() // may be closed already
			if i%2 == 0 {
				_, _ = io.WriteString(c, "GET /v1/plan HTTP/1.1\r\n") // may have given way
			}
		}
		c := dialAs(t, path, 3)
		defer func() { _ = c.Close() }() // It has been read.
		if _, err = io.WriteString(c, "GET /v1/plan HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		answer, err := http.ReadResponse(bufio.NewReader(c), nil)             //nolint:bodyclose // the connection is closed
		if err != nil || answer.StatusCode != http.StatusServiceUnavailable { // for there was no cycle yet
			t.Errorf("%d connections of each uid: %v %v", each, answer, err)
		}
		if err = s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// polite asks once as a user, who gets a whole answer.
func polite(t *testing.T, path string, uid int) {
	t.Helper()
	c := dialAs(t, path, uid)
	defer func() { _ = c.Close() }() // It has been read.
	if _, err := io.WriteString(c, "GET /v1/plan HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(c), nil) //nolint:bodyclose // the connection is closed
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(answer.Body)
	if answer.StatusCode != http.StatusOK || err != nil || !strings.HasSuffix(string(raw), "}\n") {
		t.Errorf("uid %d: %s %v %.300s", uid, answer.Status, err, raw)
	}
}

// A socket that was asked for has to be there; the default may not work here.
func TestSocketPath(t *testing.T) {
	var log strings.Builder
	d := &daemon{config: configuration.Default(), now: time.Now, log: zerolog.New(&log)}
	d.config.Socket = t.TempDir() + "/missing/s.sock"
	if s, err := d.answers(t.Context()); s != nil || err == nil || !strings.Contains(err.Error(), "its folder does not exist") {
		t.Errorf("%v %v", s, err)
	}
	d.config.Socket = ""
	if s, err := d.answers(t.Context()); s != nil || err != nil || log.Len() > 0 {
		t.Errorf("%v %v %s", s, err, log.String())
	}
	if _, err := os.Stat(filepath.Dir(configuration.DefaultSocket)); !os.IsNotExist(err) {
		t.Skip("LEFT OUT: the default works on this machine")
	}
	d.config.Socket = configuration.DefaultSocket
	if s, err := d.answers(t.Context()); s != nil || err != nil || !strings.Contains(log.String(), "users cannot ask; set socket to another path, or to nothing") {
		t.Errorf("%v %v %s", s, err, log.String())
	}
}

// A socket that another daemon had is opened once that has ended.
func TestSocketAfterAnother(t *testing.T) {
	var log strings.Builder
	first := &daemon{config: configuration.Default(), now: time.Now, log: zerolog.Nop()}
	first.config.Socket = t.TempDir() + "/s.sock"
	s, err := first.answers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d := &daemon{config: first.config, now: time.Now, log: zerolog.New(&log)}
	if d.answersNow(t.Context()); d.socket != nil || log.Len() > 0 {
		t.Errorf("beside another daemon: %s", log.String())
	}
	if err = s.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		d.answersNow(t.Context())
	}
	if d.socket == nil || strings.Count(log.String(), "users can ask") != 1 {
		t.Fatalf("after it: %s", log.String())
	}
	if err = d.socket.Close(); err != nil {
		t.Error(err)
	}
}

// Without an answer of Slurm nobody is an operator, and the log says why.
func TestUnknownOperators(t *testing.T) {
	var log strings.Builder
	d := &daemon{metrics: newMetrics("test"), now: time.Now, log: zerolog.New(&log)}
	d.config.Status.UserHeader = "X-Remote-User"
	d.users = d.directory()
	d.commands.Store(&slurm.Commands{Dir: t.TempDir()})
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	r.RemoteAddr = "127.0.0.1:4711"
	r.Header.Set("X-Remote-User", "root")
	c := &view.Cycle{}
	c.Options.Controller.PrivateData = []string{"jobs"}
	if v, err := d.api().Viewer(r, c, true); err != nil || v.Jobs {
		t.Errorf("%+v %v", v, err)
	}
	if want := "who is an operator is not known; all but root are ordinary users until it is"; !strings.Contains(log.String(), want) || !strings.Contains(log.String(), "scontrol") {
		t.Errorf("log: %s", log.String())
	}
}

// The socket stays the same when the settings are read again.
func TestSocketReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.load = func() (configuration.Config, error) {
			c := w.daemon.config
			c.Socket, c.Slurm.Bin = "/elsewhere/s.sock", "/opt/slurm/bin"
			return c, nil
		}
		w.run(t, time.Minute, func() {
			time.Sleep(5 * time.Second)
			w.hangup <- syscall.SIGHUP
			time.Sleep(time.Second)
		})
		if w.daemon.config.Socket != "" || w.daemon.commands.Load().Dir != "/opt/slurm/bin" {
			t.Errorf("socket %q, commands %+v", w.daemon.config.Socket, w.daemon.commands.Load())
		}
		if !strings.Contains(w.output.String(), "the socket's path takes effect at the next start") {
			t.Errorf("log: %s", w.output.String())
		}
	})
}

// That users are not told all of the past is logged once when it begins and once when it
// is over.
func TestPastAsked(t *testing.T) {
	var log strings.Builder
	d := &daemon{log: zerolog.New(&log)}
	asked := d.pastAsked()
	for _, err := range []error{nil, errors.New("no database"), errors.New("no database"), nil, nil} {
		asked(err)
	}
	want := `{"level":"warn","error":"no database","message":"users who ask of jobs that have started or ended are not told all"}
{"level":"info","message":"users who ask of jobs that have started or ended are told all again"}
`
	if log.String() != want {
		t.Error(log.String())
	}
}
