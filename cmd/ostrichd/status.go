package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// status is what /readyz tells. It is shared with the server.
type status struct {
	mu      sync.Mutex
	success time.Time
	longest time.Duration // that may pass between successes
}

func (s *status) succeed(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.success = at
}

func (s *status) expect(longest time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.longest = longest
}

// ready tells whether a cycle has succeeded recently, and if not why not.
func (s *status) ready(now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.success.IsZero():
		return errors.New("no cycle has succeeded yet")
	case now.Sub(s.success) > s.longest:
		return fmt.Errorf("the latest successful cycle was %v ago", now.Sub(s.success).Round(time.Second))
	}
	return nil
}

// handler answers /metrics, /healthz (the process is alive), /readyz (cycles
// succeed) and /api/v1/compare.json (the comparison with what Slurm does).
func (d *daemon) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(d.metrics.registry, promhttp.HandlerOpts{}))
	mux.Handle("GET /api/v1/compare.json", d.metrics.compared)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "ok\n") // Who asked is gone.
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if err := d.status.ready(d.now()); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, "ok\n") // Who asked is gone.
	})
	return mux
}

// serve answers requests until the server is closed.
func (d *daemon) serve(ctx context.Context) (*http.Server, error) {
	server := &http.Server{Handler: d.handler(), ReadHeaderTimeout: 5 * time.Second}
	if d.config.Listen == "" {
		return server, nil
	}
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", d.config.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	log := d.log
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			log.Error().Err(err).Msg("metrics are no longer served")
		}
	}()
	return server, nil
}
