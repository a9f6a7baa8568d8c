package figures

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"slurm-ostrich/cmd/internal/svg"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/bot"
	"slurm-ostrich/ostrich/grid"
)

// lcgBags returns the bags of the log LCG, a share of them with Short.
func lcgBags(ctx context.Context, in Input) ([]grid.Bag, error) {
	lcg, err := readLCG(ctx, in, bagRule)
	if err != nil {
		return nil, err
	}
	if in.Short {
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
		turn: func(x *grid.Experiment) { x.Load = 0.25 },
	}}, gridPolicies(), 1)
	if err != nil {
		return nil, err
	}
	r := &Result{Text: "The paper's real workloads are not to be had; the log LCG, which is its T6, stands for them, with bags of what a user submits with gaps " +
		"below " + strconv.Itoa(bagGap) + " s. The times between submissions are stretched until the load on the 20 clusters is 25 %."}
	pictures, table := g.byClass("bot-3", "load 25 %")
	r.Pictures, r.Tables = pictures, []Table{table}
	papers := g.ways[:8]
	var above, aboveClasses [len(grid.Classes)]int // policies with a class above the mean
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
			if c.NSL > ofBags/float64(n) {
				above[i]++
			}
			if c.NSL > ofClasses/float64(there) {
				aboveClasses[i]++
			}
		}
	}
	count := func(of [len(grid.Classes)]int) string {
		return fmt.Sprintf("%d and %d of %d policies; of sizes 2–4 %d", of[1], of[2], len(papers), of[0])
	}
	r.Numbers = []Number{
		{What: "NSL of sizes 5–9 and 10–19 above the mean of all bags", Paper: "both; of sizes 2–4 not", Ours: count(above)},
		{What: "the same above the mean of the classes", Paper: "both; of sizes 2–4 not", Ours: count(aboveClasses)},
		{What: "steps from class to class at which MS grows", Paper: "all", Ours: fmt.Sprintf("%d of %d", growing, steps)},
		{What: "MS of ECT by class, s", Ours: g.classes("ECT", func(m *grid.Measure) string { return decimals(m.MS, 0) })},
		{What: "NSL of ECT by class", Ours: g.classes("ECT", func(m *grid.Measure) string { return decimals(m.NSL, 3) })},
	}
	return r, nil
}

// classes lists a measure of the classes of the first sample under a way, those that have bags.
func (g *measuredGrid) classes(way string, text func(*grid.Measure) string) string {
	var list []string
	m := &g.all[0][slices.Index(g.ways, way)]
	for i := range m.Classes {
		if m.Classes[i].DoneBags > 0 {
			list = append(list, text(&m.Classes[i]))
		}
	}
	return strings.Join(list, ", ")
}

// byClass draws the first sample by the size of the bags.
func (g *measuredGrid) byClass(name, title string) ([]*svg.Picture, Table) {
	t := Table{Name: name, Header: []string{"sizes", "way", "bags", "done_bags", "ms", "nsl", "stretch"}}
	for c, class := range grid.ClassNames {
		for w, way := range g.ways {
			m := &g.all[0][w].Classes[c]
			t.add(class, way, m.Bags, m.DoneBags, decimals(m.MS, 1), decimals(m.NSL, 4), decimals(m.Stretch, 3))
		}
	}
	rows := func(of func(*grid.Measure) float64) []svg.Row {
		return g.rows(grid.ClassNames[:], func(c, w int) float64 { return of(&g.all[0][w].Classes[c]) })
	}
	return []*svg.Picture{
		barChart(name+"-ms", "Mean makespan (s) by the size of a bag, "+title, "MS (s)", 0, rows(func(m *grid.Measure) float64 { return m.MS })),
		barChart(name+"-nsl", "Mean normalized schedule length by the size of a bag, "+title, "NSL", 3, rows(func(m *grid.Measure) float64 { return m.NSL })),
	}, t
}

