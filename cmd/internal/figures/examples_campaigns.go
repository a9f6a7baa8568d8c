package figures

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/svg"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/policy"
	"slurm-ostrich/ostrich/sim"
)

func figure33(name string) *Result {
	const m, p, sigma = 3, 10, 2
	var campaigns []policy.Campaign
	for range sigma {
		campaigns = append(campaigns, tasked(1, p, p, p), tasked(2, 1, 1, 1))
	}
	machine := policy.Machine{Procs: m}
	fcfs, fair := must(machine.FCFS(campaigns)), must(machine.FairCamp(campaigns, 0))
	submitted := func(s policy.Schedule) []svg.Mark {
		var list []svg.Mark
		for i := range s {
			c := &s[i]
			list = append(list, svg.Mark{At: float64(c.Submit), Label: fmt.Sprintf("%d.%d", campaigns[c.Campaign].User, c.Number)})
		}
		return list
	}
	chart := svg.Gantt{
		Name: name, Legend: twoUsers,
		Text: "Two users with two campaigns of three jobs each. Under FCFS user 2, whose jobs have length 1, waits for jobs of length 10 twice; the optimum runs both campaigns of user 2 first.",
		Panels: []svg.Panel{
			{Title: "FCFS", Lanes: machines(m), Boxes: blocks(fcfs, campaigns, twoUsers), Marks: submitted(fcfs)},
			{Title: "optimum", Lanes: machines(m), Boxes: blocks(fair, campaigns, twoUsers), Marks: submitted(fair)},
		},
	}
	numbers := []Number{
		{What: "max-stretch of FCFS, for p = 10", Paper: "(2p + 2)/2 = 11", Ours: "(2p + 2)/2 = " + amount(fcfs.MaxStretch(campaigns, m))},
		{What: "the optimal max-stretch", Paper: "(2p + 2)/(2p) = 1.1", Ours: "(2p + 2)/(2p) = " + amount(fair.MaxStretch(campaigns, m))},
	}
	text := "k = 2, σ = 2, m = 3 and p = 10; the thesis leaves m and p open. A user's second campaign is submitted when the first has ended; submissions are marked as user.campaign. " +
		"The lower schedule is that of FairCamp, which is optimal here; a test compares it with every order of the campaigns (TestFigure33)."
	return of(text, numbers, gantt(2, chart))
}

// fairCamp returns the example of thesis 4.2.
func fairCamp() ([]policy.Campaign, policy.Schedule) {
	campaigns := []policy.Campaign{tasked(1, 5), tasked(1, 3), tasked(2, 3), tasked(2, 3), tasked(2, 10)}
	return campaigns, must(policy.Machine{Procs: 1}.FairCamp(campaigns, 2))
}

func figure41(name string) *Result {
	campaigns, s := fairCamp()
	p := svg.Panel{Title: "deadlines", Lanes: []string{"user 1", "user 2"}}
	before := make(map[ostrich.UserID]ostrich.Time)
	var numbers []Number
	paper := map[[2]int]string{{1, 1}: "10", {1, 2}: "16", {2, 1}: "6", {2, 2}: "12", {2, 3}: "32"}
	byUser := slices.Clone(s)
	slices.SortStableFunc(byUser, func(a, b policy.Placed) int {
		return int(campaigns[a.Campaign].User) - int(campaigns[b.Campaign].User)
	})
	for _, c := range byUser {
		u := campaigns[c.Campaign].User
		work := amount(float64(campaigns[c.Campaign].Work()))
		p.Boxes = append(p.Boxes, svg.Box{
			From: float64(before[u]), To: float64(c.Deadline), Top: float64(u - 1), Height: 1, Class: twoUsers[u-1].Class,
			Label: "2·" + work, What: fmt.Sprintf("campaign %d of user %d has the deadline %d", c.Number, u, c.Deadline),
		})
		p.Lines = append(p.Lines, svg.Mark{At: float64(c.Deadline), Label: fmt.Sprint(c.Deadline), Lane: int(u)})
		before[u] = c.Deadline
		numbers = append(numbers, Number{
			What:  fmt.Sprintf("deadline of campaign %d of user %d", c.Number, u),
			Paper: paper[[2]int{int(u), c.Number}], Ours: fmt.Sprint(c.Deadline),
		})
	}
	chart := svg.Gantt{
		Name: name, Legend: twoUsers, Panels: []svg.Panel{p},
		Text: "Deadlines of the campaigns of two users on a line of time: 10 and 16 of user 1; 6, 12 and 32 of user 2.",
	}
	text := "Each box reaches from the deadline of the user's campaign before to that of the campaign, k = 2 times its length (equation 4.1). " +
		"HiPC 2012 (VI.C) prints 22 for the last deadline, which leaves the factor out; its schedule would miss that."
	return of(text, numbers, gantt(2, chart))
}

