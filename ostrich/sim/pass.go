package sim

import (
	"cmp"
	"errors"
	"math"

	"slurm-ostrich/ostrich"
)

// pass starts what may start, in the order of the jobs or the ranking.
func (e *engine) pass() error {
	if e.kept != nil {
		return e.kept.pass()
	}
	if e.lasts {
		return nil
	}
	e.another = false
	more := 0
	if e.EventOrder == PerEvent {
		more = e.ending()
	}
	busy := e.free+more < e.narrowest()
	if e.waker != nil && (e.woken || !busy) {
		if err := e.waker.AdvanceTo(e.now); err != nil {
			return err
		}
	}
	if e.Backfill == Slurm {
		if !busy {
			return e.schedule()
		}
		e.slurm.freed = false // the look finds nothing
	}
	f := &e.latest
	f.more, f.blocked, f.head, f.planned = more, false, -1, 0
	if e.placed != nil {
		f.tests = cmp.Or(e.Tests, -1)
		f.decider = e.placed.again(f)
	}
	if !busy {
		if err := e.fill(f); err != nil {
			return err
		}
	}
	e.lasts = e.goesOn
	return nil
}

// fill does one pass over the ranking, tier by tier.
func (e *engine) fill(f *filling) error {
	if e.tiers == nil || e.pairwise() {
		f.tier = -1
		return f.throughAll()
	}
	for _, f.tier = range e.tiers {
		if err := f.throughAll(); err != nil || f.done() {
			return err
		}
	}
	return nil
}

// throughAll starts jobs of a tier.
func (f *filling) throughAll() error {
	switch {
	case f.shelves != nil:
		return f.shelves.through(f)
	case f.ranker == nil:
		return f.through(f.waiting, 0)
	case f.byCampaigns != nil:
		return f.throughCampaigns()
	}
	return f.throughJobs()
}

// A decider decides on the jobs of a pass, one after the other, in its place.
type decider interface {
	fits(i int32) bool // whether a job starts now
	done() bool        // whether no other one can
}

// filling is one pass. If the order is that of arrival, it goes on with the jobs
// that come until another one ends.
type filling struct {
	*engine
	kind    Backfill
	decider decider          // nil for identical processors
	depth   int              // jobs that get a reservation under Conservative; 0 is all
	tests   int              // jobs that may still be looked at, below 0 without a limit; 0 ends the pass
	window  ostrich.Duration // reservations begin in it; 0 is any time
	more    int              // processors that are as good as free, see PerEvent
	tier    int              // of the jobs that are looked at, below 0 for all
	blocked bool             // a job did not fit
	head    int32            // on nodes, that job as long as it has no reservation; else below 0
	room    Room             // beside it, without reservations
	planned int              // reservations of Conservative
	rest    []least          // of Slurm's backfill scheduler, by place in the ranking: what it has still to look at from there on
	here    least            // of them, where it is
	shut    bool             // none of them can start now
}

// least is what some jobs need at least: the processors of the narrowest and the estimate of the
// shortest.
type least struct {
	procs  int
	length ostrich.Duration
}

func (l least) with(o least) least { return least{min(l.procs, o.procs), min(l.length, o.length)} }

// nothing is what no jobs need.
var nothing = least{math.MaxInt32, math.MaxInt32}

// foresee finds the needs of the jobs that Slurm's backfill scheduler will look at, so that it makes no reservations
// once none of them can start beside those that it has made: place says what the jobs at a place of the ranking
// need, and how many at least it will look at there.
func (f *filling) foresee(places int, place func(k int) (least, int)) {
	if f.kind != Conservative || f.tests <= 0 || f.decider != nil || f.tier >= 0 {
		return
	}
	f.rest = f.engine.rest[:0]
	for k, jobs := 0, 0; k < places && jobs < f.tests; k++ {
		l, n := place(k)
		f.rest, jobs = append(f.rest, l), jobs+n
	}
	for k := len(f.rest) - 2; k >= 0; k-- {
		f.rest[k] = f.rest[k].with(f.rest[k+1])
	}
	f.engine.rest = f.rest
}

// reach goes on to a place of the ranking.
func (f *filling) reach(k int) {
	if k < len(f.rest) { // beyond it nothing is looked at
		f.here = f.rest[k]
	}
}

// done reports whether no other job can start in this pass.
func (f *filling) done() bool {
	if f.decider != nil {
		return f.decider.done()
	}
	if f.blocked && (f.kind == None || f.kind == Conservative && f.depth > 0 && f.planned == f.depth) {
		return true
	}
	return f.free+f.more < f.narrowest() || f.tests == 0
}

// holds reports whether a pass over again would start nothing. A job that should
// have ended by the shadow time, and has not, puts that off.
func (f *filling) holds() bool {
	return !f.blocked || f.head >= 0 || f.kind != EASY || f.now < f.room.Shadow
}

var errUnknown = errors.New("the ranking names a job that is not known")

