package figures

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat/combin"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/svg"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/multifactor"
	"slurm-ostrich/ostrich/policy"
	"slurm-ostrich/ostrich/sim"
)

func blocks(s policy.Schedule, campaigns []policy.Campaign, users []svg.Key) []svg.Box {
	var list []svg.Box
	for _, p := range s {
		for _, slot := range p.Slots {
			list = append(list, svg.Box{
				From: float64(slot.Start), To: float64(slot.End), Top: float64(slot.Proc), Height: 1,
				Class: users[campaigns[p.Campaign].User-1].Class, Label: fmt.Sprint(slot.End - slot.Start),
				What: fmt.Sprintf("job of campaign %d of user %d", p.Number, campaigns[p.Campaign].User),
			})
		}
	}
	return list
}

func tasked(user ostrich.UserID, lengths ...ostrich.Duration) policy.Campaign {
	c := policy.Campaign{User: user}
	for i, p := range lengths {
		c.Tasks = append(c.Tasks, policy.Task{ID: ostrich.JobID(i + 1), Run: p})
	}
	return c
}

// outcome is a schedule of figure 2.6 and its result for the users.
type outcome struct {
	jobs   []sim.Job
	starts []ostrich.Time
	c1, c2 ostrich.Time // C_max of the users
}

func (o *outcome) dominates(p *outcome) bool {
	return o.c1 <= p.c1 && o.c2 <= p.c2 && (o.c1 < p.c1 || o.c2 < p.c2)
}

// among returns the kind of a schedule's point: "dominated" if another schedule dominates
// it, else "optimal".
func (o *outcome) among(list ...outcome) string {
	if slices.ContainsFunc(list, func(p outcome) bool { return p.dominates(o) }) {
		return "dominated"
	}
	return "optimal"
}

// outcomes runs jobs on one processor in every order, and keeps one schedule for
// each pair of C_max.
func outcomes(jobs []sim.Job) []outcome {
	var list []outcome
	for _, order := range combin.Permutations(len(jobs), len(jobs)) {
		o := outcome{}
		for _, i := range order {
			o.jobs = append(o.jobs, jobs[i])
		}
		o.starts = must(sim.Machine{Procs: 1}.Replay(o.jobs))
		for i, j := range o.jobs {
			end := o.starts[i] + ostrich.Time(j.Run)
			if j.User == 1 {
				o.c1 = max(o.c1, end)
			} else {
				o.c2 = max(o.c2, end)
			}
		}
		if !slices.ContainsFunc(list, func(p outcome) bool { return p.c1 == o.c1 && p.c2 == o.c2 }) {
			list = append(list, o)
		}
	}
	slices.SortFunc(list, func(a, b outcome) int {
		return cmp.Or(cmp.Compare(a.c1, b.c1), cmp.Compare(a.c2, b.c2))
	})
	return list
}

