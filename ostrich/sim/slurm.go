package sim

import (
	"cmp"
	"fmt"
	"slices"

	"slurm-ostrich/ostrich"
)

// Scheduler is how slurmctld looks for jobs to start, under Slurm. A zero is
// Slurm's default.
//
// The main scheduler (job_scheduler.c, schedule) runs when a job has come or
// ended, but not twice within Delay; on nodes it looks a second after a job has come
// (controller.c, _slurmctld_background), and at once when one has ended (proc_req.c,
// _slurm_rpc_epilog_complete). It starts jobs in the order while they
// fit, and looks at Depth of them at most; every Interval, counted from the
// first submission, it looks at all.
//
// The backfill scheduler (backfill.c, attempt_backfill) looks every
// BackfillInterval, counted likewise, at the first
// BackfillDepth jobs of the order. Each gets a reservation at the earliest
// moment at which enough processors are free beside the running jobs, by their
// limits, and the reservations of those in front of it. It starts at once if
// that is now; if it begins behind BackfillWindow, there is none. The next time
// all reservations are made anew. Where nothing has changed since the last
// time, it would start nothing, and is left out.
type Scheduler struct {
	Depth            int              // default_queue_depth: 100
	Interval         ostrich.Duration // sched_interval: 60 s
	Delay            ostrich.Duration // batch_sched_delay: 3 s; below 0 for none
	Least            ostrich.Duration // sched_min_interval: 0 s; whatever asks for a look of the main scheduler waits until so long after its last one
	BackfillInterval ostrich.Duration // bf_interval: 30 s
	BackfillDepth    int              // bf_max_job_test: 500; below 0 for no backfill scheduler
	BackfillWindow   ostrich.Duration // bf_window: 86400 s

	// The following count on nodes only.

	Resolution ostrich.Duration // bf_resolution: 60 s
	MinAge     ostrich.Duration // bf_min_age_reserve: 0 s; a job that has waited for less gets no reservation
	MinPrio    uint32           // bf_min_prio_reserve: 0; nor does one of a lower priority, where a [Prioritizer] tells it
	UserDepth  int              // bf_max_job_user: the most jobs of a user at which the backfill scheduler looks; 0 is all
	PartDepth  int              // bf_max_job_part: likewise, of a partition
	AssocDepth int              // bf_max_job_assoc: likewise, of an association
	BothDepth  int              // bf_max_job_user_part: likewise, of a user in a partition
	PartKept   int              // bf_job_part_count_reserve: the most jobs of a partition that get a reservation; 0 is all
	ArrayKept  int              // bf_max_job_array_resv: the most tasks of an array that get one: 20
	MainDepth  int              // partition_job_depth: the most jobs of a partition at which the main scheduler looks; 0 is all
	Defer      bool             // defer: nodes that become free wait for Delay, too (proc_req.c, _slurm_rpc_epilog_complete)
	Starts     int              // bf_max_job_start: the most jobs that it starts at a time; 0 is all
	KillWait   ostrich.Duration // how long a job past its limit is expected to go on: 30 s
	OverTime   ostrich.Duration // OverTimeLimit: beside that, how much longer jobs may run: 0 s (cons_common, _guess_job_end; not under select/linear)
	Completing ostrich.Duration // how long the nodes of a job that has ended take no others: 0 s
	// CompleteWait is how long after the end of a job no scheduler starts others anywhere while its nodes take none: 0 s
	// (job_scheduler.c, job_is_completing; backfill.c, backfill_agent).
	CompleteWait ostrich.Duration
	Requeue      ostrich.Duration // how long a job that was preempted waits at least before it starts again: 121 s (job_mgr.c, batch_requeue_fini)

	// Backfills are moments at which the backfill scheduler is known to have looked, ascending. It
	// looks then, and only after the last of them every BackfillInterval.
	Backfills []ostrich.Time
	// Looks are moments at which the main scheduler is known to have looked, ascending. One within Delay after a job has come is taken
	// to be the first since then, also if nodes become free before.
	Looks []ostrich.Time
}

// filled puts Slurm's defaults in the place of zeros.
func (s Scheduler) filled() Scheduler {
	return Scheduler{
		Depth: cmp.Or(s.Depth, 100), Interval: cmp.Or(s.Interval, 60), Delay: max(cmp.Or(s.Delay, 3), 0), Least: s.Least,
		BackfillInterval: cmp.Or(s.BackfillInterval, 30), BackfillDepth: cmp.Or(s.BackfillDepth, 500),
		BackfillWindow: cmp.Or(s.BackfillWindow, 24*3600), Resolution: cmp.Or(s.Resolution, 60), MinAge: s.MinAge,
		MinPrio: s.MinPrio, UserDepth: s.UserDepth, PartDepth: s.PartDepth, AssocDepth: s.AssocDepth, BothDepth: s.BothDepth, PartKept: s.PartKept,
		ArrayKept: cmp.Or(s.ArrayKept, 20), MainDepth: s.MainDepth, Defer: s.Defer, Starts: s.Starts, KillWait: cmp.Or(s.KillWait, 30), OverTime: s.OverTime, CompleteWait: s.CompleteWait,
		Completing: s.Completing, Requeue: cmp.Or(s.Requeue, 121), Backfills: s.Backfills, Looks: s.Looks,
	}
}

