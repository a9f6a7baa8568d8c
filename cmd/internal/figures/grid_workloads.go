package figures

import (
	"context"
	"strconv"
	"time"

	"slurm-ostrich/ostrich/bot"
	"slurm-ostrich/ostrich/grid"
)

// gridLoad is the load of the experiments on the workload (section 5.2).
const gridLoad = 0.60

// each lists the paper's policies, each with what of says of it.
func (g *measuredGrid) each(of func(way string) string) string {
	return listed(g.ways[:8], func(w string) string { return w + " " + of(w) })
}

// change is by how much a measure of one sample is above that of another.
func (g *measuredGrid) change(from, to string, of func(*grid.Measures) float64) func(way string) string {
	return func(w string) string { return percent(g.at(to, w, of)/g.at(from, w, of) - 1) }
}

// series lists a measure of a way by sample.
func (g *measuredGrid) series(way string, of func(*grid.Measures) float64) string {
	return listed(g.samples, func(s string) string { return amountOf(g.at(s, way, of)) })
}

// drawArrivals is HPDC 2008, Fig. 5: policies by when bags come.
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

// sizeSeeds are the workloads of which a measure of Fig. 6 is the mean: there are few
// bags where they are large.
const sizeSeeds = 10

// drawSizes is HPDC 2008, Fig. 6: policies by the size of the bags.
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

// drawRuns is HPDC 2008, Fig. 7: policies by the mean run time of the tasks.
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
