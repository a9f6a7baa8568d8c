package sidecar

import (
	"context"
	"maps"
	"slices"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/priority"
)

// queue returns the pending jobs in the order in which Slurm would try them. As long
// as nothing about them changes, it returns the same list, in the same memory.
func (s *Sidecar) queue(ctx context.Context) ([]priority.Queued, error) {
	queue, err := s.slurm.Queue(ctx)
	if err != nil {
		return nil, err
	}
	if s.ranked == nil || !sameList(s.printed, queue) {
		ranked := queue
		if sameList(s.printed, queue) {
			ranked = slices.Clone(queue) // others may use the list in its former order
		}
		priority.Rank(ranked, s.partitions)
		if s.printed = queue; !slices.Equal(s.ranked, ranked) {
			s.ranked = ranked
		}
	}
	return s.holds.recall(s.ranked, time.Now()), nil
}

// sameList reports whether two lists are one list in memory. Nobody edits a list that
// queue has returned, so the jobs are the same too.
func sameList(a, b []priority.Queued) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// edit gives the job at a place of the queue another text.
type edit struct {
	place int
	text  string
}

// altered is a copy of the queue with edits.
type altered struct {
	from, to []priority.Queued
	edits    []edit
}

// with returns the queue with the edits. It returns the queue itself if there are
// none, and the same copy for the same queue and edits.
func (a *altered) with(queue []priority.Queued, edits []edit, set func(q *priority.Queued, text string)) []priority.Queued {
	if len(edits) == 0 {
		*a = altered{}
		return queue
	}
	if !sameList(a.from, queue) || !slices.Equal(a.edits, edits) {
		*a = altered{from: queue, to: slices.Clone(queue), edits: edits}
		for _, e := range edits {
			set(&a.to[e.place], e.text)
		}
	}
	return a.to
}

// nameUsers returns the queue with accounting's names of the users. For a user that the
// host does not know, squeue shows a number or "nobody", which no setting names.
func (s *Sidecar) nameUsers(queue []priority.Queued) []priority.Queued {
	excluded := s.config.Exclude.Users
	if len(excluded) == 0 && len(s.config.Include.Users) == 0 {
		return queue
	}
	var edits []edit
	for i := range queue {
		q := &queue[i]
		if r, known := s.recorded(q.Job); known && r.UserName != "" && r.UserName != q.User && !slices.Contains(excluded, q.User) {
			edits = append(edits, edit{i, r.UserName})
		}
	}
	return s.named.with(queue, edits, func(q *priority.Queued, name string) { q.User = name })
}

// leaveOut remembers the jobs of the queue with invalid rows. Accounting reports
// each once, maybe before the queue has it.
func (s *Sidecar) leaveOut(skipped []ledger.Skip, queue []priority.Queued) {
	if len(s.skipped) == 0 && len(skipped) == 0 {
		return
	}
	pending := make(map[ostrich.JobID]string)
	for i := range queue {
		if why, out := s.skipped[queue[i].Job]; out {
			pending[queue[i].Job] = why
		}
	}
	for _, skip := range skipped {
		pending[skip.Job] = skip.Why
	}
	if !maps.Equal(pending, s.skipped) {
		s.made = nil // the plan names them
	}
	s.skipped = pending
}
