package figures

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/svg"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/bot"
	"slurm-ostrich/ostrich/grid"
	"slurm-ostrich/ostrich/lengths"
)

// The workload of the experiments of HPDC 2008, section 5: bags of the average
// system, a stream for each of the 20 clusters. Nothing is said of how long a
// workload lasts and how long its tasks run; with these a load of 95 % is 173 000
// tasks, where the paper has 175 000 at most, and peak hours come twice.
const (
	gridDays  = 1.7
	gridRun   = 3600.0 // mean run time of a task in seconds, within the 3 min to 3 h of Fig. 7
	gridSeeds = 2      // workloads over which a measure is averaged
)

var gridLoads = []float64{0.20, 0.40, 0.50, 0.60, 0.70, 0.80, 0.95}

// gridModel returns the model of a workload that puts a load on the platform.
func gridModel(in Input, load float64) bot.Model {
	p := grid.HPDC2008()
	m := bot.Model{System: system("avg"), Procs: int64(p.Procs()), Streams: len(p.Clusters), Days: gridDays, MeanRun: gridRun}
	if in.Short {
		m.Days /= 40
	}
	m.Tasks = int(load * p.Capacity() * m.Days * 86_400 / m.MeanRun)
	return m
}

// gridBags draws a workload. The home of a bag is the cluster of its stream.
func gridBags(m bot.Model, seed uint64) ([]grid.Bag, error) {
	log, err := m.Generate(seed)
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

// gridSelections returns the selections of section 2.3, and the orders of this project.
func gridSelections() []way {
	var list []way
	for _, s := range []string{"S-T", "S-BoT", "S-U-Prio", "S-U-T", "S-U-BoT", "S-U-GRR", "S-U-RR", "FairShare", "FairCamp", "OStrich"} {
		list = append(list, gridWay(s, "FPLT", s))
	}
	return list
}

// sample is a workload, drawn from several seeds, and how it is changed.
type sample struct {
	name string
	bags func(seed uint64) ([]grid.Bag, error)
	turn func(*grid.Experiment) // nil for nothing
}

// byLoad returns a sample of the modelled workload for each load.
func byLoad(in Input, loads ...float64) []sample {
	var list []sample
	for _, load := range loads {
		list = append(list, modelled(decimals(100*load, 0)+" %", gridModel(in, load)))
	}
	return list
}

// modelled returns a sample of a changed model.
func modelled(name string, m bot.Model) sample {
	return sample{name: name, bags: func(seed uint64) ([]grid.Bag, error) { return gridBags(m, seed) }}
}

// measuredGrid are the means over the seeds of what came of each sample (first
// index) under each way (second).
type measuredGrid struct {
	samples []string
	ways    []string
	all     [][]grid.Measures
	tasks   []int // of each sample, from the first seed
	seeds   int   // workloads of each sample
}

// runGrid runs each sample, drawn from so many seeds, under each way.
func runGrid(ctx context.Context, in Input, samples []sample, ways []way, seeds int) (*measuredGrid, error) {
	seeds = in.either(1, seeds)
	drawn, err := instances(ctx, in.half(0), len(samples)*seeds, func(i int) ([]grid.Bag, error) {
		return samples[i/seeds].bags(uint64(i%seeds + 1))
	})
	if err != nil {
		return nil, err
	}
	n := len(ways) * seeds
	runs, err := instances(ctx, in.half(1), len(samples)*n, func(i int) (grid.Measures, error) {
		x := ways[i%n/seeds].Experiment
		if turn := samples[i/n].turn; turn != nil {
			turn(&x)
		}
		r, failed := x.Run(drawn[i/n*seeds+i%seeds])
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
		for w := range ways {
			row = append(row, meanMeasures(runs[s*n+w*seeds:s*n+(w+1)*seeds]))
		}
		g.all = append(g.all, row)
		g.tasks = append(g.tasks, runs[s*n].Tasks)
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

// at returns a measure of a sample under a way, by their names.
func (g *measuredGrid) at(sample, way string, of func(*grid.Measures) float64) float64 {
	return of(&g.all[slices.Index(g.samples, sample)][slices.Index(g.ways, way)])
}

// over returns the mean of a measure of a way over all samples.
func (g *measuredGrid) over(way string, of func(*grid.Measures) float64) float64 {
	sum := 0.0
	for _, s := range g.samples {
		sum += g.at(s, way, of)
	}
	return sum / float64(len(g.samples))
}

// ordered lists ways, those with the least first.
func (g *measuredGrid) ordered(ways []string, of func(way string) float64) []string {
	return slices.SortedStableFunc(slices.Values(ways), func(a, b string) int { return cmp.Compare(of(a), of(b)) })
}

// table returns all measures of all samples under all ways.
func (g *measuredGrid) table(name, varied string) Table {
	t := Table{Name: name, Header: []string{varied, "way", "tasks", "bags", "finished", "ms", "nsl", "stretch", "worst_stretch", "goodput", "used", "utilisation"}}
	for s := range g.samples {
		for w := range g.ways {
			m := &g.all[s][w]
			t.add(g.samples[s], g.ways[w], m.Tasks, m.Bags, decimals(m.Finished(), 4), decimals(m.MS, 1), decimals(m.NSL, 4),
				decimals(m.Stretch, 3), decimals(m.WorstStretch, 2), int64(m.Goodput), int64(m.Used), decimals(m.Utilisation, 4))
		}
	}
	return t
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
	return barChart(name, title, axis, digits, g.rows(g.samples, func(s, w int) float64 { return of(&g.all[s][w]) }))
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

// barChart draws rows of bars, which are in the order of the legend, on a logarithmic
// axis. Bars of 0 are left out, and rows without bars.
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
	chart := svg.Rows{Name: name, Title: title, Text: title + ", row by row.", Width: 720, Bars: true, X: svg.Log(axis, least/2, most), Rows: rows}
	return chart.Draw()
}

// text says what is simulated, for the page.
func (g *measuredGrid) text(in Input) string {
	days := gridModel(in, gridLoad).Days
	return fmt.Sprintf("The platform is modelled to what section 4.1 says of it: 20 clusters, %d processors, speeds from 1.0 to 1.75. The paper says neither how long its "+
		"workloads last nor how long their tasks run. Here the bags of 20 streams of the average system come in %s days, from midnight on, and their tasks are "+
		"scaled to a mean of 1 h, in the middle of the 3 min to 3 h of Fig. 7; %d to %d tasks. Each measure is the mean over %d drawn workloads; the table counts the tasks and bags of all of them.",
		grid.HPDC2008().Procs(), strconv.FormatFloat(days, 'g', 4, 64), slices.Min(g.tasks), slices.Max(g.tasks), g.seeds)
}
