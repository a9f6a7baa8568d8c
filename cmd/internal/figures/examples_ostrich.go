package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/cmd/internal/svg"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/orders"
)

func figure51(name string) *Result {
	const m = 6
	campaigns := []sim.Campaign{
		submit(1, 0, sequential(slices.Repeat([]float64{3}, 16)...)...),
		submit(2, 0, sequential(3, 3, 2, 2, 2, 2, 1, 1, 1, 1)...),
		submit(3, 2, sequential(2, 2, 2, 2, 1, 1)...),
		submit(3, 5, sequential(2, 2, 2, 2)...),
		submit(2, 8, sequential(2, 2, 2, 2, 2)...),
		submit(2, 14, sequential(2, 2, 2)...),
		submit(3, 14, sequential(2, 2, 2)...),
	}
	r := replayed(sim.Machine{Procs: m, Open: true}, &ostrich.Options{Gate: ostrich.Strict}, campaigns)
	marks := submissions(campaigns)
	chart := svg.Gantt{
		Name: name, Legend: []svg.Key{{Class: tone(1), Name: "user 1"}, {Class: tone(2), Name: "user 2"}, {Class: tone(3), Name: "user 3"}},
		Text: "Above, the virtual schedule, in which the active users share six processors evenly; below, the real one, in which the jobs of the campaign that completes first above go first.",
		Panels: []svg.Panel{
			{Title: "virtual", Lanes: machines(m), Boxes: r.virtual.boxes(), Marks: marks},
			{Title: "real", Lanes: machines(m), Boxes: r.boxes(true), Marks: marks},
		},
	}
	v := r.virtual
	between := func(from, to float64) string { // the users whose jobs start
		var users []string
		for _, j := range r.jobs {
			if s := units(j.Start); s >= from && s < to {
				users = append(users, strconv.Itoa(int(j.User)))
			}
		}
		slices.Sort(users)
		return strings.Join(slices.Compact(users), ", ")
	}
	start32, _ := v.times(5, 3, 2)
	tilde := func(at float64, user ostrich.UserID, number int) string {
		return amount(v.completion(at, user, number))
	}
	numbers := []Number{
		{What: "C~ of campaign 1 of users 1 and 2 at 0", Paper: "16, 6", Ours: tilde(0, 1, 1) + ", " + tilde(0, 2, 1)},
		{What: "users whose jobs start before 2", Paper: "2", Ours: between(0, 2)},
		{What: "C~ of campaign 1 of users 1, 2 and 3 at 2", Paper: "23, 8, 7", Ours: tilde(2, 1, 1) + ", " + tilde(2, 2, 1) + ", " + tilde(2, 3, 1)},
		{What: "users whose jobs start at 2", Paper: "3", Ours: between(2, 3)},
		{What: "campaign 1 of users 2 and 3 ends by", Paper: "5", Ours: amount(max(r.end(1), r.end(2)))},
		{
			What: "s~ of campaign 2 of user 3 at 5", Paper: "8", Ours: amount(start32),
			Why: "The text sets it to C~ of campaign 1 of user 3, which it gives as 7 in the same paragraph and before; 7 is what equation 5.2 gives.",
		},
		{What: "C~ of campaign 2 of user 3 at 5", Paper: "11", Ours: tilde(5, 3, 2)},
		{What: "users whose jobs start from 5 until then", Paper: "1", Ours: between(5, start32)},
		{What: "campaign 2 of user 3 starts at", Paper: "8", Ours: amount(r.begin(3)), Why: "At its virtual start, as above."},
		{What: "C~ of campaign 2 of user 2 at 8", Paper: "13", Ours: tilde(8, 2, 2)},
		{What: "C~ of campaign 3 of users 2 and 3 at 14", Paper: "equal", Ours: tilde(14, 2, 3) + ", " + tilde(14, 3, 3)},
		{What: "these campaigns end by", Paper: "18", Ours: amount(max(r.end(5), r.end(6)))},
	}
	text := "In the virtual schedule V a box is the load that a campaign is served in that time, with a plus where it adds to an earlier one; in the real one, R, a box is a job with its length. Submissions are marked as user.campaign.\n\n" +
		"The loads follow from the virtual completion times of the text: 48 and 18 at 0, 10 at 2, 8 at 5, 10 at 8. Those at 14, 6 each, and all lengths of jobs are in the lost figure; " +
		"they were chosen so that the sentences of the text hold. The text says that the last campaigns are followed by the remaining jobs \"of user 3\" and that \"campaign 1 of user 3\" is interrupted at 14, where it must mean user 1: campaign 1 of user 3 ended by 5."
	return of(text, numbers, gantt(1, chart))
}

