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

// Each makes replays of so many jobs each, as many at a time as there are
// workers, or one a core if that is 0, under a bar over the jobs of all that says
// what is done. do makes the i-th one, and tells ended how many of its jobs have. The error is that of
// the first replay in the list that has one. A signal ends it early, with
// [console.ErrInterrupted].
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
	next := make(chan int)
	var group sync.WaitGroup
	for range min(workers, len(jobs)) {
		group.Go(func() {
			for i := range next {
				errs[i] = do(i, func(n int) {
					mu.Lock()
					defer mu.Unlock()
					all += n - done[i]
					done[i] = n
					at(all, total)
				})
			}
		})
	}
	return console.Await(ctx, func() error {
		for i := range jobs {
			next <- i
		}
		close(next)
		group.Wait()
		return cmp.Or(errs...)
	})
}

// WorkersFlag is the option that says how many replays are made at a time.
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