func figure26(name string) *Result {
	var jobs []sim.Job
	for i, j := range []struct {
		user   ostrich.UserID
		length ostrich.Duration
	}{{1, 4}, {1, 4}, {2, 3}, {2, 7}} {
		jobs = append(jobs, sim.Job{ID: ostrich.JobID(i + 1), User: j.user, Run: j.length, Estimate: j.length, Procs: 1})
	}
	list := outcomes(jobs)
	campaigns := []policy.Campaign{tasked(1, 4, 4), tasked(2, 3, 7)}
	alone := policy.Machine{Procs: 1}
	multi := must(alone.MultiCmax(campaigns))
	z1, z2 := alone.Length(&campaigns[0]), alone.Length(&campaigns[1])

	// The letters of the thesis: B and F move a job of user 2 before the last job
	// of user 1, C and D a job of user 1 before the last job of user 2.
	letters := map[[2]ostrich.Time]string{{8, 18}: "A", {11, 18}: "B", {15, 18}: "F", {18, 14}: "C, D", {18, 10}: "E"}
	var cloud []point
	lanes := svg.Panel{Title: "schedules"}
	var optimal, dominated []string
	multiCmax := ""
	for i := range list {
		o := &list[i]
		letter := letters[[2]ostrich.Time{o.c1, o.c2}]
		lanes.Lanes = append(lanes.Lanes, letter)
		for k, j := range o.jobs {
			lanes.Boxes = append(lanes.Boxes, svg.Box{
				From: float64(o.starts[k]), To: float64(o.starts[k]) + float64(j.Run), Top: float64(i), Height: 1,
				Class: twoUsers[j.User-1].Class, Label: fmt.Sprint(j.Run), What: fmt.Sprintf("job of user %d", j.User),
			})
		}
		kind := o.among(list...)
		if kind == "optimal" {
			optimal = append(optimal, letter)
		} else {
			dominated = append(dominated, letter)
		}
		cloud = append(cloud, point{float64(o.c1), float64(o.c2), letter, kind})
		if o.c1 == multi[0].End && o.c2 == multi[1].End {
			multiCmax = letter
		}
	}
	slices.Sort(dominated)
	cloud = append(cloud, point{float64(z1), float64(z2), "Z", "bound"})
	numbers := []Number{
		{What: "Pareto-optimal schedules", Paper: "A, E", Ours: strings.Join(optimal, ", ")},
		{What: "dominated schedules", Paper: "B, C, D, F", Ours: strings.Join(dominated, ", ")},
		{What: "schedule of MULTICMAX", Paper: "A", Ours: multiCmax},
		{
			What: "points of schedules without idle time", Paper: "6", Ours: strconv.Itoa(len(list)),
			Why: "C and D give both users the same: the job of user 1 that comes early is in front of the jobs of user 2, or between them.",
		},
		{What: "Z, the lower bounds of the makespans", Ours: fmt.Sprintf("(%d, %d)", z1, z2)},
	}
	text := "User 1 has two jobs of length 4, user 2 has jobs of 3 and 7, on one machine. All 24 orders were run; " +
		"the chart has one schedule for each pair of makespans, the other picture these pairs.\n\n" +
		"The letters are those of the text, which says how each schedule follows from A or E. Which of the two dominated ones near A is B " +
		"and which is F is our choice."
	return of(text, numbers,
		gantt(2, svg.Gantt{
			Name: name, Legend: twoUsers, Panels: []svg.Panel{lanes},
			Text: "Five schedules of four jobs of two users on one machine, one for each pair of makespans.",
		}),
		points(name+"-points",
			"The makespans of two users in every schedule: A and E are Pareto-optimal, B, C, D and F are dominated, Z is the lower bound of both.",
			"makespan of user 1", "makespan of user 2", 4, cloud))
}