func submissions(campaigns []sim.Campaign) []svg.Mark {
	count := make(map[ostrich.UserID]int)
	var list []svg.Mark
	for _, c := range campaigns {
		count[c.User]++
		list = append(list, svg.Mark{At: units(c.Submit), Label: fmt.Sprintf("%d.%d", c.User, count[c.User])})
	}
	return list
}

// delayed returns the campaigns of figures 6.1 and 6.2, on 6 processors. Medium and
// dark gray are submitted at 0, light gray when the dark gray campaign is
// complete virtually, and a small one of medium gray before the light gray one
// is.
func delayed() []sim.Campaign {
	return []sim.Campaign{
		submit(2, 0, rigid{6, 2}),
		submit(1, 0, slices.Repeat([]rigid{{4, 3}}, 5)...),
		submit(3, 12, rigid{4, 3}, rigid{4, 3}),
		submit(2, 15.5, rigid{4, 1}),
	}
}

const delayedText = "The sizes and lengths are in the lost figure. Here m = 6; medium gray has a job of 6 processors for 2, dark gray five of 4 for 3, which leave 2 processors idle; " +
	"at 12, when the virtual schedule of Fig. 6.1 has completed the dark gray campaign, come two light gray jobs of 4 for 3; at 15.5 a job of 4 for 1 of medium gray. Submissions are marked as user.campaign, with 1 for dark, 2 for medium, 3 for light."

// delay draws figure 6.1, or 6.2 with a resized virtual schedule.
func delay(name, text string, machine ostrich.Machine) (*ran, svg.Gantt) {
	campaigns := delayed()
	r := replayed(
		sim.Machine{Procs: 6, Open: true, Inside: ostrich.LJF, Backfill: sim.Greedy},
		&ostrich.Options{Machine: machine, Inside: ostrich.LJF, Gate: ostrich.Off}, campaigns)
	chart := svg.Gantt{Name: name, Text: text, Legend: grayUsers, Panels: r.beside(submissions(campaigns), 15.5)}
	chart.Panels[1].Halves = true
	return r, chart
}

func figure61(name string) *Result {
	r, chart := delay(name, "The virtual schedule uses all six processors, the real one four of six. The virtual completion of dark gray comes at 12, five before its real end, "+
		"and the small second campaign of medium gray runs last.", ostrich.Sequential)
	v := r.virtual
	c3, c4 := v.completion(15.5, 3, 1), v.completion(15.5, 2, 2)
	numbers := []Number{
		{What: "light gray comes no earlier than C~ of dark gray", Paper: "yes", Ours: yes(v.completion(11, 1, 1) <= 12)},
		{What: "dark gray really ends after its C~", Paper: "yes", Ours: yes(r.end(1) > v.completion(11, 1, 1))},
		{What: "medium gray comes again before C~ of light gray", Paper: "yes", Ours: yes(15.5 < c3)},
		{What: "light gray is in front of medium gray then", Paper: "yes", Ours: yes(c3 < c4)},
		{What: "the small campaign waits for all of light gray", Paper: "yes", Ours: yes(r.begin(3) >= r.end(2))},
		{What: "C~ of light gray and of medium gray at 15.5", Ours: amount(c3) + ", " + amount(c4)},
		{What: "the stretch of the small campaign", Ours: amount(r.stretch(3))},
	}
	return of("OStrich for sequential jobs, with parallel ones. "+delayedText, numbers, gantt(1, chart))
}

