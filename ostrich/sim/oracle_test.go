package sim_test

import (
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
)

// An oracle replays second by second and asks the schedule for its whole
// order before each start. It knows dependencies as pairs of logged jobs.
type oracle struct {
	loop      sim.Machine
	schedule  *ostrich.Schedule
	campaigns []sim.Campaign
	jobs      []*oracleJob
}

type oracleJob struct {
	report.Job
	id                    ostrich.JobID // as the schedule knows it
	task                  *sim.Job
	successors            int32
	needs                 []*oracleJob
	submitted, ready, ran bool
}

func (o *oracle) of(campaign int) (list []*oracleJob) {
	for _, j := range o.jobs {
		if j.Campaign == campaign {
			list = append(list, j)
		}
	}
	return list
}

func newOracle(t rapid.TB, l sim.Machine, options ostrich.Options, log []sim.Job, campaigns []sim.Campaign) *oracle {
	options.Procs = l.Procs
	options.Rule = campaign.Rule{By: campaign.Groups}
	s, err := ostrich.New(options)
	if err != nil {
		t.Fatal(err)
	}
	o := &oracle{loop: l, schedule: s, campaigns: campaigns}
	for n, c := range o.campaigns {
		var submit, end []ostrich.Time
		for _, task := range c.Jobs {
			o.jobs = append(o.jobs, &oracleJob{
				Job: report.Job{ID: task.ID, User: c.User, Campaign: n, Procs: task.Procs, Estimate: task.Estimate}, id: ostrich.JobID(len(o.jobs) + 1), task: task,
			})
			l := log[slices.IndexFunc(log, func(l sim.Job) bool { return l.ID == task.ID })]
			submit, end = append(submit, l.Submit), append(end, l.Start+ostrich.Time(l.Run))
		}
		jobs := o.of(n)
		_, successors := dependencies(submit, end)
		for i := range jobs {
			jobs[i].successors = successors[i]
			for k := range jobs {
				if end[k] <= submit[i] {
					jobs[i].needs = append(jobs[i].needs, jobs[k])
				}
			}
		}
	}
	return o
}

// run replays from the first submission on. The schedule does not know the
// moment 0. Whether tags that ought to be equal are so in floating point depends
// on the moments, so it is told the same later ones.
func (o *oracle) run(t rapid.TB) []report.Job {
	epoch := max(0, 1-o.campaigns[0].Submit)
	coming := make(map[int]ostrich.Time) // submissions of campaigns
	next := func(n int) int {
		for k := n + 1; k < len(o.campaigns); k++ {
			if o.campaigns[k].User == o.campaigns[n].User {
				return k
			}
		}
		return -1
	}
	seen := make(map[ostrich.UserID]bool)
	for n, c := range o.campaigns {
		if o.loop.Open || !seen[c.User] {
			coming[n] = c.Submit
		}
		seen[c.User] = true
	}
	free := o.loop.Procs
	for now := o.campaigns[0].Submit; ; now++ {
		if now > 10_000 {
			t.Fatal("never done")
		}
		tell := func(k ostrich.Kind, j *oracleJob) {
			e := ostrich.Event{At: epoch + now, Kind: k, Job: ostrich.Job{
				ID: j.id, User: j.User, Group: o.of(j.Campaign)[0].id, Procs: j.Procs, Estimate: j.task.Estimate,
			}}
			if k != ostrich.Submit {
				e.Job.Start = epoch + j.Start
			}
			if k == ostrich.End {
				e.Job.End = epoch + now
			}
			e.Job.Submit = epoch + coming[j.Campaign]
			if o.loop.Offsets {
				e.Job.Submit += j.task.Submit - o.campaigns[j.Campaign].Submit
			}
			if err := o.schedule.Step(e); err != nil {
				t.Fatal(err)
			}
		}
		ended := func(j *oracleJob) bool { return j.ran && j.End <= now }
		done := true
		for _, j := range o.jobs {
			if j.ran && j.End == now {
				free += j.Procs
				tell(ostrich.End, j)
				if n := next(j.Campaign); !o.loop.Open && n >= 0 && !slices.ContainsFunc(o.of(j.Campaign), func(j *oracleJob) bool { return !ended(j) }) {
					coming[n] = now + ostrich.Time(o.campaigns[n].Think)
				}
			}
			done = done && ended(j)
		}
		if done {
			break
		}
		for _, j := range o.jobs {
			at, ok := coming[j.Campaign]
			if o.loop.Offsets {
				at += j.task.Submit - o.campaigns[j.Campaign].Submit
			}
			if ok && at == now {
				tell(ostrich.Submit, j)
				j.submitted = true
			}
			if j.submitted && !j.ready && (!o.loop.Dependencies || !slices.ContainsFunc(j.needs, func(n *oracleJob) bool { return !ended(n) })) {
				j.ready, j.Submit = true, now
			}
		}
		if err := o.schedule.AdvanceTo(epoch + now); err != nil {
			t.Fatal(err)
		}
		for j := o.pick(free); j != nil; j = o.pick(free) {
			j.ran, j.Start, j.End = true, now, now+ostrich.Time(j.task.Run)
			free -= j.Procs
			tell(ostrich.Start, j)
		}
	}
	list := make([]report.Job, len(o.jobs))
	for i, j := range o.jobs {
		list[i] = j.Job
	}
	return list
}

