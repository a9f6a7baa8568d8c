package statuspage

import (
	"cmp"
	"slices"

	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/ostrich"
)

// MostQueued is how many jobs of the queue the page shows.
const MostQueued = 500

// Queue lists the pending jobs of a user or the job that q asks for, the first
// most of them; 0 lists all. A job that is not there, or whose name makes no
// sense, is none.
func (s *Snapshot) Queue(q Query, most int) Queue {
	out := Queue{Jobs: []Queued{}}
	if s.state == nil {
		return out
	}
	entries := s.state.Entries
	out.Pending = len(entries)
	if q.Job != "" {
		name, err := view.ParseJob(q.Job)
		at := -1
		if err == nil {
			at = name.Pending(entries)
		}
		if at < 0 {
			return out
		}
		entries = entries[at : at+1]
	}
	for i := range entries {
		e := &entries[i]
		if q.User != "" && e.User != q.User {
			continue
		}
		if out.Matched++; most == 0 || len(out.Jobs) < most {
			out.Jobs = append(out.Jobs, Queued{
				Planned: view.PlannedOf(e), Colour: s.number(e.User), Moved: s.moved[e.Job], State: e.State, Reason: e.Reason,
			})
		}
	}
	out.More = out.Matched - len(out.Jobs)
	return out
}

// moves is by how many places each job comes earlier in OStrich's order than in
// Slurm's, of the ordered ones of its pool. Those left alone are not in it.
func moves(entries []sidecar.Entry) map[ostrich.JobID]int {
	var ordered []*sidecar.Entry // in Slurm's order
	for i := range entries {
		if e := &entries[i]; e.Rank != 0 {
			ordered = append(ordered, e)
		}
	}
	slices.SortFunc(ordered, func(a, b *sidecar.Entry) int {
		return cmp.Or(cmp.Compare(a.SlurmRank, b.SlurmRank), cmp.Compare(a.Job, b.Job))
	})
	moved, before := make(map[ostrich.JobID]int, len(ordered)), make(map[string]int) // in each pool
	for _, e := range ordered {
		before[e.Pool]++
		moved[e.Job] = before[e.Pool] - e.Rank
	}
	return moved
}

// Explain says why a job stands where it stands. The error is
// view.ErrNoJob for one that is not known, ErrNoCycle before the first cycle,
// and another one for a name that makes no sense.
func (s *Snapshot) Explain(job string) (*view.Explanation, error) {
	name, err := view.ParseJob(job)
	if err != nil {
		return nil, err
	}
	if s.state == nil {
		return nil, ErrNoCycle
	}
	return s.state.Explain(name)
}
