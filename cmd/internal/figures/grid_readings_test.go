//go:build !race

package figures

import (
	"fmt"
	"slices"
	"testing"

	"slurm-ostrich/ostrich/bot"
	"slurm-ostrich/ostrich/grid"
)

// gridReadings are the readings of the workloads of HPDC 2008, section 5, that were tried.
var gridReadings = []struct {
	name string
	workload2008
}{
	{"base 2, mean 1 h, cut at a day, a quarter not measured", workload2008{meanRun: 3600, maxRun: 86_400, tasks: 182_175, warmup: 0.25}},
	{"base e, cut at a day, a quarter not measured", workload2008{base: bot.Natural, maxRun: 86_400, tasks: 175_000 / 0.95, warmup: 0.25}},
	{"base 2, mean 1 h, 1.7 days", workload2008{meanRun: 3600, tasks: 182_175}},
	{"base 2, mean 1 h, cut at a day, 3.4 days, half not measured", workload2008{meanRun: 3600, maxRun: 86_400, tasks: 2 * 182_175, warmup: 0.5}},
}

// TestGridReadings prints what the readings make of claims of section 5.
func TestGridReadings(t *testing.T) {
	skipUnlessMeasuring(t)
	in := Input{Workers: 1}
	run := func(samples []sample, ways []way) *measuredGrid {
		g, err := runGrid(t.Context(), in, samples, ways, gridSeeds)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	line := func(what, ours string) { t.Logf("%s: %s", what, ours) }
	text := withDecimals(2)
	policies := slices.DeleteFunc(gridPolicies()[:8], func(w way) bool { return w.name == "ECT-P" || w.name == "DFPLT" })
	for i, r := range gridReadings {
		t.Logf("reading %d: %s", i+1, r.name)
		// All ways of a load are runs of the same drawn workloads.
		ways := slices.Clone(policies)
		for _, s := range []string{"S-BoT", "S-U-T", "S-U-GRR", "S-U-RR"} {
			ways = append(ways, gridWay(s, "FPLT", s))
			if s != "S-BoT" {
				w := gridWay(s+" called", "FPLT", s)
				w.Redraw = grid.Called
				ways = append(ways, w)
			}
		}
		looks := gridWay("FPLT, looks every 30 s", "FPLT", "S-T")
		looks.Monitor = 30
		g := run(r.byLoad(in, 0.5, 0.95), append(ways, looks))
		line("loads", listed(g.labels(), func(s string) string { return s }))
		line("days, and measured tasks of the last", fmt.Sprint(g.days, " ", g.all[len(g.all)-1][0].Tasks/g.seeds))
		for _, s := range g.samples {
			line(s+", MS", listed(g.ways, func(w string) string { return w + " " + plusMinus(g.each(s, w, ms), amountOf) }))
			line(s+", NSL", listed(g.ways, func(w string) string { return w + " " + plusMinus(g.each(s, w, nsl), amountOf) }))
			others := []string{"FPLT", "S-U-T", "S-U-GRR", "S-U-RR", "S-U-T called", "S-U-GRR called", "S-U-RR called"}
			line(s+", NSL by that of S-BoT (FPLT is S-T)", listed(others, func(w string) string {
				return w + " " + plusMinus(ratios(g.each(s, w, nsl), g.each(s, "S-BoT", nsl)), text)
			}))
			line(s+", MS by that of S-BoT", listed(others, func(w string) string {
				return w + " " + plusMinus(ratios(g.each(s, w, ms), g.each(s, "S-BoT", ms)), text)
			}))
		}
		ways = nil
		for a := range grid.ArchitectureNames {
			w := gridWay(grid.ArchitectureNames[a], "FPLT", "S-T")
			w.Architecture = grid.Architecture(a)
			ways = append(ways, w)
		}
		byBag := ways[grid.FCondor]
		byBag.name, byBag.Flock = "fcondor by bag", grid.WholeBags
		samples := r.byLoad(in, 0.5, 0.95)
		for i := range samples {
			samples[i] = samples[i].also(func(x *grid.Experiment, bags []grid.Bag) { x.Until = window(bags) })
		}
		g = run(samples, append(ways, byBag))
		for _, w := range g.ways {
			line(w+" finishes at 50 and 95 %, %", listed(g.samples, func(s string) string { return plusMinus(g.each(s, w, share), text) }))
			line(w+", NSL", listed(g.samples, func(s string) string { return plusMinus(g.each(s, w, nsl), text) }))
		}
		var sizes []sample
		for _, size := range []float64{10, 50} {
			m := r.model(in, gridLoad)
			m.MedianSize = size
			sizes = append(sizes, modelled(decimals(size, 0), m))
		}
		g = run(sizes, policies)
		for _, w := range g.ways {
			line("a median size of 50 against 10, "+w, "MS "+g.change("10", "50", ms)(w)+", NSL "+g.change("10", "50", nsl)(w))
		}
	}
}
