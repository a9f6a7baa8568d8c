package sim

import (
	"errors"

	"slurm-ostrich/ostrich"
)

// pass starts what may start, in the order of the ranking.
func (r *loop) pass() error {
	r.waiting = false
	busy := r.free < r.narrowest
	if r.waker != nil && (r.woken || !busy) {
		if err := r.waker.AdvanceTo(r.now); err != nil {
			return err
		}
	}
	if busy {
		return nil
	}
	if r.Backfill == Slurm {
		return r.schedule()
	}
	return r.fill(&filling{loop: r, kind: r.Backfill, depth: r.Depth, tests: -1})
}

// fill does one pass over the ranking, tier by tier.
func (r *loop) fill(f *filling) error {
	tiers := r.tiers
	if tiers == nil {
		tiers = anyTier
	}
	for _, f.tier = range tiers {
		var err error
		switch {
		case r.byCampaigns != nil:
			err = f.throughCampaigns()
		case r.byJobs != nil:
			err = f.throughJobs()
		default:
			err = f.from(r.all, 0)
		}
		if err != nil || f.done() {
			return err
		}
	}
	return nil
}

// anyTier is the tiers of jobs that are all of one.
var anyTier = []int{-1}

// filling is one pass over the ranking.
type filling struct {
	*loop
	kind    Backfill
	depth   int              // jobs that get a reservation under Conservative; 0 is all
	tests   int              // jobs that may still be looked at, below 0 without a limit; 0 ends the pass
	window  ostrich.Duration // reservations begin in it; 0 is any time
	tier    int              // of the jobs that are looked at, below 0 for all
	blocked bool             // a job of the ranking did not fit
	room    room             // beside it, without reservations
	planned int              // reservations of Conservative
}

// done tells whether no other job can start in this pass.
func (f *filling) done() bool {
	switch {
	case f.free < f.narrowest || f.tests == 0:
		return true
	case !f.blocked:
		return false
	case f.kind == None:
		return true
	}
	return f.kind == Conservative && f.depth > 0 && f.planned == f.depth
}

// errUnknown is the error of a ranking with a job that is not there.
var errUnknown = errors.New("the ranking names a job that is not known")

// throughCampaigns starts jobs campaign by campaign.
func (f *filling) throughCampaigns() error {
	for _, rank := range f.byCampaigns.Ranking() {
		i := int(rank.Lead) - 1
		if i < 0 || i >= len(f.tasks) {
			return errUnknown
		}
		p := &f.states[f.tasks[i].campaign]
		switch {
		case p.waiting == nil || p.waiting.count == 0:
			continue
		case rank.Held:
			f.waiting = true // the gate may open
			continue
		}
		stage := 0
		if p.several {
			stage = rank.Stage
		}
		if err := f.from(p.waiting, int32(stage)); err != nil {
			return err
		}
		if f.done() {
			break
		}
	}
	// A campaign whose gate opens may pass one that is blocked.
	if f.blocked && f.kind != Greedy && f.free >= f.narrowest {
		f.waiting = true
	}
	return nil
}

// throughJobs starts jobs one by one.
func (f *filling) throughJobs() error {
	for _, id := range f.byJobs.Jobs() {
		if f.done() {
			break
		}
		i := int32(id) - 1
		if i < 0 || int(i) >= len(f.tasks) {
			return errUnknown
		}
		job := &f.tasks[i]
		if !job.ready || job.start != 0 {
			continue
		}
		t := f.task(i)
		if f.tier >= 0 && t.Tier != f.tier || !f.fits(t) {
			continue
		}
		if err := f.begin(i, t); err != nil {
			return err
		}
	}
	f.waiting = f.free >= f.narrowest
	return nil
}

// from starts jobs of a queue, those of one stage unless that is 0.
func (f *filling) from(q *queue, stage int32) error {
	for slot := -1; q.count > 0 && !f.done(); {
		if f.blocked && f.kind != Conservative {
			slot = f.room.next(q, slot+1)
		} else {
			slot = q.after(slot + 1)
		}
		if slot < 0 {
			return nil
		}
		i := q.at(slot)
		if stage != 0 && f.tasks[i].stage != stage {
			continue
		}
		t := f.task(i)
		if f.tier >= 0 && t.Tier != f.tier {
			continue
		}
		if !f.fits(t) {
			continue
		}
		q.remove(slot)
		if err := f.begin(i, t); err != nil {
			return err
		}
	}
	return nil
}

// fits tells whether a job of the ranking may start now, and takes note of
// what that leaves to those behind it.
func (f *filling) fits(t *Task) bool {
	as := Job{Procs: t.Procs, Estimate: t.Estimate}
	f.tests--
	switch {
	case f.blocked && f.kind == Conservative:
		return f.plan(t)
	case f.blocked:
		if !f.room.fits(&as) {
			return false
		}
		f.room.take(&as)
	case t.Procs > f.free:
		f.block(t)
		return false
	}
	return true
}

// fits tells whether a job may take some of the room.
func (f *room) fits(j *Job) bool {
	return j.Procs <= min(f.extra, f.free) || j.Procs <= f.free && j.Estimate <= f.short
}

// block finds the room beside the first job that does not fit.
func (f *filling) block(t *Task) {
	f.blocked = true
	switch f.kind {
	case EASY:
		f.room = f.running.reserve(f.now, f.free, t.Procs)
	case Greedy:
		f.room = room{free: f.free, extra: f.free}
	case Conservative:
		f.profile.reset(f.now, f.free, f.running)
		f.plan(t)
	case None, Slurm:
	}
}

// plan gives a job a reservation, and tells whether that is for now.
func (f *filling) plan(t *Task) bool {
	at := f.profile.fit(t.Procs, t.Estimate)
	if f.window > 0 && at >= f.now+ostrich.Time(f.window) {
		return false
	}
	f.profile.take(at, t.Procs, t.Estimate)
	f.planned++
	return at == f.now
}

// begin starts a ready job.
func (r *loop) begin(i int32, t *Task) error {
	r.unready(t)
	r.free -= t.Procs
	r.tasks[i].start = r.now
	r.ends.push(end{at: r.now + ostrich.Time(r.lasts(t)), job: i})
	if r.expects {
		r.running.add(expect{at: r.now + ostrich.Time(t.Estimate), procs: int32(t.Procs), job: i})
	}
	return r.tell(ostrich.Start, i)
}