func (s Scheduler) check() error {
	switch {
	case s.Depth < 0:
		return fmt.Errorf("sim: a main scheduler that looks at %d jobs: %w", s.Depth, ErrWorkload)
	case s.Interval < 0 || s.Interval > Longest:
		return fmt.Errorf("sim: a main scheduler that looks at all jobs every %d s: %w", s.Interval, ErrWorkload)
	case s.Delay > Longest || s.Least < 0 || s.Least > Longest:
		return fmt.Errorf("sim: a main scheduler that waits for %d s after a job has come, and for %d s after it has looked: %w", s.Delay, s.Least, ErrWorkload)
	case s.BackfillInterval < 0 || s.BackfillInterval > Longest:
		return fmt.Errorf("sim: a backfill scheduler that looks every %d s: %w", s.BackfillInterval, ErrWorkload)
	case s.OverTime < 0 || s.OverTime > Longest || s.CompleteWait < 0 || s.CompleteWait > Longest:
		return fmt.Errorf("sim: jobs that may run for %d s beyond their limits, and keep others for %d s: %w", s.OverTime, s.CompleteWait, ErrWorkload)
	case s.BackfillWindow < 0:
		return fmt.Errorf("sim: a backfill window of %d s: %w", s.BackfillWindow, ErrWorkload)
	case s.Resolution < 0 || s.Resolution > Longest || s.MinAge < 0 || s.KillWait < 0 || s.KillWait > Longest || s.Completing < 0 || s.Completing > Longest || s.Requeue < 0 || s.Requeue > Longest:
		return fmt.Errorf("sim: a backfill scheduler with steps of %d s, a least age of %d s, a wait of %d s for killed jobs, of %d s for nodes and of %d s for requeued jobs: %w",
			s.Resolution, s.MinAge, s.KillWait, s.Completing, s.Requeue, ErrWorkload)
	case !slices.IsSorted(s.Backfills) || !slices.IsSorted(s.Looks):
		return fmt.Errorf("sim: moments of a scheduler that are not in their order: %w", ErrWorkload)
	case min(s.UserDepth, s.PartDepth, s.AssocDepth, s.BothDepth, s.PartKept, s.MainDepth, s.Starts) < 0:
		return fmt.Errorf("sim: a backfill scheduler that looks at %d jobs of a user, %d of a partition, %d of an association and %d of a user in a partition, keeps nodes for %d of a partition and starts %d, and a main scheduler that looks at %d of a partition: %w",
			s.UserDepth, s.PartDepth, s.AssocDepth, s.BothDepth, s.PartKept, s.Starts, s.MainDepth, ErrWorkload)
	}
	return nil
}

// slurm is when the schedulers look.
type slurm struct {
	Scheduler
	begun  bool
	begin  ostrich.Time // first submission
	looked ostrich.Time // when the main scheduler did last, for a job that came or ended
	called bool         // since then one did
	came   ostrich.Time // when the latest job did
	quiet  ostrich.Time // until then it is known to have started none
	freed  bool         // nodes have become free now, which waits for no Delay
	last   ostrich.Time // when the main scheduler looked last, whatever for
	put    bool         // since then it was asked to look, and Least put that off (job_scheduler.c, _sched_agent)
	whole  bool         // likewise, at all jobs
	owed   bool         // a look of the backfill scheduler that CompleteWait put off (backfill.c, _backfill_agent: it tries again each second)
	deeper bool         // if the main scheduler looked at all jobs, it might find another that can start
	shift  ostrich.Time // of the times of the replay, see Ranker
	news   bool         // since the backfill scheduler looked, anything changed
	young  ostrich.Time // until then some job may be younger than MinAge
}

// wake is the moment of the next look, after now, if nothing happens before.
func (s *slurm) wake(now ostrich.Time) ostrich.Time {
	next := never
	if s.called {
		next = s.call()
	}
	if s.freed && now < s.quiet {
		next = min(next, s.quiet)
	}
	if s.put {
		next = min(next, s.last+ostrich.Time(s.Least))
	}
	if s.deeper {
		next = min(next, s.due(now, s.Interval))
	}
	if s.news && s.BackfillDepth > 0 {
		next = min(next, s.nextBackfill(now))
	}
	if s.owed {
		next = now + 1
	}
	if next == never {
		return never
	}
	return max(next, now+1)
}

// call is when the main scheduler looks next for jobs that have come.
func (s *slurm) call() ostrich.Time {
	return max(s.looked+ostrich.Time(s.Delay), s.came)
}