// drawLoads draws HPDC 2008, Fig. 4: policies by load.
func drawLoads(ctx context.Context, in Input) (*Result, error) {
	g, err := runGrid(ctx, in, byLoad(in, gridLoads...), gridPolicies(), gridSeeds)
	if err != nil {
		return nil, err
	}
	papers := g.ways[:8]
	overall := func(of func(*grid.Measures) float64) string {
		ordered := g.ordered(papers, func(w string) float64 { return g.over(w, of) })
		return listed(ordered, func(w string) string { return w + " " + amountOf(g.over(w, of)) })
	}
	worse := func(a, b string, of func(*grid.Measures) float64) string {
		n, most := 0, 0.0
		for _, s := range g.samples {
			if g.at(s, a, of) > g.at(s, b, of) {
				n++
			}
			most = max(most, g.at(s, a, of)/g.at(s, b, of))
		}
		return fmt.Sprintf("%d of %d, up to %s times", n, len(g.samples), decimals(most, 2))
	}
	last := g.samples[len(g.samples)-1]
	r := &Result{Pictures: g.charts("bot-4", "by load"), Tables: []Table{g.table("bot-4", "load")}, Text: g.text(in)}
	r.Numbers = []Number{
		{
			What: "mean MS over the loads, least first", Paper: "FPLT the lowest, and FPF; RR good; STFR average; WQR-4 poor", Ours: overall(ms),
			Why: "the text has FPLT and FPF both as the lowest",
		},
		{What: "mean NSL over the loads, least first", Paper: "STFR, then ECT; RR, FPF and WQR-4 poor", Ours: overall(nsl)},
		{What: "loads at which the MS of DFPLT is above that of FPLT", Paper: "consistently", Ours: worse("DFPLT", "FPLT", ms)},
		{What: "loads at which the NSL of DFPLT is above that of FPLT", Paper: "consistently", Ours: worse("DFPLT", "FPLT", nsl)},
		{What: "loads at which the MS of ECT-P is above that of ECT", Paper: "consistently", Ours: worse("ECT-P", "ECT", ms)},
		{What: "loads at which the NSL of ECT-P is above that of ECT", Paper: "consistently", Ours: worse("ECT-P", "ECT", nsl)},
		{What: "OStrich and FairCamp with FPLT beside S-T at 95 %: NSL", Ours: fmt.Sprintf("%s and %s beside %s",
			decimals(g.at(last, "OStrich, FPLT", nsl), 3), decimals(g.at(last, "FairCamp, FPLT", nsl), 3), decimals(g.at(last, "FPLT", nsl), 3))},
		{What: "the same: MS, s", Ours: fmt.Sprintf("%s and %s beside %s",
			decimals(g.at(last, "OStrich, FPLT", ms), 0), decimals(g.at(last, "FairCamp, FPLT", ms), 0), decimals(g.at(last, "FPLT", ms), 0))},
	}
	return r, nil
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
			s := byLoad(in, load)[0]
			s.name, s.turn = s.name+", I = "+decimals(i, 0)+" %", func(x *grid.Experiment) { x.Inaccuracy = i }
			samples = append(samples, s)
		}
	}
	g, err := runGrid(ctx, in, samples, gridPolicies(), gridSeeds)
	if err != nil {
		return nil, err
	}
	r := &Result{Pictures: g.charts("bot-8", "by load and inaccuracy"), Tables: []Table{g.table("bot-8", "sample")}, Text: g.text(in)}
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
			r.Numbers = append(r.Numbers, Number{
				What: "load " + load + ": " + measure.name + ", most above least over all I", Paper: "flat",
				Ours: listed([]string{"FPLT", "DFPLT", "STFR"}, spread),
			})
		}
		r.Numbers = append(r.Numbers, Number{
			What: "load " + load + ": NSL of ECT, I = 0, 10, 100, 1000, 10 000 %", Paper: "rises, and then less",
			Ours: listed(part, func(s string) string { return decimals(g.at(s, "ECT", nsl), 3) }),
		})
	}
	return r, nil
}

// percent prints a part as a signed percentage.
func percent(part float64) string { return fmt.Sprintf("%+.0f %%", 100*part) }

