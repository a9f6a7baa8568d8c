package figures

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"slurm-ostrich/cmd/internal/svg"
	"slurm-ostrich/ostrich/bot"
	"slurm-ostrich/ostrich/grid"
)

// lcgBags returns the bags of the log LCG, a part of them in tests.
func lcgBags(ctx context.Context, in Input) ([]grid.Bag, error) {
	lcg, err := readLCG(ctx, in, bagRule)
	if err != nil {
		return nil, err
	}
	if in.small {
		n := len(lcg.jobs) / 50
		lcg.jobs, lcg.numbers = lcg.jobs[:n], lcg.numbers[:n]
	}
	return grid.FromLog(lcg.jobs, lcg.numbers), nil
}

// drawClasses draws HPDC 2008, Fig. 3: policies under a real load of 25 %, by the size
// of the bags.
func drawClasses(ctx context.Context, in Input) (*Result, error) {
	bags, err := lcgBags(ctx, in)
	if err != nil {
		return nil, err
	}
	g, err := runGrid(ctx, in, []sample{{
		name: "25 %", bags: func(uint64) ([]grid.Bag, error) { return bags, nil },
		turn: func(x *grid.Experiment, _ []grid.Bag) { x.Load = 0.25 },
	}}, gridPolicies(), 1)
	if err != nil {
		return nil, err
	}
	r := &Result{Text: "The paper's real workloads are not to be had; the log LCG, which is its T6, stands for them, with bags of what a user submits with gaps " +
		"below " + strconv.Itoa(bagGap) + " s. The times between submissions are stretched until the load on the 20 clusters is 25 %."}
	pictures, table := g.byClass("bot-3", "load 25 %")
	r.Pictures, r.Tables = pictures, []Table{table}
	papers := g.ways[:8]
	var aboveAll, above, aboveClasses [len(grid.Classes)]int // policies with a class above the mean
	var steps, growing int
	for w := range papers {
		classes := g.all[0][w].Classes
		ofBags, ofClasses, n, there := 0.0, 0.0, 0, 0
		last := 0.0
		for _, c := range classes {
			if c.DoneBags == 0 {
				continue
			}
			ofBags, ofClasses = ofBags+c.NSL*float64(c.DoneBags), ofClasses+c.NSL
			n, there = n+c.DoneBags, there+1
			if last > 0 {
				steps++
				if c.MS >= last {
					growing++
				}
			}
			last = c.MS
		}
		for i, c := range classes {
			if c.NSL > g.all[0][w].NSL {
				aboveAll[i]++
			}
			if c.NSL > ofBags/float64(n) {
				above[i]++
			}
			if c.NSL > ofClasses/float64(there) {
				aboveClasses[i]++
			}
		}
	}
	r.Text += "\n\nWhat is realised of the load until the last submission: " + g.real(0) + "."
	count := func(of [len(grid.Classes)]int) string {
		return fmt.Sprintf("%d and %d of %d policies; of sizes 2–4 %d", of[1], of[2], len(papers), of[0])
	}
	r.Numbers = []Number{
		{What: "bags of one task, which are in no class", Ours: strconv.Itoa(single(&g.all[0][0]).Bags)},
		{What: "NSL of sizes 5–9 and 10–19 above the mean of all bags, those of one task too", Paper: "both; of sizes 2–4 not", Ours: count(aboveAll)},
		{What: "the same without bags of one task", Paper: "both; of sizes 2–4 not", Ours: count(above)},
		{What: "the same above the mean of the classes", Paper: "both; of sizes 2–4 not", Ours: count(aboveClasses)},
		{What: "mean NSL of all bags, by policy", Ours: listed(papers, func(w string) string { return w + " " + decimals(g.at(g.samples[0], w, nsl), 3) })},
		{What: "steps from class to class at which MS grows", Paper: "all", Ours: fmt.Sprintf("%d of %d", growing, steps)},
		{What: "MS of ECT by class, s", Ours: g.classes("ECT", 0, ms)},
		{What: "NSL of ECT by class", Ours: g.classes("ECT", 3, nsl)},
	}
	return r, nil
}

