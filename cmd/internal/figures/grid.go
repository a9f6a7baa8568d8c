package figures

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/svg"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/bot"
	"slurm-ostrich/ostrich/grid"
	"slurm-ostrich/ostrich/lengths"
)

// workload2008 is how the workloads of HPDC 2008, section 5, are read: bags of the average
// system, a stream for each of the 20 clusters. The paper does not say how long a workload
// lasts and how long its tasks run.
type workload2008 struct {
	base    bot.Base
	meanRun float64 // mean run time of a task in seconds; 0 is what is drawn
	maxRun  float64 // to which run times are cut, in seconds; 0 cuts none
	tasks   float64 // at a load of 1
	warmup  float64 // the part of the window in front that is not measured
}

// read2008 is the reading of the figures. Run times are scaled to a mean of 1 h, within the 3
// min to 3 h of Fig. 7, so that a load of 95 % is 173 000 tasks, where the paper has 175 000 at
// most, in 1.7 days. Without a cut a third of the work is in tasks of more than a day, and the
// load of 95 % is two thirds at most. The first quarter is not measured, as the platform is
// empty then.
var read2008 = workload2008{meanRun: 3600, maxRun: 86_400, tasks: 182_175, warmup: 0.25}

// gridSeeds is the number of workloads over which a measure is averaged.
const gridSeeds = 5

var gridLoads = []float64{0.20, 0.40, 0.50, 0.60, 0.70, 0.80, 0.95}

// gridModel is a model of a workload that puts a load on the platform: its bags come in as
// many days as that takes.
type gridModel struct {
	bot.Model
	load   float64
	warmup float64 // as of workload2008
}

func (w workload2008) model(in Input, load float64) gridModel {
	p := grid.HPDC2008()
	m := bot.Model{
		System: system("avg"), Procs: int64(p.Procs()), Streams: len(p.Clusters), Days: 1,
		Base: w.base, MeanRun: w.meanRun, MaxRun: w.maxRun, Tasks: int(load * w.tasks),
	}
	if in.small {
		m.Tasks /= 40
	}
	return gridModel{m, load, w.warmup}
}

// bags draws a workload. The home of a bag is the cluster of its stream.
func (m gridModel) bags(seed uint64) ([]grid.Bag, error) {
	log, err := m.Generate(seed) // in a day: its run times are those of any number of days
	if err == nil && m.load > 0 && m.Arrivals != bot.AtOnce {
		sum := 0.0
		for i := range log.Records {
			sum += float64(log.Records[i].Run)
		}
		m.Days = sum / (grid.HPDC2008().Capacity() * m.load * 86_400)
		log, err = m.Generate(seed)
	}
	if err != nil {
		return nil, fmt.Errorf("figures: %w", err)
	}
	var bags []grid.Bag
	for i := range log.Records {
		r := &log.Records[i]
		if int(r.App) > len(bags) {
			bags = append(bags, grid.Bag{User: ostrich.UserID(r.User), Submit: ostrich.Time(r.Submit), Home: int(r.Partition - 1)})
		}
		b := &bags[len(bags)-1]
		b.Tasks = append(b.Tasks, grid.Task{ID: ostrich.JobID(r.Number), Run: ostrich.Duration(r.Run)})
	}
	return bags, nil
}

// way is how a workload is run: a row of a legend.
type way struct {
	name string
	grid.Experiment
}

// gridWay returns csp with a selection under a policy, otherwise as in most of Table 5.
func gridWay(name, policy, selection string) way {
	return way{name, grid.Experiment{
		Platform: grid.HPDC2008(), Architecture: grid.CSP, Selection: selection, Policy: policy,
		Predictor: lengths.ByLast, Seed: 1,
	}}
}

// gridPolicies returns the policies of section 2.4, and the orders of this project with
// the policy that the paper compares selections with.
func gridPolicies() []way {
	var list []way
	for _, p := range []string{"ECT", "FPLT", "RR", "WQR-4", "DFPLT", "ECT-P", "STFR", "FPF"} {
		list = append(list, gridWay(p, p, "S-T"))
	}
	return append(list, gridWay("OStrich, FPLT", "FPLT", "OStrich"), gridWay("FairCamp, FPLT", "FPLT", "FairCamp"))
}

