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
	text := func(v float64) string { return decimals(v, 2) }
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

// TestGridClaims prints what the reading of the figures makes of the claims of section 5,
// with fewer runs than the figures have: the rows of docs/reproduction.md.
func TestGridClaims(t *testing.T) {
	skipUnlessMeasuring(t)
	in := Input{Workers: 1}
	run := func(samples []sample, ways []way) *measuredGrid {
		g, err := runGrid(t.Context(), in, samples, ways, gridSeeds)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	policies := gridPolicies()
	of := func(names ...string) []way {
		return slices.DeleteFunc(slices.Clone(policies), func(w way) bool { return !slices.Contains(names, w.name) })
	}
	each := func(g *measuredGrid, what func(w string) string) string {
		return listed(g.ways, func(w string) string { return w + " " + what(w) })
	}

	t.Run("5", func(t *testing.T) {
		var samples []sample
		for a, name := range bot.ArrivalNames {
			m := read2008.model(in, gridLoad)
			m.Arrivals = bot.Arrivals(a)
			samples = append(samples, modelled(name, m))
		}
		g := run(samples, policies[:8])
		for _, to := range bot.ArrivalNames[1:] {
			t.Logf("fig. 5, %s against daily, MS: %s", to, each(g, g.change("daily", to, ms)))
			t.Logf("fig. 5, %s against daily, NSL: %s", to, each(g, g.change("daily", to, nsl)))
		}
	})
	t.Run("4, 9 and 10", func(t *testing.T) {
		ways := append(slices.Clone(policies), gridSelections()...)
		g := run(read2008.byLoad(in, 0.2, 0.6, 0.8, 0.95), ways)
		t.Logf("fig. 4, loads: %s", listed(g.labels(), func(s string) string { return s }))
		t.Logf("fig. 4, mean MS over the loads: %s", g.overall(ms))
		t.Logf("fig. 4, MS, best: %s", g.best(ms))
		t.Logf("fig. 4, mean NSL over the loads: %s", g.overall(nsl))
		t.Logf("fig. 4, NSL, best: %s", g.best(nsl))
		for _, measure := range []struct {
			name string
			of   func(*grid.Measures) float64
		}{{"MS", ms}, {"NSL", nsl}} {
			t.Logf("fig. 4, %s of DFPLT above FPLT: %s; of ECT-P above ECT: %s", measure.name, g.worse("DFPLT", "FPLT", measure.of), g.worse("ECT-P", "ECT", measure.of))
			for _, s := range g.samples {
				t.Logf("fig. 4 and 9, %s, %s: %s", s, measure.name, each(g, func(w string) string { return plusMinus(g.each(s, w, measure.of), amountOf) }))
				t.Logf("fig. 9, %s, %s by that of S-BoT: %s", s, measure.name, each(g, func(w string) string {
					return plusMinus(ratios(g.each(s, w, measure.of), g.each(s, "S-BoT", measure.of)), func(v float64) string { return decimals(v, 2) })
				}))
			}
		}
		for c := range 2 {
			small := func(m *grid.Measures) float64 { return m.Classes[c].NSL }
			t.Logf("fig. 10, sizes %s, NSL: %s", grid.ClassNames[c], each(g, func(w string) string { return plusMinus(g.each("95 %", w, small), amountOf) }))
		}
		t.Logf("largest stretch at 95 %%: %s", each(g, func(w string) string {
			return plusMinus(g.each("95 %", w, func(m *grid.Measures) float64 { return m.WorstStretch }), amountOf)
		}))
	})
	t.Run("8", func(t *testing.T) {
		var samples []sample
		for _, load := range []float64{0.6, 0.95} {
			for _, i := range []float64{0, 100, 10_000} {
				s := read2008.byLoad(in, load)[0].also(func(x *grid.Experiment, _ []grid.Bag) { x.Inaccuracy = i })
				s.name += ", I = " + decimals(i, 0)
				samples = append(samples, s)
			}
		}
		g := run(samples, of("ECT", "FPLT", "DFPLT", "STFR"))
		for _, s := range g.samples {
			t.Logf("fig. 8, %s %%: NSL %s; MS %s", s, each(g, func(w string) string { return plusMinus(g.each(s, w, nsl), amountOf) }),
				each(g, func(w string) string { return plusMinus(g.each(s, w, ms), amountOf) }))
		}
	})
	t.Run("7", func(t *testing.T) {
		var samples []sample
		for _, run := range []float64{180, 1800, 3 * 3600} {
			m := read2008.model(in, gridLoad)
			m.MeanRun = run
			m.Tasks = int(gridLoad * grid.HPDC2008().Capacity() * 86_400 / m.MeanRun)
			samples = append(samples, modelled(decimals(run/60, 0)+" min", m))
		}
		g := run(samples, of("ECT", "FPLT", "RR", "STFR", "FPF"))
		for _, s := range g.samples {
			t.Logf("fig. 7, %s: NSL %s", s, each(g, func(w string) string { return plusMinus(g.each(s, w, nsl), amountOf) }))
		}
	})
}
