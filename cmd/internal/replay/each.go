package replay

import (
	"context"
	"io"
	"runtime"
	"sync"

	"slurm-ostrich/cmd/internal/console"
)

// Each does replays of so many jobs each, as many at a time as there are workers,
// or one a core if that is 0, under a bar over the jobs of all. do makes the i-th one, and tells ended
// how many of its jobs have. A signal ends it early, with
// [console.ErrInterrupted].
func Each(ctx context.Context, w io.Writer, workers int, jobs []int, do func(i int, ended func(n int))) error {
	if workers < 1 {
		workers = runtime.NumCPU()
	}
	total := 0
	for _, n := range jobs {
		total += n
	}
	at, gone := console.Progress(w, "simulating")
	defer gone()
	var mu sync.Mutex
	done, all := make([]int, len(jobs)), 0
	next := make(chan int)
	var group sync.WaitGroup
	for range min(workers, len(jobs)) {
		group.Go(func() {
			for i := range next {
				do(i, func(n int) {
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
		return nil
	})
}
