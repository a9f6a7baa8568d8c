// Package replay replays the jobs of a site, as its accounting has them, under other policies, with
// its configuration of Slurm: compare. Package comparison compares the runs.
package replay

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/simulation"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/multifactor"
	"slurm-ostrich/ostrich/plural"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/slurm"
)

// Setup is what is known of the site besides its jobs. With the zero value all
// users are equal and Slurm has its defaults.
type Setup struct {
	Controller *priority.Controller // slurmctld's configuration
	Partitions []priority.Partition
	Records    []slurm.Record         // nodes, partitions, reservations and configuration of Slurm's files; none: no nodes are known
	Events     []accounting.NodeEvent // outages of nodes
	Reserved   []accounting.Reservation
	Present    bool             // Records are what slurmctld has now, not what it had when the jobs ran
	Site       *accounting.Site // association tree and QOS
	Procs      int              // of the machine; 0 is what the history says
	Nodes      int              // the same
	Counted    sidecar.Counted  // by what OStrich counts work; the zero value is by processors
	Location   *time.Location   // where slurmctld is, for PriorityUsageResetPeriod; nil is UTC

	Options ostrich.Options // of OStrich's schedule, but for Procs
	Weight  bool            // priorities are written in mode weight: there are no classes, as Slurm adds QOS and partition itself
	ClassBy priority.ClassBy
	Divided bool           // the setting pools is not empty: what shares no nodes has a virtual schedule of its own
	Measure campaign.Rule  // makes the campaigns in which every policy is measured
	Tree    bool           // OStrich divides by the association tree, not evenly among users
	Run     simulation.Run // how the jobs are replayed

	Identical bool // all processors are taken as identical, whatever is known of nodes

	Happened bool // only what happened is looked at: nothing is assumed of the configuration
	Cut      bool // the window begins while jobs run and wait; else it may begin with a machine that was idle
}

// Study holds the jobs of a site, and how they are to be scheduled: by its Setup,
// with the options that the run chooses and the size of the machine.
type Study struct {
	Setup

	// Jobs are those that ran, and unfinished and cancelled ones that stood in their way, by
	// arrival. Job i has the id i+1, and a user that Users names.
	Jobs  []Job
	Users []User // by ostrich.UserID−1
	Pools []Pool

	Shares    *ostrich.Shares // nil is an even division
	Priority  multifactor.Config
	Scheduler sim.Scheduler
	Classes   ostrich.Classes // of OStrich's order

	Notes []string // what was changed or assumed
	left  leftOut

	unlimited []string   // notes on limits of Slurm's schedulers that they have on nodes only
	placement *placement // on nodes; nil: all processors are identical

	byJob      bool                                // OStrich finds campaigns itself, as ostrichd does, and lists job by job
	cancels    bool                                // Replay has the jobs that were cancelled while they waited
	everything bool                                // Replay returns the jobs that are not measured, too
	told       func(job ostrich.JobID, on []int32) // is called with each job that starts on nodes; may be nil

	open map[int]bool // campaigns, by number, with jobs that had not ended

	vain []Job // runs of jobs that were preempted and go on in another row; nil once the phase is known

	used func(*multifactor.Config) // see usedBefore; nil once the phase is known

	split *splits // what replays of the same jobs share
}

// splits are the campaigns that rules find in the recorded times. Replays do not change them.
type splits struct {
	sync.Mutex
	of map[splitBy]found
}

// found are campaigns, and their jobs as replays number them.
type found struct {
	campaigns []sim.Campaign
	jobs      []*sim.Job
}

// splitBy is a rule for the jobs of a pool.
type splitBy struct {
	pool int
	rule campaign.Rule
}

// campaignsOf returns the campaigns that a rule finds in a pool, the same for all replays.
func (s *Study) campaignsOf(pool int, rule campaign.Rule) (found, error) {
	s.split.Lock()
	defer s.split.Unlock()
	by := splitBy{pool, rule}
	list, known := s.split.of[by]
	if !known {
		var err error
		if list.campaigns, err = s.campaigns(pool, rule); err != nil {
			return list, err
		}
		list.jobs = sim.JobsOf(list.campaigns)
		s.split.of[by] = list
	}
	return list, nil
}

