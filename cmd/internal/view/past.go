package view

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/journal"
	"slurm-ostrich/slurmdb"
)

// Past answers what a cycle does not hold: runs that have ended, and writes.
// *sidecar.Past is one.
type Past interface {
	// Find returns accounting's newest record of a job, and whether there is one. task is
	// that of the array id, offset that in the heterogeneous job id; each is -1 for none.
	Find(ctx context.Context, id ostrich.JobID, task, offset int) (ledger.Record, bool, error)
	// Started visits the rows that started in [from, to), in no order. The row is valid
	// until the next one. The error is a slurmdb.ErrTooMuch if that is more than may be
	// read for a question; then it has visited none.
	Started(ctx context.Context, from, to ostrich.Time, visit func(*accounting.Row)) error
	// Writes returns what was written for jobs, in the order of time: the result of each
	// write, or the intention if the result is not known.
	Writes(jobs []ostrich.JobID) ([]journal.Record, error)
}

// Meanwhile adds up what started in the pool of a job while that waited. An array's
// tasks count one by one.
type Meanwhile struct {
	Jobs    int     `json:"jobs"`  // of others
	Users   int     `json:"users"` // whose they are
	Work    float64 `json:"core_hours"`
	Own     int     `json:"own_jobs"` // of the same user
	OwnWork float64 `json:"own_core_hours"`
}

// Write is a write to a job.
type Write struct {
	Time    ostrich.Time     `json:"time"`
	Channel priority.Channel `json:"channel"`
	From    int64            `json:"from"`
	To      int64            `json:"to"`
	Why     string           `json:"why"`
	Code    priority.Code    `json:"code"`   // of Why; "" in the lines of older journals
	Result  string           `json:"result"` // see priority.Status, or "intended"
}

// ran explains a job that is not pending, from accounting's record.
func (s *Cycle) ran(r *ledger.Record) *Explanation {
	e := s.explanation()
	e.JobID, e.Job, e.User, e.Account, e.Partition = r.Job.ID, nameOf(r), r.UserName, r.Account, r.Partition
	e.State, e.Why, e.Submitted = r.State.String(), "not pending", r.Job.Submit
	e.uid, e.array = r.UID, r.ArrayJob
	until := r.Job.End
	if r.Job.Start != 0 {
		until = r.Job.Start
		e.Started = &r.Job.Start
	}
	if r.Job.End != 0 {
		e.Ended = &r.Job.End
	}
	if until != 0 {
		waited := max(0, ostrich.Duration(until-r.Job.Submit))
		e.Waited = &waited
		if r.Job.Start != 0 {
			e.Unable = min(max(0, ostrich.Duration(r.Eligible-r.Job.Submit)), waited)
		}
	}
	e.Campaign = s.explained(r.Job.ID)
	e.Verdict = ranVerdict(e)
	return e
}

// ranAs explains a job that is not pending. If name is that of an array, it says which of
// the array's tasks the job is.
func (s *Cycle) ranAs(name JobName, r *ledger.Record) *Explanation {
	e := s.ran(r)
	if r.ArrayJob == name.id && r.ArrayTask != ledger.NoTask && name.task < 0 {
		e.Verdict = fmt.Sprintf("Job %d is an array of which no task waits, and this is its task %s. To have another explained, name it so. %s", name.id, e.Job, e.Verdict)
	}
	return e
}

// addPast adds to an answer what the past knows of its jobs that have started or ended.
func (s *Cycle) addPast(ctx context.Context, a *Answer) {
	list := slices.DeleteFunc(slices.Clone(a.Jobs), func(e *Explanation) bool { return e.Waited == nil })
	if len(list) == 0 {
		return
	}
	a.Asked = true
	if a.Failed = s.knowStarts(ctx, list); a.Failed == nil {
		a.Failed = s.knowWrites(list)
	}
}

