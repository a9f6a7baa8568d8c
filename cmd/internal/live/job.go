package live

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

// job is what is kept of a record that has not ended.
type job struct {
	id, group ostrich.JobID
	user      ostrich.UserID
	campaign  *openCampaign // nil until known
	pool      int           // -1: in none
	size      int           // of a task, see ostrich.Job.Part
	tasks     int
	estimate  ostrich.Duration // time limit
	expect    ostrich.Duration // expected length
	submit    ostrich.Time
	start     ostrich.Time // 0 while pending
	partition string

	// Of the latest plan in which it was pending.
	class     class
	startable bool // it waits for nothing but its turn
	tier      int
	rank      int // in the pool's order; 0 without one

	paused ostrich.Time     // when it was suspended; 0 while not
	rested ostrich.Duration // for how long it had been before
	ended  bool
	left   bool             // it left the queue without having run
	again  bool             // its wait does not count: it was requeued, or ran before the daemon began
	ran    ostrich.Duration // once it has ended
}

// copyFrom copies what accounting says of a job.
func (j *job) copyFrom(from *ostrich.Job) {
	j.id, j.group, j.user, j.submit, j.partition = from.ID, from.Group, from.User, from.Submit, from.Partition
	j.size, j.tasks, j.estimate = from.Part(), from.Count(), from.Estimate
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
