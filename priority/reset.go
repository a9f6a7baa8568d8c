package priority

import (
	"cmp"
	"fmt"
	"slices"

	"slurm-ostrich/ostrich"
)

// ResetOptions say what is given back to stock ordering.
type ResetOptions struct {
	Channel    Channel
	Controller Controller
	// Journal knows what was written; nil is the same as an empty one.
	Journal *Journal
	// Running are the jobs that have started. SiteFactor and nice value stay
	// with a job, and would come into force again if it were requeued.
	Running []ostrich.JobID
	// All also gives back what the journal does not know: in channel SiteFactor
	// every value, whoever gave it; in channel Nice every negative one; in channel
	// Priority every pinned job.
	All bool
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
func Reset(o ResetOptions, queue []Queued) ([]Change, error) {
	if _, err := ParseChannel(string(o.Channel)); err != nil {
		return nil, err
	}
	if !o.Controller.Multifactor() && o.Channel != Priority {
		return nil, fmt.Errorf("channel %s: %w", o.Channel, impossible(
			"under %s only channel priority can be reset", o.Controller.PriorityType,
		))
	}
	arrays := arraysApart(queue)
	var all []Change
	for i := range queue {
		q := &queue[i]
		from, to, ok := o.stock(q)
		if !ok || from == to {
			continue
		}
		spec, named := arrays.long(q)
		if !named && o.Channel == Priority {
			continue // the array's own id would release its held tasks as well
		}
		c := Change{Job: q.Job, Submit: q.Submit, From: from, To: to, Spec: spec, Why: "reset"}
		if o.Channel == Priority && o.Journal != nil && q.Nice == 0 {
			c.Nice = o.Journal.nice(q.Job)
		}
		all = append(all, c)
	}
	if o.Channel == Priority {
		// Under priority/basic a released job goes to the tail.
		slices.SortFunc(all, func(a, b Change) int {
			return cmp.Or(cmp.Compare(a.Submit, b.Submit), cmp.Compare(a.Job, b.Job))
		})
	}
	if o.Channel == Priority || o.Journal == nil {
		return all, nil
	}
	for _, id := range o.Running {
		first, last, ok := o.Journal.Written(o.Channel, id)
		if ok && first != last {
			all = append(all, Change{Job: id, Submit: o.Journal.submit(o.Channel, id), From: last, To: first, Why: "reset"})
		}
	}
	return all, nil
}

// stock returns a job's present value and the one it has under stock Slurm.
// ok is false for a job that is left alone.
func (o ResetOptions) stock(q *Queued) (from, to int64, ok bool) {
	var first, last int64
	known, ours := false, false
	if o.Journal != nil {
		first, last, known = o.Journal.Written(o.Channel, q.Job)
		ours = o.Journal.Ours(o.Channel, q.Job, int64(q.Priority))
	}
	switch o.Channel {
	case SiteFactor:
		if !q.SiteKnown {
			return last, first, known // held, pinned or not eligible: sprio does not tell
		}
		if o.Journal != nil {
			if to, _, ours = o.Journal.Stock(SiteFactor, q); ours {
				return q.Site, to, true
			}
		}
		return q.Site, 0, o.All
	case Nice:
		switch {
		case q.Pinned:
			return 0, 0, false // Slurm ignores the change
		case known && o.Journal.Ours(Nice, q.Job, q.Nice):
			return q.Nice, first, true
		default:
			return q.Nice, 0, o.All && q.Nice < 0
		}
	default:
		pinned := q.Pinned || (o.Controller.Basic() && q.Priority > topPriority)
		return int64(q.Priority), 0, !q.Held() && pinned && (ours || o.All)
	}
}