// Job is a job of a site.
type Job struct {
	sim.Job
	Slurm    ostrich.JobID    // what Slurm calls it
	priority uint32           // when it was submitted; 0 if that is not known
	wants    *wants           // shared with jobs that ask for the same
	came     ostrich.Time     // the submission as recorded
	aged     ostrich.Duration // how long it, or its array, had been eligible when it came
	pool     int32            // of Study.Pools
	campaign int32            // in which it is measured; below 0 if it is not
	where    int32            // of the history: the nodes on which it ran

	open       bool // it had not ended
	cancelled  bool // while it waited, at its Start
	backfilled bool // the backfill scheduler started it
}

// User competes with others: it is a user, or with Setup.Tree a user in an account.
type User struct{ Name, Account string }

// ErrNoJobs means that no job of a history can be replayed.
var ErrNoJobs = errors.New("no job ran in the window")

// New prepares a history to be replayed.
func New(history *accounting.History, setup Setup) (*Study, error) {
	own := *history // place may complete its jobs
	h := &own
	s := &Study{Setup: setup, cancels: true, Notes: slices.Clone(h.Notes), split: &splits{of: make(map[splitBy]found)}}
	s.Procs, s.Nodes = cmp.Or(setup.Procs, h.Procs), cmp.Or(setup.Nodes, h.Nodes)
	if s.Run.Closed {
		s.Notes = append(s.Notes, "Closed loop: under every policy a user's next campaign comes when the last one has ended and the recorded think time has passed. OStrich finds campaigns in what comes, by its own rule.")
	}
	if err := s.findPools(h, setup.Procs, setup.Nodes); err != nil {
		return nil, err
	}
	notes := s.Notes
	if err := s.configure(h); err != nil {
		return nil, err
	}
	s.findClasses()
	if s.Happened {
		s.Notes = notes
	}
	if err := s.place(h); err != nil {
		return nil, err
	}
	if s.placement == nil && !s.Happened {
		s.Notes = append(s.Notes, s.unlimited...)
	}
	s.notePools()
	if err := s.addJobs(h); err != nil {
		return nil, err
	}
	if s.Tree {
		s.Shares = s.divide()
	}
	return s, s.number()
}

