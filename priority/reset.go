package priority

import (
	"cmp"
	"fmt"
	"slices"

	"slurm-ostrich/ostrich"
)

// History knows earlier writes; journal.Journal is one.
type History interface {
	// Ours reports whether we ever wrote a value to the job, or may have.
	Ours(ch Channel, job ostrich.JobID, value int64) bool
	// Written returns the value a job had before the first write and the last that
	// was written. ok is false for a job that was never written.
	Written(ch Channel, job ostrich.JobID) (first, last int64, ok bool)
	// Submitted is when Slurm said that the job was submitted.
	Submitted(ch Channel, job ostrich.JobID) ostrich.Time
	// Former is the value that a job had before we came.
	Former(ch Channel, q *Queued) int64
	// Lost reports whether another writer's value has replaced ours.
	Lost(ch Channel, q *Queued) bool
	// Stock returns the value to give back to a job that has a value of ours, and the
	// nice value that its pin took.
	Stock(ch Channel, q *Queued) (value, nice int64, ours bool)
	// Restored reports whether a job's pin took the place of one of ours, and the
	// nice value that ours took.
	Restored(q *Queued, slack int64) (nice int64, restored bool)
	// Repeat reports whether a write that was undone may be made again now.
	Repeat(ch Channel, q *Queued, now ostrich.Time) bool
}

// Reset returns the changes that give every job back to the order of stock
// Slurm: the SiteFactor or nice value that the job had before the first write, a
// priority that Slurm computes, with the nice value that the pin took. Released
// jobs come in the order of their submission. A value that somebody else wrote is
// left alone.
//
// A held job stays held. Its SiteFactor and nice value are reset all the same
// if the journal knows them: under priority/multifactor they do not touch the
// hold, and the job would come back with them.
//
// running are the jobs that have started. SiteFactor and nice value stay with a job,
// and would come into force again if it were requeued. A task that started from a
// record of its array is not written: nobody knows whether it started before or after
// the array was.
//
// With all, what the journal does not know is given back too: in channel SiteFactor
// every value, whoever gave it; in channel Nice every negative one; in channel Priority
// every pinned job.
func (o Options) Reset(queue []Queued, running []ostrich.JobID, all bool) ([]Change, error) {
	if err := o.Channel.Check(); err != nil {
		return nil, err
	}
	if !o.Controller.Multifactor() && o.Channel != Priority {
		return nil, fmt.Errorf("channel %s: %w", o.Channel, impossible("set priority.channel: priority", "under %s only channel priority can be reset", o.Controller.PriorityType))
	}
	arrays := recordsPerArray(queue)
	var list []Change
	for i := range queue {
		q := &queue[i]
		from, to, ok := o.stock(q, all)
		undone := ok && o.Channel != Priority && o.Controller.undone(q)
		if !ok || from == to && !undone {
			continue
		}
		spec, named := arrays.long(q)
		if !named && o.Channel == Priority {
			continue // the array's own id would release its held tasks as well
		}
		c := Change{Job: q.Job, Submit: q.Submit, From: from, To: to, Spec: spec, Why: Why{Code: FromReset}}
		if o.Channel == Priority && o.Journal != nil {
			c.Nice = o.nice(q)
		}
		list = append(list, c)
	}
	if o.Channel == Priority {
		// Under priority/basic a released job goes to the tail.
		slices.SortFunc(list, func(a, b Change) int {
			return cmp.Or(cmp.Compare(a.Submit, b.Submit), cmp.Compare(a.Job, b.Job))
		})
	}
	if o.Channel == Priority || o.Journal == nil {
		return list, nil
	}
	for _, id := range running {
		q := &Queued{Job: id}
		if from, to, ok := o.unseen(q, all); ok && from != to && !o.Journal.Lost(o.Channel, q) {
			list = append(list, Change{Job: id, Submit: o.Journal.Submitted(o.Channel, id), From: from, To: to, Why: Why{Code: FromReset}})
		}
	}
	return list, nil
}

// nice returns the nice value that the pin of a job took from it.
func (o *Options) nice(q *Queued) int64 {
	if nice, restored := o.restored(q); restored {
		return nice
	}
	if q.Nice != 0 {
		return 0
	}
	_, nice, _ := o.Journal.Stock(Priority, q)
	return nice
}

// unseen returns, for a job whose value Slurm does not show, the value that we wrote last
// to it or to its array, and the value to give back. ok is false if we wrote none, or a
// SiteFactor of 0.
func (o *Options) unseen(q *Queued, all bool) (from, to int64, ok bool) {
	if o.Journal == nil {
		return 0, 0, false
	}
	_, from, ok = o.Journal.Written(o.Channel, q.Job)
	if !ok {
		_, from, ok = o.Journal.Written(o.Channel, q.Array)
	}
	if !all || o.Channel != SiteFactor {
		to = o.Journal.Former(o.Channel, q)
	}
	return from, to, ok && (from != 0 || o.Channel != SiteFactor)
}

// stock returns a job's present value and the one it has under stock Slurm.
// ok is false for a job that is left alone.
func (o *Options) stock(q *Queued, all bool) (from, to int64, ok bool) {
	var stock int64
	ours := false
	if o.Journal != nil {
		stock, _, ours = o.Journal.Stock(o.Channel, q)
	}
	switch o.Channel {
	case SiteFactor:
		switch {
		case !q.SiteKnown: // held, pinned or not eligible: sprio does not tell
			from, to, ok = o.unseen(q, all)
			return from, to, ok && (all || !o.Journal.Lost(SiteFactor, q))
		case ours && !all:
			return q.Site, stock, true
		case q.Site == 0:
			return 0, 0, true // given back, and maybe undone
		default:
			return q.Site, 0, all
		}
	case Nice:
		switch {
		case q.Pinned:
			return 0, 0, false // Slurm ignores the change
		case ours:
			return q.Nice, stock, true
		default:
			return q.Nice, 0, all && q.Nice < 0
		}
	default:
		pinned := q.Pinned || (o.Controller.Basic() && q.Priority > topPriority)
		_, restored := o.restored(q)
		return int64(q.Priority), 0, !q.Held() && (pinned && (ours || all) || restored)
	}
}
