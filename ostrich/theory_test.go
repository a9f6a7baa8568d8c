package ostrich_test

import (
	"cmp"
	"math"
	"slices"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
)

// The theorems of thesis 5.3 and 6.5 (PPAM section 5) on random instances: the
// real schedule R is that of sim.Machine in a closed loop, the virtual one V is
// the Schedule it asks. docs/theory.md lists them with what came of it.
//
// The papers start jobs at any moment, the loop on full seconds: where a gate
// opens in between, everything may be a second late. Lengths are whole minutes
// to set that second apart from a bound that does not hold.

const minute = 60

// virtual is a Schedule as sim.OStrich has it.
type virtual interface {
	sim.CampaignRanker
	sim.Waker
	Active() int
	Campaigns() []ostrich.Campaign
	Users() []ostrich.User
}

// A witness notes what happens to V and R while V ranks.
type witness struct {
	virtual
	of      map[ostrich.JobID]int // campaign of a job as the loop numbers them
	numbers map[ostrich.UserID][]int
	seen    []seen
	jobs    []report.Job

	running         map[ostrich.JobID]ostrich.Job
	submitted, done float64 // areas
	lead            float64 // the most by which V was ahead of R when a job started
	apart           float64 // the most by which V and R differed at an event
	idle            float64 // the most by which V was ahead of R and all that ran, with idle processors
	m               int
	now             ostrich.Time
}

// seen is what a witness knows of a campaign, in seconds and processor-seconds.
type seen struct {
	report.Campaign         // t, C, W, p_max of the campaign
	before          float64 // W_{i-1}, 0 for the first
	owed            float64 // what V owed the user at t for earlier campaigns
	k               int     // the most active users from t to C
	start           float64 // s~
	completed       float64 // C~, +Inf if it was not before C
	open            int     // jobs submitted that have not ended
}

func (c *seen) t() float64    { return float64(c.Submit) }
func (c *seen) end() float64  { return float64(c.End) }
func (c *seen) work() float64 { return float64(c.Work) }

// demand is k·(W_{i-1} + W_i).
func (c *seen) demand() float64 { return float64(c.k) * (c.before + c.work()) }

// replay runs campaigns on R and V. They must not begin before 1.
func replay(t rapid.TB, l sim.Machine, o ostrich.Options, campaigns []sim.Campaign) *witness {
	t.Helper()
	w := &witness{
		of: make(map[ostrich.JobID]int), numbers: make(map[ostrich.UserID][]int),
		seen: make([]seen, len(campaigns)), running: make(map[ostrich.JobID]ostrich.Job),
	}
	for i, c := range campaigns {
		for range c.Jobs {
			w.of[ostrich.JobID(len(w.of)+1)] = i
		}
		w.numbers[c.User] = append(w.numbers[c.User], i)
		w.seen[i].completed = math.Inf(1)
	}
	l.Policy = func(m int) (sim.Ranker, error) {
		r, err := sim.OStrich(o)(m)
		if err != nil {
			return nil, err
		}
		w.virtual, w.m = r.(virtual), m
		return w, nil
	}
	var err error
	if w.jobs, err = l.Run(campaigns); err != nil {
		t.Fatal(err)
	}
	for i, c := range report.Campaigns(w.jobs) {
		w.seen[i].Campaign = c
	}
	for _, line := range w.numbers {
		for n := 1; n < len(line); n++ {
			w.seen[line[n]].before = w.seen[line[n-1]].work()
		}
	}
	return w
}

func (w *witness) Step(e ostrich.Event) error {
	if err := w.AdvanceTo(e.At); err != nil {
		return err
	}
	for _, v := range w.Campaigns() {
		c := &w.seen[w.numbers[v.User][v.Number-1]]
		if v.Started {
			c.start = v.VirtualStart
		}
		if v.Completed {
			c.completed = v.VirtualEnd
		}
	}
	owed := 0.0
	c := &w.seen[w.of[e.Job.ID]]
	for _, u := range w.Users() {
		owed += float64(u.Owed)
		if e.Kind == ostrich.Submit && c.open == 0 && u.User == e.Job.User {
			c.owed = float64(u.Owed)
		}
	}
	executed, remains, busy := w.done, 0.0, 0
	for _, j := range w.running {
		executed += float64(j.Procs) * float64(e.At-j.Start)
		remains += float64(j.Procs) * float64(j.Start+ostrich.Time(j.Estimate)-e.At)
		busy += j.Procs
	}
	lead := w.submitted - owed - executed
	w.apart = max(w.apart, math.Abs(lead))
	if e.At > w.now && busy < w.m { // since the last event
		w.idle = max(w.idle, lead-remains)
	}
	w.now = e.At
	switch e.Kind {
	case ostrich.Submit:
		c.open++
		w.submitted += float64(e.Job.Procs) * float64(e.Job.Estimate)
	case ostrich.Start:
		w.lead = max(w.lead, lead)
		w.running[e.Job.ID] = e.Job
	case ostrich.End:
		c.open--
		delete(w.running, e.Job.ID)
		w.done += float64(e.Job.Procs) * float64(e.Job.End-e.Job.Start)
	default:
	}
	err := w.virtual.Step(e)
	for i := range w.seen {
		if c := &w.seen[i]; c.open > 0 {
			c.k = max(c.k, w.Active())
		}
	}
	return err
}

// longest is p_max of all jobs.
func longest(list []seen) float64 {
	p := ostrich.Duration(0)
	for i := range list {
		p = max(p, list[i].Longest)
	}
	return float64(p)
}

// drawWorkload draws closed loops of some users with jobs of up to half an
// hour, a good part of them of the two extremes.
func drawWorkload(t *rapid.T, widest int) []sim.Campaign {
	length := rapid.OneOf(rapid.IntRange(1, 30), rapid.SampledFrom([]int{1, 30}))
	width := rapid.OneOf(rapid.IntRange(1, widest), rapid.SampledFrom([]int{1, widest}))
	var list []sim.Campaign
	for u := range rapid.IntRange(1, 6).Draw(t, "users") {
		at := ostrich.Time(rapid.IntRange(1, 20*minute).Draw(t, "arrival"))
		for range rapid.IntRange(1, 4).Draw(t, "campaigns") {
			think := ostrich.Duration(rapid.IntRange(0, 10*minute).Draw(t, "think"))
			var jobs []sim.Job
			for range rapid.IntRange(1, 10).Draw(t, "jobs") {
				jobs = append(jobs, task(width.Draw(t, "procs"), length.Draw(t, "minutes")*minute))
			}
			list = append(list, sim.NewCampaign(ostrich.UserID(u+1), at, think, jobs...))
		}
	}
	return inOrder(list)
}

// inOrder sorts campaigns as sim.Machine wants them, those of a user as they are.
func inOrder(list []sim.Campaign) []sim.Campaign {
	slices.SortStableFunc(list, func(a, b sim.Campaign) int { return cmp.Compare(a.Submit, b.Submit) })
	return list
}

func task(procs, length int) sim.Job {
	return sim.Job{Procs: procs, Run: ostrich.Duration(length), Estimate: ostrich.Duration(length)}
}

// tasks are n jobs alike.
func tasks(n, procs, length int) []sim.Job {
	return slices.Repeat([]sim.Job{task(procs, length)}, n)
}