func figure29(name string) *Result {
	const m = 4
	users := []svg.Key{darkGray, lightGray}
	campaigns := []policy.Campaign{tasked(1, 1, 1, 1, 1), tasked(2, 1, 1, 1, 1)}
	one := must(policy.Machine{Procs: m}.MultiCmax(campaigns)) // user after user
	var space []svg.Box
	ends := make([]ostrich.Time, 2)
	for u := range campaigns { // each on half of the machine
		half := campaigns[u : u+1]
		s := must(policy.Machine{Procs: m / 2}.FCFS(half))
		ends[u] = s[0].End
		for _, b := range blocks(s, half, users) {
			b.Top += float64(u * m / 2)
			space = append(space, b)
		}
	}
	shared := must(policy.SpaceShare(m, []policy.Divisible{{User: 1, Work: m}, {User: 2, Work: m}}))
	chart := svg.Gantt{
		Name: name, X: svg.Axis{Title: "hours", Max: 3}, Legend: users,
		Text: "Two users with four jobs of an hour on four machines. One after the other they end after one and two hours; side by side on half of the machines each, both end after two.",
		Panels: []svg.Panel{
			{Title: "A: time sharing", Lanes: machines(m), Boxes: blocks(one, campaigns, users)},
			{Title: "B: space sharing", Lanes: machines(m), Boxes: space},
		},
	}
	a := outcome{c1: one[0].End, c2: one[1].End}
	b := outcome{c1: ends[0], c2: ends[1]}
	numbers := []Number{
		{What: "both users with space sharing", Paper: "2 h, 2 h", Ours: fmt.Sprintf("%d h, %d h", b.c1, b.c2)},
		{What: "the same with divisible work (policy.SpaceShare)", Paper: "2 h, 2 h", Ours: fmt.Sprintf("%s h, %s h", amount(shared[0]), amount(shared[1]))},
		{What: "both users with time sharing", Paper: "1 h, 2 h", Ours: fmt.Sprintf("%d h, %d h", a.c1, a.c2), Why: "The text says that the first user ends earlier and the second as before."},
		{What: "A dominates B", Paper: "yes", Ours: yes(a.dominates(&b))},
	}
	text := "Two users with m jobs of an hour each. The thesis leaves m open; here it is 4. " +
		"A is what MULTICMAX builds, a block for each user; in B each user has half of the machines."
	return of(text, numbers, gantt(1, chart), points(name+"-points",
		"The makespans of both users: (1, 2) with time sharing, A, which dominates (2, 2) with space sharing, B.",
		"makespan of the dark gray user", "makespan of the light gray user", 1,
		[]point{{float64(a.c1), float64(a.c2), "A", a.among(b)}, {float64(b.c1), float64(b.c2), "B", b.among(a)}}))
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// hadoop returns the work of figures 2.13 and 2.14, on 6 processors. In the thesis the
// pools change at 2, 8 and 12, which gives the work of the users that leave then.
// It does not say who leaves first, nor how much work the last one has.
func hadoop() (m int, loads []policy.Divisible, users []svg.Key) {
	return 6, []policy.Divisible{
		{User: 1, Work: 3*2 + 2*6 + 3*4 + 6*3},
		{User: 2, Arrive: 2, Work: 2*6 + 3*4},
		{User: 3, Work: 3*2 + 2*6},
	}, []svg.Key{darkGray, lightGray, mediumGray}
}

const hadoopText = "Dark and medium gray are there from 0 on, light gray from 2 on. In Fig. 2.13 the pools change at 2, 8 and 12, " +
	"which gives the work of those who leave: medium gray 18 and light gray 24, if it is medium gray who leaves first, as the text does not say. " +
	"Dark gray has 48 here, so that it ends at 15. Work is divisible."

func figure213(name string) *Result {
	m, loads, users := hadoop()
	ends := must(policy.SpaceShare(m, loads))
	// Between two changes all present users have equal pools.
	var moments []float64
	for i, l := range loads {
		moments = append(moments, float64(l.Arrive), ends[i])
	}
	slices.Sort(moments)
	moments = slices.Compact(moments)
	p := svg.Panel{Title: "pools", Lanes: machines(m)}
	pools := make(map[float64][]string)
	for k, from := range moments[:len(moments)-1] {
		var there []int
		for i, l := range loads {
			if float64(l.Arrive) <= from && ends[i] > from {
				there = append(there, i)
			}
		}
		size := float64(m) / float64(len(there))
		for n, i := range there {
			b := svg.Box{From: from, To: moments[k+1], Top: float64(n) * size, Height: size, Class: users[i].Class, What: "pool of the " + users[i].Name}
			b.Label = amount(size)
			p.Boxes = append(p.Boxes, b)
			pools[from] = append(pools[from], users[i].Name[:len(users[i].Name)-len(" gray user")]+" "+lanesOf(&p, &b))
		}
	}
	p.Marks = []svg.Mark{{At: float64(loads[1].Arrive), Label: "light gray joins"}}
	chart := svg.Gantt{
		Name: name, X: svg.Axis{Title: "minutes"}, Panels: []svg.Panel{p}, Legend: grayUsers,
		Text: "Six machines divided evenly into pools: two of three machines until 2, three of two until 8, two of three until 12, and all six for dark gray from then on.",
	}
	numbers := []Number{
		{What: "pools from 0 on", Paper: "dark M1-M3, medium M4-M6", Ours: strings.Join(pools[0], ", ")},
		{What: "pools from 2 on", Paper: "dark M1-M2, light M3-M4, medium M5-M6", Ours: strings.Join(pools[2], ", ")},
		{What: "users leave, and pools change, at", Paper: "8 and 12", Ours: amount(ends[2]) + " and " + amount(ends[1])},
		{What: "the last user ends at", Ours: amount(ends[0])},
	}
	return of(hadoopText, numbers, gantt(1, chart))
}

func figure214(name string) *Result {
	m, loads, users := hadoop()
	const period = 2
	turns, ends := must(policy.FairShare(m, period, loads)), must(policy.SpaceShare(m, loads))
	p := svg.Panel{Title: "machine", Lanes: machines(m)}
	last := make([]float64, len(loads))
	alone := 0.0 // since when dark gray is alone
	for _, t := range turns {
		i := int(t.User) - 1
		p.Boxes = append(p.Boxes, svg.Box{From: t.Start, To: t.End, Height: float64(m), Class: users[i].Class, Label: amount(t.End - t.Start), What: users[i].Name})
		last[i] = t.End
		if t.User != 1 {
			alone = t.End
		}
	}
	p.Marks = []svg.Mark{{At: float64(loads[1].Arrive), Label: "light gray joins"}}
	chart := svg.Gantt{
		Name: name, X: svg.Axis{Title: "minutes"}, Panels: []svg.Panel{p}, Legend: grayUsers,
		Text: "One user at a time has all six machines, chosen every two minutes by the fair-share factor.",
	}
	var ours, better []string
	for i, l := range loads {
		short := float64(l.Work) / float64(m)
		stretch := func(end float64) float64 { return (end - float64(l.Arrive)) / short }
		ours = append(ours, amount(stretch(last[i]))+" and "+amount(stretch(ends[i])))
		if stretch(last[i]) <= stretch(ends[i]) {
			better = append(better, users[i].Name[:len(users[i].Name)-len(" user")])
		}
	}
	factor := func(usage ostrich.Work, users float64) string {
		return format.Trimmed(multifactor.Simplified(usage, 12, 1/users), 3)
	}
	numbers := []Number{
		{What: "factors of dark and medium gray at 0", Paper: "0.5", Ours: format.Trimmed(multifactor.Simplified(0, 0, 1.0/2), 3)},
		{What: "factor of dark gray at 2", Paper: "0.125", Ours: factor(12, 3)},
		{What: "factor of the others at 2", Paper: "1", Ours: factor(0, 3)},
		{What: "who has the machine from 2 to 4", Paper: "light gray user", Ours: users[turns[1].User-1].Name},
		{
			What: "only dark gray from", Paper: "10", Ours: amount(alone),
			Why: "Equal factors are drawn at random in the thesis; here the one who has waited longest goes first. With light gray again at 6 it would be 9.",
		},
		{
			What: "stretch no larger than with pools", Paper: "dark, light and medium gray", Ours: strings.Join(better, " and "),
			Why: "Medium gray leaves the pools at 8. With light gray at 2 it can have the machine at 4 and 8 only and so ends at 9 at the earliest, whoever is drawn. " +
				"Stretches here and with pools: dark " + ours[0] + ", light " + ours[1] + ", medium " + ours[2] + ".",
		},
	}
	text := hadoopText + "\n\nAt multiples of 2 each user gets the factor 2^(−U/S) from the usage of the period before. " +
		"When a user runs out of work within a period, the next one by factor takes over."
	return of(text, numbers, gantt(period, chart))
}

// long is the length p of the long jobs of figures 2.10 to 2.12; short jobs have
// length 1.
const long = 10.0

func figure210(name string) *Result {
	var campaigns []sim.Campaign
	for range 2 {
		campaigns = append(campaigns, submit(3, 0, rigid{1, long}), submit(1, 0, rigid{1, 1}))
	}
	fcfs := replayed(sim.Machine{Procs: 1}, nil, campaigns)
	// Shorter jobs first is the best order for dark gray.
	best := replayed(sim.Machine{Procs: 1, Inside: ostrich.SPT, Policy: sim.OStrich(ostrich.Options{Gate: ostrich.Off})}, nil, campaigns)
	chart := svg.Gantt{
		Name: name, Legend: []svg.Key{darkGray, lightGray},
		Text: "On one machine jobs of 10 of the light gray user alternate with jobs of 1 of the dark gray user, who waits for 10 before each.",
		Panels: []svg.Panel{
			{Title: "FCFS", Lanes: machines(1), Boxes: fcfs.boxes(false)},
			{Title: "dark gray first", Lanes: machines(1), Boxes: best.boxes(false)},
		},
	}
	end := fcfs.end(3)
	numbers := []Number{
		{
			What: "the stretch of dark gray, over the optimum, for p = 10", Paper: "2p = 20",
			Ours: "p + 1 = " + amount(end/best.end(3)),
			Why: fmt.Sprintf("Two rounds end at 2p + 2 = %s. Over the work of the user, which is 2, that is p + 1, as in Fig. 3.3; "+
				"over the length of one job it is the 2p of the text.", amount(end)),
		},
		{What: "the end of the second job of dark gray", Ours: amount(end)},
		{What: "the stretch of each job of dark gray", Ours: amount(fcfs.stretch(1)) + ", " + amount(fcfs.stretch(3))},
		{What: "the stretch of the jobs of light gray", Ours: amount(fcfs.stretch(0)) + ", " + amount(fcfs.stretch(2))},
	}
	text := "Jobs of length p = 10 and 1 on one machine. Each job of a user is submitted as soon as the one before has ended, both users start at 0, and light gray is first. " +
		"The thesis leaves p and the number of rounds open; two rounds are drawn."
	return of(text, numbers, gantt(2, chart))
}

// starving runs one job of the dark gray user beside jobs of light gray, each
// submitted when the one before ends, and returns when the job starts.
func starving(order sim.Order, n int, victim, other float64) (jobs []sim.Job, starts []ostrich.Time, wait float64) {
	job := func(user ostrich.UserID, at, length float64) sim.Job {
		return sim.Job{
			ID: ostrich.JobID(len(jobs) + 1), User: user, Submit: ostrich.Time(seconds(at)),
			Run: seconds(length), Estimate: seconds(length), Procs: 1,
		}
	}
	for i := range n {
		jobs = append(jobs, job(3, float64(i)*other, other))
		if i == 0 {
			jobs = append(jobs, job(1, 0, victim))
		}
	}
	starts = must(sim.Machine{Procs: 1, Order: order}.Replay(jobs))
	return jobs, starts, units(starts[1])
}

func starvation(name, policy string, order sim.Order, victim, other, tick float64) *Result {
	const few, many = 5, 100
	jobs, starts, wait := starving(order, few, victim, other)
	_, _, longer := starving(order, many, victim, other)
	p := svg.Panel{Title: policy, Lanes: machines(1)}
	for i, j := range jobs {
		from := units(starts[i])
		p.Boxes = append(p.Boxes, svg.Box{
			From: from, To: from + units(j.Run), Height: 1, Class: tone(j.User), Label: amount(units(j.Run)),
			What: "submitted at " + amount(units(j.Submit)),
		})
		if i > 1 {
			p.Marks = append(p.Marks, svg.Mark{At: units(j.Submit), Label: "light"})
		}
	}
	p.Marks = append(p.Marks, svg.Mark{At: 0, Label: "both"})
	chart := svg.Gantt{
		Name: name, Legend: []svg.Key{darkGray, lightGray}, Panels: []svg.Panel{p},
		Text: fmt.Sprintf("Under %s a job of dark gray, submitted at 0, waits for all jobs of light gray, each of which comes when the one before ends.", policy),
	}
	stretch := func(wait float64) string { return amount((wait + victim) / victim) }
	numbers := []Number{
		{What: fmt.Sprintf("the wait of dark gray behind %d jobs of light gray", few), Paper: "without limit", Ours: amount(wait), Why: "It grows with the number of jobs."},
		{What: fmt.Sprintf("the wait behind %d jobs", many), Paper: "without limit", Ours: amount(longer)},
		{What: fmt.Sprintf("the stretch behind %d and %d jobs", few, many), Paper: "arbitrarily far from the optimum", Ours: stretch(wait) + ", " + stretch(longer)},
	}
	text := fmt.Sprintf("Jobs of length p = 10 and 1 on one machine. Light gray submits a job of %s whenever the one before ends; "+
		"dark gray has one of %s, submitted at 0. The thesis says that the delay has no end; %d jobs of light gray are drawn.", amount(other), amount(victim), few)
	return of(text, numbers, gantt(tick, chart))
}

func figure211(name string) *Result { return starvation(name, "LPT", sim.LPT, 1, long, 5) }

func figure212(name string) *Result { return starvation(name, "SPT", sim.SPT, long, 1, 1) }
