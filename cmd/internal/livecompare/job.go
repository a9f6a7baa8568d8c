package livecompare

import (
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// class is what OStrich's order says of a job.
type class uint8

const (
	unseen   class = iota // was in no plan
	managed               // has a rank
	reserved              // in a reservation
	alone                 // left alone for another reason
)

// job is what is kept of a record that has not ended, and of one that has ended while the
// shadow machine has yet to start or to end it.
type job struct {
	id, group ostrich.JobID
	user      ostrich.UserID
	campaign  *campaign // nil until known
	pool      int       // -1: in none
	procs     int       // of a task
	tasks     int
	estimate  ostrich.Duration // time limit
	expect    ostrich.Duration // expected length
	submit    ostrich.Time
	able      ostrich.Time // when it could first start, as far as accounting has reported
	start     ostrich.Time // 0 while pending
	partition string

	// Of the latest plan in which it was pending.
	class     class
	startable bool // it waits for nothing but its turn
	tier      int
	rank      int // in the pool's order; 0 without one
	mark      int // cycle in which it was put into the line last

	// Of the shadow machine. Of a pending record the tasks in ahead have started there.
	// A record that has started in reality has started there too, unless virtual is 0.
	ahead   []run
	virtual ostrich.Time
	early   bool             // counted as one that started earlier than there
	just    bool             // started since the cycle before
	paused  ostrich.Time     // when it was suspended; 0 while not
	rested  ostrich.Duration // for how long it had been before
	ended   bool
	left    bool             // it left the queue without having run, or it left the pool
	owed    bool             // its campaign waits for its end on the shadow machine
	again   bool             // its wait does not count: it was requeued, or ran before the daemon began
	ran     ostrich.Duration // once it has ended
}

// run is tasks that the shadow machine has started together.
type run struct {
	at    ostrich.Time
	tasks int
}

// started returns how many tasks of a pending record the shadow machine has
// started.
func (j *job) started() int {
	n := 0
	for _, r := range j.ahead {
		n += r.tasks
	}
	return n
}

// waiting returns how many tasks the shadow machine has yet to start.
func (j *job) waiting() int {
	switch {
	case j.left, j.start != 0 && j.virtual != 0:
		return 0
	case j.start != 0:
		return j.tasks
	}
	return max(0, j.tasks-j.started())
}

// pop removes the first task that the shadow machine has started, and returns when
// it started; 0 if there is none.
func (j *job) pop() ostrich.Time {
	if len(j.ahead) == 0 {
		return 0
	}
	at := j.ahead[0].at
	if j.ahead[0].tasks--; j.ahead[0].tasks == 0 {
		j.ahead = j.ahead[1:]
	}
	return at
}

// copyFrom copies what accounting says of a job.
func (j *job) copyFrom(from *ostrich.Job) {
	j.id, j.group, j.user, j.submit, j.partition = from.ID, from.Group, from.User, from.Submit, from.Partition
	j.procs, j.tasks, j.estimate = from.Procs, from.Count(), from.Estimate
	if j.start == 0 {
		for n := j.started() - j.tasks; n > 0; n-- { // tasks that were cancelled
			last := &j.ahead[len(j.ahead)-1]
			if last.tasks--; last.tasks == 0 {
				j.ahead = j.ahead[:len(j.ahead)-1]
			}
		}
	}
}

// classOf returns the class of an entry of a plan.
func classOf(e *priority.Entry) class {
	switch {
	case e.Rank > 0:
		return managed
	case e.Reservation != "":
		return reserved
	case e.Why.Code == priority.Unheard:
		return unseen
	}
	return alone
}

// standing reports whether a pending job waits because of its own state or limits,
// and returns the reason.
func standing(e *priority.Entry, c class) (Reason, bool) {
	switch {
	case e.Wait >= priority.Later, e.Why.Code == priority.NotEligible, e.Why.Code == priority.NotListed:
		return Ineligible, true
	case c == reserved, c == alone:
		return Unmanaged, true
	case e.Reason == "JobArrayTaskLimit":
		return Throttled, true
	case e.Wait == priority.Barred, !priority.ForItsTurn(e.Reason):
		return Limited, true
	}
	return NotKnown, false
}