// drawSelections draws HPDC 2008, Fig. 9: selections by load.
func drawSelections(ctx context.Context, in Input) (*Result, error) {
	g, err := runGrid(ctx, in, byLoad(in, gridLoads...), gridSelections(), gridSeeds)
	if err != nil {
		return nil, err
	}
	r := &Result{Pictures: g.charts("bot-9", "by load"), Tables: []Table{g.table("bot-9", "load")}, Text: g.text(in)}
	papers := g.ways[:7]
	calm, busy := g.samples[:3], g.samples[3:]
	spread := func(samples []string, of func(*grid.Measures) float64) string {
		most := 0.0
		for _, s := range samples {
			low, high := g.at(s, papers[0], of), g.at(s, papers[0], of)
			for _, w := range papers {
				low, high = min(low, g.at(s, w, of)), max(high, g.at(s, w, of))
			}
			most = max(most, high/low)
		}
		return decimals(most, 2)
	}
	// most returns the largest ratio of a measure of a to that of b, and its load.
	most := func(a, b string, samples []string, of func(*grid.Measures) float64) (ratio float64, at string) {
		for _, s := range samples {
			if x := g.at(s, a, of) / g.at(s, b, of); x > ratio {
				ratio, at = x, s
			}
		}
		return ratio, at
	}
	against := func(of func(*grid.Measures) float64) string {
		var list []string
		for _, w := range papers {
			if w != "S-BoT" {
				x, at := most(w, "S-BoT", busy, of)
				list = append(list, fmt.Sprintf("%s %s (%s)", w, decimals(x, 2), at))
			}
		}
		return strings.Join(list, ", ")
	}
	above := func(a, b string) string {
		x, at := most(a, b, g.samples, nsl)
		return percent(x-1) + " (" + at + ")"
	}
	last := g.samples[len(g.samples)-1]
	all := func(of func(*grid.Measures) float64) string {
		return listed(g.ways, func(w string) string { return w + " " + amountOf(g.at(last, w, of)) })
	}
	r.Numbers = []Number{
		{What: "up to 50 %: most NSL by least", Paper: "almost identical", Ours: spread(calm, nsl)},
		{What: "up to 50 %: most MS by least", Paper: "almost identical", Ours: spread(calm, ms)},
		{What: "from 60 % on: NSL of the others by that of S-BoT, at most", Paper: "up to 16", Ours: against(nsl)},
		{What: "from 60 % on: MS of the others by that of S-BoT, at most", Paper: "up to 2", Ours: against(ms)},
		{What: "NSL of S-U-GRR above S-U-T, at most", Paper: "+15 %", Ours: above("S-U-GRR", "S-U-T")},
		{What: "NSL of S-U-RR above S-U-T, at most", Paper: "+45 %", Ours: above("S-U-RR", "S-U-T")},
		{What: "NSL of S-U-Prio above S-U-RR, at most", Paper: "similar", Ours: above("S-U-Prio", "S-U-RR")},
		{What: "NSL at 95 %", Ours: all(nsl)},
		{What: "MS at 95 %, s", Ours: all(ms)},
		{What: "stretch at 95 %", Ours: all(func(m *grid.Measures) float64 { return m.Stretch })},
		{What: "largest stretch at 95 %", Ours: all(func(m *grid.Measures) float64 { return m.WorstStretch })},
	}
	return r, nil
}

// drawSelectionClasses draws HPDC 2008, Fig. 10: selections by the size of the bags.
func drawSelectionClasses(ctx context.Context, in Input) (*Result, error) {
	g, err := runGrid(ctx, in, byLoad(in, 0.95), gridSelections(), gridSeeds)
	if err != nil {
		return nil, err
	}
	pictures, table := g.byClass("bot-10", "load 95 %")
	r := &Result{Pictures: pictures, Tables: []Table{table}, Text: g.text(in)}
	for _, w := range g.ways {
		n := Number{What: "NSL of " + w + " by class", Ours: g.classes(w, func(m *grid.Measure) string { return decimals(m.NSL, 3) })}
		if w == "S-BoT" {
			n.Paper = "much lower than the others for small bags"
		}
		r.Numbers = append(r.Numbers, n)
	}
	return r, nil
}

// drawArchitectures draws HPDC 2008, Fig. 11: architectures by load, until the last
// bag has come.
func drawArchitectures(ctx context.Context, in Input) (*Result, error) {
	var ways []way
	for a := range grid.ArchitectureNames {
		for _, s := range []string{"S-T", "OStrich", "FairCamp"} {
			w := gridWay(grid.ArchitectureNames[a]+", "+s, "FPLT", s)
			w.Architecture = grid.Architecture(a)
			ways = append(ways, w)
		}
	}
	samples := byLoad(in, gridLoads...)
	for i := range samples {
		samples[i].turn = func(x *grid.Experiment) { x.Until = ostrich.Duration(gridModel(in, 1).Days * 86_400) }
	}
	g, err := runGrid(ctx, in, samples, ways, gridSeeds)
	if err != nil {
		return nil, err
	}
	r := &Result{Tables: []Table{g.table("bot-11", "load")}}
	r.Pictures = append(g.charts("bot-11", "of the bags that have ended"), g.chart("bot-11-finished", "Tasks that have ended (%)", "finished tasks (%)", 1, share))
	r.Text = g.text(in) + "\n\nA stream of bags is submitted to its cluster (sep-c), to its cluster first (fcondor), or to the queue of all (csp); the streams are alike and the " +
		"clusters are not. The run ends with the last submission, so that some tasks have not ended under any architecture. MS and NSL are those of the bags that have, which flatters " +
		"whoever leaves many behind."
	list := func(of func(*grid.Measures) float64, way string, digits int) string {
		return listed(g.samples, func(s string) string { return decimals(g.at(s, way, of), digits) })
	}
	loads := "load " + strings.Join(g.samples, ", ")
	for _, w := range g.ways {
		n := Number{What: w + ": finished tasks, %, " + loads, Ours: list(share, w, 0)}
		switch w {
		case "fcondor, S-T":
			n.Paper = "44 % at 95 %"
		case "sep-c, S-T":
			n.Paper = "53 % at 95 %"
		}
		r.Numbers = append(r.Numbers, n)
	}
	for _, w := range []string{"sep-c, S-T", "csp, S-T", "fcondor, S-T"} {
		paper := map[string]string{"sep-c, S-T": "worst", "csp, S-T": "best", "fcondor, S-T": "as csp below 50 %, as sep-c from 50 %"}[w]
		r.Numbers = append(r.Numbers,
			Number{What: w + ": NSL", Paper: paper, Ours: list(nsl, w, 2)}, Number{What: w + ": MS, s", Paper: paper, Ours: list(ms, w, 0)})
	}
	return r, nil
}

