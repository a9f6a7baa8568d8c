// Package swf takes the jobs that a replay can have out of a workload log in the Standard
// Workload Format. It is apart from the engine, which reads no logs.
package swf

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/lengths"
	"slurm-ostrich/ostrich/plural"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/nodes"
	"slurm-ostrich/ostrich/trace"
)

// Estimates says how long a job of a log is expected to run.
type Estimates uint8

const (
	// ByLimit takes the time that the job asked for, or how long it ran if that
	// is longer or if it asked for none. It is the zero value, and what other
	// simulators do.
	ByLimit Estimates = iota
	// Exact takes how long it ran.
	Exact
	// Asked takes the time that the job asked for, even if it ran for longer,
	// for replays that kill jobs at their limit; how long it ran if it asked for
	// none.
	Asked
)

// EstimateNames lists the kinds of estimates in the order of their constants.
var EstimateNames = []string{"limit", "exact", "asked"}

// Import says how Jobs read a log.
type Import struct {
	Records int // in the log
	Jobs    int // that can be replayed

	// Records that were left out.
	NotRun   int // without a run time above 0, or without processors
	Negative int // submitted before the start of the log
	BadID    int // whose job or user number is not one of 32 bits
	TooLong  int // that ran for longer than a replay can have it
	NoNodes  int // that ask for more than nodes have

	Parts int // parts of a job that has a line as a whole

	// Jobs that were taken, with a change or as they are.
	Narrowed int // wider than the machine: as wide as it
	NoWait   int // with an unknown wait: as if they had not waited
	NoUser   int // of a user below 0: of sim.Nobody
	Capped   int // with a limit beyond what a replay can have: expected to run for that
	Repeated int // with the number of another job
}

// Notes returns what was left out or changed, one sentence for each reason.
func (m Import) Notes() []string {
	var notes []string
	note := func(n int, what string) {
		if n > 0 {
			notes = append(notes, plural.Sprintf("%d job{|s} %s", n, what))
		}
	}
	note(m.NotRun, "left out: no run time, or no processors")
	note(m.Negative, "left out: submitted before the start of the log")
	note(m.BadID, "left out: job or user number out of range")
	note(m.TooLong, fmt.Sprintf("left out: ran for %d s or longer", sim.Longest+1))
	note(m.NoNodes, "left out: no nodes have the processors and the memory that they ask for")
	if m.Parts > 0 {
		notes = append(notes, plural.Sprintf("%d line{|s} left out: {a part of a job that has|parts of jobs that have} a line as a whole", m.Parts))
	}
	note(m.Narrowed, "wider than the machine: taken as wide as it")
	note(m.NoWait, "with an unknown wait: taken as if the wait was 0")
	note(m.NoUser, "of an unknown user: in no campaign")
	note(m.Capped, fmt.Sprintf("with a limit of %d s or longer: taken as 1 s less than that", sim.Longest+1))
	note(m.Repeated, "with the number of another job")
	return notes
}

// ErrNoJobs marks a log of which no job can be replayed.
var ErrNoJobs = errors.New("no job of the log can be replayed")

// Placed is [Jobs] for a machine of nodes: each job asks for its processors, each with the memory that the log
// asks for it (field 10), and its Request is one of those returned. could says whether nodes can meet a request;
// jobs whose request they cannot are left out. Those that ask for more processors than there are are narrowed
// before.
func Placed(log *trace.Log, m int, estimates Estimates, could func(*nodes.Request) bool) ([]sim.Job, []nodes.Request, Import, error) {
	a := asked{could: could, places: make(map[memory]int32)}
	jobs, in, err := take(log, m, estimates, &a)
	return jobs, a.requests, in, err
}

// asked are the requests of a log's jobs.
type asked struct {
	could    func(*nodes.Request) bool
	places   map[memory]int32 // 1 + that of a request; 0 for one that cannot be met
	requests []nodes.Request
	latest   memory // the one asked for last, and what place returned
	at       int32
}

// memory is what a job asks for: processors, and MiB for each.
type memory struct {
	procs int
	mib   int64
}

// place returns 1 + the place of a job's request, 0 if it cannot be met. A job that ran on more processors than it
// asked for, such as both threads of each core, may have asked for its memory as a whole, or for each of them:
// nobody has more than a node has.
func (a *asked) place(r *trace.Record, procs int) int32 {
	at := a.with(r.RAM, procs)
	if at == 0 && r.RAM > 0 && r.Requested > 0 && r.Requested < int64(procs) {
		at = a.with((r.RAM*r.Requested+int64(procs)-1)/int64(procs), procs)
	}
	return at
}