// gridSelections returns the selections of section 2.3, and the orders of this project. A
// selection is called when a bag comes and when a task ends (section 2.2).
func gridSelections() []way {
	var list []way
	for _, s := range []string{"S-T", "S-BoT", "S-U-Prio", "S-U-T", "S-U-BoT", "S-U-GRR", "S-U-RR", "FairShare", "FairCamp", "OStrich"} {
		w := gridWay(s, "FPLT", s)
		w.Redraw = grid.Called
		list = append(list, w)
	}
	return list
}

// sample is a workload, drawn from several seeds, and how it is changed.
type sample struct {
	name string
	bags func(seed uint64) ([]grid.Bag, error)
	turn func(*grid.Experiment, []grid.Bag) // nil for nothing
}

// window is the time between the first and the last submission.
func window(bags []grid.Bag) ostrich.Duration {
	return ostrich.Duration(bags[len(bags)-1].Submit - bags[0].Submit)
}

// also returns the sample, changed further.
func (s sample) also(turn func(*grid.Experiment, []grid.Bag)) sample {
	before := s.turn
	s.turn = func(x *grid.Experiment, bags []grid.Bag) {
		if before != nil {
			before(x, bags)
		}
		turn(x, bags)
	}
	return s
}

func (w workload2008) byLoad(in Input, loads ...float64) []sample {
	var list []sample
	for _, load := range loads {
		list = append(list, modelled(decimals(100*load, 0)+" %", w.model(in, load)))
	}
	return list
}

func modelled(name string, m gridModel) sample {
	return sample{name, m.bags, func(x *grid.Experiment, bags []grid.Bag) {
		x.Warmup = ostrich.Duration(m.warmup * float64(window(bags)))
	}}
}

// measuredGrid is what came of each sample (first index) under each way (second).
type measuredGrid struct {
	samples []string
	ways    []string
	runs    [][][]grid.Measures // third index: the seed
	all     [][]grid.Measures   // means over the seeds
	days    []float64           // the window of each sample, in the mean
	seeds   int                 // workloads of each sample
}

// runGrid runs each sample, drawn from so many seeds, under each way.
func runGrid(ctx context.Context, in Input, samples []sample, ways []way, seeds int) (*measuredGrid, error) {
	seeds = in.either(1, seeds)
	drawn, err := instances(ctx, in.part(0, 1, 20), len(samples)*seeds, func(i int) ([]grid.Bag, error) {
		return samples[i/seeds].bags(uint64(i%seeds + 1))
	})
	if err != nil {
		return nil, err
	}
	n := len(ways) * seeds
	runs, err := instances(ctx, in.part(1, 19, 20), len(samples)*n, func(i int) (grid.Measures, error) {
		x, bags := ways[i%n/seeds].Experiment, drawn[i/n*seeds+i%seeds]
		if turn := samples[i/n].turn; turn != nil {
			turn(&x, bags)
		}
		r, failed := x.Run(bags)
		if failed != nil {
			return grid.Measures{}, fmt.Errorf("figures: %s, %s: %w", samples[i/n].name, ways[i%n/seeds].name, failed)
		}
		return r.Measures(), nil
	})
	if err != nil {
		return nil, err
	}
	g := &measuredGrid{seeds: seeds, ways: format.Texts(ways, func(w way) string { return w.name })}
	for s := range samples {
		g.samples = append(g.samples, samples[s].name)
		var row []grid.Measures
		var each [][]grid.Measures
		for w := range ways {
			list := runs[s*n+w*seeds : s*n+(w+1)*seeds]
			each, row = append(each, list), append(row, meanMeasures(list))
		}
		g.runs, g.all = append(g.runs, each), append(g.all, row)
		days := 0.0
		for _, bags := range drawn[s*seeds : (s+1)*seeds] {
			days += float64(window(bags)) / 86_400 / float64(seeds)
		}
		g.days = append(g.days, days)
	}
	return g, nil
}