// single returns the measures of the bags of one task, which are in no class.
func single(m *grid.Measures) grid.Measure {
	one := grid.Measure{Bags: m.Bags, DoneBags: m.DoneBags, MS: m.MS * float64(m.DoneBags), NSL: m.NSL * float64(m.DoneBags), Stretch: m.Stretch * float64(m.DoneBags)}
	for i := range m.Classes {
		c := &m.Classes[i]
		n := float64(c.DoneBags)
		one.Bags, one.DoneBags = one.Bags-c.Bags, one.DoneBags-c.DoneBags
		one.MS, one.NSL, one.Stretch = one.MS-n*c.MS, one.NSL-n*c.NSL, one.Stretch-n*c.Stretch
	}
	if one.DoneBags == 0 {
		return grid.Measure{Bags: one.Bags}
	}
	n := float64(one.DoneBags)
	one.MS, one.NSL, one.Stretch = one.MS/n, one.NSL/n, one.Stretch/n
	return one
}

// singles returns the mean over several workloads of the measures of their bags of one task.
func singles(list []grid.Measures) grid.Measure {
	ones := make([]grid.Measures, len(list))
	for i := range list {
		ones[i].Measure = single(&list[i])
	}
	return meanMeasures(ones).Measure
}

// classes lists a measure of the classes of the first sample under a way, those that have bags.
func (g *measuredGrid) classes(way string, digits int, of func(*grid.Measures) float64) string {
	var list []string
	runs := g.runs[0][slices.Index(g.ways, way)]
	for c := range grid.Classes {
		var values []float64
		for i := range runs {
			if class := runs[i].Classes[c]; class.DoneBags > 0 {
				values = append(values, of(&grid.Measures{Measure: class}))
			}
		}
		if len(values) > 0 {
			list = append(list, plusMinus(values, withDecimals(digits)))
		}
	}
	return strings.Join(list, ", ")
}

// byClass draws the first sample by the size of the bags.
func (g *measuredGrid) byClass(name, title string) ([]*svg.Picture, Table) {
	t := Table{Name: name, Header: []string{"sizes", "way", "realised", "bags", "done_bags", "ms", "nsl", "stretch"}}
	title += " (real " + g.real(0) + ")"
	names := slices.Insert(slices.Clone(grid.ClassNames[:]), 0, "1")
	of := func(c, w int) *grid.Measure {
		if c == 0 {
			one := singles(g.runs[0][w])
			return &one
		}
		return &g.all[0][w].Classes[c-1]
	}
	for c, class := range names {
		for w, way := range g.ways {
			m := of(c, w)
			t.add(class, way, decimals(g.all[0][w].Realised, 4), m.Bags, m.DoneBags, decimals(m.MS, 1), decimals(m.NSL, 4), decimals(m.Stretch, 3))
		}
	}
	rows := func(value func(*grid.Measure) float64) []svg.Row {
		return g.rows(names, func(c, w int) float64 { return value(of(c, w)) })
	}
	return []*svg.Picture{
		barChart(name+"-ms", "Mean makespan (s) by the size of a bag, "+title, "MS (s)", 0, rows(func(m *grid.Measure) float64 { return m.MS })),
		barChart(name+"-nsl", "Mean normalized schedule length by the size of a bag, "+title, "NSL", 3, rows(func(m *grid.Measure) float64 { return m.NSL })),
	}, t
}