func figure42(name string) *Result {
	campaigns, s := fairCamp()
	p := svg.Panel{Title: "schedule, with deadlines", Lanes: machines(1)}
	var order []string
	met, early := true, true
	for i := range s {
		c := &s[i]
		u := campaigns[c.Campaign].User
		p.Boxes = append(p.Boxes, svg.Box{
			From: float64(c.Start), To: float64(c.End), Height: 1, Class: twoUsers[u-1].Class, Label: fmt.Sprintf("#%d", c.Number),
			What: fmt.Sprintf("campaign %d of user %d, submitted at %d, due at %d", c.Number, u, c.Submit, c.Deadline),
		})
		p.Lines = append(p.Lines, svg.Mark{At: float64(c.Deadline), Label: fmt.Sprint(c.Deadline)})
		met = met && (i == 0 || s[i-1].Deadline <= c.Deadline)
		early = early && c.End <= c.Deadline
		order = append(order, fmt.Sprintf("%d of user %d", c.Number, u))
	}
	chart := svg.Gantt{
		Name: name, Legend: twoUsers, Panels: []svg.Panel{p},
		Text: "The five campaigns one after the other, by their deadlines, which are dashed lines at 6, 10, 12, 16 and 32; the last campaign ends at 24.",
	}
	numbers := []Number{
		{What: "campaigns run in the order of their deadlines", Paper: "yes", Ours: yes(met)},
		{What: "all end before their deadlines", Paper: "yes", Ours: yes(early)},
		{What: "the order", Ours: strings.Join(order, ", ")},
		{What: "the end of the last campaign", Ours: fmt.Sprint(s[len(s)-1].End)},
	}
	return of("The campaigns of Fig. 4.1, scheduled by FairCamp. Their numbers are in the boxes.", numbers, gantt(2, chart))
}

// linked returns the log of figure 5.3: submission, start and end of seven jobs,
// chosen so that every sentence of the thesis about it is true.
func linked() []sim.Job {
	times := [7][3]float64{{0, 0, 3}, {1, 2, 6}, {4, 5, 12}, {5, 6, 8}, {7, 8, 10}, {11, 11, 16}, {14, 15, 18}}
	log := make([]sim.Job, len(times))
	for i, t := range times {
		log[i] = sim.Job{
			ID: ostrich.JobID(i + 1), User: 1, Submit: ostrich.Time(seconds(t[0])), Procs: 1,
			Run: seconds(t[2] - t[1]), Estimate: seconds(t[2] - t[1]), Start: ostrich.Time(seconds(t[1])),
		}
	}
	return log
}

const linkedText = "The times of the seven jobs are in the lost figure. Those here were chosen so that every sentence of the text holds: " +
	"jobs 4 and 5 end before job 3, and only job 6 overlaps both job 3 and job 7."

