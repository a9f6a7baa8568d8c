package sim

import (
	"fmt"
	"math"

	"slurm-ostrich/ostrich"
)

// ranking is what an engine has of a policy: the ranker, as far as it is one of
// these, all nil without a policy.
type ranking struct {
	ranker      Ranker
	byCampaigns CampaignRanker
	byJobs      JobRanker
	waker       Waker
	readier     Readier
	stager      stager // where stages may differ
	keepsBack   bool   // it is told of jobs whose dependencies have not ended

	widths  widths // of the jobs that could start if there were processors
	another bool   // another ranking might start some of them
	woken   bool   // the ranker wanted to be called now
}

// follow takes over what a policy says.
func (l *loop) follow(policy Policy) error {
	ranker, err := policy(l.Procs)
	if err != nil {
		return err
	}
	l.ranker = ranker
	l.byCampaigns, _ = ranker.(CampaignRanker)
	l.byJobs, _ = ranker.(JobRanker)
	if (l.byCampaigns == nil) == (l.byJobs == nil) {
		return fmt.Errorf("%T is neither a CampaignRanker nor a JobRanker, or both", ranker)
	}
	if l.byCampaigns != nil {
		l.slot = make([]int32, len(l.jobs))
	}
	l.waker, _ = ranker.(Waker)
	l.readier, _ = ranker.(Readier)
	_, l.keepsBack = ranker.(*sidecar)
	l.keepsBack = l.keepsBack && l.Dependencies
	if l.Offsets {
		l.stager, _ = ranker.(stager)
	}
	l.widths = widths{jobs: make([]int32, l.Procs+1), least: math.MaxInt}
	return nil
}

// wake returns the moment of the next event, which is at next or when the ranker
// wants to be woken before.
func (e *engine) wake(next ostrich.Time) (ostrich.Time, error) {
	e.woken = false
	if e.waker == nil || e.now == 0 || e.widths.all == 0 && next == never {
		return next, nil
	}
	at := e.waker.Wake(e.another)
	if at == 0 || at > next {
		return next, nil
	}
	if at <= e.now {
		return 0, fmt.Errorf("the ranker wants to be woken at %d, and it is %d already", at, e.now)
	}
	e.woken = true
	return at, nil
}

// event fills in an event of a job as the ranker is told of it.
func (l *loop) event(e *ostrich.Event, k ostrich.Kind, i int32) {
	j, n := &l.jobs[i], l.tasks[i].campaign
	c, p := &l.campaigns[n], &l.states[n]
	e.At, e.Kind = l.now, k
	e.Job.ID, e.Job.User, e.Job.Procs, e.Job.Estimate = ostrich.JobID(i+1), j.User, j.Procs, j.Estimate
	e.Job.Class, e.Job.Hint = j.Class, j.Hint
	e.Job.Submit, e.Job.Start = p.submit, l.start[i]
	if len(c.Tasks) > 1 {
		e.Job.Group = ostrich.JobID(p.first + 1)
	}
	if l.Offsets {
		e.Job.Submit += j.Submit - c.Submit
	}
	if k == ostrich.End {
		e.Job.End = l.now
	}
}

func (l *loop) tell(k ostrich.Kind, i int32) error {
	if l.ranker == nil {
		return nil
	}
	var e ostrich.Event
	l.event(&e, k, i)
	return l.ranker.Step(e)
}

// widths counts jobs by the processors that they need.
type widths struct {
	jobs  []int32 // by processors
	all   int
	least int // processors that one of them needs; math.MaxInt without one
}

func (w *widths) add(procs int) {
	w.all++
	w.jobs[procs]++
	w.least = min(w.least, procs)
}

func (w *widths) remove(procs int) {
	w.all--
	w.jobs[procs]--
	switch {
	case w.all == 0:
		w.least = math.MaxInt
	case procs == w.least:
		for w.jobs[w.least] == 0 {
			w.least++
		}
	}
}
