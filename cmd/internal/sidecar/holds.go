package sidecar

import (
	"slices"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
	"slurm-ostrich/slurmdb"
)

// holds joins what the queue says of jobs that cannot start to what accounting
// tells of them. Accounting knows when a job that was held, depended on another or
// began later could start, seconds late. Of limits and of the impossible only
// slurmctld knows, and only that it is so now.
//
// A job that is found so when accounting tells of it, after a start of the sidecar
// too, was so from its submission on: nobody knows better.
type holds struct {
	queue []priority.Queued                  // as read in this cycle
	jobs  map[ostrich.JobID]*priority.Queued // of queue; nil until an event asks for one
	told  map[ostrich.JobID]bool             // pending jobs: that they cannot start

	joined []ostrich.Event // by join, and its memory

	limits map[ostrich.JobID]limit // as last told by the scheduler
}

// limit is a reason that keeps a job waiting whatever its place, and when it was
// last read.
type limit struct {
	reason string
	at     time.Time
}

// limitAge is how long a job may have a reason that does not say that its limits were
// looked at before it counts as able to start.
const limitAge = time.Minute

// recall gives jobs of the queue the reasons back that slurmctld forgets when they
// are written to, until its scheduler looks at them again. Otherwise each write to a
// job at a limit would put it before others, for another write in the next cycle. Where a
// job before it waits for resources, the main scheduler gives it the reason Priority
// without a look at its limits.
func (h *holds) recall(queue []priority.Queued, now time.Time) {
	limits := make(map[ostrich.JobID]limit)
	for i := range queue {
		q := &queue[i]
		l := limit{q.Reason, now}
		if q.Reason == "None" || q.Reason == "" || q.Reason == "Priority" {
			l = h.limits[q.Job]
			if l.reason == "" || now.Sub(l.at) > limitAge {
				continue
			}
			q.Reason = l.reason
		}
		if w := q.Wait(); w == priority.Limited || w == priority.Impossible {
			limits[q.Job] = l
		}
	}
	h.limits = limits
}

// begin starts a cycle.
func (h *holds) begin(queue []priority.Queued) {
	h.queue, h.jobs = queue, nil
	if h.told == nil {
		h.told = make(map[ostrich.JobID]bool)
	}
}

// wait is what the queue says of a job.
func (h *holds) wait(id ostrich.JobID) priority.Wait {
	if h.jobs == nil {
		h.jobs = make(map[ostrich.JobID]*priority.Queued, len(h.queue))
		for i := range h.queue {
			h.jobs[h.queue[i].Job] = &h.queue[i]
		}
	}
	if q := h.jobs[id]; q != nil {
		return q.Wait()
	}
	return priority.Able
}

// join adds to events that a job which is new cannot start, and leaves out that one
// can which the queue has at a limit.
func (h *holds) join(events []ostrich.Event) []ostrich.Event {
	h.joined = h.joined[:0]
	for _, e := range events {
		w := h.wait(e.Job.ID)
		switch e.Kind {
		case ostrich.Submit:
			if w != priority.Able {
				h.told[e.Job.ID] = true
				h.joined = append(h.joined, e)
				e.Kind = ostrich.Hold
			}
		case ostrich.Hold:
			h.told[e.Job.ID] = true
		case ostrich.Release:
			if w == priority.Limited || w == priority.Impossible {
				continue
			}
			h.told[e.Job.ID] = false
		case ostrich.Start, ostrich.Requeue, ostrich.End:
			delete(h.told, e.Job.ID)
		case ostrich.Capacity, ostrich.Reshare, ostrich.Change, ostrich.Suspend, ostrich.Resume:
		}
		h.joined = append(h.joined, e)
	}
	return h.joined
}

// toldLate is how long ago a job may have become able to start while slurmctld's
// queue, read before, still had it waiting.
const toldLate = ostrich.Time(5)

// changes are the jobs of which the queue says something else than was told.
func (h *holds) changes(now ostrich.Time, record func(ostrich.JobID) (slurmdb.Record, bool)) []ostrich.Event {
	var events []ostrich.Event
	for i := range h.queue {
		q := &h.queue[i]
		id, w := q.Job, q.Wait()
		if (w != priority.Able) == h.told[id] {
			continue
		}
		r, known := record(id)
		if !known || r.Job.Start != 0 {
			continue
		}
		could := r.Eligible != 0 && r.Eligible <= now // by accounting
		kind := ostrich.Hold
		switch {
		case w >= priority.Later && could && r.Eligible >= now-toldLate:
			continue // accounting is the younger one
		case w == priority.Able && !could && !q.Listed:
			continue // not looked at by the scheduler since
		case w == priority.Able:
			kind = ostrich.Release
		}
		h.told[id] = kind == ostrich.Hold
		events = append(events, ostrich.Event{At: now, Kind: kind, Job: r.Job})
	}
	slices.SortFunc(events, ostrich.Compare)
	return events
}