// drawLoads draws HPDC 2008, Fig. 4: policies by load.
func drawLoads(ctx context.Context, in Input) (*Result, error) {
	g, err := runGrid(ctx, in, read2008.byLoad(in, gridLoads...), gridPolicies(), gridSeeds)
	if err != nil {
		return nil, err
	}
	last := g.samples[len(g.samples)-1]
	r := &Result{Pictures: g.charts("bot-4", "by load"), Tables: []Table{g.table("bot-4", "load")}, Text: g.text()}
	r.Numbers = append(g.loads(), []Number{
		{
			What: "mean MS over the loads, s, least first", Paper: "FPLT the lowest, and FPF; RR good; STFR average; WQR-4 poor", Ours: g.overall(ms),
			Why: "the text has FPLT and FPF both as the lowest",
		},
		{What: "policies with the lowest MS, by load", Paper: "FPLT, FPF", Ours: g.best(ms)},
		{What: "mean NSL over the loads, least first", Paper: "STFR, then ECT; RR, FPF and WQR-4 poor", Ours: g.overall(nsl)},
		{What: "policies with the lowest NSL, by load", Paper: "STFR", Ours: g.best(nsl)},
		{What: "loads at which the MS of DFPLT is above that of FPLT", Paper: "consistently", Ours: g.worse("DFPLT", "FPLT", ms)},
		{What: "loads at which the NSL of DFPLT is above that of FPLT", Paper: "consistently", Ours: g.worse("DFPLT", "FPLT", nsl)},
		{What: "loads at which the MS of ECT-P is above that of ECT", Paper: "consistently", Ours: g.worse("ECT-P", "ECT", ms)},
		{What: "loads at which the NSL of ECT-P is above that of ECT", Paper: "consistently", Ours: g.worse("ECT-P", "ECT", nsl)},
		{What: "FPLT with S-T, OStrich and FairCamp at 95 %: NSL", Ours: listed([]string{"FPLT", "OStrich, FPLT", "FairCamp, FPLT"}, func(w string) string {
			return plusMinus(g.each(last, w, nsl), amountOf)
		})},
		{What: "the same: MS, s", Ours: listed([]string{"FPLT", "OStrich, FPLT", "FairCamp, FPLT"}, func(w string) string {
			return plusMinus(g.each(last, w, ms), amountOf)
		})},
	}...)
	return r, nil
}

// papers are the ways of gridPolicies that the paper has.
func (g *measuredGrid) papers() []string { return g.ways[:8] }

func (g *measuredGrid) loads() []Number {
	return []Number{{What: "realised load by load, over the ways", Ours: listed(g.labels(), func(l string) string { return l })}}
}

// overall lists the paper's policies with the mean of a measure over all samples, least first.
func (g *measuredGrid) overall(of func(*grid.Measures) float64) string {
	mean := func(w string) float64 { m, _ := confident(g.over(w, of)); return m }
	return listed(g.ordered(g.papers(), mean), func(w string) string { return w + " " + plusMinus(g.over(w, of), amountOf) })
}

// best lists by sample the policy of the paper with the least of a measure, and in how many of
// the seeds it is below each of the others.
func (g *measuredGrid) best(of func(*grid.Measures) float64) string {
	return listed(g.samples, func(s string) string {
		first := g.ordered(g.papers(), func(w string) float64 { return g.at(s, w, of) })[0]
		n := 0
		for seed, v := range g.each(s, first, of) {
			least := true
			for _, w := range g.papers() {
				least = least && v <= g.each(s, w, of)[seed]
			}
			if least {
				n++
			}
		}
		return fmt.Sprintf("%s %s (%d of %d)", s, first, n, g.seeds)
	})
}

// worse counts the samples in which a measure of a is above that of b in the mean, and prints
// the largest ratio.
func (g *measuredGrid) worse(a, b string, of func(*grid.Measures) float64) string {
	n, most, text := 0, 0.0, ""
	for _, s := range g.samples {
		list := ratios(g.each(s, a, of), g.each(s, b, of))
		mean, _ := confident(list)
		if mean > 1 {
			n++
		}
		if mean > most {
			most, text = mean, plusMinus(list, withDecimals(2))
		}
	}
	return fmt.Sprintf("%d of %d, up to %s times", n, len(g.samples), text)
}

// amountOf prints a makespan or a schedule length.
func amountOf(v float64) string {
	if v >= 100 {
		return decimals(v, 0)
	}
	return decimals(v, 3)
}

// gridErrors are the inaccuracies of Fig. 8, in per cent.
var gridErrors = []float64{0, 10, 100, 1000, 10_000}

