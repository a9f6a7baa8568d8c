package replay

import (
	"cmp"
	"math"
	"slices"

	"slurm-ostrich/cmd/internal/comparison"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/multifactor"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/slurm"
)

// Check compares the model of priority/multifactor with what the controller
// says at a moment: the fair-share factors with sshare's, and the order of the
// pending jobs with sprio's. The model gets what really ran until then.
func (s *Study) Check(h *accounting.History, at ostrich.Time, shares []slurm.Share, queue []priority.Queued) (*comparison.Controller, error) {
	m, err := s.model(h, at)
	if err != nil {
		return nil, err
	}
	c := &comparison.Controller{}
	places := s.associationOf()
	for _, x := range shares {
		i, is := places[[2]string{x.User, x.Account}]
		if x.User == "" || !is {
			continue
		}
		c.Users++
		c.MaxDelta = max(c.MaxDelta, math.Abs(m.Fairshare(i)-x.FairShare))
	}
	pending := make(map[ostrich.JobID]*accounting.Job)
	for i := range h.Jobs {
		if j := &h.Jobs[i]; j.Start == 0 && j.End == 0 {
			pending[j.ID] = j
		}
	}
	var modelled, sprio []float64
	for i := range queue {
		q := &queue[i]
		j, ok := pending[q.Job]
		if !ok || !q.SiteKnown {
			continue
		}
		r := s.request(h, j)
		r.Nice, r.Site = q.Nice, q.Site
		if err := m.Check(&r); err != nil {
			continue
		}
		f := m.Factors(&r, max(m.Latest(), r.Submit, r.Eligible)) // age grows with the calculations only
		modelled, sprio = append(modelled, float64(m.Priority(&f))), append(sprio, float64(q.Priority))
	}
	c.Jobs = len(sprio)
	if tau, ok := report.KendallTau(modelled, sprio); ok {
		c.Tau = &tau
	}
	return c, nil
}

// model returns priority/multifactor at a moment, after what really ran until then.
func (s *Study) model(h *accounting.History, at ostrich.Time) (*multifactor.Multifactor, error) {
	type event struct {
		at   ostrich.Time
		kind int // waits, starts, ends
		job  int
	}
	const waits, starts, ends = 0, 1, 2
	var events []event
	tell := func(t ostrich.Time, kind, job int) {
		if t != 0 && t <= at {
			events = append(events, event{t, kind, job})
		}
	}
	for i := range h.Jobs {
		j := &h.Jobs[i]
		end := j.End
		if end == 0 && j.Start != 0 {
			if last := lastSeen(h, j, cmp.Or(j.Limit, s.Priority.Partitions[j.Partition].MaxTime)); last < h.To {
				end = last // slurmctld does not know it any more
			}
		}
		if end != 0 && end < max(h.From, j.Start, j.Submit) {
			continue // the usage of those that ended before the window is in the configuration
		}
		tell(j.Submit, waits, i)
		tell(j.Start, starts, i)
		tell(end, ends, i)
	}
	slices.SortFunc(events, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.job, b.job), cmp.Compare(a.kind, b.kind))
	})
	begin := h.From
	if len(events) > 0 {
		begin = min(begin, events[0].at)
	}
	m, err := multifactor.New(s.asOf(begin), s.Priority.Before(begin))
	if err != nil {
		return nil, err
	}
	for _, e := range events {
		j, id := &h.Jobs[e.job], ostrich.JobID(e.job+1)
		r := s.request(h, j)
		switch {
		case e.kind == waits:
			err = m.Wait(id, &r, e.at)
		case e.kind == starts:
			err = m.Start(id, &r, e.at)
		case j.Start == 0:
			err = m.Withdraw(id, &r, e.at)
		default:
			err = m.End(id, e.at)
		}
		if err != nil {
			return nil, err
		}
	}
	m.AdvanceTo(at)
	return m, nil
}

// asOf returns the configuration for a model that begins at a moment. The usage in the
// configuration is that at Phase, when the window begins. A model that begins earlier gets
// more, so that this is left of it at Phase.
func (s *Study) asOf(begin ostrich.Time) multifactor.Config {
	c := s.Priority
	early := max(0, float64(c.Phase-begin))
	if c.HalfLife <= 0 || early == 0 {
		return c
	}
	const most = 512 // half-lives, for which a float64 is large enough
	more := math.Exp2(min(early/float64(c.HalfLife), most))
	c.Associations = slices.Clone(c.Associations)
	for i := range c.Associations {
		c.Associations[i].Usage *= more
	}
	return c
}