// knowWrites adds what was written for jobs.
func (s *Cycle) knowWrites(list []*Explanation) error {
	var ids []ostrich.JobID
	for _, e := range list {
		ids = append(ids, e.JobID)
		if e.array != 0 && e.array != e.JobID {
			ids = append(ids, e.array)
		}
	}
	writes, err := s.Past.Writes(ids)
	for i := range writes {
		w := &writes[i]
		for _, e := range list {
			// An earlier job may have had the same id. Until a task starts, the record of its
			// array stands for it.
			of := w.Job == e.JobID || (w.Job == e.array && w.Time <= e.Submitted+ostrich.Time(*e.Waited))
			if of && w.Time >= e.Submitted {
				e.Writes = append(e.Writes, Write{w.Time, w.Channel, w.From, w.To, w.Why, w.Code, string(w.Result)})
			}
		}
	}
	return err
}

type waiter struct {
	*Explanation
	until ostrich.Time
	pool  *Pool
	users map[uint32]bool
}

// mostAsked is how often accounting is asked for what started while jobs waited.
const mostAsked = 3

// knowStarts adds up what started while jobs waited. It reads the time that they waited
// once, from the first submission to the last start. If that is too much, it does without
// the oldest job, and then without the older half.
func (s *Cycle) knowStarts(ctx context.Context, list []*Explanation) error {
	var waiters []waiter
	for _, e := range list {
		if *e.Waited > 0 {
			waiters = append(waiters, waiter{e, e.Submitted + ostrich.Time(*e.Waited), s.inPool(e.Partition), make(map[uint32]bool)})
		}
	}
	slices.SortStableFunc(waiters, func(a, b waiter) int { return cmp.Compare(a.Submitted, b.Submitted) })
	uncounted := func(waiters []waiter, why string) {
		for _, w := range waiters {
			w.Meanwhile, w.Uncounted = nil, why
		}
	}
	for asked := 1; len(waiters) > 0; asked++ {
		err := s.count(ctx, waiters)
		if !errors.Is(err, slurmdb.ErrTooMuch) {
			if err != nil {
				uncounted(waiters, "accounting cannot be asked now")
			}
			return err
		}
		left := 1
		uncounted(waiters[:left], err.Error())
		switch {
		case asked == mostAsked:
			left = len(waiters)
		case asked > 1:
			left += (len(waiters) - 1) / 2
		}
		uncounted(waiters[1:left], slurmdb.ErrTooMuch.Error()+" together with the other jobs; ask for this one alone")
		waiters = waiters[left:]
	}
	return nil
}

// count adds up what started while jobs waited. waiters are in the order of submission.
func (s *Cycle) count(ctx context.Context, waiters []waiter) error {
	from, to := waiters[0].Submitted, waiters[0].until
	for _, w := range waiters {
		to = max(to, w.until)
		w.Meanwhile = &Meanwhile{}
	}
	err := s.Past.Started(ctx, from, to, func(j *accounting.Row) {
		pool := s.inPool(j.Partition)
		end := cmp.Or(j.End, s.Time)
		takes := int(j.Alloc)
		if s.unit != nil {
			takes = s.unit.Size(s.unit.Job(&j.Held, j.Partition), j.Alloc)
		}
		work := s.hours(ostrich.Work(max(0, ostrich.Duration(end-j.Start)-j.Suspended)) * ostrich.Work(takes))
		for i := range waiters {
			w := &waiters[i]
			m := w.Meanwhile
			switch {
			case j.Start < w.Submitted || j.Start >= w.until || pool != w.pool || j.ID == w.JobID:
			case j.UID == w.uid:
				m.Own++
				m.OwnWork += work
			default:
				m.Jobs++
				m.Work += work
				w.users[j.UID] = true
			}
		}
	})
	for _, w := range waiters {
		m := w.Meanwhile
		m.Users, m.Work, m.OwnWork = len(w.users), rounded(m.Work), rounded(m.OwnWork)
	}
	return err
}

// rounded removes the rounding errors of a sum.
func rounded(x float64) float64 { return math.Round(x*1e6) / 1e6 }