// drawErrors draws HPDC 2008, Fig. 8: policies by the inaccuracy of run times.
func drawErrors(ctx context.Context, in Input) (*Result, error) {
	var samples []sample
	for _, load := range []float64{0.60, 0.95} {
		for _, i := range gridErrors {
			s := read2008.byLoad(in, load)[0].also(func(x *grid.Experiment, _ []grid.Bag) { x.Inaccuracy = i })
			s.name += ", I = " + decimals(i, 0) + " %"
			samples = append(samples, s)
		}
	}
	g, err := runGrid(ctx, in, samples, gridPolicies(), gridSeeds)
	if err != nil {
		return nil, err
	}
	r := &Result{Pictures: g.charts("bot-8", "by load and inaccuracy"), Tables: []Table{g.table("bot-8", "sample")}, Text: g.text()}
	n := len(gridErrors)
	for k, load := range []string{"60 %", "95 %"} {
		part := g.samples[k*n : (k+1)*n]
		for _, measure := range []struct {
			name string
			of   func(*grid.Measures) float64
		}{{"MS", ms}, {"NSL", nsl}} {
			spread := func(w string) string {
				low, high := g.at(part[0], w, measure.of), g.at(part[0], w, measure.of)
				for _, s := range part {
					low, high = min(low, g.at(s, w, measure.of)), max(high, g.at(s, w, measure.of))
				}
				return w + " " + percent(high/low-1)
			}
			ends := func(w string) string {
				return w + " " + percents(ratios(g.each(part[n-1], w, measure.of), g.each(part[0], w, measure.of)))
			}
			r.Numbers = append(r.Numbers, Number{
				What: "load " + load + ": " + measure.name + ", most above least over all I", Paper: "flat",
				Ours: listed([]string{"FPLT", "DFPLT", "STFR"}, spread),
			}, Number{
				What: "load " + load + ": " + measure.name + ", I = 10 000 % against 0", Paper: "varies little",
				Ours: listed([]string{"FPLT", "DFPLT", "STFR"}, ends),
			})
		}
		r.Numbers = append(r.Numbers, Number{
			What: "load " + load + ": NSL of ECT, I = 0, 10, 100, 1000, 10 000 %", Paper: "rises, and then less",
			Ours: listed(part, func(s string) string {
				return plusMinus(g.each(s, "ECT", nsl), withDecimals(3))
			}),
		})
	}
	return r, nil
}

// percent prints a part as a signed percentage.
func percent(part float64) string { return fmt.Sprintf("%+.0f %%", 100*part) }

// gridLoad is the load of the experiments on the workload (section 5.2).
const gridLoad = 0.60

// every lists the paper's policies, each with what of returns for it.
func (g *measuredGrid) every(of func(way string) string) string {
	return listed(g.papers(), func(w string) string { return w + " " + of(w) })
}

// change returns a function that prints by how much a measure of a way changes from one
// sample to another: the mean over the seeds, with half of its 95 % interval.
func (g *measuredGrid) change(from, to string, of func(*grid.Measures) float64) func(way string) string {
	return func(w string) string { return percents(ratios(g.each(to, w, of), g.each(from, w, of))) }
}

// series lists a measure of a way by sample.
func (g *measuredGrid) series(way string, of func(*grid.Measures) float64) string {
	return listed(g.samples, func(s string) string { return plusMinus(g.each(s, way, of), amountOf) })
}

