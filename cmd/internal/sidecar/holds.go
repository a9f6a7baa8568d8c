package sidecar

import (
	"context"
	"slices"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/priority"
)

// holds joins what the queue says of jobs that cannot start with what accounting
// reports of them. Accounting knows, seconds late, when a job that was held,
// depended on another or began later could start. Only slurmctld knows of limits
// and of the impossible, and only of the present.
//
// A job that cannot start when accounting first reports it, also after a start of
// the sidecar, counts as such from its submission on: nobody knows better.
type holds struct {
	queue []priority.Queued               // as read in this cycle
	waits map[ostrich.JobID]priority.Wait // of its jobs that cannot start, why
	kept  map[ostrich.JobID]bool          // pending jobs: whether the schedules have them as jobs that cannot start
	open  []*priority.Queued              // those jobs of queue whose state differs from kept
	stale bool                            // open is to be found anew

	demands map[ostrich.JobID]demand // of the jobs of queue with a special one

	joined []ostrich.Event // what join returned; its memory is used again

	limits   map[ostrich.JobID]limit // as the scheduler last gave them
	ranked   []priority.Queued       // the queue that limits and waits were found in
	recalled altered
}

func newHolds() holds {
	return holds{kept: make(map[ostrich.JobID]bool), stale: true}
}

// limit is a reason that keeps a job waiting whatever its place, and when it was
// last read.
type limit struct {
	reason string
	at     time.Time
}

// limitAge is how long a job at a limit may show a reason that says nothing of
// limits before it counts as able to start.
const limitAge = time.Minute

// recall returns the queue with the reasons that slurmctld forgets when we write to a
// job, until its scheduler looks at the job again. Otherwise each write to a job at a
// limit would put it before others, for another write in the next cycle. Where a job
// before it waits for resources, the main scheduler gives it the reason Priority without
// a look at its limits.
//
// It also finds out why jobs cannot start, once for the whole cycle.
func (h *holds) recall(queue []priority.Queued, now time.Time) []priority.Queued {
	if len(h.limits) == 0 && sameList(h.ranked, queue) {
		return queue
	}
	limits, waits := make(map[ostrich.JobID]limit), make(map[ostrich.JobID]priority.Wait)
	var edits []edit
	for i := range queue {
		q := &queue[i]
		l, w := limit{q.Reason, now}, q.Wait()
		if q.Reason == "None" || q.Reason == "" || q.Reason == "Priority" {
			if l = h.limits[q.Job]; now.Sub(l.at) > limitAge {
				l.reason = ""
			}
			if l.reason != "" {
				edits = append(edits, edit{i, l.reason})
				again := *q
				again.Reason = l.reason
				w = again.Wait()
			}
		}
		if w != priority.Able {
			waits[q.Job] = w
		}
		if l.reason != "" && (w == priority.Limited || w == priority.Impossible) {
			limits[q.Job] = l
		}
	}
	h.limits, h.waits, h.ranked = limits, waits, queue
	return h.recalled.with(queue, edits, func(q *priority.Queued, reason string) { q.Reason = reason })
}

func (h *holds) begin(_ context.Context, queue []priority.Queued) {
	h.stale = h.stale || !sameList(h.queue, queue)
	h.queue = queue
}

// join adds to events that a new job cannot start, and drops the release of a job
// that the queue has at a limit.
func (h *holds) join(_ context.Context, events []ostrich.Event) []ostrich.Event {
	h.joined = h.joined[:0]
	h.stale = h.stale || len(events) > 0
	for _, e := range events {
		w := h.waits[e.Job.ID]
		switch e.Kind {
		case ostrich.Submit:
			if w != priority.Able {
				h.kept[e.Job.ID] = true
				h.joined = append(h.joined, e)
				e.Kind = ostrich.Hold
			}
		case ostrich.Hold:
			h.kept[e.Job.ID] = true
		case ostrich.Release:
			if w == priority.Limited || w == priority.Barred || w == priority.Impossible {
				continue
			}
			h.kept[e.Job.ID] = false
		case ostrich.Start, ostrich.Requeue, ostrich.End:
			delete(h.kept, e.Job.ID)
		case ostrich.Capacity, ostrich.Reshare, ostrich.Change, ostrich.Suspend, ostrich.Resume:
		}
		h.joined = append(h.joined, e)
	}
	return h.joined
}

// fill adds that a supposed job cannot start.
func (h *holds) fill(_ context.Context, events []ostrich.Event) []ostrich.Event {
	var all []ostrich.Event
	for _, e := range events {
		all = append(all, e)
		if h.waits[e.Job.ID] != priority.Able {
			e.Kind = ostrich.Hold
			all = append(all, e)
		}
	}
	return all
}

// knownLate is how long ago a job may have become able to start although
// slurmctld's queue, read before, still shows it waiting.
const knownLate = ostrich.Time(5)

func (h *holds) changes(now ostrich.Time, record func(ostrich.JobID) (ledger.Record, bool)) []ostrich.Event {
	var events []ostrich.Event
	if h.stale {
		events = h.givenUp(now, record)
		h.open = h.open[:0]
		for i := range h.queue {
			if q := &h.queue[i]; (h.waits[q.Job] != priority.Able) != h.kept[q.Job] {
				h.open = append(h.open, q)
			}
		}
		h.stale = false
	}
	h.open = slices.DeleteFunc(h.open, func(q *priority.Queued) bool {
		id, w := q.Job, h.waits[q.Job]
		r, known := record(id)
		if !known || r.Job.Start != 0 {
			return false
		}
		could := r.Eligible != 0 && r.Eligible <= now // by accounting
		kind := ostrich.Hold
		switch {
		case w >= priority.Later && could && r.Eligible >= now-knownLate:
			return false // accounting is the younger one
		case w == priority.Able && !could && !q.Listed:
			return false // not looked at by the scheduler since
		case w == priority.Able:
			kind = ostrich.Release
		}
		h.kept[id] = kind == ostrich.Hold
		events = append(events, ostrich.Event{At: now, Kind: kind, Job: r.Job})
		return true
	})
	slices.SortFunc(events, ostrich.Compare)
	return events
}

// demand is what a job's owner can choose so that it cannot start, and take back.
type demand struct {
	wants                  priority.Wants
	reservation, partition string
}

// demandOf returns what a pending job demands, and whether it is anything special. A partition
// counts where Slurm gives it a reason that is not its turn, such as PartitionDown.
func demandOf(q *priority.Queued) (demand, bool) {
	d := demand{wants: q.Wants, reservation: q.Reservation, partition: q.Partition}
	return d, q.Wants != "" || q.Reservation != "" || !priority.ForItsTurn(q.Reason)
}

// givenUp returns a Hold and a Release for each job that demands something else than
// before: it counts as submitted now. Barred knows only of nodes, processors and licenses;
// whatever else kept the job from starting was its owner's choice too.
func (h *holds) givenUp(now ostrich.Time, record func(ostrich.JobID) (ledger.Record, bool)) (events []ostrich.Event) {
	demands := make(map[ostrich.JobID]demand)
	for i := range h.queue {
		q := &h.queue[i]
		is, special := demandOf(q)
		if special {
			demands[q.Job] = is
		}
		if was, had := h.demands[q.Job]; !had || was == is || h.kept[q.Job] {
			continue
		}
		if r, known := record(q.Job); known && r.Job.Start == 0 {
			events = append(events, ostrich.Event{At: now, Kind: ostrich.Hold, Job: r.Job}, ostrich.Event{At: now, Kind: ostrich.Release, Job: r.Job})
		}
	}
	h.demands = demands
	return events
}
