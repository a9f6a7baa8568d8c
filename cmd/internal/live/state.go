package live

import (
	"cmp"
	"strings"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/priority"
)

// Source answers what a cycle does not hold. *sidecar.Sidecar is one.
type Source interface {
	Config() configuration.Config
	Live() []*ledger.Record // asked where a cycle begins anew
	UserName(id ostrich.UserID) string
}

// State keeps the comparison of one cluster. It is not safe for concurrent use.
type State struct {
	report Report
	window window
	trends *trends

	promise promise
	begun   ostrich.Time // what came before is not known

	jobs      map[ostrich.JobID]*job // that have not ended
	pools     []pool
	campaigns map[key]*openCampaign
	rule      campaign.Rule
	enforce   bool

	cycle      int
	now        ostrich.Time
	fresh      []*job       // whose campaign and expected length are to be found
	started    []*job       // since the cycle before
	running    []*job       // in reality
	generation uint64       // of the latest cycle
	due        ostrich.Time // when something may happen without an event; 0: never
	tiers      map[string]int
	overlaps   []Overlap
	depth      int // how many jobs Slurm looks at
}

type pool struct {
	name     string
	class    string // "": there are no classes
	schedule *ostrich.Schedule
	changed  bool // since the cycle before
	size     int
	overrun  bool   // a job outlives its time limit
	order    []*job // as planned in the latest cycle
	fronts   fronts
}

// New returns a comparison that knows nothing yet.
func New() *State {
	return &State{report: newReport(), trends: newTrends(), jobs: make(map[ostrich.JobID]*job), campaigns: make(map[key]*openCampaign)}
}

// Observe adds a cycle. Cycles of one sidecar must come in their order; a cycle
// after a failed one has the events of both. Observe only reads cycle, events and
// plan, and does not keep them.
func (s *State) Observe(c *sidecar.Cycle, from Source) {
	config := from.Config()
	if s.report.Cycles > 0 && s.report.Cluster != config.Cluster {
		*s = *New() // a reload has turned to another cluster
	}
	s.cycle++
	s.now = c.Time
	s.enforce = config.Writes() && c.Trial.Orders()
	s.report.cycle(c, config)
	s.trends.at(c.Time)
	if s.other(c) || (s.due != 0 && c.Time >= s.due) {
		s.process(c, from, config)
	}
	s.compareOrder(c)
}

// other reports whether anything changed since the cycle before.
func (s *State) other(c *sidecar.Cycle) bool { return c.Generation != s.generation }

// process processes a cycle in which something has changed.
func (s *State) process(c *sidecar.Cycle, from Source, config configuration.Config) {
	planned := s.other(c)
	s.generation = c.Generation
	s.tiers = make(map[string]int, len(c.Partitions))
	for _, p := range c.Partitions {
		s.tiers[p.Name] = p.PriorityTier
	}
	if o, err := config.ScheduleOptions(); err == nil { // always: the sidecar has been made from it
		s.rule = o.Rule
	}
	s.depth = cmp.Or(config.Priority.Depth, max(c.Controller.Depth(), 1))
	s.due, s.started, s.fresh = 0, nil, nil
	if c.Anew || len(s.pools) != len(c.Pools) {
		s.begin(c, from)
		planned = true
	}
	for i := range s.pools {
		s.pools[i].schedule, s.pools[i].changed = c.Pools[i].Schedule, planned
	}
	for i := range c.Events {
		s.event(&c.Events[i])
	}
	for _, j := range s.fresh {
		s.place(j)
	}
	s.overruns()
	s.note(c, from)
	s.passers()
	s.rankStarts()
	if planned {
		s.observePlan(c)
	}
	s.finish()
	s.updatePromise()
}

