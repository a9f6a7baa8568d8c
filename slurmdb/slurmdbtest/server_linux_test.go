package slurmdbtest

import (
	"errors"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// start starts a server on a thread that run chooses.
func start(t *testing.T, run func(do func())) *Server {
	t.Helper()
	var (
		s   *Server
		err error
	)
	run(func() { s, err = Start(t.Context(), Options{}) })
	if errors.Is(err, ErrMissing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// onEndingThread runs a function on a thread that ends after it.
func onEndingThread(do func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if syscall.Gettid() == syscall.Getpid() { // Go never ends the first thread
			onEndingThread(do)
			runtime.UnlockOSThread()
			return
		}
		do() // The thread stays locked: Go ends it with this goroutine.
	}()
	<-done
}

// A server outlives the thread that asked for it: tests end threads on which they were
// another user.
func TestServerOutlivesThread(t *testing.T) {
	s := start(t, onEndingThread)
	select {
	case <-s.exited:
		t.Fatal(s.failure())
	case <-time.After(time.Second): // one that ends with the thread ends at once
	}
	db, err := s.Open("")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if err := db.PingContext(t.Context()); err != nil {
		t.Error(err)
	}
}

// A server that was killed says so.
func TestServerKilled(t *testing.T) {
	s := start(t, func(do func()) { do() })
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-s.exited
	if err := s.failure(); !strings.Contains(err.Error(), "ended (signal: killed)") {
		t.Errorf("failure: %v", err)
	}
}

// A server that cannot start says so, and stops like any other.
func TestServerDoesNotStart(t *testing.T) {
	s := &Server{cmd: exec.Command("/dev/null/mariadbd"), exited: make(chan struct{})} //nolint:noctx // it never starts
	started := make(chan error)
	go s.serve(started)
	if err := <-started; err == nil {
		t.Error("/dev/null/mariadbd started")
	}
	s.Stop()
}
