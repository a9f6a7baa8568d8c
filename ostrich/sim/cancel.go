package sim

import (
	"fmt"
	"slices"

	"slurm-ostrich/ostrich"
)

// Never is the start of a job that was cancelled before it could run.
const Never = never

// cancelFault returns what is wrong with when a job is cancelled, "" for nothing.
func (m *Machine) cancelFault(id ostrich.JobID) string {
	if wait := m.Cancel[id]; wait < 0 || wait > ostrich.Duration(latest) {
		return fmt.Sprintf("is cancelled %d s after its submission", wait)
	}
	return ""
}

// mayLeave notes when a job that waits from now on is cancelled, if it is: so long after its submission.
func (e *engine) mayLeave(i int32, submitted ostrich.Time) {
	if wait, is := e.Cancel[e.jobs[i].ID]; is {
		e.cancels.push(moment{at: max(e.now, submitted+ostrich.Time(wait)), number: i})
		e.lasts = e.lasts && e.cancels.first() > e.now // one that leaves when it comes does not start
	}
}

// stays notes that a job starts now, and so is not cancelled while it waits.
func (e *engine) stays(i int32) {
	if _, is := e.Cancel[e.jobs[i].ID]; is {
		e.cancels.drop(i)
	}
}

// cancelDue takes the waiting jobs from the queue that are cancelled now.
func (e *engine) cancelDue() error {
	for e.cancels.first() == e.now {
		if err := e.cancel(e.cancels.pop()); err != nil {
			return err
		}
	}
	return nil
}

// cancel takes a waiting job from the queue.
func (e *engine) cancel(i int32) error {
	e.lasts, e.slurm.deeper, e.slurm.news = false, true, true
	switch {
	case e.kept != nil:
		e.kept.cancel(i)
	case e.loop != nil:
		e.loop.cancel(i)
	default:
		e.waiting.remove(e.place(i))
	}
	err := e.done(i)
	if e.start[i] = never; e.loop != nil {
		e.start[i] = e.now // see result
	}
	return err
}

// cancel takes a waiting job from the queue of its campaign, or from those that were requeued.
func (l *loop) cancel(i int32) {
	t := &l.tasks[i]
	t.cancelled = true
	if !t.ready {
		l.placed.requeues.drop(i)
		return
	}
	t.ready = false
	if l.ranker == nil {
		l.waiting.remove(l.place(i))
		return
	}
	l.widths.remove(l.jobs[i].Procs)
	if l.byCampaigns != nil {
		l.campaignOf(i).waiting.remove(int(l.slot[i]))
	}
}

// allCancelled reports whether all jobs of a campaign are cancelled.
func (m *Machine) allCancelled(c *Campaign) bool {
	return m.Cancel != nil && !slices.ContainsFunc(c.Jobs, func(j *Job) bool {
		_, is := m.Cancel[j.ID]
		return !is
	})
}

// cancel takes a job from those that wait, and gives up its reservation, which due forgets.
func (c *conservative) cancel(i int32) {
	if k := slices.Index(c.fresh, i); k >= 0 {
		c.fresh = slices.Delete(c.fresh, k, k+1)
		return
	}
	c.waiting.remove(c.place(i))
	if !c.late { // then all are made anew
		j, was := c.jobs[i], c.start[i]
		until := was + ostrich.Time(j.Estimate)
		c.profile.advance(c.now)
		c.profile.change(was, until, j.Procs)
		c.early, c.loose = true, max(c.loose, until)
	}
}
