package main

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

func TestSystemd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notify")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = socket.Close() }()
	t.Setenv("NOTIFY_SOCKET", path)
	t.Setenv("WATCHDOG_USEC", "120000000")
	t.Setenv("WATCHDOG_PID", strconv.Itoa(os.Getpid()))
	n := systemd(zerolog.Nop())
	if n.period != time.Minute {
		t.Errorf("a sign of life every %v, want half of WatchdogSec", n.period)
	}
	n.ready()
	n.status("observe: 3 pending")
	for _, want := range []string{"READY=1", "STATUS=observe: 3 pending"} {
		if err := socket.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 100)
		size, err := socket.Read(buf)
		if got := string(buf[:size]); err != nil || got != want {
			t.Errorf("systemd heard %q, want %q: %v", got, want, err)
		}
	}
}
