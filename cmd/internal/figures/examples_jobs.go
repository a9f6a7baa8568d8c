package figures

import (
	"fmt"

	"slurm-ostrich/cmd/internal/svg"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
)

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
