package multifactor

import (
	"cmp"
	"fmt"
	"slices"

	"slurm-ostrich/ostrich"
)

// Under classic fair share, slurmctld goes through all jobs at a calculation, in
// the order of their submission. Each running job adds what it has used. At the
// first waiting job of a user it reads the user's usage as it is at that point
// (_decay_apply_new_usage_and_weighted_factors, _get_fairshare_priority). Usage
// of jobs that were submitted later does not count until the next calculation.

// looks holds the jobs in the order of their submission for that. Fair Tree does
// not need it.
type looks struct {
	waiting [][]spot  // by association
	running []*run    // those with an association
	norm    []float64 // by association, usage_norm as last read
	as      []int64   // by association, the calculation in which it was read
	heads   []head    // scratch
}

// spot is a job's place among all.
type spot struct {
	submit ostrich.Time
	id     ostrich.JobID
}

func compareSpots(a, b spot) int {
	return cmp.Or(cmp.Compare(a.submit, b.submit), cmp.Compare(a.id, b.id))
}

// head is the first waiting job of an association.
type head struct {
	spot
	association int
	used        float64 // by the association's jobs in front of it
}

// Wait says that a job waits, from Request.Submit on in the order of jobs. Only
// classic fair share needs it: for an association without a known waiting job,
// the usage counts as it is at the end of a calculation. Start removes the job.
// Wait first does the calculations due before that moment. It returns an error if
// the request does not pass Check, or if a later event has happened.
func (m *Multifactor) Wait(id ostrich.JobID, r *Request, at ostrich.Time) error {
	if at < m.now {
		return fmt.Errorf("multifactor: job %d waits at %d, and it is %d: %w", id, at, m.now, ErrConfig)
	}
	if err := m.Check(r); err != nil {
		return fmt.Errorf("multifactor: job %d: %w", id, err)
	}
	m.until(at)
	if m.fairTree || r.Association < 0 {
		return nil
	}
	line := &m.looks.waiting[r.Association]
	s := spot{r.Submit, id}
	if i, there := slices.BinarySearchFunc(*line, s, compareSpots); !there {
		*line = slices.Insert(*line, i, s)
	}
	return nil
}

// Withdraw says that a waiting job will not start. For a job that does not wait
// it changes nothing.
func (m *Multifactor) Withdraw(id ostrich.JobID, r *Request, at ostrich.Time) error {
	if at < m.now {
		return fmt.Errorf("multifactor: job %d is withdrawn at %d, and it is %d: %w", id, at, m.now, ErrConfig)
	}
	if err := m.Check(r); err != nil {
		return fmt.Errorf("multifactor: job %d: %w", id, err)
	}
	m.until(at)
	m.unwait(id, r)
	return nil
}

// unwait removes a job from those that wait.
func (m *Multifactor) unwait(id ostrich.JobID, r *Request) {
	if m.fairTree || r.Association < 0 {
		return
	}
	line := &m.looks.waiting[r.Association]
	switch i, there := slices.BinarySearchFunc(*line, spot{r.Submit, id}, compareSpots); {
	case !there:
	case i == 0:
		*line = (*line)[1:]
	default:
		*line = slices.Delete(*line, i, i+1)
	}
}

// place returns the index of a running job in the order.
func (l *looks) place(s spot) int {
	i, _ := slices.BinarySearchFunc(l.running, s, func(r *run, s spot) int { return compareSpots(r.spot, s) })
	return i
}

// begin and end add and remove running jobs.
func (l *looks) begin(r *run) { l.running = slices.Insert(l.running, l.place(r.spot), r) }

func (l *looks) end(r *run) {
	i := l.place(r.spot)
	l.running = slices.Delete(l.running, i, i+1)
}

// look goes through the jobs at the latest calculation.
func (m *Multifactor) look() {
	l := &m.looks
	l.heads = l.heads[:0]
	for i, line := range l.waiting {
		if len(line) > 0 {
			l.heads = append(l.heads, head{spot: line[0], association: i})
		}
	}
	slices.SortFunc(l.heads, func(a, b head) int { return compareSpots(a.spot, b.spot) })
	firsts := m.scratch // by node, the index of its head, from 1
	for i, h := range l.heads {
		firsts[m.association(h.association)] = i + 1
	}
	all, next := 0.0, 0
	finish := func(h *head) {
		node := m.association(h.association)
		firsts[node] = 0
		before, _ := m.usageAt(&m.nodes[node], m.calculation)
		root, _ := m.usageAt(&m.nodes[0], m.calculation)
		l.as[h.association] = m.calculation
		l.norm[h.association] = normalised(before*m.decay+h.used, root*m.decay+all)
	}
	for _, r := range l.running {
		for ; next < len(l.heads) && compareSpots(l.heads[next].spot, r.spot) < 0; next++ {
			finish(&l.heads[next])
		}
		used := r.rate * float64(m.period) * m.decay
		if r.since == m.calculation {
			used = r.first
		}
		all += used
		if i := firsts[r.association]; i > 0 {
			l.heads[i-1].used += used
		}
	}
	for ; next < len(l.heads); next++ {
		finish(&l.heads[next])
	}
}