// begin starts anew from what is known of the unfinished jobs.
func (s *State) begin(c *sidecar.Cycle, from Source) {
	s.jobs, s.campaigns = make(map[ostrich.JobID]*job), make(map[key]*openCampaign)
	s.pools = make([]pool, len(c.Pools))
	s.running = nil
	s.begun = c.Time
	s.promise.due, s.promise.past = nil, nil
	for i, in := range c.Pools {
		s.pools[i] = pool{name: in.Pool.Name, schedule: in.Schedule, size: in.Schedule.Size()}
		if in.Class < len(c.Plan.Classes) {
			s.pools[i].class = c.Plan.Classes[in.Class]
		}
	}
	for _, r := range from.Live() {
		j := new(job)
		j.copyFrom(&r.Job)
		j.start, j.rested, j.again = r.Job.Start, r.Job.Suspended, r.Job.Start != 0
		if r.State == accounting.Suspended {
			j.paused = c.Time
		}
		s.jobs[j.id] = j
		s.place(j)
		if j.start != 0 && j.pool >= 0 {
			s.running = append(s.running, j)
		}
		s.fresh = append(s.fresh, j)
	}
}

// place finds the pool and the expected length of a job.
func (s *State) place(j *job) {
	was := j.pool
	j.pool = -1
	for i := range s.pools {
		if _, _, ok := s.pools[i].schedule.CampaignOf(j.id); ok {
			j.pool = i
			j.expect, _ = s.pools[i].schedule.Expected(j.id)
			return
		}
	}
	if len(s.pools) == 1 { // one that has ended already, or is ahead of the schedule's clock
		j.pool = 0
	} else if j.ended {
		j.pool = was
	}
	j.expect = cmp.Or(j.expect, j.estimate)
}

// event processes what has happened to a job or to the machine.
func (s *State) event(e *ostrich.Event) {
	if e.Kind == ostrich.Capacity {
		s.resize(e)
		return
	}
	j := s.jobs[e.Job.ID]
	if e.Kind == ostrich.Submit && j == nil {
		s.submit(&e.Job)
		return
	}
	if e.Kind == ostrich.Reshare || j == nil {
		return
	}
	switch e.Kind {
	case ostrich.Submit, ostrich.Change:
		if e.Job.User != j.user || e.Job.Partition != j.partition || (e.Job.Estimate != j.estimate && j.start == 0) {
			j.expect = 0
			s.fresh = append(s.fresh, j)
		}
		j.copyFrom(&e.Job)
	case ostrich.Start:
		s.start(j, e)
	case ostrich.Suspend:
		j.paused = e.At
	case ostrich.Resume:
		if j.paused != 0 {
			j.rested += ostrich.Duration(e.At - j.paused)
		}
		j.paused = 0
	case ostrich.Requeue:
		s.requeue(j)
	case ostrich.End:
		s.end(j, e)
	case ostrich.Capacity, ostrich.Reshare: // above
	case ostrich.Hold, ostrich.Release: // the plan shows which jobs cannot start
	}
}

// resize gives a pool another size, with all its classes.
func (s *State) resize(e *ostrich.Event) {
	size := cmp.Or(e.Size, e.Procs)
	for i := range s.pools {
		p := &s.pools[i]
		if p.name != e.Pool && len(s.pools) > 1 {
			continue
		}
		if size < p.size {
			for _, c := range s.campaigns {
				if c.pool == i && c.waits {
					c.blame.add(Outage)
				}
			}
		}
		p.size = size
	}
}

// submit adds a new job. A task that leaves the record of its array stands where
// the array stands.
func (s *State) submit(from *ostrich.Job) {
	j := &job{pool: -1}
	j.copyFrom(from)
	s.jobs[j.id] = j
	s.fresh = append(s.fresh, j)
	array := s.jobs[j.group]
	if array == nil || array == j || array.start != 0 || array.tasks < 2 {
		j.tier = s.tier(j.partition)
		return
	}
	array.tasks--
	j.class, j.tier, j.rank, j.lost, j.startable, j.campaign = array.class, array.tier, array.rank, array.lost, array.startable, array.campaign
}

