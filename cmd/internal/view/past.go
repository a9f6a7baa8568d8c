package view

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority/journal"
	"slurm-ostrich/slurmdb"
)

// Past answers what a cycle does not hold: runs that have ended, and writes.
// *sidecar.Past is one.
type Past interface {
	// Find returns accounting's newest record of a job, and whether there is one. task is
	// that of the array id, offset that in the heterogeneous job id; each is -1 for none.
	Find(ctx context.Context, id ostrich.JobID, task, offset int) (slurmdb.Record, bool, error)
	// Started visits the rows that started in [from, to), in no order. The row is valid
	// until the next one. The error is a slurmdb.ErrTooMuch if that is more than may be
	// read for a question; then it has visited none.
	Started(ctx context.Context, from, to ostrich.Time, visit func(*slurmdb.Row)) error
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
	Time    ostrich.Time `json:"time"`
	Channel string       `json:"channel"`
	From    int64        `json:"from"`
	To      int64        `json:"to"`
	Why     string       `json:"why"`
	Result  string       `json:"result"` // see priority.Status, or "intended"
}

// ran explains a job that is not pending, from accounting's record.
func (s *Cycle) ran(r *slurmdb.Record) *Explanation {
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

// know adds to an answer what the past tells of its jobs that have started or ended.
func (s *Cycle) know(ctx context.Context, a *Answer) {
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
				e.Writes = append(e.Writes, Write{w.Time, string(w.Channel), w.From, w.To, w.Why, string(w.Result)})
			}
		}
	}
	return err
}

// knowStarts adds up what started while jobs waited. It reads the time that they waited
// once, from the first submission to the last start.
func (s *Cycle) knowStarts(ctx context.Context, list []*Explanation) error {
	type waiter struct {
		*Explanation
		until ostrich.Time
		uid   uint32
		pool  *Pool
		users map[uint32]bool
	}
	var waiters []waiter
	from, to := ostrich.Time(math.MaxInt64), ostrich.Time(0)
	for _, e := range list {
		if *e.Waited == 0 {
			continue
		}
		until := e.Submitted + ostrich.Time(*e.Waited)
		waiters = append(waiters, waiter{e, until, e.uid, s.inPool(e.Partition), make(map[uint32]bool)})
		from, to = min(from, e.Submitted), max(to, until)
		e.Meanwhile = &Meanwhile{}
	}
	if len(waiters) == 0 {
		return nil
	}
	err := s.Past.Started(ctx, from, to, func(j *slurmdb.Row) {
		pool := s.inPool(j.Partition)
		end := cmp.Or(j.End, s.Time)
		work := format.CoreHours(ostrich.Work(max(0, ostrich.Duration(end-j.Start)-j.Suspended)) * ostrich.Work(j.Alloc))
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
	for i := range waiters {
		w := &waiters[i]
		m := w.Meanwhile
		m.Users, m.Work, m.OwnWork = len(w.users), rounded(m.Work), rounded(m.OwnWork)
		switch {
		case errors.Is(err, slurmdb.ErrTooMuch):
			w.Meanwhile, w.Uncounted = nil, err.Error()
		case err != nil:
			w.Meanwhile, w.Uncounted = nil, "accounting cannot be asked now"
		}
	}
	if errors.Is(err, slurmdb.ErrTooMuch) {
		return nil
	}
	return err
}

// rounded removes what adding up fractions leaves.
func rounded(x float64) float64 { return math.Round(x*1e6) / 1e6 }
