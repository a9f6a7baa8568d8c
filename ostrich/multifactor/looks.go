package multifactor

import (
	"cmp"
	"slices"

	"slurm-ostrich/ostrich"
)

// Under classic fair share, slurmctld goes through all jobs at a calculation, in
// the order of their submission. Each running job adds what it has used. At the
// first waiting job of a user it reads the user's usage as it is at that point
// (_decay_apply_new_usage_and_weighted_factors, _get_fairshare_priority). Usage
// of jobs that were submitted later does not count until the next calculation.
// Of a user without one it reads the usage when the next job is submitted.

// spot is a job's place among all.
type spot struct {
	submit ostrich.Time
	id     ostrich.JobID
}

func compareSpots(a, b spot) int {
	return cmp.Or(cmp.Compare(a.submit, b.submit), cmp.Compare(a.id, b.id))
}

// Wait says that a job waits, from Request.Submit on in the order of jobs. Only
// classic fair share needs it: for an association that nobody has read since a
// calculation, the usage counts as it is at the end of that. Start removes the job.
// Wait first does the calculations due before that moment. It returns an error if
// the request does not pass Check, or if a later event has happened.
func (m *Multifactor) Wait(id ostrich.JobID, r *Request, at ostrich.Time) error {
	if err := m.reach(id, "waits", r, at); err != nil || m.fairTree || r.Association < 0 {
		return err
	}
	m.read(m.association(r.Association))
	line := &m.waiting[r.Association]
	s := spot{r.Submit, id}
	if i, there := slices.BinarySearchFunc(*line, s, compareSpots); !there {
		*line = slices.Insert(*line, i, s)
	}
	return nil
}

// read takes the usage of an association as it is now, unless it was read since the latest calculation.
func (m *Multifactor) read(i int) {
	x := &m.nodes[i]
	if x.lookedAt == m.calculation {
		return
	}
	now := func(x *node) float64 {
		_, usage := m.usageAt(x.spent, m.calculation)
		if x.as == m.calculation {
			usage += x.ended
		}
		return usage
	}
	m.lookAt(i, normalised(now(x), now(&m.nodes[0])))
	m.shared = -1
}

// Withdraw says that a waiting job will not start. For a job that does not wait
// it changes nothing.
func (m *Multifactor) Withdraw(id ostrich.JobID, r *Request, at ostrich.Time) error {
	if err := m.reach(id, "is withdrawn", r, at); err != nil {
		return err
	}
	m.unwait(id, r)
	return nil
}

// unwait removes a job from those that wait.
func (m *Multifactor) unwait(id ostrich.JobID, r *Request) {
	if m.fairTree || r.Association < 0 {
		return
	}
	line := &m.waiting[r.Association]
	switch i, there := slices.BinarySearchFunc(*line, spot{r.Submit, id}, compareSpots); {
	case !there:
	case i == 0:
		*line = (*line)[1:]
	default:
		*line = slices.Delete(*line, i, i+1)
	}
}

// place returns the index of a running job in the order.
func (m *Multifactor) place(s spot) int {
	i, _ := slices.BinarySearchFunc(m.ordered, s, func(r *run, s spot) int { return compareSpots(r.spot, s) })
	return i
}

// findHeads lists the associations of which the latest calculation reads the usage, by the first of their jobs that make
// it do so: those that wait, and with CalculateRunning those that run.
func (m *Multifactor) findHeads() {
	m.heads = m.heads[:0]
	head := func(i int, first spot) {
		x := &m.nodes[i]
		switch {
		case !x.looking:
			x.looking, x.first, x.inFront = true, first, 0
			m.heads = append(m.heads, i)
		case compareSpots(first, x.first) < 0:
			x.first = first
		}
	}
	for i, line := range m.waiting {
		if len(line) > 0 {
			head(m.association(i), line[0])
		}
	}
	if m.c.Flags&CalculateRunning != 0 {
		for _, r := range m.ordered {
			head(r.association, r.spot)
		}
	}
	slices.SortFunc(m.heads, func(a, b int) int { return compareSpots(m.nodes[a].first, m.nodes[b].first) })
}

// look goes through the jobs at the latest calculation.
func (m *Multifactor) look() {
	if m.c.Flags&DepthOblivious != 0 {
		m.shareAccounts()
	}
	m.findHeads()
	all, next := 0.0, 0
	finish := func(i int) {
		x := &m.nodes[i]
		before, _ := m.usageAt(x.spent, m.calculation)
		root, _ := m.usageAt(m.nodes[0].spent, m.calculation)
		x.looking = false
		m.lookAt(i, normalised(before*m.decay+x.inFront, root*m.decay+all))
	}
	for _, r := range m.ordered {
		for ; next < len(m.heads) && compareSpots(m.nodes[m.heads[next]].first, r.spot) < 0; next++ {
			finish(m.heads[next])
		}
		used := r.rate * float64(m.period) * m.decay
		if r.since == m.calculation {
			used = r.first
		}
		all += used
		if x := &m.nodes[r.association]; x.looking {
			x.inFront += used
		}
	}
	for ; next < len(m.heads); next++ {
		finish(m.heads[next])
	}
}
