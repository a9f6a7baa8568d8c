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

// tables are what happened to the jobs of a Controller, and when slurmdbd's tables
// show it.
type tables struct {
	events []ostrich.Event                // in the order in which they happened
	seen   []ostrich.Time                 // when the row of each shows it
	shown  map[ostrich.JobID]ostrich.Time // since when there is a row of a job that has not ended
}

// Accounting is a reader of the tables. Like slurmdb.Reader, it reports everything
// once.
type Accounting struct {
	// Frozen is when slurmdbd went away: the tables show what they showed then. 0
	// means that it is there.
	Frozen ostrich.Time

	from  *Controller
	of    *tables
	next  int          // all events before this one have been told
	upto  ostrich.Time // what was seen by then has been told
	begun bool
	live  map[ostrich.JobID]ostrich.Job // as told
}

func newAccounting(c *Controller, of *tables) *Accounting {
	return &Accounting{from: c, of: of, live: make(map[ostrich.JobID]ostrich.Job)}
}

// Reader returns another reader of the tables, which has not reported anything yet.
func (c *Cluster) Reader() *Accounting { return newAccounting(c.Controller, c.Accounting.of) }

// record records an event of a job.
func (t *tables) record(kind ostrich.Kind, at ostrich.Time, j ostrich.Job) {
	visible := at + delay
	if kind == ostrich.Submit {
		visible = at - at%handover + handover
		t.shown[j.ID] = visible
	} else if first := t.shown[j.ID]; visible < first {
		// The row is inserted by the start that comes before its round.
		for i, e := range slices.Backward(t.events) {
			if e.Kind == ostrich.Submit && e.Job.ID == j.ID {
				t.seen[i] = visible
				break
			}
		}
		t.shown[j.ID] = visible
	}
	t.events = append(t.events, ostrich.Event{At: at, Kind: kind, Job: j})
	t.seen = append(t.seen, visible)
	if kind == ostrich.End {
		delete(t.shown, j.ID)
	}
}

// PollEach reports what the tables show since the last poll.
func (a *Accounting) PollEach(_ context.Context, event func(ostrich.Event)) (slurmdb.Batch, error) {
	now, shown := a.from.now, a.from.now
	if a.Frozen > 0 {
		shown = max(a.upto, min(now, a.Frozen))
	}
	var events []ostrich.Event
	if !a.begun {
		events = append(events, ostrich.Event{At: a.from.begin, Kind: ostrich.Capacity, Procs: a.from.config.Procs()})
		a.begun = true
	}
	for i := a.next; i < len(a.of.events); i++ {
		if seen := a.of.seen[i]; seen > a.upto && seen <= shown {
			events = append(events, a.of.events[i])
		}
	}
	a.upto = shown
	for a.next < len(a.of.events) && a.of.seen[a.next] <= shown {
		a.next++
	}
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
