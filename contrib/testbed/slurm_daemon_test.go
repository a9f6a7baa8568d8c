package testbed_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// daemon is an ostrichd that runs.
type daemon struct {
	cmd     *exec.Cmd
	log     *buffer
	address string
	socket  string
	ended   chan struct{}
}

// buffer is what a daemon wrote so far.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// daemon starts an ostrichd as the operator, with a cycle every second.
func (b *bed) daemon(t *testing.T, args ...string) *daemon {
	t.Helper()
	return b.daemonAt(t, b.port+3, args...)
}

func (b *bed) daemonAt(t *testing.T, port int, args ...string) *daemon {
	t.Helper()
	d := &daemon{log: &buffer{}, address: "127.0.0.1:" + strconv.Itoa(port), ended: make(chan struct{})}
	d.socket = b.dir + "/ostrich/" + strconv.Itoa(port) + ".sock"
	args = append([]string{"--config", b.config, "--interval", "1s", "--listen", d.address, "--socket", d.socket}, args...)
	d.cmd = b.command(t, operator, "ostrichd", args...)
	d.cmd.Stderr = d.log
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = d.cmd.Wait() // the state is looked at where it matters
		close(d.ended)
	}()
	t.Cleanup(func() {
		d.kill()
		if t.Failed() {
			t.Logf("log of ostrichd %s:\n%s", strings.Join(args, " "), d.log)
		}
	})
	return d
}

// kill is kill -9.
func (d *daemon) kill() {
	_ = d.cmd.Process.Kill() // it may have ended
	<-d.ended
}

// terminate sends SIGTERM, and asserts that the daemon ends in good order, and
// soon: its own limit is some seconds, which a busy machine may stretch.
func (d *daemon) terminate(t *testing.T) {
	t.Helper()
	began := time.Now()
	if err := d.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case <-d.ended:
	case <-time.After(time.Minute):
		t.Fatal("SIGTERM: still running after a minute")
	}
	report(t, "sigterm", "ended after %v", time.Since(began).Round(time.Millisecond))
	if code := d.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("SIGTERM: exit code %d, want 0", code)
	}
}

// process is how long a process that does nothing takes, some milliseconds
// unless the machine is slow or busy.
func process(t *testing.T) time.Duration {
	t.Helper()
	began := time.Now()
	if err := exec.CommandContext(t.Context(), "true").Run(); err != nil {
		t.Fatal(err)
	}
	return time.Since(began)
}

// event is a line of the log.
type event struct {
	Level, Message, Error string
	Planned, Written      int
}

// events are the lines of the log whose message begins with some words.
func (d *daemon) events(t *testing.T, message string) []event {
	t.Helper()
	var list []event
	for line := range strings.Lines(d.log.String()) {
		if !strings.HasSuffix(line, "\n") {
			break // still being written
		}
		var e event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("log line %q: %v", line, err)
		}
		if strings.HasPrefix(e.Message, message) {
			list = append(list, e)
		}
	}
	return list
}

// await waits for the n-th line with a message.
func (d *daemon) await(t *testing.T, message string, n int) {
	t.Helper()
	eventually(t, fmt.Sprintf("%q in the log, %d times", message, n), func() string {
		if len(d.events(t, message)) < n {
			return "the log is:\n" + d.log.String()
		}
		return ""
	})
}

// get asks the daemon's server.
func (d *daemon) get(t *testing.T, path string) (status int, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+d.address+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	raw, err := io.ReadAll(response.Body)
	if err = errors.Join(err, response.Body.Close()); err != nil {
		return 0, err.Error()
	}
	return response.StatusCode, string(raw)
}

// metric is the value of a metric, named with its labels; -1 if the daemon
// does not tell.
func (d *daemon) metric(t *testing.T, name string) float64 {
	t.Helper()
	_, body := d.get(t, "/metrics")
	m := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` (\S+)$`).FindStringSubmatch(body)
	if m == nil {
		return -1
	}
	value, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

const cyclesDone = `ostrich_cycles_total{result="ok"}`

// cycles waits until the daemon has done n more cycles.
func (d *daemon) cycles(t *testing.T, n float64) {
	t.Helper()
	from := max(0, d.metric(t, cyclesDone)) // none is not told
	eventually(t, fmt.Sprintf("%v more cycles", n), func() string {
		if now := d.metric(t, cyclesDone); now < from+n {
			return fmt.Sprintf("%v of them: %s", now-from, d.log)
		}
		return ""
	})
}
