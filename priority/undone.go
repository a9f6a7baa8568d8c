package priority

import (
	"slices"
	"strings"

	"slurm-ostrich/ostrich"
)

// The backfill scheduler notes the priority of every job when its cycle begins
// and gives it back when the cycle reaches the job (job_ptr->priority =
// bf_job_priority in sched/backfill/backfill.c). What was written in between,
// while it had yielded its locks, is undone: the SiteFactor or nice value is
// there, and slurmctld schedules by the old priority until it computes priorities
// the next time (PriorityCalcPeriod). A pin is undone for good.

// decayStep returns the most by which a priority usually differs from the one that
// slurmctld computes PriorityCalcPeriod later: what age adds, and a twentieth of
// what fairshare can.
func (c Controller) decayStep() int64 {
	age := c.Weights.Age
	if c.CalcPeriod > 0 && c.PriorityMaxAge > c.CalcPeriod {
		age = int64(float64(age) * float64(c.CalcPeriod) / float64(c.PriorityMaxAge))
	}
	return age + c.Weights.Fairshare/20 + 1
}

// Behind returns how far the priority that slurmctld schedules by is from the sum
// of its factors. It is 0 where that is unknown or means nothing: slurmctld
// schedules a job in several partitions by an array of priorities that the
// backfill scheduler leaves alone.
func (q *Queued) Behind() int64 {
	if !q.SiteKnown || q.Computed == 0 || q.Priority == 0 || strings.Contains(q.Partition, ",") {
		return 0
	}
	return int64(q.Priority) - int64(q.Computed)
}

// undone reports whether slurmctld schedules a job by another priority than the
// sum of its factors, by more than a decay step explains. With bf_hetjob_prio the components of
// a heterogeneous job have a priority of their leader's, which nobody undid.
func (c Controller) undone(q *Queued) bool {
	behind := q.Behind()
	if !c.Multifactor() || c.Flag("INCR_ONLY") || max(behind, -behind) <= c.decayStep() {
		return false
	}
	return !strings.Contains(q.Full, "+") || !slices.ContainsFunc(c.SchedulerParameters, func(p string) bool {
		return strings.HasPrefix(strings.ToLower(p), "bf_hetjob_prio")
	})
}

// restored reports whether the job's priority took the place of our pin, or is our
// pin and was put back after its release. It also returns the nice value that goes
// with it.
func (o *Options) restored(q *Queued) (nice int64, restored bool) {
	if o.Journal == nil || o.Channel != Priority || o.Controller.Multifactor() && !q.Pinned && !o.Controller.undone(q) {
		return 0, false
	}
	return o.Journal.Restored(q, o.Controller.decayStep())
}

// repeat marks the entry of a managed job whose write was undone, so that it is
// written again, unless that was done too often of late.
func (o *Options) repeat(e *Entry) {
	q := e.Queued
	if o.Channel == Priority {
		if _, restored := o.restored(q); restored {
			o.again(e, e.Write)
		}
		return
	}
	if !e.Write && !e.below && o.Controller.undone(q) {
		o.again(e, true)
	}
}

// again marks an entry as Undone. With write it is written again, unless that was done too
// often of late.
func (o *Options) again(e *Entry, write bool) {
	e.Undone, e.Write = true, write
	switch {
	case !write:
	case o.Journal == nil || o.Journal.Repeat(o.Channel, e.Queued, o.Now):
		e.Why = Why{Code: WasUndone}
	default:
		e.To, e.Write, e.Why = e.From, false, Why{Code: UndoneAgain} // see History.Repeat
	}
}

// Judge compares a burst with the queue that was read back: a change is Undone if
// its value is there but slurmctld does not schedule by it.
func (o Options) Judge(r *Result) {
	index := make(map[ostrich.JobID]int, len(r.Queue))
	for i := range r.Queue {
		index[r.Queue[i].Job] = i
	}
	for i := range r.Outcomes {
		out := &r.Outcomes[i]
		at, pending := index[out.Job]
		if !pending || out.Status != Applied && out.Status != NotApplied {
			continue
		}
		q := &r.Queue[at]
		pin := o.Channel == Priority && out.To != 0
		switch {
		case pin && out.Status == NotApplied && (q.Pinned || !o.Controller.Multifactor()) &&
			(near(int64(q.Priority), out.From, o.Controller.decayStep()) || o.written(q)):
			out.Status = Undone
		case !pin && (out.Status == Applied || o.Channel == Priority && !q.Pinned) && o.Controller.undone(q):
			out.Status = Undone
		}
	}
}

func near(a, b, most int64) bool { return max(a-b, b-a) <= most }
