package replay

import (
	"cmp"
	"slices"
	"strings"

	"slurm-ostrich/cmd/internal/comparison"
	"slurm-ostrich/cmd/internal/simulation"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim/nodes"
)

// mostDifferences is how many jobs are listed from the first one that differs.
const mostDifferences = 50

// story is what became of the jobs, as recorded or in a replay: job by job of Study.Jobs.
type story struct {
	start, end []ostrich.Time
	on         [][]int // places of nodes; nil if they are not known
}

// differences lists the jobs in the order in which they really started, from the first that a
// replay of the policy starts at another time: further away than a backfill interval, in which
// Slurm's own schedulers look.
func (s *Study) differences(p *simulation.Variant) ([]comparison.StartDifference, error) {
	if !slices.ContainsFunc(s.Jobs, func(j Job) bool { return j.campaign >= 0 }) {
		return nil, nil
	}
	s, _, err := s.under(p)
	if err != nil {
		return nil, err
	}
	n := len(s.Jobs)
	truth, ours := story{make([]ostrich.Time, n), make([]ostrich.Time, n), make([][]int, n)}, story{make([]ostrich.Time, n), make([]ostrich.Time, n), make([][]int, n)}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		truth.start[i], truth.end[i] = j.Start, j.ended()
		if s.placement != nil {
			truth.on[i], _ = s.placement.list(s.placement.whereRan(j)) // it was read before
		}
	}
	all := *s
	all.told = func(job ostrich.JobID, on []int32) {
		ours.on[job-1] = nil // the nodes of its last run count
		for _, at := range on {
			ours.on[job-1] = append(ours.on[job-1], int(at))
		}
	}
	ran, err := all.replayAll(p, func(int) {})
	if err != nil {
		return nil, err
	}
	for i := range ran {
		ours.start[i], ours.end[i] = ran[i].Start, ran[i].End
	}
	order := make([]int, 0, n)
	for i := range s.Jobs {
		if s.Jobs[i].campaign >= 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(truth.start[a], truth.start[b]), cmp.Compare(s.Jobs[a].Slurm, s.Jobs[b].Slurm), cmp.Compare(a, b))
	})
	slack := ostrich.Time(cmp.Or(max(0, s.Scheduler.BackfillInterval), 30))
	first := slices.IndexFunc(order, func(i int) bool { return max(truth.start[i]-ours.start[i], ours.start[i]-truth.start[i]) > slack })
	if first < 0 {
		return []comparison.StartDifference{}, nil
	}
	list := []comparison.StartDifference{}
	for _, i := range order[first:min(len(order), first+mostDifferences)] {
		j := &s.Jobs[i]
		d := comparison.StartDifference{
			Job: j.Slurm, User: j.User, Procs: j.Procs, Submit: j.Submit, Start: truth.start[i], Replayed: ours.start[i], On: s.names(truth.on[i]), ReplayedOn: s.names(ours.on[i]),
		}
		switch {
		case ours.start[i] > truth.start[i]+slack:
			d.Later = "the replay"
			d.Held, d.Behind = s.held(i, truth.start[i], &ours)
		case truth.start[i] > ours.start[i]+slack:
			d.Later = "what happened"
			d.Held, d.Behind = s.held(i, ours.start[i], &truth)
		}
		list = append(list, d)
	}
	return list, nil
}

func (s *Study) names(on []int) string {
	var names []string
	for _, i := range on {
		names = append(names, s.placement.cluster.Nodes[i].Name)
	}
	return strings.Join(names, ",")
}

// held says what kept a job from starting at a moment of a story, and the job that was in front
// of it, if that did.
func (s *Study) held(i int, at ostrich.Time, of *story) (comparison.Holder, ostrich.JobID) {
	j := &s.Jobs[i]
	if at < j.Submit {
		return comparison.NotSubmitted, 0
	}
	fits, why := s.fits(i, at, of)
	if !fits {
		return why, 0
	}
	// It could have started: somebody in front of it waited.
	next := -1
	for k := range s.Jobs {
		o := &s.Jobs[k]
		if k == i || o.Submit > at || of.start[k] <= at || of.start[k] > of.start[i] || o.pool != j.pool || !s.meet(j, o) {
			continue
		}
		if next < 0 || of.start[k] < of.start[next] {
			next = k
		}
	}
	if next < 0 {
		return comparison.ByScheduler, 0
	}
	if fits, _ = s.fits(next, at, of); fits {
		return comparison.ByPriority, s.Jobs[next].Slurm
	}
	return comparison.ByMap, s.Jobs[next].Slurm
}

