package figures

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/svg"
	"slurm-ostrich/ostrich/bot"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/grid"
	"slurm-ostrich/ostrich/lengths"
	"slurm-ostrich/ostrich/sim/swf"
)

// bagGap is how far apart submissions of a bag of a log are at most: its
// threshold under the rule arrival.
const bagGap = 120

var bagRule = campaign.Rule{By: campaign.Arrival, Threshold: bagGap}

// botPredictors are those of HPDC 2008, Table 4, in its order.
var botPredictors = []struct {
	name string
	lengths.Predictor
}{
	{"AdpExpSmooth", lengths.ByAdaptive},
	{"AutoRegress", lengths.ByRegression},
	{"ExpSmooth", lengths.BySmoothing},
	{"LastValue", lengths.ByLast},
	{"Mean(10)", lengths.ByMeanTen},
	{"Mean", lengths.ByMean},
}

// system returns a row of Table 3.
func system(name string) bot.System { return bot.Systems[slices.Index(bot.SystemNames(), name)] }

func drawBags(s bot.System, bags int) (*workload, error) {
	log, err := bot.Model{System: s, Bags: bags, Procs: 1}.Generate(1)
	if err != nil {
		return nil, fmt.Errorf("figures: %w", err)
	}
	b := &workload{name: s.Name + ", drawn"}
	if b.jobs, _, err = swf.Jobs(log, 1, swf.Exact); err != nil {
		return nil, fmt.Errorf("figures: %w", err)
	}
	for i := range b.jobs {
		b.numbers = append(b.numbers, int(b.jobs[i].Class))
	}
	return b, nil
}

// botLogs returns the log LCG, and a drawn log for each of the systems.
func botLogs(ctx context.Context, in Input, bags int, systems ...string) ([]*workload, error) {
	lcg, err := readLCG(ctx, in, bagRule)
	if err != nil {
		return nil, err
	}
	logs := []*workload{lcg}
	for _, name := range systems {
		b, err := drawBags(system(name), bags)
		if err != nil {
			return nil, err
		}
		logs = append(logs, b)
	}
	return logs, nil
}

// drawPredictors draws HPDC 2008, Fig. 2.
func drawPredictors(ctx context.Context, in Input) (*Result, error) {
	logs, err := botLogs(ctx, in, in.either(500, 10_000), "T1", "T2")
	if err != nil {
		return nil, err
	}
	n := len(botPredictors)
	measured, err := instances(ctx, in, len(logs)*2*n, func(i int) (bot.Inaccuracy, error) {
		l := logs[i/(2*n)]
		return bot.Predict(l.jobs, l.numbers, botPredictors[i%n].Predictor, i/n%2 == 1, bot.Before), nil
	})
	if err != nil {
		return nil, err
	}
	r := &Result{Text: "Each task of a bag is predicted from all that were submitted before it: by the same user, or in the same bag. Inaccuracy is " +
		"|predicted − real| / real, the mean over the tasks. A task before which there is none has no prediction.\n\n" +
		"The traces of the paper, T1 and T2, are not to be had; drawn ones stand for them, in which a user's bags have nothing in common. " +
		"LCG is the paper's T6, where a bag is what a user submits with gaps below " + strconv.Itoa(bagGap) + " s. docs/reproduction.md has other readings."}
	table := Table{Name: "bot-2", Header: []string{"log", "predictor", "input", "tasks", "mean", "median", "max"}}
	for k, l := range logs {
		values := measured[2*n*k : 2*n*(k+1)]
		for i, v := range values {
			table.add(l.name, botPredictors[i%n].name, []string{"user", "bag"}[i/n], v.Tasks, decimals(v.Mean, 4), decimals(v.Median, 4), decimals(v.Max, 2))
		}
		name := "bot-2-" + strings.ToLower(strings.TrimSuffix(l.name, ", drawn"))
		r.Pictures = append(r.Pictures, inaccuracyChart(name, "Mean inaccuracy (%), "+l.name, values))
		r.Numbers = append(r.Numbers, predictorNumbers(l.name, values)...)
	}
	r.Tables = []Table{table}
	return r, nil
}

// inaccuracyChart draws the mean inaccuracies, first by user and then by bag.
func inaccuracyChart(name, title string, values []bot.Inaccuracy) *svg.Picture {
	n, most := len(botPredictors), 0.0
	rows := svg.Rows{Name: name, Title: title, Text: title + ": each predictor by user and by bag.", Width: 720, Bars: true}
	for i, p := range botPredictors {
		row := svg.Row{Name: p.name}
		for k, input := range []string{"user", "bag"} {
			v := 100 * values[k*n+i].Mean
			row.Values = append(row.Values, svg.Value{Name: input, Class: []string{old, fair}[k], At: v, Label: decimals(v, 0)})
			most = max(most, v)
		}
		rows.Rows = append(rows.Rows, row)
	}
	rows.X = svg.UpTo("mean inaccuracy (%)", most)
	return rows.Draw()
}

// predictorNumbers sets what section 3.7 says beside our values, by user and then by bag.
func predictorNumbers(log string, values []bot.Inaccuracy) []Number {
	n := len(botPredictors)
	user, bag := values[:n], values[n:]
	// order lists predictors, the best in front.
	order := func(list []bot.Inaccuracy) string {
		places := sorted(n, func(a, b int) int { return cmp.Compare(list[a].Mean, list[b].Mean) })
		return strings.Join(format.Texts(places, func(p int) string { return botPredictors[p].name }), ", ")
	}
	worse := 0
	for i := range n {
		if user[i].Mean > bag[i].Mean {
			worse++
		}
	}
	percent := func(v float64) string { return decimals(100*v, 0) + " %" }
	last := bag[3]
	return []Number{
		{What: log + ": worse by user than by bag", Paper: "generally", Ours: fmt.Sprintf("%d of %d predictors", worse, n)},
		{What: log + ": by bag, the best in front", Paper: "LastValue and ExpSmooth; AdpExpSmooth and Mean the worst", Ours: order(bag)},
		{What: log + ": by user, the best in front", Paper: "AdpExpSmooth and Mean the worst", Ours: order(user)},
		{What: log + ": LastValue by bag, mean", Paper: "over 600 %", Ours: percent(last.Mean)},
		{What: log + ": LastValue by bag, largest", Paper: "30 000 %", Ours: percent(last.Max)},
	}
}

// smallAndMedium is how many classes have the small and medium bags of section 3.4:
// the first ones.
const smallAndMedium = 4

// drawVariability draws HPDC 2008, Fig. 1.
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