// meanMeasures returns the mean over several workloads; for a class of bags, over the
// workloads that have bags of it.
func meanMeasures(list []grid.Measures) grid.Measures {
	var sum grid.Measures
	add := func(to *grid.Measure, of func(*grid.Measures) *grid.Measure) {
		n := 0.0
		for i := range list {
			if of(&list[i]).DoneBags > 0 {
				n++
			}
		}
		for i := range list {
			m := of(&list[i])
			to.Bags, to.Tasks, to.DoneBags, to.DoneTasks = to.Bags+m.Bags, to.Tasks+m.Tasks, to.DoneBags+m.DoneBags, to.DoneTasks+m.DoneTasks
			to.MS, to.NSL, to.Stretch = to.MS+m.MS/max(n, 1), to.NSL+m.NSL/max(n, 1), to.Stretch+m.Stretch/max(n, 1)
			to.WorstStretch = max(to.WorstStretch, m.WorstStretch)
		}
	}
	add(&sum.Measure, func(m *grid.Measures) *grid.Measure { return &m.Measure })
	for c := range sum.Classes {
		add(&sum.Classes[c], func(m *grid.Measures) *grid.Measure { return &m.Classes[c] })
	}
	for i := range list {
		sum.Goodput, sum.Used = sum.Goodput+list[i].Goodput, sum.Used+list[i].Used
		sum.Utilisation += list[i].Utilisation / float64(len(list))
		sum.Realised += list[i].Realised / float64(len(list))
	}
	return sum
}

// listed joins what of returns for each name.
func listed(names []string, of func(name string) string) string {
	return strings.Join(format.Texts(names, of), ", ")
}

func ms(m *grid.Measures) float64    { return m.MS }
func nsl(m *grid.Measures) float64   { return m.NSL }
func share(m *grid.Measures) float64 { return 100 * m.Finished() }

// each returns a measure of a sample under a way, by their names, for each seed.
func (g *measuredGrid) each(sample, way string, of func(*grid.Measures) float64) []float64 {
	runs := g.runs[slices.Index(g.samples, sample)][slices.Index(g.ways, way)]
	values := make([]float64, len(runs))
	for i := range runs {
		values[i] = of(&runs[i])
	}
	return values
}

// at returns the mean of a measure of a sample under a way.
func (g *measuredGrid) at(sample, way string, of func(*grid.Measures) float64) float64 {
	mean, _ := confident(g.each(sample, way, of))
	return mean
}

// over returns the mean of a measure of a way over all samples, for each seed.
func (g *measuredGrid) over(way string, of func(*grid.Measures) float64) []float64 {
	sum := make([]float64, g.seeds)
	for _, s := range g.samples {
		for i, v := range g.each(s, way, of) {
			sum[i] += v / float64(len(g.samples))
		}
	}
	return sum
}

// ratios returns a by b, seed by seed.
func ratios(a, b []float64) []float64 {
	list := make([]float64, len(a))
	for i := range a {
		list[i] = a[i] / b[i]
	}
	return list
}

// plusMinus prints the mean of values, with half of its 95 % interval where there is one.
func plusMinus(values []float64, text func(float64) string) string {
	mean, half := confident(values)
	if len(values) < 2 {
		return text(mean)
	}
	return text(mean) + " ± " + text(half)
}

// percents prints by how much ratios are above 1, in per cent.
func percents(ratios []float64) string {
	mean, half := confident(ratios)
	if len(ratios) < 2 {
		return percent(mean - 1)
	}
	return strings.TrimSuffix(percent(mean-1), " %") + " ± " + decimals(100*half, 0) + " %"
}

// ordered lists ways, those with the least first.
func (g *measuredGrid) ordered(ways []string, of func(way string) float64) []string {
	return slices.SortedStableFunc(slices.Values(ways), func(a, b string) int { return cmp.Compare(of(a), of(b)) })
}

// table returns all measures of all samples under all ways. The columns _95 are half of the
// 95 % interval of the mean over the seeds.
func (g *measuredGrid) table(name, varied string) Table {
	t := Table{Name: name, Header: []string{
		varied, "way", "realised", "tasks", "bags", "finished", "ms", "ms_95", "nsl", "nsl_95", "stretch", "worst_stretch", "goodput", "used", "utilisation",
	}}
	for s := range g.samples {
		for w := range g.ways {
			m := &g.all[s][w]
			half := func(of func(*grid.Measures) float64) float64 {
				_, half := confident(g.each(g.samples[s], g.ways[w], of))
				return half
			}
			t.add(g.samples[s], g.ways[w], decimals(m.Realised, 4), m.Tasks, m.Bags, decimals(m.Finished(), 4), decimals(m.MS, 1), decimals(half(ms), 1),
				decimals(m.NSL, 4), decimals(half(nsl), 4), decimals(m.Stretch, 3), decimals(m.WorstStretch, 2), int64(m.Goodput), int64(m.Used), decimals(m.Utilisation, 4))
		}
	}
	return t
}

