package figures

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/cmd/internal/svg"
	"slurm-ostrich/ostrich/grid"
)

// lcgBags are the bags of the log LCG, a share of them with Short.
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

// drawClasses is HPDC 2008, Fig. 3: policies under a real load of 25 %, by the size
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

// drawLoads is HPDC 2008, Fig. 4: policies by load.
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

// drawErrors is HPDC 2008, Fig. 8: policies by the inaccuracy of run times.
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
