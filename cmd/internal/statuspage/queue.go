package statuspage

import (
	"fmt"

	"slurm-ostrich/cmd/internal/view"
)

// MostQueued is how many jobs of the queue the page shows, at most, if it is asked for all.
const MostQueued = 500

// Queue lists the pending jobs of the user or the job that q asks for, at most so
// many; 0 lists all. It lists none for an unknown job or an invalid name.
func (s *Snapshot) Queue(q Query, most int) Queue {
	out := Queue{Jobs: []Queued{}}
	if s.cycle == nil {
		return out
	}
	entries := s.cycle.Plan.Entries
	from, to := 0, len(entries)
	out.Pending = to
	if q.Job != "" {
		name, err := view.ParseJob(q.Job)
		at := -1
		if err == nil {
			at = name.Pending(entries)
		}
		if at < 0 {
			return out
		}
		from, to = at, at+1
	}
	for i := from; i < to; i++ {
		e := entries[i]
		if q.User != "" && e.User != q.User || !s.sees(e.User, e.Account) {
			continue
		}
		if out.Matched++; most == 0 || len(out.Jobs) < most {
			j := s.cycle.Job(i)
			out.Jobs = append(out.Jobs, Queued{Job: j, State: j.State, Reason: j.Reason})
		}
	}
	out.More = out.Matched - len(out.Jobs)
	return out
}

// Explain says why a job stands where it stands. It returns view.ErrNoJob for a job
// that is unknown or may not be seen, ErrNoCycle before the first cycle, and another
// error for an invalid name.
func (s *Snapshot) Explain(job string) (*view.Explanation, error) {
	name, err := view.ParseJob(job)
	if err != nil {
		return nil, err
	}
	if s.cycle == nil {
		return nil, ErrNoCycle
	}
	e, err := s.cycle.Explain(name)
	if err == nil && !s.sees(e.User, e.Account) {
		return nil, fmt.Errorf("job %s: %w", job, view.ErrNoJob)
	}
	if err == nil && s.viewer != nil {
		e.Hide(s.viewer)
	}
	return e, err
}
