package replay

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"sync"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
)

// Each makes several replays at a time: one for each worker, or for each core if
// workers is 0. jobs has the number of jobs of each replay. do makes the i-th
// replay and calls ended with the number of its jobs that have ended; a progress
// bar says what is done and shows the sum. Each returns the error of the first
// replay in the list that failed, or [console.ErrInterrupted] after a signal.
func Each(ctx context.Context, w io.Writer, what string, workers int, jobs []int, do func(i int, ended func(n int)) error) error {
	if workers < 1 {
		workers = runtime.NumCPU()
	}
	total := 0
	for _, n := range jobs {
		total += n
	}
	at, gone := console.Progress(w, what)
	defer gone()
	var mu sync.Mutex
	done, all := make([]int, len(jobs)), 0
	errs := make([]error, len(jobs))
	free := make(chan struct{}, workers)
	var group sync.WaitGroup
	return console.Await(ctx, func() error {
		for i := range jobs {
			free <- struct{}{}
			group.Go(func() {
				defer func() { <-free }()
				errs[i] = do(i, func(n int) {
					mu.Lock()
					defer mu.Unlock()
					all += n - done[i]
					done[i] = n
					at(all, total)
				})
			})
		}
		group.Wait()
		return cmp.Or(errs...)
	})
}

// WorkersFlag returns the option that says how many replays are made at a time.
func WorkersFlag(workers *int) cli.Flag {
	return &cli.IntFlag{
		Name: "workers", Usage: "`NUMBER` of replays at a time", DefaultText: "one a core", Destination: workers,
		Action: func(_ *cli.Context, n int) error {
			if n < 1 {
				return fmt.Errorf("--workers %d: at least 1", n)
			}
			return nil
		},
	}
}