// drawArrivals draws HPDC 2008, Fig. 5: policies by when bags come.
func drawArrivals(ctx context.Context, in Input) (*Result, error) {
	const daily, once, even = "daily cycle", "all at T = 0", "evenly spread"
	names := []string{bot.Daily: daily, bot.AtOnce: once, bot.Even: even}
	var samples []sample
	for a, name := range names {
		m := read2008.model(in, gridLoad)
		m.Arrivals = bot.Arrivals(a)
		samples = append(samples, modelled(name, m))
	}
	g, err := runGrid(ctx, in, samples, gridPolicies(), gridSeeds)
	if err != nil {
		return nil, err
	}
	r := &Result{Pictures: g.charts("bot-5", "load 60 %"), Tables: []Table{g.table("bot-5", "arrivals")}, Text: g.text()}
	r.Numbers = []Number{
		{What: "MS, all at T = 0 against the daily cycle", Paper: "much worse", Ours: g.every(g.change(daily, once, ms))},
		{What: "NSL, all at T = 0 against the daily cycle", Paper: "much worse", Ours: g.every(g.change(daily, once, nsl))},
		{What: "MS, evenly spread against the daily cycle", Paper: "four policies −10 %, WQR-4 −20 %, FPLT −48 %", Ours: g.every(g.change(daily, even, ms))},
		{What: "NSL, evenly spread against the daily cycle", Paper: "the text does not say which of the two it means", Ours: g.every(g.change(daily, even, nsl))},
	}
	return r, nil
}

// sizeSeeds is the number of workloads over which a measure of Fig. 6 is averaged: where
// bags are large there are few.
const sizeSeeds = 10

// drawSizes draws HPDC 2008, Fig. 6: policies by the size of the bags.
func drawSizes(ctx context.Context, in Input) (*Result, error) {
	var samples []sample
	for _, size := range []int{10, 20, 30, 40, 50} {
		m := read2008.model(in, gridLoad)
		m.MedianSize = float64(size)
		samples = append(samples, modelled("median "+strconv.Itoa(size), m))
	}
	g, err := runGrid(ctx, in, samples, gridPolicies(), sizeSeeds)
	if err != nil {
		return nil, err
	}
	r := &Result{Pictures: g.charts("bot-6", "load 60 %"), Tables: []Table{g.table("bot-6", "size")}, Text: g.text()}
	r.Numbers = []Number{
		{What: "MS, a median size of 50 against 10", Paper: "from +37 % (ECT) to above +80 % (WQR-4)", Ours: g.every(g.change("median 10", "median 50", ms))},
		{What: "NSL, a median size of 50 against 10", Paper: "falls for ECT-P and STFR only", Ours: g.every(g.change("median 10", "median 50", nsl))},
	}
	for _, w := range []string{"ECT", "WQR-4"} {
		r.Numbers = append(r.Numbers, Number{What: "MS of " + w + " by the median size, s", Ours: g.series(w, ms)})
	}
	return r, nil
}

// drawRuns draws HPDC 2008, Fig. 7: policies by the mean run time of the tasks.
func drawRuns(ctx context.Context, in Input) (*Result, error) {
	var samples []sample
	names := []string{"3 min", "10 min", "30 min", "1 h", "3 h"}
	for i, run := range []time.Duration{3 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour, 3 * time.Hour} {
		m := read2008.model(in, gridLoad)
		m.MeanRun = run.Seconds()
		m.Tasks = int(gridLoad * grid.HPDC2008().Capacity() * 86_400 / m.MeanRun) // which come in a day, with its peak hours
		if in.small {
			m.Tasks /= 40
		}
		samples = append(samples, modelled(names[i], m))
	}
	g, err := runGrid(ctx, in, samples, gridPolicies(), gridSeeds)
	if err != nil {
		return nil, err
	}
	r := &Result{Pictures: g.charts("bot-7", "load 60 %"), Tables: []Table{g.table("bot-7", "run")}}
	r.Text = g.text() + "\n\nFor this figure the mean is what the rows say, and the bags come in a day, so that peak hours come at each of the means: the shorter the tasks, the more there are. No task is above a day."
	r.Numbers = append(r.Numbers, Number{What: "NSL, a mean of 3 h against 3 min", Paper: "falls", Ours: g.every(g.change(names[0], names[4], nsl))})
	falls := 0
	for _, w := range g.ways[:8] {
		last, all := g.at(names[0], w, nsl), true
		for _, s := range names[1:] {
			all = all && g.at(s, w, nsl) <= last
			last = g.at(s, w, nsl)
		}
		if all {
			falls++
		}
	}
	r.Numbers = append(r.Numbers, Number{What: "policies whose NSL falls at each step", Paper: "tends to fall", Ours: strconv.Itoa(falls) + " of 8"})
	return r, nil
}