// addJobs adds the jobs that ran. Those that ended before the window count as
// usage only. If only what happened is looked at, others are not measured, and need
// no length.
func (s *Study) addJobs(h *accounting.History) error {
	users := make(map[User]ostrich.UserID)
	var before []*accounting.Job // these ended before the window
	left := &s.left
	gone := 0
	var opened []ostrich.Duration // how long the jobs that had not ended had run
	var parts []float64           // of their limits that jobs ran
	first, wanted := s.rejoined(h), make(map[wantsKey]*wants)
	s.Jobs = make([]Job, 0, allTasks(h))
	for i := range h.Jobs {
		j := &h.Jobs[i]
		waited := s.waited(h, j)
		switch {
		case first[i] < 0 && j.End >= h.From:
			if j.Start > 0 {
				s.vain = append(s.vain, Job{Job: sim.Job{Submit: j.Came(), Run: j.Ran(), Start: j.Start, Suspended: j.End - j.Start - ostrich.Time(j.Ran())}, wants: s.wanted(h, j, wanted), came: j.Submit})
			}
			continue // it goes on in another row
		case j.Start == 0 && (j.End != 0 || j.Eligible == 0) && !waited:
			left.count(j, 0)
			left.add(s.placement.unstarted(j), j, 0)
			continue
		case j.End != 0 && j.End < j.Start || j.Start != 0 && j.Start < j.Submit || j.Procs < 1:
			left.count(j, 0)
			left.add(impossible, j, 0)
			continue
		case j.End != 0 && j.End < h.From:
			before = append(before, j)
			continue
		}
		limit := cmp.Or(j.Limit, s.Priority.Partitions[j.Partition].MaxTime)
		if j.End == 0 && j.Start != 0 && lastSeen(h, j, limit) < h.From {
			left.count(j, 0)
			left.add(lostEnd, j, 0)
			continue
		}
		ran := ranSoFar(h, j, limit)
		left.count(j, ran)
		pool := s.poolOf(h.Partitions[j.Partition])
		if pool < 0 {
			left.add(nodeless, j, ran)
			continue
		}
		if s.placement.hopeless(j) {
			left.add(forEver, j, ran)
			continue
		}
		l := Job{
			Job: sim.Job{
				ID: ostrich.JobID(len(s.Jobs) + 1), Submit: j.Submit, Start: j.Start, Procs: int(j.Procs), Class: j.Class, Array: j.Array, Outcome: j.State.Outcome(),
				Tier: int32(s.Priority.Partitions[j.Partition].Tier),
			},
			Slurm: j.ID, wants: s.wanted(h, j, wanted), came: j.Submit, pool: int32(pool), where: j.Where, backfilled: j.Backfilled, priority: j.Priority,
		}
		if came := j.Came(); first[i] == 0 && came > j.Submit {
			l.Submit, l.priority = came, 0 // the recorded priority is that at the submission
			left.add(lateEligible, j, ran)
		}
		if unit := s.Counted.Unit; unit != nil {
			units := j.Units
			if unit.Charges() {
				units *= max(0, s.Priority.QOS[j.QOS].UsageFactor)
			}
			l.Size = unit.Size(units, uint64(j.Procs))
		}
		if m := s.Pools[pool].Procs; l.Procs > m {
			l.Procs = m
			left.add(tooWide, j, ran)
		}
		if s.placement.pins(j) {
			l.Submit, l.campaign = j.Start, -1
			left.add(pinned, j, ran)
		}
		if s.placement != nil {
			l.Request = s.placement.ask(j, s.placement.pins(j), func(what leaving) { left.add(what, j, ran) })
		}
		left.asks(h, j, ran, s.placement)
		switch {
		case waited: // it stands in the way of others until then, and has done no work
			l.campaign, l.cancelled = -1, true
			gone += j.Count()
			left.add(cancelled, j, 0)
			l.Start, l.Run, l.Suspended, l.priority = j.End, 1, -1, 0
			limit = cmp.Or(limit, day)
		case j.End == 0: // it stands in the way of others all the same
			l.campaign, l.open = -1, true
			opened = append(opened, slices.Repeat([]ostrich.Duration{ran}, j.Count())...)
			left.add(unfinished, j, ran)
			l.Start = cmp.Or(j.Start, max(l.Submit, h.To)) // a job that waits starts no sooner
			l.Run = cmp.Or(limit, day)
		case j.End == j.Start:
			left.add(instant, j, ran)
			l.Run = 1
		default:
			l.Run, l.Suspended = max(1, j.Ran()), j.End-j.Start-ostrich.Time(max(1, j.Ran()))
		}
		left.has(j, ran, s.preempts())
		if named, _, _ := strings.Cut(h.NeedsOf(j).Partitions, ","); j.Array != 0 && j.Start != j.Submit || named != "" && named != h.Partitions[j.Partition] {
			l.priority = 0 // a task has a record of its own, and a recorded priority, only from when it starts; the priority is that in the partition named first
		}
		if j.End != 0 && limit > 0 && !waited {
			parts = append(parts, float64(l.Run)/float64(limit))
		}
		s.arrive(&l, h.From, j, first[i], ran)
		l.Run = min(l.Run, sim.Longest)
		l.Estimate = min(cmp.Or(limit, l.Run), sim.Longest)
		l.Estimate = max(l.Estimate, l.Run)
		if s.placement != nil && j.Resized {
			l.Request = s.placement.ask(&accounting.Job{Partition: j.Partition, QOS: j.QOS, Association: j.Association, Procs: j.Procs, Asked: j.Procs}, false, func(leaving) {})
		}
		a := h.Associations[j.Association]
		user := User{Name: a.User}
		if s.Tree {
			user = User{Name: a.User, Account: a.Account}
		}
		id, ok := users[user]
		if !ok {
			id = ostrich.UserID(len(users) + 1)
			users[user] = id
			s.Users = append(s.Users, User{Name: a.User, Account: a.Account})
		}
		l.User = id
		for range j.Count() {
			l.ID = ostrich.JobID(len(s.Jobs) + 1)
			s.Jobs = append(s.Jobs, l)
		}
	}
	switch part := s.finish(opened, parts); {
	case s.Happened:
		s.Notes = append(s.Notes, left.notes()...)
	case part != "":
		s.Notes = append(s.Notes, part)
	}
	if len(s.Jobs) == len(opened)+gone {
		return plural.Errorf("%w: of %d job{|s} in accounting %d never started, %d had not ended and %d ended before it", ErrNoJobs,
			allTasks(h), left.jobs[neverStarted]+gone, len(opened), allTasks(h)-left.allJobs)
	}
	s.completing()
	s.ageArrays()
	s.used = func(c *multifactor.Config) { s.usedBefore(h, before, c) }
	s.used(&s.Priority)
	s.sort()
	if err := s.findNormal(); err != nil {
		return err
	}
	if err := s.findPhase(); err != nil {
		return err
	}
	s.used(&s.Priority)
	s.used, s.vain = nil, nil // the jobs before the window need not be kept
	return nil
}

