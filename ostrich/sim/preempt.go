package sim

import (
	"cmp"
	"fmt"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/lengths"
	"slurm-ostrich/ostrich/sim/nodes"
)

// fate is what preemption has made of a job.
type fate struct {
	preempted int32            // times
	lost      ostrich.Duration // of its runs before
	cancelled bool
	rested    ostrich.Duration // of its last run, while it was suspended

	leaves  ostrich.Time      // when it has to; 0 if it need not
	goes    bool              // behind the pass
	expects ostrich.Time      // its end, where that is not its start and its estimate; 0 if it is
	whole   *nodes.Allocation // of a suspended job, what it had
	left    ostrich.Duration  // likewise, the run time that it still needs
	since   ostrich.Time      // likewise

	preempts ostrich.Time // when it last made others leave; 0 for never
}

// preemption is who makes room for whom, under Slurm. Jobs that leave do so behind the pass that says it, as rankers are
// told of nothing but starts in one.
type preemption struct {
	fates    map[int32]*fate
	leaving  moments            // jobs whose grace ends
	requeues moments            // requeued jobs that may start again
	resting  []int32            // suspended jobs, the first one first
	gone     []int32            // jobs that leave behind the pass
	rested   []int32            // jobs that were suspended in the pass
	closing  nodes.Set          // nodes of those that leave, which take no job until they have
	restless ostrich.Time       // until then passing time alone may let a job preempt others
	stale    bool               // the running jobs are not as the pass began
	asked    map[int32]struct{} // jobs that made others leave in this pass
}

// fateOf returns the fate of a job, to be changed.
func (p *placed) fateOf(i int32) *fate {
	if p.fates[i] == nil {
		p.fates[i] = &fate{}
	}
	return p.fates[i]
}

// goes reports whether a job leaves behind the pass.
func (p *placed) goes(i int32) bool {
	f := p.fates[i]
	return f != nil && f.goes
}

// expected is when a running job is expected to end.
func (e *engine) expected(i int32) ostrich.Time {
	if e.preempts {
		if f := e.placed.fates[i]; f != nil && f.expects != 0 {
			return f.expects
		}
	}
	return e.start[i] + ostrich.Time(e.jobs[i].Estimate)
}

// expect expects a running job to end at another time.
func (p *placed) expect(i int32, end ostrich.Time, f *fate) {
	x := p.running[p.running.search(Expected{End: p.expected(i), Job: i})]
	p.running.remove(x)
	f.expects, x.End = end, end
	p.running.add(x)
	p.stale = true
}

// victims lists the jobs that one with a request may preempt now, in the order in which they are asked to leave.
func (p *placed) victims(w *nodes.Want) []nodes.Victim {
	if !p.preempts {
		return nil
	}
	var list []nodes.Victim
	for k := range p.running {
		i := p.running[k].Job
		v := p.wanted[i]
		if !p.MayPreempt(w, v) || p.now < p.start[i]+ostrich.Time(p.ExemptOf(v)) || p.goes(i) {
			continue
		}
		if a := p.allocations[i]; a.On(p.Part(w.Part())) {
			list = append(list, nodes.Victim{Allocation: a, Want: v, Job: i, Start: p.start[i], Mode: p.ModeOf(v), Rests: p.fates[i] != nil && p.fates[i].whole != nil})
		}
	}
	slices.SortFunc(list, func(a, b nodes.Victim) int { // as slurmctld lists jobs
		return cmp.Or(cmp.Compare(p.jobs[a.Job].ID, p.jobs[b.Job].ID), cmp.Compare(a.Job, b.Job))
	})
	p.Sort(list)
	return list
}

// preempt lets jobs make room for another one, and reports whether that can start at once: those that are suspended
// stand still at once, the others leave behind the pass, or when their grace is over (preempt.c, slurm_job_preempt).
func (p *placed) preempt(i int32, victims []nodes.Victim) (now bool) {
	now = true
	mine := p.fateOf(i)
	wait := ostrich.Time(p.slurm.KillWait + messageTimeout)
	ask := mine.preempts == 0 || mine.preempts <= p.now-wait // node_scheduler.c, select_nodes: kill_pending
	for k := range victims {
		v := &victims[k]
		if v.Mode == nodes.PreemptSuspend {
			p.suspend(v)
			continue
		}
		if now = false; ask {
			p.ask(v)
		}
	}
	if !now && ask {
		mine.preempts = p.now
		p.restless = max(p.restless, p.now+wait)
	}
	if !now {
		p.asked[i] = struct{}{}
	}
	return now
}

// messageTimeout is Slurm's default of MessageTimeout.
const messageTimeout = ostrich.Duration(10)

// ask tells a job to leave.
func (p *placed) ask(v *nodes.Victim) {
	f := p.fateOf(v.Job)
	if f.leaves != 0 {
		return // it does already
	}
	grace := p.GraceOf(v.Want)
	f.leaves = p.now + ostrich.Time(grace)
	if grace > 0 {
		p.leaving.push(moment{at: f.leaves, number: v.Job})
		if end := p.expected(v.Job); f.leaves < end {
			p.expect(v.Job, f.leaves, f)
		}
		return
	}
	f.goes = true
	p.gone = append(p.gone, v.Job)
	if p.closing == nil {
		p.closing = nodes.SetOf(len(p.Cluster.Nodes), nil)
	}
	p.closing.Or(v.Set(len(p.Cluster.Nodes)))
}