// with returns that of processors with so many KiB each.
func (a *asked) with(ram int64, procs int) int32 {
	k := memory{procs: procs}
	if ram > 0 {
		k.mib = (ram + 1023) / 1024
	}
	if k == a.latest && a.requests != nil { // many come one after the other
		return a.at
	}
	at, known := a.places[k]
	if !known {
		want := nodes.Request{CPUs: procs, Tasks: procs, Memory: nodes.Memory{MiB: k.mib, PerCPU: true}}
		if a.could(&want) {
			a.requests = append(a.requests, want)
			at = int32(len(a.requests))
		}
		a.places[k] = at
	}
	a.latest, a.at = k, at
	return at
}

// Jobs takes the jobs of a log that ran, for a machine of m processors,
// sorted by submission, those submitted at one moment in the order of the log.
// A job is as wide as the processors it ran on, or else as those it asked for.
// Without any job it returns ErrNoJobs.
func Jobs(log *trace.Log, m int, estimates Estimates) ([]sim.Job, Import, error) {
	return take(log, m, estimates, nil)
}

// take is Jobs, with requests if they are asked for.
func take(log *trace.Log, m int, estimates Estimates, a *asked) ([]sim.Job, Import, error) {
	in := Import{Records: len(log.Records), Parts: log.Parts}
	if m < 1 || m >= math.MaxInt32 {
		return nil, in, fmt.Errorf("swf: a machine of %d processors: %w", m, sim.ErrWorkload)
	}
	if int(estimates) >= len(EstimateNames) {
		return nil, in, fmt.Errorf("swf: estimates of kind %d: %w", estimates, sim.ErrWorkload)
	}
	jobs := make([]sim.Job, 0, len(log.Records))
	for i := range log.Records {
		r := &log.Records[i]
		switch {
		case !r.Runnable():
			in.NotRun++
			continue
		case r.Submit < 0:
			in.Negative++
			continue
		case r.Number < 1 || r.Number > math.MaxUint32 || r.User >= int64(sim.Nobody):
			in.BadID++
			continue
		case r.Run > int64(sim.Longest):
			in.TooLong++
			continue
		}
		j := in.job(r, int64(m), estimates)
		if a != nil {
			if j.Request = a.place(r, j.Procs); j.Request == 0 {
				in.NoNodes++
				continue
			}
		}
		jobs = append(jobs, j)
	}
	in.Jobs, in.Repeated = len(jobs), repeated(jobs)
	if in.Jobs == 0 {
		return nil, in, plural.Errorf("swf: %w (%d line{|s})", ErrNoJobs, in.Records)
	}
	bySubmit := func(a, b sim.Job) int { return cmp.Compare(a.Submit, b.Submit) }
	if !slices.IsSortedFunc(jobs, bySubmit) {
		slices.SortStableFunc(jobs, bySubmit)
	}
	return jobs, in, nil
}

// repeated counts the jobs beyond the first of each number. Most logs number
// theirs in a row, which sorts in no time.
func repeated(jobs []sim.Job) int {
	ids := make([]ostrich.JobID, len(jobs))
	for i := range jobs {
		ids[i] = jobs[i].ID
	}
	slices.Sort(ids)
	return len(ids) - len(slices.Compact(ids))
}

// Links returns what came before the jobs of a log (fields 17 and 18), by their ids; of two jobs with one number, what
// came before the first.
func Links(log *trace.Log) map[ostrich.JobID]sim.Link {
	links := make(map[ostrich.JobID]sim.Link, len(log.Records))
	for i := range log.Records {
		r := &log.Records[i]
		if r.Number < 1 || r.Number > math.MaxUint32 {
			continue // no replay has it
		}
		id := ostrich.JobID(r.Number)
		if _, twice := links[id]; !twice {
			links[id] = sim.Link{Preceding: ostrich.JobID(max(0, min(r.Preceding, math.MaxUint32))), Think: ostrich.Duration(max(r.Think, trace.Unknown))}
		}
	}
	return links
}

func (m *Import) job(r *trace.Record, procs int64, estimates Estimates) sim.Job {
	width, wait, user, estimate := r.Procs(), r.Wait, r.User, r.Run
	if width > procs {
		m.Narrowed++
		width = procs
	}
	if wait < 0 {
		m.NoWait++
		wait = 0
	}
	if user < 0 {
		m.NoUser++
		user = int64(sim.Nobody)
	}
	switch {
	case estimates == ByLimit:
		estimate = max(r.Limit, r.Run)
	case estimates == Asked && r.Limit > 0:
		estimate = r.Limit
	}
	if estimate > int64(sim.Longest) {
		m.Capped++
		estimate = int64(sim.Longest)
	}
	outcome := lengths.Done
	if r.Status == trace.Failed || r.Status == trace.Cancelled {
		outcome = lengths.Stopped // those at their limit too; their length says it
	}
	return sim.Job{
		ID: ostrich.JobID(r.Number), User: ostrich.UserID(user), Submit: ostrich.Time(r.Submit),
		Run: ostrich.Duration(r.Run), Estimate: ostrich.Duration(estimate), Procs: int(width),
		Class: uint64(max(0, r.App)), Outcome: outcome, Start: ostrich.Time(r.Submit + wait),
	}
}