// tier returns the highest PriorityTier of a job's partitions.
func (s *State) tier(partitions string) int {
	t := 0
	for name := range strings.SplitSeq(partitions, ",") {
		t = max(t, s.tiers[name])
	}
	return t
}

// start processes the start of a job in reality.
func (s *State) start(j *job, e *ostrich.Event) {
	if j.start != 0 {
		return
	}
	j.copyFrom(&e.Job)
	j.start = e.At
	s.waited(j)
	s.started, s.running = append(s.started, j), append(s.running, j)
	s.fresh = append(s.fresh, j)
}

// requeue lets a job wait again, as if it had never run.
func (s *State) requeue(j *job) {
	if j.campaign != nil {
		j.campaign.blame.add(Requeued)
	}
	j.start, j.paused, j.rested = 0, 0, 0
	j.rank, j.lost, j.class, j.startable, j.again = 0, false, unseen, false, true
}

// end processes the end of a job in reality.
func (s *State) end(j *job, e *ostrich.Event) {
	delete(s.jobs, j.id)
	if e.Job.Start == 0 || j.start == 0 {
		j.left, j.ended = true, true
	} else {
		j.ended, j.paused, j.rested = true, 0, e.Job.Suspended
		j.ran = max(0, ostrich.Duration(e.At-j.start)-e.Job.Suspended)
	}
	s.tally(j, e)
}

// class is what OStrich's order says of a job.
type class uint8

const (
	unseen   class = iota // was in no plan
	managed               // has a rank
	reserved              // in a reservation
	alone                 // left alone for another reason
)

// job is what is kept of a record that has not ended.
type job struct {
	id, group ostrich.JobID
	user      ostrich.UserID
	campaign  *openCampaign // nil until known
	pool      int           // -1: in none
	size      int           // of a task, see ostrich.Job.Part
	tasks     int
	estimate  ostrich.Duration // time limit
	expect    ostrich.Duration // expected length
	submit    ostrich.Time
	start     ostrich.Time // 0 while pending
	partition string

	// Of the latest plan in which it was pending.
	class     class
	startable bool // it waits for nothing but its turn
	lost      bool // the queue has it no more, and accounting has yet to tell of its start: rank is that of who stood behind it
	tier      int
	rank      int // in the pool's order; 0 without one
	planned   int // cycle of that plan

	paused ostrich.Time     // when it was suspended; 0 while not
	rested ostrich.Duration // for how long it had been before
	ended  bool
	left   bool             // it left the queue without having run
	again  bool             // its wait does not count: it was requeued, or ran before the daemon began
	ran    ostrich.Duration // once it has ended
}

// copyFrom copies what accounting says of a job.
func (j *job) copyFrom(from *ostrich.Job) {
	j.id, j.group, j.user, j.submit, j.partition = from.ID, from.Group, from.User, from.Submit, from.Partition
	j.size, j.tasks, j.estimate = from.Part(), from.Count(), from.Estimate
}

// classOf returns the class of an entry of a plan.
func classOf(e *priority.Entry) class {
	switch {
	case e.Rank > 0:
		return managed
	case e.Reservation != "":
		return reserved
	case e.Why.Code == priority.Unheard:
		return unseen
	}
	return alone
}

// standing reports whether a pending job waits because of its own state or limits,
// and returns the reason.
func standing(e *priority.Entry, c class) (Reason, bool) {
	switch {
	case e.Wait >= priority.Later, e.Why.Code == priority.NotEligible, e.Why.Code == priority.NotListed:
		return Ineligible, true
	case c == reserved, c == alone:
		return Unmanaged, true
	case e.Reason == "JobArrayTaskLimit":
		return Throttled, true
	case e.Wait == priority.Barred, !priority.ForItsTurn(e.Reason):
		return Limited, true
	}
	return NotKnown, false
}
