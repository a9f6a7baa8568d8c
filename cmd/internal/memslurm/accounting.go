package memslurm

import (
	"context"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/slurmdb"
)

// Delays of slurmdbd's tables behind slurmctld, in seconds.
const (
	handover = 5 // new jobs are handed over at multiples of this
	delay    = 1 // starts and ends
)

// Accounting is what slurmdbd's tables show of the jobs of a Controller, for one
// reader. Like slurmdb.Reader, it reports everything once.
type Accounting struct {
	from  *Controller
	queue []ostrich.Event // not told yet, in the order in which they happened
	seen  []ostrich.Time  // when the row of each shows it
	begun bool
	shown map[ostrich.JobID]ostrich.Time // since when the table has a row of a job that has not ended
	live  map[ostrich.JobID]ostrich.Job  // as told
}

func newAccounting(c *Controller) *Accounting {
	return &Accounting{from: c, shown: make(map[ostrich.JobID]ostrich.Time), live: make(map[ostrich.JobID]ostrich.Job)}
}

// record records an event of a job.
func (a *Accounting) record(kind ostrich.Kind, at ostrich.Time, j ostrich.Job) {
	visible := at + delay
	if kind == ostrich.Submit {
		visible = at - at%handover + handover
		a.shown[j.ID] = visible
	} else if first := a.shown[j.ID]; visible < first {
		// The row is inserted by the start that comes before its round.
		for i, e := range a.queue {
			if e.Kind == ostrich.Submit && e.Job.ID == j.ID {
				a.seen[i] = visible
			}
		}
		a.shown[j.ID] = visible
	}
	a.queue = append(a.queue, ostrich.Event{At: at, Kind: kind, Job: j})
	a.seen = append(a.seen, visible)
	if kind == ostrich.End {
		delete(a.shown, j.ID)
	}
}

// PollEach reports what the tables show since the last poll.
func (a *Accounting) PollEach(_ context.Context, event func(ostrich.Event)) (slurmdb.Batch, error) {
	now := a.from.now
	var events []ostrich.Event
	if !a.begun {
		events = append(events, ostrich.Event{At: a.from.begin, Kind: ostrich.Capacity, Procs: a.from.config.Procs()})
		a.begun = true
	}
	left := 0
	for i, e := range a.queue {
		if a.seen[i] > now {
			a.queue[left], a.seen[left] = e, a.seen[i]
			left++
			continue
		}
		events = append(events, e)
	}
	a.queue, a.seen = a.queue[:left], a.seen[:left]
	slices.SortStableFunc(events, ostrich.Compare)
	for _, e := range events {
		switch e.Kind {
		case ostrich.End:
			delete(a.live, e.Job.ID)
		case ostrich.Submit, ostrich.Start:
			a.live[e.Job.ID] = e.Job
		default:
		}
		event(e)
	}
	return slurmdb.Batch{Now: now, Rows: len(events)}, nil
}

// Record returns the row of an unfinished job, as of the last poll.
func (a *Accounting) Record(id ostrich.JobID) (slurmdb.Record, bool) {
	j, ok := a.live[id]
	if !ok {
		return slurmdb.Record{}, false
	}
	u, _ := a.from.config.user(j.User)
	r := slurmdb.Record{
		Job: j, UserName: u.Name, Account: u.Account, Partition: partition, QOS: "normal",
		UID: uint32(j.User), ArrayTask: slurmdb.NoTask, State: slurmdb.Pending, Eligible: j.Submit, Limit: j.Estimate,
	}
	if j.Start != 0 {
		r.State = slurmdb.Running
	}
	return r, true
}

// Expect returns a job of the queue as its row will have it.
func (a *Accounting) Expect(q *slurmdb.Waiting) (ostrich.Job, bool) {
	return ostrich.Job{
		ID: q.ID, User: ostrich.UserID(q.UID), Partition: q.Partition, Tasks: q.Tasks, Procs: q.Procs, Estimate: q.Limit, Submit: q.Submit,
	}, true
}

// Live lists the unfinished jobs, as of the last poll, by id.
func (a *Accounting) Live() []slurmdb.Record {
	var list []slurmdb.Record
	for id := range a.live {
		if r, ok := a.Record(id); ok {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(x, y slurmdb.Record) int { return int(x.Job.ID) - int(y.Job.ID) })
	return list
}

// UserName returns the name of a user.
func (a *Accounting) UserName(id ostrich.UserID) string {
	u, _ := a.from.config.user(id)
	return u.Name
}

// Close does nothing.
func (a *Accounting) Close() error { return nil }
