package orders

import (
	"cmp"
	"fmt"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/multifactor"
	"slurm-ostrich/ostrich/sim"
)

// Multifactor is the policy that ranks jobs as slurmctld does under
// priority/multifactor (job_scheduler.c, sort_job_queue2): by the PriorityTier of
// their partition, by priority, by submission, by Place, by number. Reservations and
// preemption are not modelled.
//
// Request says what Slurm knows of a job, by its running number (see Ranker). Its
// times are those of the replay: it is submitted when the event comes, or as long before as its Submit is
// before its Eligible, and eligible when what it depends on has ended. Where they are 0, its Procs and Limit are
// those of the job, and the cluster's Procs that of the machine.
//
// The first calculation is at the first event, or the last one before it that
// Config.Phase asks for. Priorities are those of the latest
// calculation, and of a job that has become eligible since then, those of that
// moment.
func Multifactor(c multifactor.Config, request func(n ostrich.JobID) multifactor.Request) sim.Policy {
	return func(m int) (sim.Ranker, error) {
		own := c // replays may run at once
		own.Procs = cmp.Or(own.Procs, m)
		if _, err := multifactor.New(own, 0); err != nil {
			return nil, err
		}
		return &multi{config: own, request: request, jobs: make(map[ostrich.JobID]*candidate)}, nil
	}
}

// multi ranks jobs by multifactor priority.
type multi struct {
	config  multifactor.Config
	request func(n ostrich.JobID) multifactor.Request
	plugin  *multifactor.Multifactor // from the first event on
	now     ostrich.Time
	as      ostrich.Time // the calculation of the priorities in line

	jobs  map[ostrich.JobID]*candidate // that have not started
	fresh []*candidate                 // that can start, but not in line yet
	line  []*candidate                 // in order, some of which have started
	list  []ostrich.JobID              // of the line
	alone [1]ostrich.JobID             // the list of a single job
	gone  int                          // jobs of the line that have started
	spare []*candidate                 // of jobs that have started, to be used again
}

// candidate is a job that has not started.
type candidate struct {
	id      ostrich.JobID
	request multifactor.Request
	factors multifactor.Factors
	started bool
	key     uint64 // of its place in the line, from tier and priority: the smaller one goes first
}

// Step takes an event.
func (f *multi) Step(e ostrich.Event) error {
	if f.plugin == nil {
		var err error
		if f.plugin, err = multifactor.New(f.config, f.config.Before(e.At)); err != nil {
			return err
		}
		f.as = f.plugin.Latest()
	}
	f.advance(e.At - 1) // what is due now takes all events of this moment into account
	f.now = e.At
	id := e.Job.ID
	switch e.Kind {
	case ostrich.Submit, ostrich.Requeue:
		if e.Kind == ostrich.Requeue { // its former place must go, and for Slurm it is submitted now (job_mgr.c, batch_requeue_fini)
			f.compact()
			f.relist()
			if err := f.plugin.End(id, e.At); err != nil {
				return err
			}
		}
		j := f.candidate()
		j.id, j.request = id, f.request(id)
		r := &j.request
		late := ostrich.Time(0) // it was submitted so long before it came
		if e.Kind == ostrich.Submit && r.Submit > 0 {
			late = max(0, r.Eligible-r.Submit)
		}
		r.Submit, r.Eligible = e.At-late, 0
		r.Procs, r.Limit = cmp.Or(r.Procs, e.Job.Procs), cmp.Or(r.Limit, e.Job.Estimate)
		if err := f.plugin.Wait(id, r, e.At); err != nil {
			return fmt.Errorf("by its running number: %w", err)
		}
		f.jobs[id] = j
	case ostrich.Start:
		return f.plugin.Start(id, f.leave(id), e.At)
	case ostrich.End:
		if f.jobs[id] != nil { // it was cancelled
			return f.plugin.Withdraw(id, f.leave(id), e.At)
		}
		return f.plugin.End(id, e.At)
	default:
	}
	return nil
}

// candidate returns an empty one.
func (f *multi) candidate() *candidate {
	last := len(f.spare) - 1
	if last < 0 {
		return &candidate{}
	}
	j := f.spare[last]
	f.spare, *j = f.spare[:last], candidate{}
	return j
}

// leave takes a job from those that have not started, and returns its request, until the next submission.
func (f *multi) leave(id ostrich.JobID) *multifactor.Request {
	j := f.jobs[id]
	delete(f.jobs, id)
	j.started = true
	fresh := slices.Index(f.fresh, j)
	switch {
	case fresh >= 0:
		f.fresh = slices.Delete(f.fresh, fresh, fresh+1)
	case j.request.Eligible == 0: // it could not start yet
	case len(f.line) > 0 && f.line[0] == j:
		f.line, f.list = f.line[1:], f.list[1:]
	default:
		f.gone++
		return &j.request
	}
	f.spare = append(f.spare, j)
	return &j.request
}

