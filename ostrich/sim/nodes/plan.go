package nodes

import (
	"slices"

	"slurm-ostrich/ostrich"
)

// Plan is what will be in use of a cluster from now on: by the running jobs until their expected ends, and
// by waiting ones for which it keeps nodes. It is what conservative backfilling plans with:
//
//	p.Reset(now, up, load, running)
//	for each waiting job, in order {
//		at, a := p.Fit(want, user, length)
//		p.Reserve(at, length, a)
//		if at == now, it may start
//	}
//
// A job is kept certain nodes, the same for all of its time, so that it may have to wait although enough
// CPUs are free at each moment. It costs time and memory in proportion to the number of nodes times that of
// the moments at which something changes.
type Plan struct {
	chooser *Chooser
	steps   []planStep // by time, the first one now; in the last one all is as it will stay
	up      Set        // nodes that take jobs
	spare   []*Load
	view    *Load
}

// planStep is what is in use from a moment until the next step.
type planStep struct {
	at   ostrich.Time
	load *Load
	free int // CPUs
}

// NewPlan returns a plan that is to be reset.
func (f *Floor) NewPlan() *Plan { return &Plan{chooser: f.NewChooser(), view: f.NewLoad()} }

// Reset forgets what the plan keeps, and takes the nodes that take jobs. The load is that of the running jobs, which are in the order of their
// ends; one that should have ended by now is expected to do so a second from now.
func (p *Plan) Reset(now ostrich.Time, up Set, l *Load, running []Running) {
	p.up = up
	for _, s := range p.steps {
		p.spare = append(p.spare, s.load)
	}
	free := p.chooser.CPUs()
	for _, cpus := range l.cpus {
		free -= int(cpus)
	}
	p.steps = append(p.steps[:0], planStep{at: now, load: p.copyOf(l), free: free})
	for _, r := range running {
		last := &p.steps[len(p.steps)-1]
		if at := max(r.End, now+1); at > last.at {
			p.steps = append(p.steps, planStep{at: at, load: p.copyOf(last.load), free: last.free})
			last = &p.steps[len(p.steps)-1]
		}
		last.load.Remove(r.Allocation)
		last.free += r.Total()
	}
}

// copyOf copies a load, into one that is not used any more if there is one.
func (p *Plan) copyOf(l *Load) *Load {
	var to *Load
	if last := len(p.spare) - 1; last >= 0 {
		to, p.spare = p.spare[last], p.spare[:last]
	} else {
		to = p.chooser.NewLoad()
	}
	to.copyFrom(l)
	return to
}

// Idle is the number of CPUs that are free now.
func (p *Plan) Idle() int { return p.steps[0].free }

// Fit returns the earliest moment from which nodes are free for a job for its whole length, and what it
// would have of them; no allocation if there is none.
func (p *Plan) Fit(w *Want, user uint32, length ostrich.Duration) (ostrich.Time, *Allocation) {
	for i := range p.steps {
		from := p.steps[i].at
		until, fits := from+ostrich.Time(length), true
		for k := i; k < len(p.steps) && p.steps[k].at < until && fits; k++ {
			fits = p.steps[k].free >= w.cpus
		}
		if !fits {
			continue
		}
		p.view.copyFrom(p.steps[i].load)
		for k := i + 1; k < len(p.steps) && p.steps[k].at < until; k++ {
			p.view.atLeast(p.steps[k].load)
		}
		if a, ok := p.chooser.Choose(w, user, p.up, p.view); ok {
			return from, a
		}
	}
	return 0, nil
}

// atLeast makes the load of each node that of another load if that is more.
func (l *Load) atLeast(other *Load) {
	for n := range l.cpus {
		l.cpus[n] = max(l.cpus[n], other.cpus[n])
		l.memory[n] = max(l.memory[n], other.memory[n])
		l.jobs[n] = max(l.jobs[n], other.jobs[n])
	}
	for k := range l.gres {
		l.gres[k] = max(l.gres[k], other.gres[k])
	}
	for n := range l.users {
		l.users[n] = append(l.users[n], other.users[n]...)
	}
	for part := range l.inPart {
		for n := range l.inPart[part] {
			l.inPart[part][n] = max(l.inPart[part][n], other.inPart[part][n])
		}
	}
}

// Reserve keeps an allocation for a job from a moment on, which must not be before now.
func (p *Plan) Reserve(at ostrich.Time, length ostrich.Duration, a *Allocation) {
	first, last := p.split(at), p.split(at+ostrich.Time(length))
	for k := first; k < last; k++ {
		p.steps[k].load.Add(a)
		p.steps[k].free -= a.Total()
	}
}

// split returns the step that begins at a moment. If there is none, it makes one.
func (p *Plan) split(t ostrich.Time) int {
	i := len(p.steps) - 1
	for p.steps[i].at > t {
		i--
	}
	if p.steps[i].at != t {
		i++
		p.steps = slices.Insert(p.steps, i, planStep{at: t, load: p.copyOf(p.steps[i-1].load), free: p.steps[i-1].free})
	}
	return i
}