// throughCampaigns starts jobs campaign by campaign.
func (f *filling) throughCampaigns() error {
	ranking := f.byCampaigns.Ranking()
	f.foresee(len(ranking), func(k int) (least, int) {
		if i := int(ranking[k].Lead) - 1; i >= 0 && i < len(f.jobs) {
			c := f.loop.campaignOf(int32(i))
			switch {
			case c.waiting == nil || ranking[k].Held:
			case c.several:
				return c.waiting.least(), 0 // only one stage is looked at here, which may have few of them
			default:
				return c.waiting.least(), c.waiting.count
			}
		}
		return nothing, 0
	})
	for k, rank := range ranking {
		f.reach(k)
		i := int(rank.Lead) - 1
		if i < 0 || i >= len(f.jobs) {
			return errUnknown
		}
		c := f.loop.campaignOf(int32(i))
		switch {
		case c.waiting == nil || c.waiting.count == 0:
			continue
		case rank.Held:
			f.another = true // the gate may open
			continue
		}
		stage := 0
		if c.several {
			stage = rank.Stage
		}
		if err := f.through(c.waiting, int32(stage)); err != nil {
			return err
		}
		if f.done() {
			break
		}
	}
	// A campaign whose gate opens may pass one that is blocked.
	if f.blocked && f.kind != Greedy && f.free >= f.narrowest() {
		f.another = true
	}
	return nil
}

// throughJobs starts jobs one by one.
func (f *filling) throughJobs() error {
	list := f.byJobs.Jobs()
	if f.pairwise() {
		list = f.preemptorsFirst(list)
	}
	f.foresee(len(list), func(k int) (least, int) {
		i := int32(list[k]) - 1
		if i < 0 || int(i) >= len(f.jobs) || !f.loop.canStart(i) {
			return nothing, 0
		}
		return least{f.jobs[i].Procs, f.jobs[i].Estimate}, 1
	})
	for k, id := range list {
		if f.done() {
			break
		}
		f.reach(k)
		i := int32(id) - 1
		if i < 0 || int(i) >= len(f.jobs) {
			return errUnknown
		}
		if !f.loop.canStart(i) || f.otherTier(i) {
			continue
		}
		if f.fits(i) {
			if err := f.begin(i); err != nil {
				return err
			}
		}
	}
	f.another = f.free >= f.narrowest()
	return nil
}

// through starts jobs of a queue, those of one stage unless that is 0.
func (f *filling) through(q *queue, stage int32) error {
	for slot := -1; q.count > 0 && !f.done(); {
		switch {
		case f.blocked && f.kind != Conservative:
			f.keep()
			slot = f.room.next(q, slot+1, f.now)
		case slot < q.first:
			slot = q.first
		default:
			slot = q.after(slot + 1)
		}
		if slot < 0 {
			return nil
		}
		i := q.job(slot)
		if stage != 0 && f.loop.tasks[i].stage != stage || f.otherTier(i) {
			continue
		}
		if f.fits(i) {
			q.remove(slot)
			if err := f.begin(i); err != nil {
				return err
			}
		}
	}
	return nil
}

// otherTier reports whether a job is of another tier than those looked at.
func (f *filling) otherTier(i int32) bool { return f.tier >= 0 && f.engine.tier[i] != f.tier }

// fits reports whether a job may start now, and keeps account of what that leaves to those
// behind it.
func (f *filling) fits(i int32) bool {
	switch {
	case f.decider != nil:
		return f.decider.fits(i)
	case f.placed != nil:
		return f.finds(i) == nodesFound
	}
	f.tests--
	j := f.jobs[i]
	return !f.blocked && j.Procs <= f.free+f.more || f.jumps(j)
}

// jumps reports whether a job may start now that does not fit as the head, or
// comes behind one that does not.
func (f *filling) jumps(j *Job) bool {
	switch {
	case !f.blocked:
		f.block(j)
		return false
	case f.kind == Conservative:
		f.shut = f.shut || f.profile.shut(f.here)
		return !f.shut && f.reserve(j)
	}
	end := f.now + ostrich.Time(j.Estimate)
	if j.Procs > f.room.Until(end) {
		return false
	}
	f.room.Use(j.Procs, end)
	return true
}

// admits reports whether a job that has come behind all others may start now.
func (f *filling) admits(i int32) bool {
	if f.jobs[i].Procs > f.free {
		return false
	}
	if q := f.waiting; !f.blocked && q.count > 0 { // nothing that waits fits
		if head := q.job(q.first); f.placed != nil {
			f.blocked, f.head = true, head
		} else {
			f.block(f.jobs[head])
		}
	}
	return f.fits(i)
}

// block finds the room beside the first job that does not fit.
func (f *filling) block(j *Job) {
	f.blocked = true
	available := f.free + f.more
	switch f.kind {
	case EASY:
		f.room = f.running.Reserve(f.now, f.free, j.Procs)
		f.room.Free = available
	case Greedy:
		f.room = Room{Free: available, Extra: available}
	case Conservative:
		f.profile.reset(f.now, f.free, f.running)
		f.reserve(j)
	case None, Slurm:
	}
}

// reserve gives a job a reservation, and reports whether that is for now.
func (f *filling) reserve(j *Job) bool {
	at := f.profile.fit(j.Procs, j.Estimate)
	if f.window > 0 && at >= f.now+ostrich.Time(f.window) {
		return false
	}
	f.profile.reserve(at, j.Procs, j.Estimate)
	f.planned++
	return at == f.now
}