// suspend takes CPUs from a job, which stands still until it has them again.
func (p *placed) suspend(v *nodes.Victim) {
	i, f := v.Job, p.fateOf(v.Job)
	if f.whole == nil {
		f.preempted++
		f.whole, f.since = v.Allocation, p.now
		f.left = ostrich.Duration(p.ends.drop(i) - p.now)
		p.resting, p.rested = append(p.resting, i), append(p.rested, i)
	}
	p.load.Remove(v.Allocation)
	p.load.Add(v.Left)
	p.free += v.Total() - v.Left.Total()
	p.allocations[i] = v.Left
	p.stale = true
}

// resume gives suspended jobs CPUs back that have become free. Those that have all of them again go on (gang.c,
// gs_job_fini). Who was suspended last comes first: it may have made the others stand still.
func (p *placed) resume() error {
	for k, i := range slices.Backward(p.resting) {
		f, a := p.fates[i], p.allocations[i]
		p.free += a.Total()
		all := p.Reclaim(a, f.whole, p.load)
		p.free -= a.Total()
		if !all {
			continue
		}
		p.resting = slices.Delete(p.resting, k, k+1)
		stood := p.now - f.since
		p.allocations[i], f.whole = f.whole, nil
		f.rested += ostrich.Duration(stood)
		p.expect(i, p.expected(i)+stood, f)
		p.ends.push(moment{at: p.now + ostrich.Time(f.left), number: i})
		if err := p.loop.tell(ostrich.Resume, i); err != nil {
			return err
		}
	}
	return nil
}

// due lets jobs leave whose grace is over, and requeued ones wait again that may start.
func (p *placed) due() error {
	for p.leaving.first() == p.now {
		if err := p.leave(p.leaving.pop()); err != nil {
			return err
		}
	}
	for p.requeues.first() == p.now {
		p.slurm.deeper, p.slurm.news = true, true
		if err := p.loop.again(p.requeues.pop()); err != nil {
			return err
		}
	}
	return p.resume()
}

// settle does behind a pass what it has brought about.
func (p *placed) settle() error {
	for _, i := range p.rested {
		if err := p.loop.tell(ostrich.Suspend, i); err != nil {
			return err
		}
	}
	for _, i := range p.gone {
		if err := p.leave(i); err != nil {
			return err
		}
	}
	clear(p.asked)
	p.gone, p.rested, p.closing = p.gone[:0], p.rested[:0], nil
	return nil
}

// mostPreempted is how often a job may make room: jobs of two QOS that preempt one another would do so for ever.
const mostPreempted = 10_000

// leave ends the run of a job that makes room. Its nodes take others a second later at the earliest.
func (p *placed) leave(i int32) error {
	f := p.fates[i]
	ran := ostrich.Duration(p.now-p.start[i]) - f.rested
	if f.preempted++; f.preempted > mostPreempted {
		return fmt.Errorf("job %d makes room for others more than %d times: %w", p.jobs[i].ID, mostPreempted, ErrWorkload)
	}
	requeued := p.ModeOf(p.wanted[i]) == nodes.PreemptRequeue
	p.ends.drop(i)
	f.leaves, f.goes = 0, false
	wait := max(1, p.slurm.Completing)
	p.vacate(i, wait)
	if !requeued {
		f.cancelled = true
		ended := *p.jobs[i]
		ended.Outcome, ended.Run = lengths.Stopped, max(1, ran)
		p.jobs[i] = &ended
		return p.done(i)
	}
	f.lost, f.rested = f.lost+ran, 0
	p.requeues.push(moment{at: p.now + ostrich.Time(wait+p.slurm.Requeue), number: i})
	return p.loop.requeue(i)
}

// departed forgets what was to become of a job that has ended by itself.
func (p *placed) departed(i int32) {
	if f := p.fates[i]; f != nil {
		if f.leaves != 0 {
			p.leaving.drop(i)
		}
		f.leaves, f.expects = 0, 0
	}
}

// requeue puts a job back that was preempted: it may not start before its time.
func (l *loop) requeue(i int32) error {
	l.start[i], l.tasks[i].ready = 0, false
	l.mayLeave(i, l.tasks[i].submit)
	if err := l.tell(ostrich.Requeue, i); err != nil || !l.keepsBack {
		return err
	}
	l.tasks[i].held = true
	return l.tell(ostrich.Hold, i)
}

// again lets a job that was requeued wait like others.
func (l *loop) again(i int32) error {
	t := &l.tasks[i]
	if t.held {
		t.held = false
		if err := l.tell(ostrich.Release, i); err != nil {
			return err
		}
	}
	t.ready = true
	return l.admit(i, l.campaignOf(i))
}
