package main

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"slurm-ostrich/cmd/internal/sidecar"
)

// TestDatabaseClock: while the database's clock is wrong, nothing is ready. A
// sidecar that has gone by it is opened anew.
func TestDatabaseClock(t *testing.T) {
	ahead := fmt.Errorf("%w: ahead", sidecar.ErrClock)
	back := fmt.Errorf("%w: back: %w", sidecar.ErrClock, sidecar.ErrAnew)
	for _, tt := range []struct {
		err    error
		opened []string
		closed int
	}{
		{ahead, []string{"0s observe"}, 1},
		{back, []string{"0s observe", "30s observe", "1m10s observe"}, 3},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld()
			w.step = func(_ context.Context, n int) (*sidecar.Cycle, error) {
				if n == 2 || n == 3 {
					return nil, tt.err
				}
				return &sidecar.Cycle{}, nil
			}
			var ready []error
			w.run(t, 100*time.Second, func() {
				for range 4 {
					time.Sleep(19 * time.Second)
					ready = append(ready, w.daemon.status.at(time.Now()).Unready)
				}
			})
			synctest.Wait() // for what is asked meanwhile to be there
			want := []string{tt.err.Error(), tt.err.Error(), tt.err.Error(), "<nil>"}
			var got []string
			for _, err := range ready {
				got = append(got, fmt.Sprint(err))
			}
			diff(t, "ready", want, got)
			diff(t, "opened", tt.opened, w.opened)
			if w.closed != tt.closed {
				t.Errorf("closed %d times, want %d", w.closed, tt.closed)
			}
			diff(t, "log", []string{
				"info started",
				"error cycle failed; the queue stays as it is, and the next tries come at growing pauses: " + tt.err.Error(),
				"info recovered (2 failures, 60 s)",
				"info stopped",
			}, w.logged(t, zerolog.InfoLevel))
		})
	}
}
