package figures

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"slurm-ostrich/cmd/internal/svg"
	"slurm-ostrich/ostrich/grid"
)

// smallAndMedium is how many classes have the small and medium bags of section 3.4:
// the first ones.
const smallAndMedium = 4

// drawVariability is HPDC 2008, Fig. 1.
func drawVariability(ctx context.Context, in Input) (*Result, error) {
	logs, err := botLogs(ctx, in, in.either(1000, 10_000), "T1", "T2", "avg")
	if err != nil {
		return nil, err
	}
	r := &Result{Text: "The variability of a bag is the variance of the run times of its tasks, by its logarithm to base 2 as the model has it; bags without any are left out. A class " +
		"is set against the small and medium bags, of 2 to 49 tasks. LCG is the paper's T6; drawn logs stand for traces that are not to be had, and in them the size of a bag has nothing to do with its variability.\n\n" +
		"The variance itself, without the logarithm, is a reading too: its mean is that of the few bags with the longest tasks."}
	t := Table{Name: "bot-1", Header: []string{"log", "sizes", "bags", "mean_log2_variance", "percent", "percent_of_variance"}}
	rows := make([]svg.Row, len(grid.Classes)-1)
	for c := range rows {
		rows[c].Name = grid.ClassNames[c]
	}
	for _, l := range logs {
		logged, plain, counts := l.variability()
		low, high := math.Inf(1), 0.0
		var ofPlain []string
		for c := range rows {
			if counts[c] == 0 {
				continue
			}
			percent := 100 * logged[c]
			low, high = min(low, percent), max(high, percent)
			rows[c].Values = append(rows[c].Values, svg.Value{Name: l.name, At: percent})
			ofPlain = append(ofPlain, decimals(100*plain[c], 0))
			t.add(l.name, grid.ClassNames[c], counts[c], decimals(logged[c]*logged[len(rows)], 3), decimals(percent, 1), decimals(100*plain[c], 1))
		}
		r.Numbers = append(r.Numbers,
			Number{What: l.name + ": classes, against small and medium bags", Paper: "no significant difference from 100 %", Ours: decimals(low, 0) + " to " + decimals(high, 0) + " %"},
			Number{What: l.name + ": the same by the variance itself, %", Ours: strings.Join(ofPlain, ", ")})
	}
	r.Tables = []Table{t}
	r.Pictures = []*svg.Picture{barChart("bot-1", "Variability of run times by the size of a bag, 100 % being small and medium bags", "variability (%)", 0, rows)}
	return r, nil
}

// variability returns by class the mean variability of the bags as a part of that of
// small and medium ones, by the logarithm of the variance and by the variance, and
// the number of bags. Behind the classes below 1000 is the value of small and
// medium ones.
func (l *workload) variability() (logged, plain []float64, counts []int) {
	runs := make(map[int][]float64)
	for i, n := range l.numbers {
		if n >= 0 {
			runs[n] = append(runs[n], float64(l.jobs[i].Run))
		}
	}
	classes := len(grid.Classes) - 1
	logged, plain, counts = make([]float64, classes+1), make([]float64, classes+1), make([]int, classes+1)
	for _, n := range slices.Sorted(maps.Keys(runs)) { // so that sums do not depend on the map
		if len(runs[n]) < 2 {
			continue
		}
		class, variance := grid.ClassOf(len(runs[n])), stat.Variance(runs[n], nil)
		if class >= classes || !(variance > 0) {
			continue
		}
		for _, c := range []int{class, classes} {
			if c == class || class < smallAndMedium {
				logged[c], plain[c], counts[c] = logged[c]+math.Log2(variance), plain[c]+variance, counts[c]+1
			}
		}
	}
	for c := range logged {
		logged[c], plain[c] = logged[c]/max(float64(counts[c]), 1), plain[c]/max(float64(counts[c]), 1)
	}
	for c := range classes {
		logged[c], plain[c] = logged[c]/logged[classes], plain[c]/plain[classes]
	}
	return logged, plain, counts
}
