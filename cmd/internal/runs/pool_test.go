package runs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"testing"

	"slurm-ostrich/cmd/internal/console"
)

// TestEach: results are in the order of the numbers, the error is that of the first
// number that fails, and no more is begun then.
func TestEach(t *testing.T) {
	for _, workers := range []int{0, 1, 4, 100} {
		got, err := Each(t.Context(), workers, 3, func(i int) (int, error) { return i * i, nil })
		if err != nil || !slices.Equal(got, []int{0, 1, 4}) {
			t.Errorf("%d workers: %v, %v", workers, got, err)
		}
	}
	for workers := 1; workers < 5; workers++ {
		var begun atomic.Int64
		_, err := Each(t.Context(), workers, 1000, func(i int) (int, error) {
			begun.Add(1)
			if i >= 10 {
				return 0, fmt.Errorf("number %d", i)
			}
			return i, nil
		})
		if err == nil || err.Error() != "number 10" {
			t.Errorf("%d workers: got %v, want the error of number 10", workers, err)
		}
		if n := begun.Load(); n > int64(10+workers) {
			t.Errorf("%d workers: %d were begun, though the 11th failed", workers, n)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Each(ctx, 2, 1_000_000, func(i int) (int, error) {
		if i == 5 {
			cancel()
		}
		return i, nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestReplays: all replays are made, the error is that of the first that fails, and a
// signal ends the wait.
func TestReplays(t *testing.T) {
	bad := errors.New("bad")
	for workers := range 4 {
		var made atomic.Int64
		try := func(fails func(i int) bool) error {
			return Replays(t.Context(), io.Discard, "trying", workers, make([]int, 9), func(i int, ended func(n int)) error {
				made.Add(1 << i)
				ended(1)
				if fails(i) {
					return fmt.Errorf("%d: %w", i, bad)
				}
				return nil
			})
		}
		if err := try(func(int) bool { return false }); err != nil || made.Load() != 1<<9-1 {
			t.Errorf("%d workers: %v, made %b", workers, err, made.Load())
		}
		if err := try(func(i int) bool { return i == 3 || i == 7 }); !errors.Is(err, bad) || err.Error() != "3: bad" {
			t.Errorf("%d workers: %v", workers, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	hangs := make(chan struct{})
	defer close(hangs)
	err := Replays(ctx, io.Discard, "trying", 1, make([]int, 2), func(int, func(n int)) error {
		cancel()
		<-hangs
		return nil
	})
	if !errors.Is(err, console.ErrInterrupted) {
		t.Errorf("after a signal: %v", err)
	}
}