// waited reports whether a job waited in the queue until it was cancelled, for what it could have had.
func (s *Study) waited(h *accounting.History, j *accounting.Job) bool {
	return j.Start == 0 && j.End != 0 && j.Eligible != 0 && j.End >= max(j.Came(), h.From) && j.Procs > 0 && !s.Happened &&
		s.poolOf(h.Partitions[j.Partition]) >= 0 && !s.placement.hopeless(j)
}

// ranSoFar returns how long a job ran, or had run by the end of the data.
func ranSoFar(h *accounting.History, j *accounting.Job, limit ostrich.Duration) ostrich.Duration {
	if j.End != 0 || j.Start == 0 {
		return j.Ran()
	}
	return max(0, ostrich.Duration(lastSeen(h, j, limit)-j.Start))
}

// allTasks returns how many jobs a history has.
func allTasks(h *accounting.History) (n int) {
	for i := range h.Jobs {
		n += h.Jobs[i].Count()
	}
	return n
}

// lastSeen returns until when a job counts that has not ended: the end of the data, or its
// time limit. If it is still said to run later, it was lost.
func lastSeen(h *accounting.History, j *accounting.Job, limit ostrich.Duration) ostrich.Time {
	if limit > 0 {
		return min(h.To, j.Start+ostrich.Time(limit))
	}
	return h.To
}

// finish gives the unfinished jobs a length: the same part of their limits as the
// other jobs' median, and no less than they had run. It returns a note on that.
func (s *Study) finish(ran []ostrich.Duration, parts []float64) string {
	if len(ran) == 0 {
		return ""
	}
	part := 1.0
	if len(parts) > 0 {
		slices.Sort(parts)
		part = min(parts[len(parts)/2], 1)
	}
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.open {
			j.Run = max(1, ran[0], ostrich.Duration(part*float64(j.Run)))
			j.Estimate, ran = max(j.Estimate, j.Run), ran[1:]
		}
	}
	return fmt.Sprintf("Jobs that had not ended are taken to run for %.0f %% of their time limits, the median of the others.", 100*part)
}

// day is how long an unfinished job without a limit may run.
const day = ostrich.Duration(24 * 3600)

