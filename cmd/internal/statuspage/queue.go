package statuspage

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"slurm-ostrich/cmd/internal/api"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/view"
)

// MostQueued is how many jobs of the queue the page shows, at most, if it is asked for all.
const MostQueued = 500

// queued lists the pending jobs that q asks for, at most so many.
func (s *Snapshot) queued(q Query, most int) view.Plan {
	if s.cycle == nil {
		return view.Plan{}
	}
	by := &view.Selection{Limit: most}
	if q.User != "" {
		by.Users = []string{q.User}
	}
	if q.Job != "" {
		by.Jobs = []string{q.Job}
	}
	return s.cycle.Chosen(s.sees(), by)
}

// explain says why jobs stand where they stand, or what became of them, as "ostrich explain"
// does. The error is for the reader.
func (s *Snapshot) explain(ctx context.Context, jobs string) (*view.Answer, error) {
	names, err := view.ParseJobs(jobs)
	switch {
	case err != nil:
		return nil, err
	case s.cycle == nil:
		return nil, ErrNoCycle
	case len(names) == 0:
		return nil, errors.New("name a job")
	}
	ctx, cancel := context.WithTimeout(ctx, api.Asking)
	defer cancel()
	a, err := s.cycle.Answer(ctx, s.sees(), &view.Selection{Jobs: view.Split(jobs)})
	if err == nil && len(a.Unknown) > 0 {
		err = fmt.Errorf("job %s: neither in the queue nor in accounting", strings.Join(a.Unknown, ", "))
	}
	return a, err
}

// textOf returns an answer as text.
func textOf(a *view.Answer) string {
	texts := format.Texts(a.Jobs, (*view.Explanation).String)
	if a.Incomplete != "" {
		texts = append(texts, "Something may be missing: "+a.Incomplete+".\n")
	}
	return strings.Join(texts, "\n")
}
