package figures

import (
	"fmt"

	"slurm-ostrich/cmd/internal/svg"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
)

// Figures 6.4 to 6.6 have the same two campaigns. On the whole machine light gray
// needs x and dark gray 1. The thesis does not give their jobs.
const (
	comparedProcs = 6
	comparedX     = 6.0
)

func compared(l sim.Machine, o *ostrich.Options) *ran {
	l.Procs, l.Open = comparedProcs, true
	return replayed(l, o, []sim.Campaign{
		submit(3, 0, rigid{3, 3}, rigid{3, 3}, rigid{6, comparedX - 3}),
		submit(1, 0, rigid{2, 1}, rigid{2, 1}, rigid{2, 1}),
	})
}

func comparedChart(name, text string, panels ...svg.Panel) plot {
	return gantt(1, svg.Gantt{Name: name, Text: text, X: svg.Axis{Max: comparedX + 4}, Legend: []svg.Key{darkGray, lightGray}, Panels: panels})
}

const comparedText = "The jobs are in the lost figure. Here m = 6 and x = 6: light gray has two jobs of 3 processors for 3 and one of all 6 for 3, dark gray three of 2 for 1, " +
	"so that alone on the machine they need x and 1. Both campaigns are submitted at 0, light gray first."

const flowInstead = "The thesis gives the time to the end of the campaign, which is the stretch for dark gray only. Over its own optimum, x, the stretch of light gray is "

func figure64(name string) *Result {
	r := compared(sim.Machine{}, nil)
	numbers := []Number{
		{What: "the stretch of light gray", Paper: "1", Ours: amount(r.stretch(0))},
		{
			What: "the stretch of dark gray, for x = 6", Paper: "x = 6", Ours: "x + 1 = " + amount(r.stretch(1)),
			Why: "x is the wait; the flow time has the length of the campaign itself too.",
		},
	}
	return of(comparedText, numbers, comparedChart(name, "FCFS: light gray runs until 6, then dark gray until 7.",
		svg.Panel{Title: "FCFS", Lanes: machines(comparedProcs), Boxes: r.lanes()}))
}

func figure65(name string) *Result {
	r := compared(sim.Machine{Policy: sim.SpaceShare}, nil)
	numbers := []Number{
		{What: "the stretch of dark gray", Paper: "3", Ours: amount(r.stretch(1))},
		{
			What: "the stretch of light gray, for x = 6", Paper: "x + 3 = 9", Ours: "x + 3 = " + amount(r.flow(0)),
			Why: flowInstead + amount(r.stretch(0)) + ".",
		},
	}
	text := comparedText + "\n\nA user's jobs start in their order while they fit into the user's equal share of the processors. When dark gray has ended, light gray has all of them."
	return of(text, numbers, comparedChart(name, "Space sharing: until 3 each user has three processors, and dark gray runs one job after the other; "+
		"light gray needs the whole machine for its last job and ends at 9.",
		svg.Panel{Title: "space sharing", Lanes: machines(comparedProcs), Boxes: r.lanes(), Halves: true}))
}

func figure66(name string) *Result {
	r := compared(sim.Machine{Inside: ostrich.LJF, Backfill: sim.Greedy}, &ostrich.Options{Machine: ostrich.Parallel, Inside: ostrich.LJF})
	numbers := []Number{
		{What: "the stretch of dark gray", Paper: "1", Ours: amount(r.stretch(1))},
		{
			What: "the stretch of light gray, for x = 6", Paper: "x + 1 = 7", Ours: "x + 1 = " + amount(r.flow(0)),
			Why: flowInstead + amount(r.stretch(0)) + ".",
		},
		{What: "C~ of dark and light gray at 0", Ours: fmt.Sprintf("%s, %s", amount(r.virtual.completion(0, 1, 1)), amount(r.virtual.completion(0, 3, 1)))},
	}
	return of(comparedText, numbers, comparedChart(name,
		"OStrich: the virtual schedule completes dark gray first, at 2, so it runs first, until 1, and light gray until 7.", r.beside(nil, 0)...))
}
