package view

import (
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/satisfaction"
	"slurm-ostrich/priority"
)

// due is until when users accept to wait for a pending job. It is zero for one that
// cannot start, or whose length is not known.
type due struct {
	at     ostrich.Time
	length ostrich.Duration // that the schedule expects of a task
}

// dueOf returns the due date of a pending job, by the length that is expected and since
// it could first start.
func (k *known) dueOf(e *priority.Entry, length ostrich.Duration, accept satisfaction.Acceptance) due {
	if e.Wait != priority.Able || length < 1 {
		return due{}
	}
	since := e.Submit
	if r, ok := k.record(e.Job); ok {
		since = max(since, r.Job.Submit, r.Eligible)
	}
	return due{accept.Due(since, length), length}
}

// dueAt returns the due date of the job at a place of the plan's entries; nil if it has
// none.
func (s *Cycle) dueAt(place int) *ostrich.Time {
	if d := &s.dues[place]; d.length > 0 {
		return &d.at
	}
	return nil
}

// PastDue counts the pending jobs that could start and have waited for longer than users
// accept by now, which may be the time of a later cycle of the same generation. An
// array's waiting tasks count once.
func (s *Cycle) PastDue(now ostrich.Time) int {
	n := 0
	for _, d := range s.dues {
		if d.length > 0 && d.at < now {
			n++
		}
	}
	return n
}

// accepters are those who accept a wait, by the name of the acceptance.
var accepters = map[string]struct{ accept, accepted string }{
	satisfaction.Median.Name: {"most users accept", "most users accepted"},
	satisfaction.Lower.Name:  {"three of four users accept", "three of four users accepted"},
	satisfaction.Upper.Name:  {"one of four users accepts", "one of four users accepted"},
	"":                       {"users accept", "users accepted"},
}

// accepted says until when users accept to wait.
func (e *Explanation) accepted(w *words) {
	if e.Due == nil || !e.DueShown {
		return
	}
	accept, err := satisfaction.Parse(e.Accepted)
	if err != nil {
		return // from a daemon that knows other acceptances
	}
	who := accepters[accept.Name]
	length := format.Span(float64(e.Length))
	if *e.Due < e.Time {
		w.add("due", "%s to wait until %s for a job that runs %s; that was %s ago", who.accepted, moment(*e.Due), length, format.Span(float64(e.Time-*e.Due)))
		return
	}
	w.add("due", "%s to wait until %s for a job that runs %s", who.accept, moment(*e.Due), length)
}