// pick is the job to start next. Among the ready ones of the campaign that
// comes first in the order, those with most successors go first.
func (o *oracle) pick(free int) *oracleJob {
	held := make(map[[2]int]bool) // is told by the ranking only
	for _, r := range o.schedule.Ranking() {
		held[[2]int{int(r.Lead), r.Stage}] = r.Held
	}
	order := o.schedule.Order()
	part := func(p ostrich.Place) [2]int {
		stage, _ := o.schedule.StageOf(p.Job)
		return [2]int{int(p.Lead), stage}
	}
	for len(order) > 0 {
		n := 1
		for n < len(order) && part(order[n]) == part(order[0]) {
			n++
		}
		var ready []*oracleJob
		for _, p := range order[:n] {
			if j := o.jobs[p.Job-1]; j.ready && !held[part(order[0])] {
				ready = append(ready, j)
			}
		}
		if o.loop.Dependencies {
			slices.SortStableFunc(ready, func(a, b *oracleJob) int { return int(b.successors - a.successors) })
		}
		for _, j := range ready {
			if j.Procs <= free {
				return j
			}
			if o.loop.Backfill == sim.None {
				return nil
			}
		}
		order = order[n:]
	}
	return nil
}

// drawLoop draws a loop and the options of its schedule.
func drawLoop(t *rapid.T) (sim.Machine, ostrich.Options) {
	l := sim.Machine{
		Procs:        rapid.IntRange(1, 4).Draw(t, "m"),
		Inside:       rapid.SampledFrom([]ostrich.Inside{ostrich.LPT, ostrich.SPT, ostrich.Submission, ostrich.LJF}).Draw(t, "inside"),
		Backfill:     rapid.SampledFrom([]sim.Backfill{sim.None, sim.Greedy}).Draw(t, "backfill"),
		Open:         rapid.Bool().Draw(t, "open"),
		Offsets:      rapid.Bool().Draw(t, "offsets"),
		Dependencies: rapid.Bool().Draw(t, "dependencies"),
	}
	o := ostrich.Options{
		Machine: rapid.SampledFrom([]ostrich.Machine{ostrich.Sequential, ostrich.Parallel}).Draw(t, "machine"),
		Gate:    rapid.SampledFrom([]ostrich.Gate{ostrich.Strict, ostrich.Demote, ostrich.Off}).Draw(t, "gate"),
		Late:    rapid.SampledFrom([]ostrich.Late{ostrich.Reopen, ostrich.Grow, ostrich.Append}).Draw(t, "late"),
		Inside:  l.Inside,
	}
	if o.Gate == ostrich.Strict && o.Machine == ostrich.Parallel {
		o.Machine = ostrich.Sequential // where nothing runs, no gate opens
	}
	l.Policy = sim.OStrich(o)
	return l, o
}

func TestLoopOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, options := drawLoop(t)
		log := drawLog(t, l.Procs, false)
		rule := campaign.Rule{By: rapid.SampledFrom([]campaign.By{campaign.Max, campaign.Groups}).Draw(t, "rule")} // Groups: each job is a campaign
		campaigns, err := sim.Campaigns(log, rule)
		if err != nil {
			t.Fatal(err)
		}
		sim.Depend(campaigns)
		drawLimits(t, campaigns)
		want := newOracle(t, l, options, log, campaigns).run(t)
		got := mustRun(t, l, campaigns)
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatalf("second by second - by events +\n%s", diff)
		}
	})
}
