package ostrich

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/lengths"
)

// failer is a test, or one draw of a property.
type failer interface {
	Helper()
	Fatal(args ...any)
}

// mustStep feeds an event and fails the test if it is refused.
func mustStep(t failer, s *Schedule, e Event) {
	t.Helper()
	if err := s.Step(e); err != nil {
		t.Fatal(err)
	}
}

func mustAdvance(t failer, s *Schedule, to Time) {
	t.Helper()
	if err := s.AdvanceTo(to); err != nil {
		t.Fatal(err)
	}
}

func mustNew(t failer, o Options) *Schedule {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// submitCampaign submits a campaign of sequential jobs with the given lengths.
func submitCampaign(t failer, s *Schedule, at Time, u UserID, first JobID, lengths ...Duration) {
	t.Helper()
	for i, p := range lengths {
		mustStep(t, s, Event{At: at, Kind: Submit, Job: Job{
			ID: first + JobID(i), User: u, Group: first, Procs: 1, Estimate: p, Submit: at,
		}})
	}
}

// rounding is the tolerance of package sharing.
const rounding = 1e-6

// epoch is moment 0 of the examples on a machine: Start 0 means "not yet".
var epoch Time = 1000

// times lists the campaigns with s~ and C~, counted from a moment.
func times(s *Schedule, from Time) string {
	var out strings.Builder
	for _, c := range s.Campaigns() {
		fmt.Fprintf(&out, "%d.%d %s..%s\n", c.User, c.Number, number(c.VirtualStart-float64(from)), number(c.VirtualEnd-float64(from)))
	}
	return out.String()
}

// ids are the jobs of an order.
func ids(order []Place) []JobID {
	list := make([]JobID, len(order))
	for i, p := range order {
		list[i] = p.Job
	}
	return list
}

// A life is what drawEvents keeps of a job.
type life struct {
	Job
	running, paused bool
	held            bool
	since           Time // of the suspension
	last            Time // event
}

// drawn says what kinds of events drawEvents may draw.
type drawn struct {
	users, steps int
	tree         bool // with shares from a tree, and changes of them
	weighted     bool // the same with a single level
	groups       bool // some jobs belong to arrays
	calm         bool // nothing but submissions, starts and ends
	fixed        bool // no changes of pending jobs
	hints        bool // users say how long some jobs run, and which of theirs come later
	declared     bool // users declare some campaigns
	holds        bool // some pending jobs cannot start for a while
}

// drawEvents draws the history of a few jobs, in the order of Compare.
func drawEvents(t *rapid.T, d drawn) []Event {
	var (
		events []Event
		live   []*life
		now    Time = 1 // Start 0 means "not yet"
		next   JobID
	)
	draw := func(what string, from, to int) int { return rapid.IntRange(from, to).Draw(t, what) }
	put := func(j *life, k Kind) {
		if k != Submit && j.last == now && (k != Start || j.Submit != now) {
			now++ // what happens to one job within a second has no order
		}
		j.last = now
		events = append(events, Event{At: now, Kind: k, Job: j.Job})
	}
	lastReshare := Time(-1)
	for range draw("steps", 1, d.steps) {
		if draw("wait?", 0, 2) > 0 {
			now += Time(draw("wait", 0, 15))
		}
		i := 0
		if len(live) > 0 {
			i = draw("job", 0, len(live)-1)
		}
		action := draw("action", 0, 14)
		switch {
		case action < 5 || len(live) == 0:
			next++
			j := &life{Job: Job{
				ID: next, User: UserID(draw("user", 1, d.users)), Procs: draw("procs", 1, 3),
				Estimate: Duration(draw("estimate", 1, 60)), Submit: now, Class: uint64(draw("class", 0, 2)),
			}}
			if d.hints {
				j.Hint = Duration(max(0, draw("hint", -100, 60)))
				j.Nice = int64(max(0, draw("nice", -3, 2)))
			}
			if d.declared {
				j.Campaign = []string{"", "", "a", "b"}[draw("campaign", 0, 3)]
			}
			if d.groups && draw("grouped", 0, 2) == 0 {
				j.Group = next
				if len(live) > 0 && live[i].Group != 0 {
					j.Group, j.User = live[i].Group, live[i].User
				}
			}
			if !d.calm {
				j.Tasks = draw("tasks", 0, 2)
			}
			live = append(live, j)
			put(j, Submit)
		case action < 8: // starts or ends
			j := live[i]
			if !j.running && (action < 7 || d.calm) {
				j.Tasks = min(j.Tasks, 1)
				j.running, j.held = true, false
				put(j, Start)
				events[len(events)-1].Job.Start = now
				j.Start = now
				continue
			}
			fallthrough
		case action < 10:
			j := live[i]
			if j.running && now <= j.Start {
				now = j.Start + 1
			}
			if !d.calm {
				j.Outcome = lengths.Outcome(draw("outcome", 0, 2))
			}
			put(j, End)
			e := &events[len(events)-1]
			e.Job.End = now
			if j.paused {
				e.Job.Suspended += Duration(now - j.since)
			}
			live = slices.Delete(live, i, i+1)
		case d.calm:
		case action == 10 && (!d.fixed || live[i].running):
			j := live[i]
			j.Estimate = Duration(draw("estimate", 1, 60))
			if d.hints {
				j.Nice = int64(max(0, draw("nice", -3, 2)))
			}
			if !j.running {
				j.Procs, j.Tasks = draw("procs", 1, 3), draw("tasks", 0, 3)
				if d.declared && draw("declare", 0, 3) == 0 {
					j.Campaign = []string{"", "a", "b"}[draw("campaign", 0, 2)]
				}
			}
			put(j, Change)
		case action == 11 && live[i].running && !live[i].paused:
			j := live[i]
			j.paused = true
			put(j, Suspend)
			j.since = now
		case action == 11 && live[i].paused:
			j := live[i]
			j.paused = false
			put(j, Resume)
			j.Suspended += Duration(now - j.since)
		case action == 12 && live[i].running:
			j := live[i]
			j.running, j.paused, j.Start, j.Suspended = false, false, 0, 0
			put(j, Requeue)
		case action == 12 && d.holds:
			j, k := live[i], Hold
			if j.held = !j.held; !j.held {
				k = Release
			}
			put(j, k)
		case action == 13:
			now++
			events = append(events, Event{At: now, Kind: Capacity, Procs: draw("capacity", 0, 6)})
		case action == 14 && (d.tree || d.weighted):
			if now == lastReshare {
				now++
			}
			lastReshare = now
			events = append(events, Event{At: now, Kind: Reshare, Shares: drawShares(t, d)})
		}
	}
	slices.SortStableFunc(events, Compare)
	return events
}

// drawShares draws a division of the machine: accounts a to d, each below one
// named before it or the root, and most users somewhere.
func drawShares(t *rapid.T, d drawn) *Shares {
	s := &Shares{}
	weight := func() float64 { return float64(rapid.IntRange(1, 8).Draw(t, "weight")) / 2 }
	names := []string{""}
	if d.tree {
		for _, name := range []string{"a", "b", "c", "d"} {
			s.Accounts = append(s.Accounts, Account{
				Name: name, Parent: rapid.SampledFrom(names).Draw(t, "parent"), Weight: weight(),
			})
			names = append(names, name)
		}
	}
	for u := range d.users {
		if rapid.IntRange(0, 4).Draw(t, "placed") > 0 {
			s.Users = append(s.Users, UserShare{
				User: UserID(u + 1), Account: rapid.SampledFrom(names).Draw(t, "account"), Weight: weight(),
			})
		}
	}
	return s
}

// drawOptions draws a schedule's options.
func drawOptions(t *rapid.T) Options {
	o := drawPaper(t)
	o.Predictor = lengths.Predictor(rapid.IntRange(0, len(lengths.PredictorNames)-1).Draw(t, "predictor"))
	o.Settle = rapid.Bool().Draw(t, "settle")
	o.Grace = Duration(rapid.SampledFrom([]int{0, 1, 30}).Draw(t, "grace"))
	o.Memory = Duration(rapid.SampledFrom([]int{0, 20, 1000}).Draw(t, "memory"))
	return o
}

// drawPaper draws the options that the papers leave open.
func drawPaper(t *rapid.T) Options {
	o := Options{
		Procs:     rapid.IntRange(1, 6).Draw(t, "m"),
		Machine:   Machine(rapid.IntRange(0, 1).Draw(t, "machine")),
		Late:      Late(rapid.IntRange(0, 2).Draw(t, "late")),
		Gate:      Gate(rapid.IntRange(0, 2).Draw(t, "gate")),
		Inside:    Inside(rapid.IntRange(0, 3).Draw(t, "inside")),
		Predictor: lengths.Predictor(rapid.IntRange(0, 3).Draw(t, "predictor")),
	}
	o.Rule = drawRule(t)
	return o
}

func drawRule(t *rapid.T) campaign.Rule {
	return campaign.Rule{
		By: campaign.By(rapid.IntRange(0, int(campaign.Groups)).Draw(t, "rule")), Threshold: Duration(rapid.IntRange(1, 40).Draw(t, "threshold")),
	}
}

// A machine is the real schedule R beside the virtual one: it starts the
// first job in the order that fits (thesis 6.2), and with the gate Strict none
// whose campaign has not started virtually.
type machine struct {
	t       failer
	s       *Schedule
	m, free int
	inLine  bool               // no job passes another
	now     Time               // counted from epoch, as all times below; the schedule has absolute ones
	length  map[JobID]Duration // the true one
	jobs    map[JobID]Job
	running []Job // with End set
	starts  []Job
	ended   []Job
}

func newMachine(t failer, o Options) *machine {
	return &machine{
		t: t, s: mustNew(t, o), m: o.Procs, free: o.Procs,
		length: make(map[JobID]Duration), jobs: make(map[JobID]Job),
	}
}

// submit submits a job that runs for as long as it is expected to.
func (r *machine) submit(j Job) {
	r.t.Helper()
	j.Submit = r.now
	r.tell(Submit, j)
	r.jobs[j.ID], r.length[j.ID] = j, j.Estimate
}

func (r *machine) tell(k Kind, j Job) {
	r.t.Helper()
	j.Submit += epoch
	if k != Submit {
		j.Start += epoch
	}
	if k == End {
		j.End += epoch
	}
	mustStep(r.t, r.s, Event{At: epoch + r.now, Kind: k, Job: j})
}

// until lets the machine work up to the given time, second by second. At each
// second jobs end first, then arrive is called, then jobs start.
func (r *machine) until(end Time, arrive func(now Time)) {
	r.t.Helper()
	for ; r.now <= end; r.now++ {
		for len(r.running) > 0 && r.running[0].End == r.now {
			j := r.running[0]
			r.running = r.running[1:]
			r.free += j.Procs
			r.ended = append(r.ended, j)
			r.tell(End, j)
		}
		mustAdvance(r.t, r.s, epoch+r.now)
		if arrive != nil {
			arrive(r.now)
		}
		if r.free == 0 || len(r.jobs) == len(r.starts) {
			continue
		}
		for _, p := range r.s.Order() {
			j := r.jobs[p.Job]
			if r.inLine && j.Procs > r.free {
				break
			}
			if p.Gated && r.s.options.Gate == Strict || j.Procs > r.free {
				continue
			}
			j.Start, j.End = r.now, r.now+Time(r.length[j.ID])
			r.free -= j.Procs
			r.tell(Start, j)
			r.starts = append(r.starts, j)
			r.running = append(r.running, j)
			slices.SortFunc(r.running, func(a, b Job) int { return Compare(Event{At: a.End, Job: a}, Event{At: b.End, Job: b}) })
		}
	}
}