func figure53(name string) *Result {
	log := linked()
	campaigns := must(sim.Campaigns(log, campaign.Rule{By: campaign.Max}))
	without := must(sim.Campaigns(slices.Concat(log[:5], log[6:]), campaign.Rule{By: campaign.Max}))
	p := svg.Panel{Title: "jobs of a user"}
	latest, after := 0.0, make([]float64, len(log)) // the latest end, by the job included last
	for i, l := range log {
		from, to := units(l.Start), units(l.Start)+units(l.Run)
		p.Lanes = append(p.Lanes, fmt.Sprintf("job %d", l.ID))
		if s := units(l.Submit); s < from {
			p.Boxes = append(p.Boxes, svg.Box{From: s, To: from, Top: float64(i), Height: 1, What: "waits"})
		}
		p.Boxes = append(p.Boxes, svg.Box{
			From: from, To: to, Top: float64(i), Height: 1, Class: mediumGray.Class, Label: fmt.Sprintf("(%d)", l.ID),
			What: fmt.Sprintf("submitted at %s, runs from %s to %s", amount(units(l.Submit)), amount(from), amount(to)),
		})
		p.Marks = append(p.Marks, svg.Mark{At: units(l.Submit), Label: fmt.Sprintf("(%d)", l.ID)})
		latest = max(latest, to)
		after[i] = latest
	}
	chart := svg.Gantt{
		Name: name, Panels: []svg.Panel{p}, Legend: []svg.Key{{Class: mediumGray.Class, Name: "runs (hatched: waits)"}},
		Text: "Seven jobs of a user, each submitted before the latest end of those before it: one campaign. Job 6 links job 7 to the others.",
	}
	sizes := func(list []sim.Campaign) string {
		jobs := format.Texts(list, func(c sim.Campaign) string { return format.Plural(len(c.Jobs), "job") })
		return fmt.Sprintf("%d: %s", len(list), strings.Join(jobs, " and "))
	}
	numbers := []Number{
		{What: "campaigns", Paper: "1: 7 jobs", Ours: sizes(campaigns)},
		{What: "campaigns without job 6", Paper: "2: 5 jobs and 1 job", Ours: sizes(without)},
		{What: "the latest end is that of job 3 after jobs 4 and 5", Paper: "yes", Ours: yes(after[3] == after[2] && after[4] == after[2])},
	}
	return of("A job joins the campaign if it was submitted before the latest end of the campaign's jobs so far. "+linkedText, numbers, gantt(1, chart))
}

// depends lists the edges of the dependency graph of a campaign after transitive
// reduction. A job needs the first Needs jobs that ended; the list leaves out
// those that it needs through another one.
func depends(log []sim.Job, c *sim.Campaign) ([][2]int, error) {
	end := func(i int) ostrich.Time { return log[i].Start + ostrich.Time(log[i].Run) }
	ended := sorted(len(log), func(a, b int) int { return int(end(a) - end(b)) })
	needs := func(j, i int) bool { return slices.Contains(ended[:c.Depends.Needs[j]], i) }
	var edges [][2]int
	successors := make([]int32, len(log))
	for j := range log {
		for i := range log {
			through := slices.ContainsFunc(ended, func(k int) bool { return needs(j, k) && needs(k, i) })
			if needs(j, i) && !through {
				edges = append(edges, [2]int{i, j})
				successors[i]++
			}
		}
	}
	for i, n := range c.Depends.Successors { // the simulator sorts ready jobs by these
		if n != successors[i] {
			return nil, fmt.Errorf("job %d has %d immediate successors, but the simulator counts %d", c.Jobs[i].ID, successors[i], n)
		}
	}
	return edges, nil
}

func figure54(name string) *Result {
	log := linked()
	list := must(sim.Campaigns(log, campaign.Rule{By: campaign.Max}))
	sim.Depend(list)
	campaign := &list[0] // the only one, see Fig. 5.3
	edges := must(depends(log, campaign))
	nodes := format.Texts(log, func(l sim.Job) string { return strconv.Itoa(int(l.ID)) })
	arrows := strings.Join(format.Texts(edges, func(e [2]int) string { return nodes[e[0]] + "→" + nodes[e[1]] }), ", ")
	all := 0
	for _, needs := range campaign.Depends.Needs {
		all += int(needs)
	}
	numbers := []Number{
		{What: "dependencies", Ours: strconv.Itoa(all)},
		{What: "left by the transitive reduction", Ours: fmt.Sprintf("%d: %s", len(edges), arrows)},
	}
	text := "A job depends on all jobs of the campaign that had ended by its submission; edges that follow from others are taken away. " +
		linkedText + " So the edges need not be those of the thesis."
	return of(text, numbers,
		graph(name, "The dependencies of the seven jobs of Fig. 5.3 as arrows: "+arrows+".", nodes, edges, []int{0, 1, 0, 1, 2, 0, 1}))
}
