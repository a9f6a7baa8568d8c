// Package runs makes many runs at a time, and keeps their results.
package runs

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
)

// Each calls do for the numbers from 0 to n−1, by several workers at a time: one
// a core if workers is 0. The results are in the order of the numbers, which are begun
// in this order. No other is begun after one has failed or ctx has ended. Each returns
// the error of the smallest number that failed, whatever the number of workers, or else
// that of ctx.
func Each[T any](ctx context.Context, workers, n int, do func(i int) (T, error)) ([]T, error) {
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	results, failed := make([]T, n), make([]error, n)
	var next atomic.Int64 // not yet begun
	var stop atomic.Bool
	var group sync.WaitGroup
	for range min(workers, n) {
		group.Go(func() {
			for !stop.Load() && ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if results[i], failed[i] = do(i); failed[i] != nil {
					stop.Store(true)
				}
			}
		})
	}
	group.Wait()
	for _, err := range failed { // all below one that failed were begun
		if err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return results, nil
}

// Replays is [Each] for replays of so many jobs, which a person waits for. do
// makes the i-th replay and calls ended with the number of its jobs that have ended; a
// progress bar says what is done and shows the sum. After a signal it returns
// [console.ErrInterrupted] at once.
func Replays(ctx context.Context, w io.Writer, what string, workers int, jobs []int, do func(i int, ended func(n int)) error) error {
	total := 0
	for _, n := range jobs {
		total += n
	}
	at, gone := console.Progress(w, what)
	defer gone()
	var mu sync.Mutex
	done, all := make([]int, len(jobs)), 0
	return console.Await(ctx, func() error {
		_, err := Each(ctx, workers, len(jobs), func(i int) (struct{}, error) {
			return struct{}{}, do(i, func(n int) {
				mu.Lock()
				defer mu.Unlock()
				all += n - done[i]
				done[i] = n
				at(all, total)
			})
		})
		if ctx.Err() != nil {
			return console.ErrInterrupted
		}
		return err
	})
}

// WorkersFlag returns the option that says how many of what, a word in the singular, are made at
// a time. workers may be nil.
func WorkersFlag(what string, workers *int) cli.Flag {
	return &cli.IntFlag{
		Name: "workers", Usage: "`NUMBER` of " + what + "s at a time", DefaultText: "one a core", Destination: workers,
		Action: func(_ *cli.Context, n int) error {
			if n < 1 {
				return fmt.Errorf("--workers %d: at least 1", n)
			}
			return nil
		},
	}
}