// meet reports whether the partitions of two jobs have nodes in common.
func (s *Study) meet(a, b *Job) bool {
	if s.placement == nil || a.Request == 0 || b.Request == 0 {
		return true
	}
	floor, of, others := s.placement.floor, s.placement.requests[a.Request-1].Partitions, s.placement.requests[b.Request-1].Partitions
	return len(of) == 0 || len(others) == 0 || slices.ContainsFunc(of, func(one int) bool {
		return slices.ContainsFunc(others, func(other int) bool { return floor.Part(one).Meets(floor.Part(other)) })
	})
}

// fits reports whether a job would have found nodes at a moment of a story, beside the jobs that
// ran, and if not what was lacking.
func (s *Study) fits(i int, at ostrich.Time, of *story) (bool, comparison.Holder) {
	j := &s.Jobs[i]
	runs := func(k int) bool { return k != i && of.start[k] <= at && of.end[k] > at }
	if s.placement == nil || j.Request == 0 {
		free := s.Pools[j.pool].Procs
		for k := range s.Jobs {
			if s.Jobs[k].pool == j.pool && runs(k) {
				free -= s.Jobs[k].Procs
			}
		}
		return j.Procs <= free, comparison.ByProcessors
	}
	p := s.placement
	chooser, load, usage := p.floor.NewChooser(), p.floor.NewLoad(), p.floor.NewUsage()
	want := func(request *nodes.Request) *nodes.Want {
		part := -1
		if len(request.Partitions) > 0 {
			part = request.Partitions[0]
		}
		w, err := p.floor.Want(request, part)
		if err != nil {
			return nil
		}
		return w
	}
	for k := range s.Jobs {
		o := &s.Jobs[k]
		if !runs(k) || o.Request == 0 || len(of.on[k]) == 0 {
			continue
		}
		w := want(&p.requests[o.Request-1])
		if w == nil {
			continue
		}
		if a, ok := chooser.Choose(w, uint32(o.User), nodes.SetOf(len(p.cluster.Nodes), of.on[k]), load); ok {
			load.Add(a)
			usage.Add(w, uint32(o.User), a)
		}
	}
	request := p.requests[j.Request-1]
	found := func(r nodes.Request, where func(w *nodes.Want) nodes.Set) bool {
		w := want(&r)
		if w == nil {
			return false
		}
		a, ok := chooser.Choose(w, uint32(j.User), where(w), load)
		return ok && usage.AllowsAllocation(w, uint32(j.User), a)
	}
	if w := want(&request); w != nil && !usage.Allows(w, uint32(j.User)) {
		return false, comparison.ByLimit
	}
	up := func(*nodes.Want) nodes.Set { return p.floor.Up(at) }
	open := func(w *nodes.Want) nodes.Set {
		set := p.floor.Up(at)
		p.floor.Unreserve(w, set, at, at+ostrich.Time(j.Estimate))
		return set
	}
	switch {
	case found(request, open):
		return true, ""
	case found(request, up):
		return false, comparison.ByReservation
	case found(request, func(*nodes.Want) nodes.Set { return p.floor.All() }):
		return false, comparison.ByOutage
	}
	for _, without := range []struct {
		what comparison.Holder
		drop func(r *nodes.Request)
	}{
		{comparison.ByLimit, func(r *nodes.Request) { r.QOS, r.Association = nil, nil }},
		{comparison.ByGRES, func(r *nodes.Request) { r.GRES = nil }},
		{comparison.ByFeature, func(r *nodes.Request) { r.Features = nodes.Features{} }},
		{comparison.ByMemory, func(r *nodes.Request) { r.Memory = nodes.Memory{MiB: 1} }},
	} {
		r := request
		if without.drop(&r); found(r, open) {
			return false, without.what
		}
	}
	return false, comparison.ByProcessors
}

// replayAll is Replay with all jobs, in the order of Jobs.
func (s *Study) replayAll(p *simulation.Variant, progress func(ended int)) ([]report.Job, error) {
	whole := *s
	whole.everything = true
	jobs, _, err := whole.Replay(p, progress)
	return jobs, err
}
