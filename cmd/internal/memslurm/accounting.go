package memslurm

import (
	"context"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
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
	Tables // as reported so far

	// Frozen is when slurmdbd went away: the tables show what they showed then. 0
	// means that it is there.
	Frozen ostrich.Time

	from  *Controller
	of    *tables
	next  int          // all events before this one have been reported
	upto  ostrich.Time // what was seen by then has been reported
	begun bool
}

func newAccounting(c *Controller, of *tables) *Accounting {
	name := func(id ostrich.UserID) string { u, _ := c.config.user(id); return u.Name }
	return &Accounting{Tables: Tables{Name: name, Records: make(map[ostrich.JobID]*ledger.Record)}, from: c, of: of}
}

// Reader returns another reader of the tables, which has not reported anything yet.
func (c *Cluster) Reader() *Accounting { return newAccounting(c.Controller, c.Accounting.of) }

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
func (a *Accounting) PollEach(ctx context.Context, event func(ostrich.Event)) (ledger.Batch, error) {
	shown := a.from.now
	if a.Frozen > 0 {
		shown = max(a.upto, min(a.from.now, a.Frozen))
	}
	a.Now = a.from.now
	if !a.begun {
		a.Capacity(a.from.begin, "", a.from.config.Procs())
		a.begun = true
	}
	for i := a.next; i < len(a.of.events); i++ {
		if seen := a.of.seen[i]; seen > a.upto && seen <= shown {
			a.tell(a.of.events[i])
		}
	}
	a.upto = shown
	for a.next < len(a.of.events) && a.of.seen[a.next] <= shown {
		a.next++
	}
	return a.Tables.PollEach(ctx, event)
}

// tell adds an event, and what the job's row has then.
func (a *Accounting) tell(e ostrich.Event) {
	a.Events = append(a.Events, e)
	if e.Kind == ostrich.End {
		delete(a.Records, e.Job.ID)
		return
	}
	u, _ := a.from.config.user(e.Job.User)
	r := &ledger.Record{
		Job: e.Job, UserName: u.Name, Account: u.Account, Partition: partition, QOS: "normal",
		UID: uint32(e.Job.User), ArrayTask: ledger.NoTask, State: accounting.Pending, Eligible: e.Job.Submit, Limit: e.Job.Estimate,
	}
	if e.Kind == ostrich.Start {
		r.State = accounting.Running
	}
	a.Records[e.Job.ID] = r
}
