package figures

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/stat/distuv"

	"slurm-ostrich/ostrich/trace"
)

// measured are the figures that show measurements of simulations.
var measured = []Figure{
	{
		Name: "bot-1", Title: "Variability of run times by the size of a bag", Logs: []string{lcgFile}, Draw: drawVariability,
		From: "Iosup, Sonmez, Anoep, Epema, HPDC 2008, section 3.6, Fig. 1",
	},
	{
		Name: "bot-2", Title: "Inaccuracy of predicted run times in bags-of-tasks", Logs: []string{lcgFile}, Draw: drawPredictors,
		From: "Iosup, Sonmez, Anoep, Epema, HPDC 2008, section 3.7, Fig. 2",
	},
	{
		Name: "bot-3", Title: "Bags by size under each scheduling policy", Logs: []string{lcgFile}, Draw: drawClasses,
		From: "Iosup, Sonmez, Anoep, Epema, HPDC 2008, section 5.1, Fig. 3",
	},
	{
		Name: "bot-4", Title: "Scheduling policies by load", Draw: drawLoads,
		From: "Iosup, Sonmez, Anoep, Epema, HPDC 2008, section 5.1, Fig. 4",
	},
	{
		Name: "bot-5", Title: "Scheduling policies by when bags arrive", Draw: drawArrivals,
		From: "Iosup, Sonmez, Anoep, Epema, HPDC 2008, section 5.2, Fig. 5",
	},
	{
		Name: "bot-6", Title: "Scheduling policies by the size of the bags", Draw: drawSizes,
		From: "Iosup, Sonmez, Anoep, Epema, HPDC 2008, section 5.2, Fig. 6",
	},
	{
		Name: "bot-7", Title: "Scheduling policies by the run time of the tasks", Draw: drawRuns,
		From: "Iosup, Sonmez, Anoep, Epema, HPDC 2008, section 5.2, Fig. 7",
	},
	{
		Name: "bot-8", Title: "Scheduling policies by the inaccuracy of run times", Draw: drawErrors,
		From: "Iosup, Sonmez, Anoep, Epema, HPDC 2008, section 5.3, Fig. 8",
	},
	{
		Name: "bot-9", Title: "Selections by load", Draw: drawSelections,
		From: "Iosup, Sonmez, Anoep, Epema, HPDC 2008, section 5.4, Fig. 9",
	},
	{
		Name: "bot-10", Title: "Selections by the size of a bag", Draw: drawSelectionClasses,
		From: "Iosup, Sonmez, Anoep, Epema, HPDC 2008, section 5.4, Fig. 10",
	},
	{
		Name: "bot-11", Title: "Architectures by load", Draw: drawArchitectures,
		From: "Iosup, Sonmez, Anoep, Epema, HPDC 2008, section 5.5, Fig. 11",
	},
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
	{
		Name: "thesis-5.5", Title: "Stretch of the campaigns in the log", Logs: []string{lpcFile}, Draw: drawLoggedStretch,
		From: "Pinheiro, thesis (2014), section 5.5, Fig. 5.5",
	},
	{
		Name: "thesis-5.6", Title: "Stretch of the campaigns under OStrich", Logs: []string{lpcFile}, Draw: drawReplayedStretch,
		From: "Pinheiro, thesis (2014), section 5.5, Fig. 5.6",
	},
	{
		Name: "thesis-5.7", Title: "Utilisation over the whole log", Logs: []string{lpcFile}, Draw: drawUtilisation(logged, whole),
		From: "Pinheiro, thesis (2014), section 5.5, Fig. 5.7",
	},
	{
		Name: "thesis-5.8", Title: "Utilisation over the whole log under OStrich", Logs: []string{lpcFile}, Draw: drawUtilisation(dependent, whole),
		From: "Pinheiro, thesis (2014), section 5.5, Fig. 5.8",
	},
	{
		Name: "thesis-5.9", Title: "Utilisation in December and January", Logs: []string{lpcFile}, Draw: drawUtilisation(logged, extract),
		From: "Pinheiro, thesis (2014), section 5.5, Fig. 5.9",
	},
	{
		Name: "thesis-5.10", Title: "Utilisation in December and January under OStrich", Logs: []string{lpcFile}, Draw: drawUtilisation(dependent, extract),
		From: "Pinheiro, thesis (2014), section 5.5, Fig. 5.10",
	},
	{
		Name: "thesis-5.11", Title: "Utilisation in December and January under OStrich without dependencies", Logs: []string{lpcFile},
		Draw: drawUtilisation(independent, extract),
		From: "Pinheiro, thesis (2014), section 5.5, Fig. 5.11",
	},
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
	n := float64(len(values))
	for _, v := range values {
		mean += v / n
	}
	if len(values) < 2 {
		return mean, 0
	}
	squares := 0.0
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	t := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.975)
	return mean, t * math.Sqrt(squares/(n-1)/n)
}

// The classes of data: the paper's baseline (FCFS or the log), its proposal
// (FairCamp or OStrich), and bounds of both.
const (
	old   = "r2"
	fair  = "r1"
	bound = "dashed ink"
)

func decimals(v float64, digits int) string { return strconv.FormatFloat(v, 'f', digits, 64) }
