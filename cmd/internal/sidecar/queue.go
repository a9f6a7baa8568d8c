package sidecar

import (
	"context"
	"slices"
	"time"

	"slurm-ostrich/priority"
)

// queue is the pending jobs in the order in which Slurm would try them. As long as
// neither they nor what is added to them change, it is the same list: the same memory.
func (s *Sidecar) queue(ctx context.Context) ([]priority.Queued, error) {
	queue, err := s.slurm.Queue(ctx)
	if err != nil {
		return nil, err
	}
	if s.ranked == nil || !sameList(s.printed, queue) {
		ranked := queue
		if sameList(s.printed, queue) {
			ranked = slices.Clone(queue) // its former order may be in use
		}
		priority.Rank(ranked, s.partitions)
		if s.printed = queue; !slices.Equal(s.ranked, ranked) {
			s.ranked = ranked
		}
	}
	return s.holds.recall(s.ranked, time.Now()), nil
}

// sameList tells whether two lists are one. Nobody changes a list that was handed out.
func sameList(a, b []priority.Queued) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// edit is a text that the job at a place of the queue gets.
type edit struct {
	place int
	text  string
}

// altered is a copy of the queue with some edits.
type altered struct {
	from, to []priority.Queued
	edits    []edit
}

// with returns the queue with the edits: itself where there are none, and the same copy
// for the same queue and edits.
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

// nameUsers returns the queue with the users' names of accounting. Where the host does not
// know a user, squeue shows a number or "nobody", which excludes nobody.
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