func figure62(name string) *Result {
	r, chart := delay(name, "The virtual schedule uses no more processors than the real one, so it does not run ahead of it, "+
		"and the small second campaign of medium gray runs before light gray.", ostrich.Parallel)
	first, _ := delay("", "", ostrich.Sequential)
	v := r.virtual
	c3, c4 := v.completion(15.5, 3, 1), v.completion(15.5, 2, 2)
	numbers := []Number{
		{What: "medium gray is in front of light gray at 15.5", Paper: "yes", Ours: yes(c4 < c3)},
		{What: "the small campaign runs before light gray", Paper: "yes", Ours: yes(r.begin(3) < r.begin(2))},
		{What: "the stretch of the small campaign, in Fig. 6.1 and here", Ours: amount(first.stretch(3)) + ", " + amount(r.stretch(3))},
		{What: "the stretch of light gray, in Fig. 6.1 and here", Ours: amount(first.stretch(2)) + ", " + amount(r.stretch(2))},
	}
	return of("The same campaigns with parallel OStrich, whose virtual schedule has only as many processors as are really busy. Hatched is what is idle, and what was taken from the virtual schedule for it. "+delayedText, numbers, gantt(1, chart))
}

func figure63(name string) *Result {
	campaigns := []sim.Campaign{
		submit(1, 0, rigid{3, 6}, rigid{3, 4}),
		submit(2, 0, rigid{2, 5}, rigid{2, 5}),
		submit(3, 7, rigid{3, 2}),
	}
	r := replayed(sim.Machine{Procs: 5, Open: true, Inside: ostrich.LJF, Backfill: sim.Greedy},
		&ostrich.Options{Machine: ostrich.Parallel, Inside: ostrich.LJF}, campaigns)
	chart := svg.Gantt{
		Name: name, Legend: grayUsers, Panels: r.beside(submissions(campaigns), 7),
		Text: "Five processors and three users. Two jobs of medium gray run first, then one of dark gray from 5 to 11, for which light gray, submitted at 7, waits although it has the higher priority.",
	}
	v := r.virtual
	first := slices.MinFunc(r.jobs, func(a, b report.Job) int { return cmp.Compare(a.End, b.End) })
	ahead := func(at float64) string {
		best, name := math.Inf(1), ""
		for u, key := range grayUsers {
			if c := v.completion(at, ostrich.UserID(u+1), 1); c < best {
				best, name = c, strings.TrimSuffix(key.Name, " user")
			}
		}
		return name
	}
	numbers := []Number{
		{What: "the highest priority at 0", Paper: "medium gray", Ours: ahead(0)},
		{What: "the first jobs end at", Paper: "5", Ours: amount(units(first.End))},
		{What: "the first job of dark gray starts at", Paper: "5", Ours: amount(r.begin(0))},
		{What: "the highest priority at 7", Paper: "light gray", Ours: ahead(7)},
		{What: "light gray starts at", Paper: "11", Ours: amount(r.begin(2))},
		{What: "C~ of dark and medium gray at 0, on all processors", Ours: amount(v.completion(0, 1, 1)) + ", " + amount(v.completion(0, 2, 1))},
	}
	text := "A label of the real schedule is size × length, one of the virtual schedule a load. The sizes are in the lost figure; those here fit the text. Medium gray has 2×5 twice, dark gray 3×6 and 3×4, light gray 3×2. " +
		"Hatched is what is idle, and what the resizing took from the virtual schedule for it. The dotted line is the present moment of the thesis, 7."
	return of(text, numbers, gantt(1, chart))
}

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
	r := compared(sim.Machine{Policy: orders.SpaceShare}, nil)
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
