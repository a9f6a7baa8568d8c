package sim

import (
	"slices"

	"slurm-ostrich/ostrich"
)

// conservative keeps the reservations of an engine's waiting jobs from pass to
// pass: the start of such a job is the planned one. The package comment describes
// how.
type conservative struct {
	*engine
	reserved moments // reservations by start, with those that were given up
	fresh    []int32 // jobs submitted now, which have no reservation yet
	early    bool    // some job ended now, before it was expected to
	late     bool    // at the last pass some job ran that should have ended

	// All room that has appeared since compress last asked each waiting job whether it
	// can move lies before loose.
	loose ostrich.Time
}

// due is when the next reservation is due.
func (c *conservative) due() ostrich.Time {
	for len(c.reserved) > 0 && c.start[c.reserved[0].number] != c.reserved[0].at {
		c.reserved.pop()
	}
	return c.reserved.first()
}

// arrive records a job that has come now.
func (c *conservative) arrive(i int32) { c.fresh = append(c.fresh, i) }

// ended records that a job has ended now.
func (c *conservative) ended(i int32) {
	j := c.jobs[i]
	if expected := c.start[i] + ostrich.Time(j.Estimate); expected > c.now {
		c.profile.advance(c.now)
		c.profile.change(c.now, expected, j.Procs)
		c.early = true
		c.loose = max(c.loose, expected)
	}
}

// pass starts the jobs whose reservations are due.
func (c *conservative) pass() error {
	if c.profile.steps == nil {
		c.profile.reset(c.now, c.free, nil)
	}
	c.profile.advance(c.now)
	overdue := c.overdue()
	var err error
	if overdue || c.late {
		err = c.remake(overdue)
	} else {
		err = c.keep()
	}
	c.late, c.early, c.fresh = overdue, false, c.fresh[:0]
	return err
}

// keep does a pass that keeps the reservations, or makes them earlier.
func (c *conservative) keep() error {
	if c.early {
		c.compress()
	}
	if c.slot != nil {
		slices.SortFunc(c.fresh, func(a, b int32) int { return int(c.slot[a] - c.slot[b]) })
	}
	for _, i := range c.fresh {
		j := c.jobs[i]
		c.enqueue(i)
		c.reserve(i, c.profile.fit(j.Procs, j.Estimate))
	}
	for c.reserved.first() == c.now {
		if i := c.reserved.pop(); c.start[i] == c.now {
			c.waiting.remove(c.place(i))
			if err := c.begin(i); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *conservative) reserve(i int32, at ostrich.Time) {
	j := c.jobs[i]
	c.profile.reserve(at, j.Procs, j.Estimate)
	c.start[i] = at
	if len(c.reserved) > 2*c.waiting.count+64 {
		all := c.reserved
		c.reserved = c.reserved[:0]
		for _, e := range all {
			if c.start[e.number] == e.at {
				c.reserved.push(e)
			}
		}
	}
	c.reserved.push(moment{at: at, number: i})
}

// compress lets each waiting job in turn move to the earliest moment at which
// it finds room. What it leaves is for those behind it now, and for those in
// front of it at the next compression.
func (c *conservative) compress() {
	left := c.now // before it lies all that was left now
	most := c.profile.most(c.now, c.loose)
	for slot := -1; ; {
		if slot = c.waiting.next(slot+1, int32(most), 0, 0); slot < 0 {
			break
		}
		i := c.waiting.job(slot)
		j := c.jobs[i]
		was := c.start[i]
		at := c.profile.sooner(was, j.Procs, j.Estimate, c.loose)
		if at == was {
			continue
		}
		until := was + ostrich.Time(j.Estimate)
		c.profile.change(was, until, j.Procs)
		c.reserve(i, at)
		left, c.loose = max(left, until), max(c.loose, until)
		most = max(most, c.profile.most(was, until))
	}
	c.loose = left
}

// remake does a pass that makes all reservations anew, since a job runs that
// should have ended, or did so at the last pass. While one does, they hold for
// this pass only: it is enough to find the jobs that start now.
func (c *conservative) remake(overdue bool) error {
	c.profile.reset(c.now, c.free, c.running)
	c.reserved, c.loose = c.reserved[:0], c.now
	for _, i := range c.fresh {
		c.enqueue(i)
	}
	for slot := c.waiting.after(0); slot >= 0 && (!overdue || c.profile.idle() > 0); slot = c.waiting.after(slot + 1) {
		i := c.waiting.job(slot)
		j := c.jobs[i]
		switch at := c.profile.fit(j.Procs, j.Estimate); {
		case at == c.now:
			c.profile.reserve(at, j.Procs, j.Estimate)
			c.waiting.remove(slot)
			if err := c.begin(i); err != nil {
				return err
			}
		case overdue:
			c.profile.reserve(at, j.Procs, j.Estimate)
		default:
			c.reserve(i, at)
		}
	}
	return nil
}