// real prints the realised load of a sample over the ways, from least to most.
func (g *measuredGrid) real(sample int) string {
	low, high := math.Inf(1), 0.0
	for w := range g.all[sample] {
		low, high = min(low, g.all[sample][w].Realised), max(high, g.all[sample][w].Realised)
	}
	if a, b := decimals(100*low, 0), decimals(100*high, 0); a != b {
		return a + " to " + b + " %"
	}
	return decimals(100*low, 0) + " %"
}

// labels are the names of the samples as in a picture, with what is realised of their loads.
func (g *measuredGrid) labels() []string {
	list := make([]string, len(g.samples))
	for s, name := range g.samples {
		list[s] = name + " (real " + g.real(s) + ")"
	}
	return list
}

// charts draws MS and NSL of all samples, a bar for each way.
func (g *measuredGrid) charts(name, title string) []*svg.Picture {
	return []*svg.Picture{
		g.chart(name+"-ms", "Mean makespan (s), "+title, "MS (s)", 0, ms),
		g.chart(name+"-nsl", "Mean normalized schedule length, "+title, "NSL", 2, nsl),
	}
}

// chart draws a measure of all samples on a logarithmic axis.
func (g *measuredGrid) chart(name, title, axis string, digits int, of func(*grid.Measures) float64) *svg.Picture {
	return barChart(name, title, axis, digits, g.rows(g.labels(), func(s, w int) float64 { return of(&g.all[s][w]) }))
}

// rows returns a row of bars for each name, with a bar for each way.
func (g *measuredGrid) rows(names []string, of func(row, way int) float64) []svg.Row {
	rows := make([]svg.Row, len(names))
	for r, name := range names {
		rows[r].Name = name
		for w, way := range g.ways {
			rows[r].Values = append(rows[r].Values, svg.Value{Name: way, At: of(r, w)})
		}
	}
	return rows
}

// barChart draws rows of bars, on a logarithmic axis if they are not of one order. Bars of 0 are left out, and rows without bars.
func barChart(name, title, axis string, digits int, rows []svg.Row) *svg.Picture {
	least, most := math.Inf(1), 0.0
	for r := range rows {
		for i := range rows[r].Values {
			v := &rows[r].Values[i]
			v.Class, v.Label = svg.Run(i), decimals(v.At, digits)
			if v.At > 0 {
				least, most = min(least, v.At), max(most, v.At)
			}
		}
		rows[r].Values = slices.DeleteFunc(rows[r].Values, func(v svg.Value) bool { return !(v.At > 0) })
	}
	rows = slices.DeleteFunc(rows, func(r svg.Row) bool { return len(r.Values) == 0 })
	chart := svg.Rows{Name: name, Title: title, Text: title + ", row by row.", Width: 720, Bars: true, X: svg.UpTo(axis, most), Rows: rows}
	if most > 10*least {
		chart.X = svg.Log(axis, least/2, most)
	}
	return chart.Draw()
}

// text says what is simulated, for the page.
func (g *measuredGrid) text() string {
	tasks := make([]int, len(g.all))
	for s := range g.all {
		tasks[s] = g.all[s][0].Tasks / g.seeds
	}
	return fmt.Sprintf("The platform is modelled to what section 4.1 says of it: 20 clusters, %d processors, speeds from 1.0 to 1.75. The paper says neither how long its "+
		"workloads last nor how long their tasks run. Here the bags of 20 streams of the average system come in %s to %s days, from midnight on; run times are "+
		"scaled to a mean of 1 h, in the middle of the 3 min to 3 h of Fig. 7, and none is above a day. %d to %d tasks are measured: those that come in the first quarter are run, and not measured. Each measure is the mean over %d drawn workloads, with half of its 95 %% interval "+
		"by Student's distribution; the table counts the tasks and bags of all of them. A load is that of all tasks by what the platform can do until the last submission. "+
		"What is realised of it by then, behind the warm-up, stands beside it.",
		grid.HPDC2008().Procs(), decimals(slices.Min(g.days), 1), decimals(slices.Max(g.days), 1), slices.Min(tasks), slices.Max(tasks), g.seeds)
}
