package figures

import (
	"context"
	"strings"

	"slurm-ostrich/ostrich/grid"
)

// drawSelections draws HPDC 2008, Fig. 9: selections by load.
func drawSelections(ctx context.Context, in Input) (*Result, error) {
	g, err := runGrid(ctx, in, read2008.byLoad(in, gridLoads...), gridSelections(), gridSeeds)
	if err != nil {
		return nil, err
	}
	r := &Result{Pictures: g.charts("bot-9", "by load"), Tables: []Table{g.table("bot-9", "load")}, Text: g.text()}
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
	// most prints the largest ratio of a measure of a to that of b, and its load.
	most := func(a, b string, samples []string, of func(*grid.Measures) float64, text func([]float64) string) string {
		ratio, which, at := 0.0, []float64(nil), ""
		for _, s := range samples {
			list := ratios(g.each(s, a, of), g.each(s, b, of))
			if mean, _ := confident(list); mean > ratio {
				ratio, which, at = mean, list, s
			}
		}
		return text(which) + " (" + at + ")"
	}
	times := func(list []float64) string {
		return plusMinus(list, withDecimals(2))
	}
	against := func(of func(*grid.Measures) float64) string {
		var list []string
		for _, w := range papers {
			if w != "S-BoT" {
				list = append(list, w+" "+most(w, "S-BoT", busy, of, times))
			}
		}
		return strings.Join(list, ", ")
	}
	last := g.samples[len(g.samples)-1]
	all := func(of func(*grid.Measures) float64) string {
		return listed(g.ways, func(w string) string { return w + " " + plusMinus(g.each(last, w, of), amountOf) })
	}
	beside := func(of func(*grid.Measures) float64) string {
		return listed(g.ways, func(w string) string {
			return w + " " + plusMinus(ratios(g.each(last, w, of), g.each(last, "S-BoT", of)), withDecimals(2))
		})
	}
	r.Numbers = append(g.loads(), []Number{
		{What: "up to 50 %: most NSL by least", Paper: "almost identical", Ours: spread(calm, nsl)},
		{What: "up to 50 %: most MS by least", Paper: "almost identical", Ours: spread(calm, ms)},
		{What: "from 60 % on: NSL of the others by that of S-BoT, at most", Paper: "up to 16", Ours: against(nsl)},
		{What: "from 60 % on: MS of the others by that of S-BoT, at most", Paper: "up to 2", Ours: against(ms)},
		{What: "NSL of S-U-GRR above S-U-T, at most", Paper: "+15 %", Ours: most("S-U-GRR", "S-U-T", g.samples, nsl, percents)},
		{What: "NSL of S-U-RR above S-U-T, at most", Paper: "+45 %", Ours: most("S-U-RR", "S-U-T", g.samples, nsl, percents)},
		{What: "NSL of S-U-Prio above S-U-RR, at most", Paper: "similar", Ours: most("S-U-Prio", "S-U-RR", g.samples, nsl, percents)},
		{What: "NSL of S-U-Prio above S-U-GRR, at most", Paper: "+20 %", Ours: most("S-U-Prio", "S-U-GRR", g.samples, nsl, percents)},
		{What: "NSL at 95 %", Ours: all(nsl)},
		{What: "MS at 95 %, s", Ours: all(ms)},
		{What: "NSL at 95 %, by that of S-BoT", Ours: beside(nsl)},
		{What: "MS at 95 %, by that of S-BoT", Ours: beside(ms)},
		{What: "stretch at 95 %", Ours: all(func(m *grid.Measures) float64 { return m.Stretch })},
		{What: "largest stretch at 95 %, the mean over the workloads", Ours: all(func(m *grid.Measures) float64 { return m.WorstStretch })},
	}...)
	return r, nil
}

// drawSelectionClasses draws HPDC 2008, Fig. 10: selections by the size of the bags.
func drawSelectionClasses(ctx context.Context, in Input) (*Result, error) {
	g, err := runGrid(ctx, in, read2008.byLoad(in, 0.95), gridSelections(), gridSeeds)
	if err != nil {
		return nil, err
	}
	pictures, table := g.byClass("bot-10", "load 95 %")
	r := &Result{Pictures: pictures, Tables: []Table{table}, Text: g.text()}
	for _, w := range g.ways {
		n := Number{What: "NSL of " + w + " by class", Ours: g.classes(w, 3, nsl)}
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
	samples := read2008.byLoad(in, gridLoads...)
	for i := range samples {
		samples[i] = samples[i].also(func(x *grid.Experiment, bags []grid.Bag) { x.Until = window(bags) })
	}
	g, err := runGrid(ctx, in, samples, ways, gridSeeds)
	if err != nil {
		return nil, err
	}
	r := &Result{Tables: []Table{g.table("bot-11", "load")}}
	r.Pictures = append(g.charts("bot-11", "of the bags that have ended"), g.chart("bot-11-finished", "Tasks that have ended (%)", "finished tasks (%)", 1, share))
	r.Text = g.text() + "\n\nA stream of bags is submitted to its cluster (sep-c), to its cluster first (fcondor), or to the queue of all (csp); the streams are alike and the " +
		"clusters are not. The run ends with the last submission, so that some tasks have not ended under any architecture. MS and NSL are those of the bags that have, which flatters " +
		"whoever leaves many behind."
	list := func(of func(*grid.Measures) float64, way string, digits int) string {
		return listed(g.samples, func(s string) string {
			return plusMinus(g.each(s, way, of), withDecimals(digits))
		})
	}
	r.Numbers = g.loads()
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
