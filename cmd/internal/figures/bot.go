package figures

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/svg"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/bot"
	"slurm-ostrich/ostrich/sim"
)

// bagGap is how far apart submissions of a bag of a log are at most: its
// threshold under the rule arrival.
const bagGap = 120

var bagRule = ostrich.Rule{By: ostrich.Arrival, Threshold: bagGap}

// botPredictors are those of HPDC 2008, Table 4, in its order.
var botPredictors = []struct {
	name string
	ostrich.Predictor
}{
	{"AdpExpSmooth", ostrich.ByAdaptive},
	{"AutoRegress", ostrich.ByRegression},
	{"ExpSmooth", ostrich.BySmoothing},
	{"LastValue", ostrich.ByLast},
	{"Mean(10)", ostrich.ByMeanTen},
	{"Mean", ostrich.ByMean},
}

// system is a row of Table 3.
func system(name string) bot.System { return bot.Systems[slices.Index(bot.SystemNames(), name)] }

// drawBags draws a log of a system, with its bags.
func drawBags(s bot.System, bags int) (*workload, error) {
	log, err := bot.Model{System: s, Bags: bags, Procs: 1}.Generate(1)
	if err != nil {
		return nil, fmt.Errorf("figures: %w", err)
	}
	b := &workload{name: s.Name + ", drawn"}
	if b.jobs, _, err = sim.FromLog(log, 1, sim.Exact); err != nil {
		return nil, fmt.Errorf("figures: %w", err)
	}
	for i := range b.jobs {
		b.numbers = append(b.numbers, int(b.jobs[i].Class))
	}
	return b, nil
}

// botLogs are the log that can be had, and drawn ones of systems.
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

// drawPredictors is HPDC 2008, Fig. 2.
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

// predictorNumbers are what section 3.7 says, and what came out, by user and then by bag.
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
