package optimal

import (
	"errors"
	"fmt"
	"math"

	"slurm-ostrich/ostrich"
)

// Instance is a queue in front of a machine at an instant, which is time 0.
// The zero value has no processors and cannot be solved.
type Instance struct {
	Procs     int        // m
	Running   []Running  // what runs now
	Jobs      []Job      // the queue, in the order in which EASY takes it
	Campaigns []Campaign // of the jobs; only the objectives of stretch need them
}

// Running is a job that has started: processors m_j and the time c_j for which it
// keeps them (equation 27).
type Running struct {
	Procs int
	Left  ostrich.Duration // at least 1
}

// Job is a job of the queue.
type Job struct {
	ID     ostrich.JobID
	Procs  int              // m_j, from 1 to the machine's
	Length ostrich.Duration // p_j, at least 1

	// Due is the latest start with which the job's user is content: the accepted
	// wait (S(p_j)−1)·p_j less the wait w'_j so far (equations 23 and 24). It is
	// below 0 for a job that has waited for too long already.
	Due ostrich.Duration

	Weight   int64 // of the job in SumU and SumT; 0 counts as 1
	Campaign int   // its index in Instance.Campaigns
}

// Campaign is a set of jobs whose results a user waits for together.
type Campaign struct {
	Age   ostrich.Duration // since it was submitted, at least 0
	Until ostrich.Duration // when the last of its running jobs ends, 0 if none runs
	Least float64          // max(W/m, p_max), by which its flow time is divided; above 0
}

// longest is the longest that a job may run, wait or be late.
const longest = ostrich.Duration(math.MaxInt32 - 1)

// mostJobs and mostWeight keep the sums of any real queue below 2^63, and values of
// objectives exact enough to be compared. They do not for many jobs that run for decades
// with the largest weight.
const (
	mostJobs   = 100_000
	mostWeight = 1_000_000
)

// ErrInstance marks an instance that is out of range or has no schedule.
var ErrInstance = errors.New("cannot be scheduled")

// Check returns what is wrong with an instance, as an [ErrInstance] that names the
// job.
func (in *Instance) Check() error {
	if in.Procs < 1 || in.Procs >= math.MaxInt32 {
		return fmt.Errorf("optimal: a machine of %d processors: %w", in.Procs, ErrInstance)
	}
	if len(in.Jobs) > mostJobs {
		return fmt.Errorf("optimal: a queue of %d jobs, more than %d: %w", len(in.Jobs), mostJobs, ErrInstance)
	}
	busy := 0
	for i, r := range in.Running {
		switch {
		case r.Procs < 1 || r.Procs > in.Procs-busy:
			return fmt.Errorf("optimal: running job number %d has %d of %d free processors: %w", i+1, r.Procs, in.Procs-busy, ErrInstance)
		case r.Left < 1 || r.Left > longest:
			return fmt.Errorf("optimal: running job number %d runs for another %d s: %w", i+1, r.Left, ErrInstance)
		}
		busy += r.Procs
	}
	for i := range in.Jobs {
		if why := in.fault(&in.Jobs[i]); why != "" {
			return fmt.Errorf("optimal: job %d %s: %w", in.Jobs[i].ID, why, ErrInstance)
		}
	}
	for i, c := range in.Campaigns {
		if c.Age < 0 || c.Age > longest || c.Until < 0 || c.Until > longest || !(c.Least > 0) || math.IsInf(c.Least, 1) {
			return fmt.Errorf("optimal: campaign %d has age %d s, running jobs until %d s and a least time of %v s: %w", i, c.Age, c.Until, c.Least, ErrInstance)
		}
	}
	return nil
}

// fault returns what is wrong with a job of the queue, "" for nothing.
func (in *Instance) fault(j *Job) string {
	switch {
	case j.Procs < 1 || j.Procs > in.Procs:
		return fmt.Sprintf("needs %d of %d processors", j.Procs, in.Procs)
	case j.Length < 1 || j.Length > longest:
		return fmt.Sprintf("runs for %d s", j.Length)
	case j.Due < -longest || j.Due > longest:
		return fmt.Sprintf("is due at %d s", j.Due)
	case j.Weight < 0 || j.Weight > mostWeight:
		return fmt.Sprintf("has the weight %d, not from 0 to %d", j.Weight, mostWeight)
	case len(in.Campaigns) > 0 && (j.Campaign < 0 || j.Campaign >= len(in.Campaigns)):
		return fmt.Sprintf("is of campaign %d of %d", j.Campaign, len(in.Campaigns))
	}
	return ""
}

// Satisfiable returns the instance without the jobs that start too late in every
// schedule, as the paper's evaluation has it (section V.C): even alone, behind what
// runs, they start after their due date. It also returns the indices of the jobs
// that were kept.
func (in *Instance) Satisfiable() (Instance, []int) {
	kept := *in
	kept.Jobs = nil
	var which []int
	free := newProfile(in)
	for i := range in.Jobs {
		if j := &in.Jobs[i]; free.earliest(0, j.Procs, j.Length) <= j.Due {
			kept.Jobs = append(kept.Jobs, *j)
			which = append(which, i)
		}
	}
	return kept, which
}