// gridLoad is the load of the experiments on the workload (section 5.2).
const gridLoad = 0.60

// each lists the paper's policies, each with what of returns for it.
func (g *measuredGrid) each(of func(way string) string) string {
	return listed(g.ways[:8], func(w string) string { return w + " " + of(w) })
}

// change returns a function that prints by how much a measure of a way changes from one
// sample to another.
func (g *measuredGrid) change(from, to string, of func(*grid.Measures) float64) func(way string) string {
	return func(w string) string { return percent(g.at(to, w, of)/g.at(from, w, of) - 1) }
}

// series lists a measure of a way by sample.
func (g *measuredGrid) series(way string, of func(*grid.Measures) float64) string {
	return listed(g.samples, func(s string) string { return amountOf(g.at(s, way, of)) })
}

// drawArrivals draws HPDC 2008, Fig. 5: policies by when bags come.
func drawArrivals(ctx context.Context, in Input) (*Result, error) {
	const daily, once, even = "daily cycle", "all at T = 0", "evenly spread"
	names := []string{bot.Daily: daily, bot.AtOnce: once, bot.Even: even}
	var samples []sample
	for a, name := range names {
		m := gridModel(in, gridLoad)
		m.Arrivals = bot.Arrivals(a)
		samples = append(samples, modelled(name, m))
	}
	g, err := runGrid(ctx, in, samples, gridPolicies(), gridSeeds)
	if err != nil {
		return nil, err
	}
	r := &Result{Pictures: g.charts("bot-5", "load 60 %"), Tables: []Table{g.table("bot-5", "arrivals")}, Text: g.text(in)}
	r.Numbers = []Number{
		{What: "MS, all at T = 0 against the daily cycle", Paper: "much worse", Ours: g.each(g.change(daily, once, ms))},
		{What: "NSL, all at T = 0 against the daily cycle", Paper: "much worse", Ours: g.each(g.change(daily, once, nsl))},
		{What: "MS, evenly spread against the daily cycle", Paper: "four policies −10 %, WQR-4 −20 %, FPLT −48 %", Ours: g.each(g.change(daily, even, ms))},
		{What: "NSL, evenly spread against the daily cycle", Paper: "the text does not say which of the two it means", Ours: g.each(g.change(daily, even, nsl))},
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
		m := gridModel(in, gridLoad)
		m.MedianSize = float64(size)
		samples = append(samples, modelled("median "+strconv.Itoa(size), m))
	}
	g, err := runGrid(ctx, in, samples, gridPolicies(), sizeSeeds)
	if err != nil {
		return nil, err
	}
	r := &Result{Pictures: g.charts("bot-6", "load 60 %"), Tables: []Table{g.table("bot-6", "size")}, Text: g.text(in)}
	r.Numbers = []Number{
		{What: "MS, a median size of 50 against 10", Paper: "from +37 % (ECT) to above +80 % (WQR-4)", Ours: g.each(g.change("median 10", "median 50", ms))},
		{What: "NSL, a median size of 50 against 10", Paper: "falls for ECT-P and STFR only", Ours: g.each(g.change("median 10", "median 50", nsl))},
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
		m := gridModel(in, gridLoad)
		m.Tasks = int(float64(m.Tasks) * gridRun / run.Seconds() / gridDays) // a day has peak hours, too
		m.Days /= gridDays
		m.MeanRun = run.Seconds()
		samples = append(samples, modelled(names[i], m))
	}
	g, err := runGrid(ctx, in, samples, gridPolicies(), gridSeeds)
	if err != nil {
		return nil, err
	}
	r := &Result{Pictures: g.charts("bot-7", "load 60 %"), Tables: []Table{g.table("bot-7", "run")}}
	r.Text = g.text(in) + "\n\nFor this figure the mean is what the rows say, and the bags come in a day, so that peak hours come at each of the means: the shorter the tasks, the more there are."
	r.Numbers = append(r.Numbers, Number{What: "NSL, a mean of 3 h against 3 min", Paper: "falls", Ours: g.each(g.change(names[0], names[4], nsl))})
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
