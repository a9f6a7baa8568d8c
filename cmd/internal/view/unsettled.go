package view

import (
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

const (
	// newJobs is by how much the id of a job that was submitted since a cycle may be above
	// all that the cycle knows. What is farther away is no new job but a slip.
	newJobs = 1000

	// unheard is for how many seconds after its submission a job may not be in accounting
	// yet, as slurmctld tells of new jobs every five.
	unheard = 30
)

// coming reports whether a job that neither the cycle nor accounting knows may be there
// in a moment: it is newer than the cycle, or it is a task of an unfinished array that v
// may see, which leaves the waiting ones before accounting tells of its start.
func (s *Cycle) coming(v *Viewer, name JobName) bool {
	newest, array := ostrich.JobID(0), false
	for i := range s.Plan.Entries {
		e := s.Plan.Entries[i]
		newest = max(newest, e.Job)
		array = array || e.Array == name.id && v.Job(e.User, e.Account)
	}
	for i := range s.live {
		r := &s.live[i]
		newest = max(newest, r.Job.ID)
		array = array || r.ArrayJob == name.id && v.Job(r.UserName, r.Account)
	}
	return name.id > newest && name.id-newest <= newJobs || array && name.task >= 0
}

// settling reports whether the next cycles will say something else of a job: Slurm has not
// computed its priority yet, accounting does not have it yet, or the queue and accounting,
// which are read one after the other, contradict each other.
func (s *Cycle) settling(e *Explanation) bool {
	switch {
	case e.Slurm != nil:
		return e.Code == priority.NotListed || e.Code == priority.Unheard && s.Time-e.Submitted < unheard
	case e.Ended != nil:
		return false
	case e.Started == nil:
		return true
	}
	return slices.ContainsFunc(s.Plan.Entries, func(p *priority.Entry) bool { return p.Job == e.JobID }) // just started, or queued again
}
