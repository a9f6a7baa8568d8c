package memslurm

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/slurm"
)

// Site is a Slurm whose caller says what happens: slurmctld with a queue, and accounting
// that hears of everything at once. Its fields may be changed between two cycles. It is
// not safe for concurrent use.
type Site struct {
	Tables
	Conf    priority.Controller
	Parts   []priority.Partition
	Counts  slurm.Diag
	Pending []priority.Queued

	shown, read []priority.Queued // Pending as it was read last, and what was handed out
}

// Tables are what accounting reports.
type Tables struct {
	Now  ostrich.Time     // on the clock of both
	Pass ostrich.Duration // by how much Now grows with each poll
	Name func(ostrich.UserID) string

	Events  []ostrich.Event                  // that it has not reported yet
	Records map[ostrich.JobID]*ledger.Record // of jobs that have not ended
	Skipped []ledger.Skip                    // rows that the next poll leaves out
}

// NewSite returns a site without jobs, of priority/multifactor with small weights. Users
// are called u1 and so on.
func NewSite(cluster string, now ostrich.Time, parts ...priority.Partition) *Site {
	return &Site{
		Tables: Tables{
			Now: now, Records: make(map[ostrich.JobID]*ledger.Record),
			Name: func(id ostrich.UserID) string { return "u" + strconv.FormatUint(uint64(id), 10) },
		},
		Parts: parts,
		Conf: priority.Controller{
			ClusterName: cluster, Version: "22.05.8", PriorityType: "priority/multifactor",
			Weights: priority.Weights{Age: 1000, Fairshare: 10000}, DefaultQueueDepth: 100, BackfillMaxJobTest: 500,
		},
	}
}

// Tell adds an event of a job to what accounting reports next.
func (t *Tables) Tell(at ostrich.Time, kind ostrich.Kind, j ostrich.Job) {
	t.Events = append(t.Events, ostrich.Event{At: at, Kind: kind, Job: j})
}

// Capacity sets the size of a pool from a moment on.
func (t *Tables) Capacity(at ostrich.Time, pool string, procs int) {
	t.Events = append(t.Events, ostrich.Event{At: at, Kind: ostrich.Capacity, Pool: pool, Procs: procs})
}

// Submit adds a pending job to accounting and to the queue.
func (s *Site) Submit(j ostrich.Job) *priority.Queued {
	s.Tell(j.Submit, ostrich.Submit, j)
	s.Records[j.ID] = &ledger.Record{Job: j}
	return s.Enqueue(j)
}

// Enqueue adds a job to the end of the queue. What it returns is valid until the queue
// changes.
func (s *Site) Enqueue(j ostrich.Job) *priority.Queued {
	s.Pending = append(s.Pending, priority.Queued{
		Job: j.ID, Full: fmt.Sprint(j.ID), User: s.Name(j.User), Partition: j.Partition, Count: 1, Priority: 100, Listed: true, SiteKnown: true,
		State: "PENDING", Reason: "Priority", Submit: j.Submit,
	})
	return &s.Pending[len(s.Pending)-1]
}

// Start lets a pending job start.
func (s *Site) Start(id ostrich.JobID, at ostrich.Time) {
	r := s.Records[id]
	r.Job.Start, r.State = at, accounting.Running
	s.Tell(at, ostrich.Start, r.Job)
	s.leave(id)
}

// End ends a job that waits or runs.
func (s *Site) End(id ostrich.JobID, at ostrich.Time) {
	j := s.Records[id].Job
	j.End = at
	s.Tell(at, ostrich.End, j)
	delete(s.Records, id)
	s.leave(id)
}

func (s *Site) leave(id ostrich.JobID) {
	s.Pending = slices.DeleteFunc(s.Pending, func(q priority.Queued) bool { return q.Job == id })
}

// Find returns a job of the queue, nil if it is not there.
func (s *Site) Find(id ostrich.JobID) *priority.Queued {
	i := slices.IndexFunc(s.Pending, func(q priority.Queued) bool { return q.Job == id })
	if i < 0 {
		return nil
	}
	return &s.Pending[i]
}

// PollEach reports the events that it has not reported yet.
func (t *Tables) PollEach(_ context.Context, event func(ostrich.Event)) (ledger.Batch, error) {
	slices.SortStableFunc(t.Events, ostrich.Compare)
	for _, e := range t.Events {
		event(e)
	}
	b := ledger.Batch{Now: t.Now, Rows: len(t.Events), Skipped: t.Skipped}
	t.Events, t.Skipped = nil, nil
	t.Now += ostrich.Time(t.Pass)
	return b, nil
}

// Record returns the record of a job that has not ended.
func (t *Tables) Record(id ostrich.JobID) (ledger.Record, bool) {
	r, ok := t.Records[id]
	if !ok {
		return ledger.Record{}, false
	}
	return *r, true
}

// Nodes tells of no nodes: a cluster in memory has processors only.
func (*Tables) Nodes() ([]ledger.Needs, []ledger.Outage) { return nil, nil }

// Live lists the records by id.
func (t *Tables) Live() []*ledger.Record {
	list := make([]*ledger.Record, 0, len(t.Records))
	for _, id := range slices.Sorted(maps.Keys(t.Records)) {
		list = append(list, new(*t.Records[id]))
	}
	return list
}

// Expect returns a job of the queue as its record will have it, unless the queue does not
// say how many processors it asks for.
func (t *Tables) Expect(q *ledger.Waiting) (ledger.Record, bool) {
	return q.Record(ostrich.Job{
		ID: q.ID, User: ostrich.UserID(q.UID), Group: q.Array, Partition: q.Partition, QOS: q.QOS, Tasks: q.Tasks, Procs: q.Procs, Estimate: q.Limit, Submit: q.Submit,
	}), q.Procs > 0
}

// UserName returns the name of a user.
func (t *Tables) UserName(id ostrich.UserID) string { return t.Name(id) }

// Close does nothing.
func (t *Tables) Close() error { return nil }

// Controller returns Conf.
func (s *Site) Controller(context.Context) (priority.Controller, error) { return s.Conf, nil }

// Partitions returns Parts.
func (s *Site) Partitions(context.Context) ([]priority.Partition, error) { return s.Parts, nil }

// Queue returns the pending jobs. It is the same list, in the same memory, until one has
// changed.
func (s *Site) Queue(context.Context) ([]priority.Queued, error) {
	if !slices.Equal(s.shown, s.Pending) {
		s.shown, s.read = slices.Clone(s.Pending), slices.Clone(s.Pending)
	}
	return s.read, nil
}

// Diag returns Counts.
func (s *Site) Diag(context.Context) (slurm.Diag, error) { return s.Counts, nil }

// Update sets SiteFactors. A job that is not in the queue is Gone.
func (s *Site) Update(_ context.Context, _ priority.Channel, changes []priority.Change) (priority.Result, error) {
	place := make(map[ostrich.JobID]int, len(s.Pending))
	for i := range s.Pending {
		place[s.Pending[i].Job] = i
	}
	var r priority.Result
	for _, c := range changes {
		i, waits := place[c.Job]
		if !waits {
			r.Outcomes = append(r.Outcomes, c.Outcome(priority.Gone, ""))
			continue
		}
		s.Pending[i].Site = c.To
		r.Outcomes = append(r.Outcomes, c.Outcome(priority.Applied, ""))
	}
	return r, nil
}