// nextBackfill is when the backfill scheduler looks next, after now.
func (s *slurm) nextBackfill(now ostrich.Time) ostrich.Time {
	if i, _ := slices.BinarySearch(s.Backfills, now+1-s.shift); i < len(s.Backfills) {
		return s.Backfills[i] + s.shift
	}
	if n := len(s.Backfills); n > 0 {
		last, every := s.Backfills[n-1]+s.shift, ostrich.Time(s.BackfillInterval)
		return last + ((now-last)/every+1)*every
	}
	return s.due(now, s.BackfillInterval)
}

// backfills reports whether the backfill scheduler looks now.
func (s *slurm) backfills(now ostrich.Time) bool {
	if len(s.Backfills) == 0 {
		return s.is(now, s.BackfillInterval)
	}
	return s.nextBackfill(now-1) == now
}

// due returns the first moment after now that is a whole number of intervals after the
// first submission.
func (s *slurm) due(now ostrich.Time, interval ostrich.Duration) ostrich.Time {
	return s.begin + ((now-s.begin)/ostrich.Time(interval)+1)*ostrich.Time(interval)
}

// is reports whether now is a whole number of intervals after the first submission.
func (s *slurm) is(now ostrich.Time, interval ostrich.Duration) bool {
	return (now-s.begin)%ostrich.Time(interval) == 0
}

// schedule lets those schedulers look whose time has come.
func (e *engine) schedule() error {
	s := &e.slurm
	if !s.begun {
		s.begun, s.begin, s.looked, s.came, s.quiet = true, e.now, e.now-ostrich.Time(s.Delay), e.now, e.now
		s.last = e.now - ostrich.Time(s.Least)
	}
	if s.called && s.call() < e.now { // it looked then, and nothing that waited could have started
		s.looked, s.called = s.call(), false
	}
	due := s.called && s.call() == e.now                      // what comes now does not put it off
	s.called = s.called || e.happened && e.placed == nil      // on nodes Slurm looks when they are free again (proc_req.c, _slurm_rpc_epilog_complete)
	if e.placed != nil && (e.arrived || s.Defer && s.freed) { // slurmctld's background loop begins each second (controller.c, _slurmctld_background)
		if i, _ := slices.BinarySearch(s.Looks, e.now-s.shift); i < len(s.Looks) && s.Looks[i]+s.shift <= e.now+ostrich.Time(s.Delay) {
			s.came = s.Looks[i] + s.shift
			s.quiet = s.came
		} else if !due {
			s.came = e.now + 1
		}
		s.called, s.freed = true, s.freed && !s.Defer
	}
	if e.happened {
		s.young = e.now + ostrich.Time(min(s.MinAge, Longest))
	}
	if e.happened || e.woken || e.overdue() { // other jobs, another order, other moments at which jobs will end
		s.deeper, s.news = true, true
	}
	defer func() { e.another = e.free >= e.narrowest() }() // whenever they look next
	deep := s.deeper && s.is(e.now, s.Interval) && (e.placed == nil || e.now > s.begin)
	called := s.called && e.now >= s.call()
	if e.placed != nil && e.placed.completes() {
		if s.freed = false; called {
			s.looked, s.called = e.now, false
		}
		s.owed = s.owed || s.news && s.BackfillDepth > 0 && s.backfills(e.now)
		return nil
	}
	if (deep || called || s.freed) && e.now >= s.quiet {
		s.put, s.whole, s.freed = true, s.whole || deep, false
		if called {
			s.looked, s.called = e.now, false
		}
	}
	if s.put && e.now >= s.last+ostrich.Time(s.Least) {
		f := filling{engine: e, kind: None, tests: s.Depth}
		if s.whole {
			f.tests = -1
		}
		s.last, s.put, s.whole = e.now, false, false
		if e.placed != nil {
			f.decider = e.placed.mainScheduler(f.tests)
		}
		if err := e.fill(&f); err != nil {
			return err
		}
		if f.decider != nil {
			s.deeper = f.decider.done() || s.called
		} else {
			s.deeper = f.tests == 0 || s.called
		}
	}
	if s.news && s.BackfillDepth > 0 && (s.owed || s.backfills(e.now)) {
		s.owed = false
		f, free := filling{engine: e, kind: Conservative, tests: s.BackfillDepth, window: s.BackfillWindow}, e.free
		if e.placed != nil {
			f.decider = e.placed.backfill()
		}
		if err := e.fill(&f); err != nil {
			return err
		}
		if f.decider != nil {
			s.news = e.free < free || e.now < s.young // what has started changes the reservations of the others
		} else {
			s.news = f.tests == 0 && e.free < free // the next time it gets further
		}
	}
	if e.preempts && e.now <= e.placed.restless {
		s.deeper, s.news = true, true
	}
	return nil
}

// overdue reports whether a job runs that should have ended.
func (e *engine) overdue() bool { return len(e.running) > 0 && e.running[0].End <= e.now }
