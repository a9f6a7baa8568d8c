package figures

import (
	"context"
	"slices"
	"strconv"
	"sync"

	"slurm-ostrich/cmd/internal/runs"
	"slurm-ostrich/ostrich/report/confidence"
	"slurm-ostrich/ostrich/trace"
)

// instances is [runs.Each] for the instances of a figure, which tells its progress.
func instances[T any](ctx context.Context, in Input, n int, f func(i int) (T, error)) ([]T, error) {
	var mu sync.Mutex
	done := 0
	return runs.Each(ctx, in.Workers, n, func(i int) (T, error) {
		result, err := f(i)
		if err == nil && in.Progress != nil {
			mu.Lock()
			defer mu.Unlock()
			done++
			in.Progress(done, n)
		}
		return result, err
	})
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
func (in Input) half(number int) Input { return in.part(number, 1, 2) }

// part returns the input of n of the equal parts of a figure's work, behind the first ones.
func (in Input) part(first, n, parts int) Input {
	if tell := in.Progress; tell != nil {
		in.Progress = func(done, total int) { tell(first*total+n*done, parts*total) }
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
	m := confidence.MeanOf(values)
	if len(values) < 2 {
		return m.Mean, 0
	}
	return m.Mean, m.Reach()
}

// The classes of data: the paper's baseline (FCFS or the log), its proposal
// (FairCamp or OStrich), and bounds of both.
const (
	old   = "r2"
	fair  = "r1"
	bound = "dashed ink"
)

func decimals(v float64, digits int) string { return strconv.FormatFloat(v, 'f', digits, 64) }

// withDecimals returns decimals of so many digits, as plusMinus asks for.
func withDecimals(digits int) func(v float64) string {
	return func(v float64) string { return decimals(v, digits) }
}
