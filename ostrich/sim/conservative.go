package sim

import (
	"slices"

	"slurm-ostrich/ostrich"
)

// conservative is a replay in which every waiting job has a reservation: its
// start as it is planned. The package comment tells how.
type conservative struct {
	*replay
	plan  profile // of what running jobs and reservations leave free
	due   endHeap // reservations by start; those that were given up are there still
	fresh []int32 // jobs submitted now, which have no reservation yet
	early bool    // some job ended now, before it was expected to
	late  bool    // at the last pass some job ran that should have ended

	// Whatever became free since a waiting job was last asked whether it can
	// move became free before loose.
	loose ostrich.Time
}

// run takes all events of an instant before it does a pass.
func (c *conservative) run() {
	for c.advance() {
		if c.plan.steps == nil {
			c.plan.reset(c.now, c.free, nil)
		}
		c.plan.advance(c.now)
		for len(c.ends) > 0 && c.ends[0].at == c.now {
			c.end()
		}
		for c.next < len(c.jobs) && c.jobs[c.next].Submit == c.now {
			c.fresh = append(c.fresh, int32(c.next))
			c.next++
		}
		late := len(c.running) > 0 && c.running[0].at <= c.now
		if late || c.late {
			c.remake(late)
		} else {
			c.keep()
		}
		c.late, c.early, c.fresh = late, false, c.fresh[:0]
	}
}

// advance moves the clock to the next event, if there is one: a submission, an
// end, or a reservation that is due.
func (c *conservative) advance() bool {
	for len(c.due) > 0 && c.start[c.due[0].job] != c.due[0].at {
		c.due.pop()
	}
	if len(c.due) == 0 {
		return c.replay.advance()
	}
	now := c.due[0].at
	if len(c.ends) > 0 {
		now = min(now, c.ends[0].at)
	}
	if c.next < len(c.jobs) {
		now = min(now, c.jobs[c.next].Submit)
	}
	c.now = now
	c.tick()
	return true
}

// end ends the running job that is the next to end.
func (c *conservative) end() {
	i := c.replay.end()
	j := &c.jobs[i]
	if expected := c.start[i] + ostrich.Time(j.Estimate); expected > c.now {
		c.plan.change(c.now, expected, j.Procs)
		c.early = true
		c.loose = max(c.loose, expected)
	}
}

// keep does a pass that keeps the reservations, or makes them earlier.
func (c *conservative) keep() {
	if c.early {
		c.compress()
	}
	if c.slot != nil {
		slices.SortFunc(c.fresh, func(a, b int32) int { return int(c.slot[a] - c.slot[b]) })
	}
	for _, i := range c.fresh {
		j := &c.jobs[i]
		c.queue(i)
		c.reserve(i, c.plan.fit(j.Procs, j.Estimate))
	}
	for len(c.due) > 0 && c.due[0].at == c.now {
		if i := c.due.pop(); c.start[i] == c.now {
			c.waiting.remove(c.place(i))
			c.begin(i)
		}
	}
}

// reserve makes a reservation.
func (c *conservative) reserve(i int32, at ostrich.Time) {
	j := &c.jobs[i]
	c.plan.take(at, j.Procs, j.Estimate)
	c.start[i] = at
	if len(c.due) > 2*c.waiting.count+64 {
		all := c.due
		c.due = c.due[:0]
		for _, e := range all {
			if c.start[e.job] == e.at {
				c.due.push(e)
			}
		}
	}
	c.due.push(end{at: at, job: i})
}

// compress lets each waiting job in turn move to the earliest moment at which
// it finds room. What it leaves is for those behind it now, and for those in
// front of it at the next compression.
func (c *conservative) compress() {
	left := c.now // before it lies all that was left now
	most := c.plan.most(c.now, c.loose)
	for slot := -1; ; {
		if slot = c.waiting.next(slot+1, int32(most), 0, 0); slot < 0 {
			break
		}
		i := c.waiting.at(slot)
		j := &c.jobs[i]
		was := c.start[i]
		at := c.plan.sooner(was, j.Procs, j.Estimate, c.loose)
		if at == was {
			continue
		}
		until := was + ostrich.Time(j.Estimate)
		c.plan.change(was, until, j.Procs)
		c.reserve(i, at)
		left, c.loose = max(left, until), max(c.loose, until)
		most = max(most, c.plan.most(was, until))
	}
	c.loose = left
}

// remake does a pass that makes all reservations anew, since a job runs that
// should have ended, or did so at the last pass. While one does, they hold for
// this pass only: it is enough to find the jobs that start now.
func (c *conservative) remake(late bool) {
	c.plan.reset(c.now, c.free, c.running)
	c.due, c.loose = c.due[:0], c.now
	for _, i := range c.fresh {
		c.queue(i)
	}
	for slot := c.waiting.after(0); slot >= 0 && (!late || c.plan.idle() > 0); slot = c.waiting.after(slot + 1) {
		i := c.waiting.at(slot)
		j := &c.jobs[i]
		switch at := c.plan.fit(j.Procs, j.Estimate); {
		case at == c.now:
			c.plan.take(at, j.Procs, j.Estimate)
			c.waiting.remove(slot)
			c.begin(i)
		case late:
			c.plan.take(at, j.Procs, j.Estimate)
		default:
			c.reserve(i, at)
		}
	}
}
