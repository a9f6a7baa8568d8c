package forecast

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/lengths"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/nodes"
)

// Job is a job that runs or waits.
type Job struct {
	ID     ostrich.JobID
	User   ostrich.UserID
	Procs  int
	Limit  ostrich.Duration // its time limit
	Ran    ostrich.Duration // for how long it has run; 0 while it waits
	Class  uint64           // what it does, see ostrich.Job.Class; 0 where nothing is known
	Spread lengths.Spread   // how long it may run

	// Where jobs are placed on nodes: what it asks of them, 1 + its place in State.Requests, or 0 for Procs wherever they are, which is
	// also taken where no node could meet it; and what it has of them while it runs, nil where that is not known.
	Request int32
	On      *nodes.Allocation
}

// State is a pool at an instant.
type State struct {
	Now   ostrich.Time
	Procs int // of the machine; what runs is never more

	// Cluster are the nodes on which jobs are placed, without preemption and reservations; nil is a machine of Procs identical
	// processors, to which Ask also comes back if a job cannot run on them. Requests are what the jobs ask of it; arrivals have the
	// numbers of the first, of which there are Came.
	Cluster  *nodes.Cluster
	Requests []nodes.Request
	Came     int

	// Bound are the limits under which the jobs come that some users still bring; those of others come under none.
	Bound map[ostrich.UserID]Bound

	Running []Job
	Pending []Job // that can start, or wait for a limit of their requests, in the order in force; each task of an array is one
	// Habits are what still comes; nil: nothing.
	Habits *Habits

	Seed  uint64 // of the draws; the same state and seed have the same draws
	Draws int    // how many futures are drawn; 0 is as many as can be made in the time of a query

	// Workers is how many futures are replayed at a time, at most; 0 is one. The draws are the same with any number.
	Workers int
}

// Bound are the QOS and the association whose limits count a user's jobs.
type Bound struct {
	QOS         *nodes.QOS
	Association *nodes.Association
}

// Of returns a request that is under the limits.
func (b Bound) Of(r nodes.Request) nodes.Request {
	r.QOS, r.Association = b.QOS, b.Association
	return r
}

// Draws is what may become of a job, in futures that are drawn at random.
type Draws struct {
	Now    ostrich.Time
	Starts []ostrich.Time // by future, none before Now
	Ends   []ostrich.Time // the same, of its end

	// Quiet is when it starts if nobody comes any more, and every job runs on for the geometric mean of what is left of the
	// middle of its lengths and of its limit. QuietEnd is the same of its end. Both are 0 if that is not known.
	Quiet, QuietEnd ostrich.Time
}

// Numbers of draws, and of the jobs that all replays of a query have together.
const (
	mostDraws  = 11
	leastDraws = 3
	drawnJobs  = 60_000

	// tests is after how many requests for which there are no nodes a pass gives up.
	tests = 1000

	// behind is how many jobs behind the last asked one are replayed.
	behind = 1000

	// mostNewcomers is how many jobs come in a draw at most, without half as many as wait, and fewNewcomers
	// how many in any case. They come until the last asked job has started, or reach times as late as all work is done in
	// front of it, or as it started in the draws before, and for no more than mostDays.
	mostNewcomers = 15_000
	fewNewcomers  = 4000
	mostDays      = 60
	reach         = 3
)

// Ask draws futures until the asked jobs have started in them, which are given by their places in
// Pending, or by ^i for place i of Running. It returns the draws of each. The error is that of a job that
// the machine cannot run.
func (s *State) Ask(asked []int) ([]Draws, error) {
	for _, i := range asked {
		if i < -len(s.Running) || i >= len(s.Pending) {
			return nil, fmt.Errorf("forecast: job %d of %d that wait and %d that run is asked for: %w", i, len(s.Pending), len(s.Running), sim.ErrWorkload)
		}
	}
	list := make([]Draws, len(asked))
	if len(asked) == 0 {
		return list, nil
	}
	near := *s // those far behind the last one that is asked for hardly change its start
	near.Pending = s.Pending[:min(len(s.Pending), max(0, slices.Max(asked))+behind)]
	n := s.Draws
	if n < 1 {
		n = max(leastDraws, min(mostDraws, drawnJobs/(len(near.Running)+len(near.Pending))-1)) // and Draws.Quiet
	}
	for k := range list {
		list[k] = Draws{Now: s.Now, Starts: make([]ostrich.Time, n), Ends: make([]ostrich.Time, n)}
	}
	if err := near.fill(list, s.Pending, asked, n); err != nil {
		if s.Cluster == nil {
			return nil, fmt.Errorf("forecast: %w", err)
		}
		processors := *s // what is known of the nodes cannot be all
		processors.Cluster = nil
		return processors.Ask(asked)
	}
	return list, nil
}

// fill draws futures of the front of a queue for the jobs of a list. The first future, which is drawn beside the quiet replay, says how far
// the others reach.
func (s *State) fill(list []Draws, queue []Job, asked []int, futures int) error {
	first, err := newDrawer(s, queue, asked)
	if err != nil {
		return err
	}
	drawers := []*drawer{first}
	for len(drawers) < min(s.Workers, futures) {
		d, bad := first.another()
		if bad != nil {
			return bad
		}
		drawers = append(drawers, d)
	}
	draw := func(d *drawer, f int) error {
		starts, bad := d.draw(f)
		for k, i := range asked {
			if bad == nil {
				list[k].Starts[f], list[k].Ends[f] = d.span(starts, s.at(i))
			}
		}
		return bad
	}
	err = each(drawers, 2, func(d *drawer, n int) error {
		if n == 0 {
			bad := draw(d, 0)
			first.latest = d.started
			return bad
		}
		starts, bad := d.quiet()
		for k, i := range asked {
			if bad == nil {
				list[k].Quiet, list[k].QuietEnd = d.span(starts, s.at(i))
			}
		}
		return bad
	})
	if err != nil {
		return err
	}
	for _, d := range drawers {
		d.latest = first.latest
	}
	return each(drawers, futures-1, func(d *drawer, n int) error { return draw(d, n+1) })
}

// each does n things, drawer d those from its place on, as many apart as there are drawers.
func each(drawers []*drawer, n int, do func(d *drawer, n int) error) error {
	errs := make([]error, len(drawers))
	var all sync.WaitGroup
	for k, d := range drawers {
		all.Go(func() {
			for i := k; i < n && errs[k] == nil; i += len(drawers) {
				errs[k] = do(d, i)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// at returns the place of an asked job among all, the running ones first.
func (s *State) at(asked int) int {
	if asked < 0 {
		return ^asked
	}
	return len(s.Running) + asked
}

// Last returns when all of some jobs have ended, by future, as the draws of one: its Starts are
// the latest of their Ends. There must be one job.
func Last(draws []Draws) *Draws {
	d := &Draws{Now: draws[0].Now, Starts: slices.Clone(draws[0].Ends), Quiet: draws[0].QuietEnd}
	for _, other := range draws[1:] {
		for f, end := range other.Ends {
			d.Starts[f] = max(d.Starts[f], end)
		}
		d.Quiet = max(d.Quiet, other.QuietEnd)
	}
	d.Ends, d.QuietEnd = d.Starts, d.Quiet
	return d
}
