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

// measured are the figures that show measurements of simulations.
var measured = []Figure{
	hpdc("1", "Variability of run times by the size of a bag", "3.6", drawVariability, lcgFile),
	hpdc("2", "Inaccuracy of predicted run times in bags-of-tasks", "3.7", drawPredictors, lcgFile),
	hpdc("3", "Bags by size under each scheduling policy", "5.1", drawClasses, lcgFile),
	hpdc("4", "Scheduling policies by load", "5.1", drawLoads),
	hpdc("5", "Scheduling policies by when bags arrive", "5.2", drawArrivals),
	hpdc("6", "Scheduling policies by the size of the bags", "5.2", drawSizes),
	hpdc("7", "Scheduling policies by the run time of the tasks", "5.2", drawRuns),
	hpdc("8", "Scheduling policies by the inaccuracy of run times", "5.3", drawErrors),
	hpdc("9", "Selections by load", "5.4", drawSelections),
	hpdc("10", "Selections by the size of a bag", "5.4", drawSelectionClasses),
	hpdc("11", "Architectures by load", "5.5", drawArchitectures),
	{
		Name: "hipc-3", Title: "FCFS has no bound on the max-stretch", Draw: drawCompetitiveness,
		From: "Pinheiro, Rzadca, Trystram, HiPC 2012, section VI.B, Fig. 3; thesis (2014), section 3.6.2, Fig. 3.3",
	},
	{
		Name: "hipc-4", Title: "Max-stretch of FCFS and FairCamp by the number of users", Draw: drawMaxStretch,
		From: "Pinheiro, Rzadca, Trystram, HiPC 2012, section VII, Fig. 4; thesis (2014), section 4.6, Fig. 4.3",
	},
	{
		Name: "hipc-5", Title: "Max-stretch of FCFS and FairCamp with 20 users", Draw: drawDensity,
		From: "Pinheiro, Rzadca, Trystram, HiPC 2012, section VII, Fig. 5; thesis (2014), section 4.6, Fig. 4.4",
	},
	{
		Name: "milp-3", Title: "Two logs, and how many jobs wait in them", Logs: []string{kthFile, thetaFile}, Draw: drawQueues,
		From: "Schlagkamp, Hofmann, Eufinger, Ferreira da Silva, HPCS 2016, section V.B, Table II and Fig. 3",
	},
	{
		Name: "milp-4", Title: "Late jobs under EASY and under an optimiser", Logs: []string{thetaFile, kthFile}, Draw: drawLate,
		From: "Schlagkamp, Hofmann, Eufinger, Ferreira da Silva, HPCS 2016, section V.C, Fig. 4",
	},
	{
		Name: "milp-5", Title: "Tardiness under EASY and under an optimiser", Logs: []string{kthFile}, Draw: drawTardy,
		From: "Schlagkamp, Hofmann, Eufinger, Ferreira da Silva, HPCS 2016, section V.C, Fig. 5",
	},
	{
		Name: "ppam-2", Title: "Stretch of short and long users under FCFS and OStrich", Draw: drawProfiles,
		From: "Emeras, Pinheiro, Rzadca, Trystram, PPAM 2013, section 6, Fig. 2; thesis (2014), section 5.5, Fig. 5.12 and 5.13",
	},
	thesis("5.5", "Stretch of the campaigns in the log", "5.5", drawLoggedStretch, lpcFile),
	thesis("5.6", "Stretch of the campaigns under OStrich", "5.5", drawReplayedStretch, lpcFile),
	thesis("5.7", "Utilisation over the whole log", "5.5", drawUtilisation("thesis-5.7", logged, true), lpcFile),
	thesis("5.8", "Utilisation over the whole log under OStrich", "5.5", drawUtilisation("thesis-5.8", dependent, true), lpcFile),
	thesis("5.9", "Utilisation in December and January", "5.5", drawUtilisation("thesis-5.9", logged, false), lpcFile),
	thesis("5.10", "Utilisation in December and January under OStrich", "5.5", drawUtilisation("thesis-5.10", dependent, false), lpcFile),
	thesis("5.11", "Utilisation in December and January under OStrich without dependencies", "5.5", drawUtilisation("thesis-5.11", independent, false), lpcFile),
}

// hpdc returns a figure of the paper on bags-of-tasks.
func hpdc(number, title, section string, draw drawing, logs ...string) Figure {
	return Figure{
		Name: "bot-" + number, Title: title, From: "Iosup, Sonmez, Anoep, Epema, HPDC 2008, section " + section + ", Fig. " + number, Logs: logs, Draw: draw,
	}
}

// thesis returns a figure of the thesis.
func thesis(number, title, section string, draw drawing, logs ...string) Figure {
	return Figure{
		Name: "thesis-" + number, Title: title, From: "Pinheiro, thesis (2014), section " + section + ", Fig. " + number, Logs: logs, Draw: draw,
	}
}

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
