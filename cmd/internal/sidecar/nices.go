package sidecar

import (
	"context"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/priority"
)

// nices joins the users' nice values, which only slurmctld knows, with what accounting
// reports of their jobs. The present value of a pending job counts.
type nices struct {
	queue  []priority.Queued              // that own was read from
	of     func(q *priority.Queued) int64 // the value that its user gave a job of the queue
	own    map[ostrich.JobID]int64        // of its jobs; none is 0
	passed map[ostrich.JobID]int64        // to the schedules, of jobs that have not ended; none is 0
	stale  bool                           // own and passed may differ
}

func newNices(of func(q *priority.Queued) int64) nices {
	return nices{of: of, own: make(map[ostrich.JobID]int64), passed: make(map[ostrich.JobID]int64), stale: true}
}

func (n *nices) begin(_ context.Context, queue []priority.Queued) {
	if sameList(n.queue, queue) {
		return
	}
	n.queue, n.stale = queue, true
	clear(n.own)
	for i := range queue {
		if v := n.of(&queue[i]); v != 0 {
			n.own[queue[i].Job] = v
		}
	}
}

func (n *nices) fill(_ context.Context, events []ostrich.Event) []ostrich.Event {
	for i := range events {
		events[i].Job.Nice = n.own[events[i].Job.ID]
	}
	return events
}

func (n *nices) join(_ context.Context, events []ostrich.Event) []ostrich.Event {
	n.stale = n.stale || len(events) > 0
	for i := range events {
		e := &events[i]
		switch e.Kind {
		case ostrich.Submit, ostrich.Change:
			n.pass(e.Job.ID, n.own[e.Job.ID])
		case ostrich.End:
			delete(n.passed, e.Job.ID)
		case ostrich.Capacity, ostrich.Reshare, ostrich.Start, ostrich.Suspend, ostrich.Resume, ostrich.Requeue, ostrich.Hold, ostrich.Release:
		}
		e.Job.Nice = n.passed[e.Job.ID]
	}
	return events
}

func (n *nices) pass(id ostrich.JobID, value int64) {
	if value == 0 {
		delete(n.passed, id)
	} else {
		n.passed[id] = value
	}
}

func (n *nices) changes(now ostrich.Time, record func(ostrich.JobID) (ledger.Record, bool)) []ostrich.Event {
	if !n.stale || len(n.own)+len(n.passed) == 0 {
		return nil
	}
	n.stale = false
	var events []ostrich.Event
	for i := range n.queue {
		id := n.queue[i].Job
		if n.own[id] == n.passed[id] {
			continue
		}
		r, known := record(id)
		if !known || r.Job.Start != 0 {
			n.stale = true // until accounting reports more of it
			continue
		}
		n.pass(id, n.own[id])
		r.Job.Nice = n.own[id]
		events = append(events, ostrich.Event{At: now, Kind: ostrich.Change, Job: r.Job})
	}
	slices.SortFunc(events, ostrich.Compare)
	return events
}

// ownNice returns the nice value that the user gave a job. Channel priority takes it from
// a job that it pins, and the journal knows it. Channel nice puts its own values there:
// a value above 0 is the user's, and such a job is left alone.
func (s *Sidecar) ownNice(q *priority.Queued) int64 {
	switch s.config.Priority.Channel {
	case priority.Nice:
		return 0
	case priority.Priority:
		if s.journal != nil {
			if _, nice, ours := s.journal.Stock(priority.Priority, q); ours {
				return nice
			}
		}
	case priority.SiteFactor:
	}
	return q.Nice
}