// Ready records that a job can start from now on.
func (f *multi) Ready(id ostrich.JobID) {
	j := f.jobs[id]
	j.request.Eligible = f.now
	f.fresh = append(f.fresh, j)
}

// Jobs lists the waiting jobs. Those that have started leave the list at its
// front, and elsewhere with the next calculation or when they are too many.
func (f *multi) Jobs() []ostrich.JobID {
	if f.single() {
		f.alone[0] = f.fresh[0].id
		return f.alone[:]
	}
	f.refresh()
	if f.gone > len(f.line)/2 {
		f.compact()
		f.relist()
	}
	f.join()
	return f.list
}

// single reports whether one job waits, and nobody has asked for its priority: nothing depends on
// it before another one comes, unless the highest of several calculations counts.
func (f *multi) single() bool {
	return f.gone == len(f.line) && len(f.fresh) == 1 && f.config.Flags&multifactor.IncrOnly == 0
}

// Priority returns the priority of a waiting job, by which it has its place in the line.
func (f *multi) Priority(id ostrich.JobID) uint32 {
	f.refresh()
	f.join()
	return uint32(^f.jobs[id].key)
}

// refresh gives the line the priorities of the latest calculation.
func (f *multi) refresh() {
	at := f.plugin.Latest()
	if f.as == at {
		return
	}
	f.as = at
	f.compact()
	for _, j := range f.line {
		j.factors.Age = f.plugin.Age(&j.request, at)
		if j.request.Association >= 0 && f.config.Weights.Fairshare > 0 {
			j.factors.Fairshare = f.plugin.Fairshare(j.request.Association)
		}
		if j.request.Found > 0 && f.config.Weights.JobSize > 0 {
			j.factors.JobSize = f.plugin.JobSize(&j.request)
		}
		key := f.key(j)
		if f.config.Flags&multifactor.IncrOnly == 0 || key < j.key {
			j.key = key
		}
	}
	if !slices.IsSortedFunc(f.line, compare) {
		slices.SortFunc(f.line, compare)
	}
	f.relist()
}

// join puts new jobs in line.
func (f *multi) join() {
	for _, j := range f.fresh {
		j.factors = f.plugin.Factors(&j.request, max(j.request.Eligible, f.as))
		j.key = f.key(j)
		at, _ := slices.BinarySearchFunc(f.line, j, compare)
		f.line = slices.Insert(f.line, at, j)
		f.list = slices.Insert(f.list, at, j.id)
	}
	clear(f.fresh)
	f.fresh = f.fresh[:0]
}

// key is the place of a job by its tier and its priority, the highest first.
func (f *multi) key(j *candidate) uint64 {
	tier := 0
	if j.request.Partition >= 0 {
		tier = f.config.Partitions[j.request.Partition].Tier
	}
	return ^(uint64(tier)<<32 | uint64(f.plugin.Priority(&j.factors)))
}

// compare puts the job in front that goes first.
func compare(a, b *candidate) int {
	switch {
	case a.key != b.key:
		return cmp.Compare(a.key, b.key)
	case a.request.Submit != b.request.Submit:
		return cmp.Compare(a.request.Submit, b.request.Submit)
	}
	return cmp.Or(cmp.Compare(a.request.Place, b.request.Place), cmp.Compare(a.id, b.id))
}

// compact removes started jobs from the line.
func (f *multi) compact() {
	if f.gone > 0 {
		f.line = slices.DeleteFunc(f.line, func(j *candidate) bool {
			if j.started {
				f.spare = append(f.spare, j)
			}
			return j.started
		})
		f.gone = 0
	}
}

func (f *multi) relist() {
	f.list = f.list[:0]
	for _, j := range f.line {
		f.list = append(f.list, j.id)
	}
}

// Wake is the next calculation if it may put others in front.
func (f *multi) Wake(waiting bool) ostrich.Time {
	if !waiting || f.plugin == nil {
		return 0
	}
	return f.plugin.Due()
}

// AdvanceTo lets time pass up to t.
func (f *multi) AdvanceTo(t ostrich.Time) error {
	f.advance(t)
	return nil
}

// advance does the calculations that are due up to a moment. With IncrOnly none
// may be left out, as the highest priority of them all counts.
func (f *multi) advance(t ostrich.Time) {
	if f.config.Flags&multifactor.IncrOnly != 0 {
		f.join()
		for f.plugin.Due() <= t {
			f.plugin.AdvanceTo(f.plugin.Due())
			f.refresh()
		}
	}
	f.plugin.AdvanceTo(t)
}
