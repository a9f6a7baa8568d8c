package figures

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"slurm-ostrich/ostrich/trace"
)

// instances computes f for the numbers from 0 to n−1, by all workers at once. The
// results are in the order of the numbers. It returns the error of the smallest
// number that failed, or of ctx.
func instances[T any](ctx context.Context, in Input, n int, f func(i int) (T, error)) ([]T, error) {
	results, failed := make([]T, n), make([]error, n)
	var (
		next   atomic.Int64 // not yet begun
		stop   atomic.Bool
		report sync.Mutex
		done   int
		finish sync.WaitGroup
	)
	for range min(max(in.Workers, 1), n) {
		finish.Go(func() {
			for !stop.Load() && ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if results[i], failed[i] = f(i); failed[i] != nil {
					stop.Store(true)
					return
				}
				report.Lock()
				done++
				if in.Progress != nil {
					in.Progress(done, n)
				}
				report.Unlock()
			}
		})
	}
	finish.Wait()
	for _, err := range failed { // numbers are begun in order, so all below one that failed were tried
		if err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("figures: %w", err)
	}
	return results, nil
}

// sorted returns the numbers from 0 to n−1 in the order of a comparison.
func sorted(n int, compare func(a, b int) int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	slices.SortStableFunc(list, compare)
	return list
}

// half returns the input of the first (0) or the second (1) half of a figure's
// work.
func (in Input) half(number int) Input {
	if tell := in.Progress; tell != nil {
		in.Progress = func(done, total int) { tell(number*total+done, 2*total) }
	}
	return in
}

// drawn returns the campaigns of a generated log in the order of drawing.
func drawn(log *trace.Log) [][]trace.Record {
	var list [][]trace.Record
	begin := 0
	for i := range log.Records {
		r, first := &log.Records[i], &log.Records[begin]
		if r.User != first.User || r.Preceding != first.Preceding {
			list = append(list, log.Records[begin:i])
			begin = i
		}
	}
	return append(list, log.Records[begin:])
}

// confident returns the mean of values, and half the width of its 95 % confidence
// interval by Student's distribution; 0 for fewer than two values.
func confident(values []float64) (mean, half float64) {
	mean, deviation := stat.MeanStdDev(values, nil)
	if len(values) < 2 {
		return mean, 0
	}
	n := float64(len(values))
	return mean, distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.975) * stat.StdErr(deviation, n)
}

// The classes of data: the paper's baseline (FCFS or the log), its proposal
// (FairCamp or OStrich), and bounds of both.
const (
	old   = "r2"
	fair  = "r1"
	bound = "dashed ink"
)

func decimals(v float64, digits int) string { return strconv.FormatFloat(v, 'f', digits, 64) }