// sort puts the jobs in the order of their arrival and numbers them. Jobs that came together are in Slurm's order (job_scheduler.c,
// sort_job_queue2): an array stands where its id does. Its tasks get ids one after the other, as they leave the array's record; the last
// one keeps that, and with it the id of the array.
func (s *Study) sort() {
	last := func(j *Job) int {
		if j.Array == j.Slurm {
			return 1
		}
		return 0
	}
	queued := func(a, b *Job) int {
		return cmp.Or(cmp.Compare(cmp.Or(a.Array, a.Slurm), cmp.Or(b.Array, b.Slurm)), cmp.Compare(last(a), last(b)), cmp.Compare(a.Slurm, b.Slurm), cmp.Compare(a.ID, b.ID))
	}
	slices.SortFunc(s.Jobs, func(a, b Job) int { return cmp.Or(cmp.Compare(a.Submit, b.Submit), queued(&a, &b)) })
	order := make([]int32, len(s.Jobs))
	for i := range s.Jobs {
		s.Jobs[i].ID, order[i] = ostrich.JobID(i+1), int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return queued(&s.Jobs[a], &s.Jobs[b]) })
	for k, i := range order {
		s.Jobs[i].Queued = int32(k + 1)
	}
}

// in reports whether a job is in a pool. The only one has all jobs.
func (s *Study) in(j *Job, pool int) bool { return len(s.Pools) == 1 || int(j.pool) == pool }

// inPool returns the places of the jobs of a pool, those that were cancelled while they waited or all others.
func (s *Study) inPool(pool int, cancelled bool) []int32 {
	jobs := make([]int32, 0, len(s.Jobs))
	for i := range s.Jobs {
		if j := &s.Jobs[i]; s.in(j, pool) && j.cancelled == cancelled {
			jobs = append(jobs, int32(i))
		}
	}
	return jobs
}

// campaigns returns the campaigns that a rule finds in the recorded times of the
// jobs of a pool. In a closed loop, where campaigns decide when users come back, each job that was cancelled while
// it waited is one of its own.
func (s *Study) campaigns(pool int, rule campaign.Rule) ([]sim.Campaign, error) {
	jobs := s.inPool(pool, false)
	var gone []int32
	if s.cancels {
		gone = s.inPool(pool, true)
	}
	if !s.Run.Closed && len(gone) > 0 {
		jobs, gone = append(jobs, gone...), nil
		slices.Sort(jobs)
	}
	list, err := sim.CampaignsOf(len(jobs), func(i int) *sim.Job { return &s.Jobs[jobs[i]].Job }, rule)
	if err != nil {
		return nil, fmt.Errorf("campaigns: %w", err)
	}
	for _, i := range gone {
		one, err := sim.CampaignsOf(1, func(int) *sim.Job { return &s.Jobs[i].Job }, rule)
		if err != nil {
			return nil, fmt.Errorf("campaigns: %w", err)
		}
		list = append(list, one...)
	}
	if len(gone) > 0 {
		slices.SortStableFunc(list, func(a, b sim.Campaign) int { return cmp.Compare(a.Submit, b.Submit) })
	}
	return list, nil
}

// number fixes the campaigns in which the jobs are measured, whatever rule OStrich
// uses.
func (s *Study) number() error {
	first := 0
	s.open = make(map[int]bool)
	for p := range s.Pools {
		jobs := s.inPool(p, false)
		numbers, err := sim.NumbersOf(len(jobs), func(i int) *sim.Job { return &s.Jobs[jobs[i]].Job }, s.Measure)
		if err != nil {
			return fmt.Errorf("campaigns: %w", err)
		}
		next := first
		for i, n := range numbers {
			if j := &s.Jobs[jobs[i]]; j.campaign >= 0 {
				j.campaign = int32(first + n)
			} else {
				s.open[first+n] = true
			}
			next = max(next, first+n+1)
		}
		first = next
	}
	return nil
}

// Recorded returns what happened, job by job.
func (s *Study) Recorded() []report.Job {
	jobs := make([]report.Job, 0, len(s.Jobs))
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.campaign >= 0 {
			ran := j.Recorded(int(j.campaign))
			ran.ID = j.Slurm
			jobs = append(jobs, ran)
		}
	}
	return jobs
}
