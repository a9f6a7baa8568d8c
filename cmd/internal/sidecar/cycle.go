package sidecar

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/journal"
	"slurm-ostrich/priority/slurm"
)

// Accounting is the source of the jobs' history. *slurmdb.Reader is one.
type Accounting interface {
	// PollEach hands over what is new, in the order of ostrich.Compare, once it
	// has read all of it. After an error the next poll reports everything.
	PollEach(ctx context.Context, event func(ostrich.Event)) (ledger.Batch, error)
	Record(id ostrich.JobID) (ledger.Record, bool)
	Live() []*ledger.Record
	Nodes() (asked []ledger.Needs, out []ledger.Outage)
	// Expect returns a job of the queue as accounting will report it.
	Expect(q *ledger.Waiting) (ledger.Record, bool)
	UserName(id ostrich.UserID) string
	Close() error
}

// Controller holds the queue and accepts priorities. slurm.Commands is one.
type Controller interface {
	Controller(ctx context.Context) (priority.Controller, error)
	Partitions(ctx context.Context) ([]priority.Partition, error)
	// Queue may return the list of the previous call, in the same memory, which
	// means that no job has changed. It must not edit a list that it has returned.
	Queue(ctx context.Context) ([]priority.Queued, error)
	Diag(ctx context.Context) (slurm.Diag, error)
	Update(ctx context.Context, ch priority.Channel, changes []priority.Change) (priority.Result, error)
}

// generations counts the generations of all sidecars of the process, so that a new
// sidecar, after a reload, does not repeat one.
var generations atomic.Uint64

// Sidecar is the sidecar of one cluster. It is not safe for concurrent use.
type Sidecar struct {
	writer

	config     configuration.Config
	accounting Accounting
	place      place // where accounting is read
	past       *Past // nil: it cannot be asked
	pools      *ostrich.Pools
	classes    ostrich.Classes
	limit      int64 // bytes of journal that are kept in one file

	partitions []priority.Partition
	asked      time.Time // when the controller's configuration was read
	limits     limits
	// divide tells accounting that partitions changed; nil if it need not know.
	divide  func(ledger.Site)
	counted Counted // by what work is counted

	printed    []priority.Queued // the latest queue, as the controller returned it
	ranked     []priority.Queued // the same in Slurm's order; nil if the order may have changed
	named      altered           // the same, with accounting's names of the users
	made       *planned          // what the latest plan was made from
	latest     Plan
	generation uint64 // see Cycle.Generation
	leftAlone  leftAlone

	hear func(ostrich.Event) // see Hear; nil: nobody

	lead  *Lead // decides who writes; nil where nobody else can
	leads bool  // it was our turn in the latest cycle

	overlays    []overlay // the next four, in this order
	provisional provisional
	comments    comments
	nices       nices
	holds       holds
	others      []journal.Record // found, and not yet reported in a cycle
	orphans     orphans

	fresh  ostrich.Time // the latest time at which accounting was complete
	behind ostrich.Time // since when accounting has lagged in every cycle; 0 if it does not

	writing atomic.Bool // a burst is being written

	looked bool            // a cycle has succeeded, and news has all events since
	news   []ostrich.Event // see Cycle.Events

	names   error                    // in the configuration, that Slurm does not know; nil once reported
	skipped map[ostrich.JobID]string // jobs of the queue with invalid rows, and why

	throttle throttle

	experiment experiment
}

// Config returns the configuration, with the cluster's name filled in.
func (s *Sidecar) Config() configuration.Config { return s.config }

func (s *Sidecar) options() priority.Options {
	o := s.config.PlanOptions(s.controller)
	o.Classes = s.classes
	if s.journal != nil {
		o.Journal, o.Now = s.journal, ostrich.Time(time.Now().Unix())
	}
	o.Alone = func(q *priority.Queued) priority.Why { return s.alone(&o, q) }
	return o
}

// Cycle is what one cycle found and did.
type Cycle struct {
	Time ostrich.Time     // of the virtual schedule
	Lag  ostrich.Duration // how far that is behind the database's clock, because accounting lags
	Took time.Duration

	// Diag holds slurmctld's counters from before any other request: the queue
	// shows all that has happened to jobs up to then.
	Diag slurm.Diag
	// Slowdown is the factor by which cycles and writes come slower because
	// slurmctld is loaded, from 1 to 8. Loaded is the reason, "" for 1.
	Slowdown int
	Loaded   string

	// Server is the address at which accounting was read, "" if there is but one.
	// Passed says why it is not the first of several, nil if it is.
	Server string
	Passed error

	Counted Counted       // by what work is counted
	Rows    int           // rows read of the accounting tables
	Skipped []ledger.Skip // invalid rows
	Odd     []error       // events that the schedule rejected

	// Events is what accounting has reported since the previous cycle, in the
	// order of ostrich.Compare within each poll. With Anew there was more, and
	// Events is empty: in the first cycle, which reads a history that may be long,
	// and after many failed cycles.
	Events []ostrich.Event
	Anew   bool

	// Generation grows with each cycle in which something changed: accounting reported an
	// event, or the sidecar planned again because the queue, a schedule's order, the
	// controller's configuration or the journal changed. Cycles of one generation share
	// one Plan, and in their schedules only time has passed. No two sidecars of a process
	// have the same one.
	Generation uint64

	Controller priority.Controller
	Partitions []priority.Partition
	// Site is the association tree and the QOS with their limits; nil where slurmctld enforces none, or where accounting does not tell them.
	Site *accounting.Site
	// Limits is why that could not be read just now; those before are kept.
	Limits error
	Pools  []ostrich.PoolSchedule
	Queue  []priority.Queued // in the order in which Slurm would try them
	Plan   Plan

	// Provisional are the jobs of the queue that accounting has not reported yet
	// and that are ordered all the same, as records made from the queue, by id.
	Provisional []ledger.Record

	Outcomes     []priority.Change // of the writes; none if nothing was written
	Left         int               // writes beyond what one cycle makes, for the next cycles
	Slow         error             // an error of a slow controller that kept some writes from being made; nil: none
	StandsBy     string            // why nothing is written in mode enforce: another daemon writes; "" if this one may
	OtherWriters []journal.Record  // changes of other writers that were found just now

	// Orphans counts the jobs whose values a daemon has left that the journal does not know,
	// Adopted those that were taken over just now. Contested says that another writer changes
	// them, so that they are not. Hurry is set if they may be soon.
	Orphans, Adopted int
	Contested, Hurry bool

	Trial *TrialState // where the trial is; nil in another mode

	Harm error // a setting of Slurm's under which nothing may be written; nil for none
	// Journal is what was wrong with the journal's files and was fixed since the
	// previous cycle, nil if nothing was. Names are the names in include and exclude
	// that Slurm does not know, in the first cycle, or a partition of a pool that is gone,
	// in the cycle that finds it gone.
	Journal, Names error

	campaigns [][]ostrich.Campaign // of the pools, see Campaigns
	users     [][]ostrich.User
}

// Campaigns lists the unfinished campaigns of a pool. The first call reads the schedule,
// so it must come before the next cycle.
func (c *Cycle) Campaigns(pool int) []ostrich.Campaign {
	return readOnce(&c.campaigns, len(c.Pools), pool, c.Pools[pool].Schedule.Campaigns)
}

// Users lists the users of a pool that have had jobs. As with Campaigns, the first call
// must come before the next cycle.
func (c *Cycle) Users(pool int) []ostrich.User {
	return readOnce(&c.users, len(c.Pools), pool, c.Pools[pool].Schedule.Users)
}

func readOnce[T any](lists *[][]T, pools, pool int, read func() []T) []T {
	if *lists == nil {
		*lists = make([][]T, pools)
	}
	if (*lists)[pool] == nil {
		(*lists)[pool] = read()
	}
	return (*lists)[pool]
}

// Run does one cycle: read, step, order, plan and, with apply, write. Without
// apply it changes nothing. If the writing fails, the cycle comes with the
// error, as some of the writes may have been made.
func (s *Sidecar) Run(ctx context.Context, apply bool) (*Cycle, error) {
	began := time.Now()
	standsBy, err := s.turn(ctx, apply)
	if err != nil {
		return nil, err
	}
	if err = s.place.back(ctx); err != nil {
		return nil, err
	}
	if err = s.ask(ctx); err != nil {
		return nil, err
	}
	s.readLimits(ctx)
	harm := s.harmless()
	if harm != nil && apply {
		if errors.Is(harm, priority.ErrUndecided) {
			s.asked = time.Time{} // the next cycle asks again
		}
		return nil, harm
	}
	c, err := s.look(ctx)
	if err != nil {
		return nil, err
	}
	c.Harm, c.StandsBy, c.Trial = harm, standsBy, TrialAt(&s.config, ostrich.Time(time.Now().Unix()))
	if apply && standsBy == "" {
		s.writing.Store(true)
		defer s.writing.Store(false)
		if err = ctx.Err(); err != nil {
			return nil, err // the process may end without waiting for a write
		}
		write := func() ([]priority.Change, error) { return s.apply(ctx, c, time.Now()) }
		if c.Trial != nil {
			write = func() ([]priority.Change, error) { return s.conduct(ctx, c) }
		}
		if c.Outcomes, err = write(); progress(c.Outcomes, err) {
			c.Slow, err = err, nil
		}
		if c.Trial != nil && err == nil {
			err = s.experiment.note(&s.config, c.Trial, ostrich.Time(time.Now().Unix()))
		}
	}
	if s.journal != nil {
		c.Journal = s.journal.Repaired()
	}
	c.Names, s.names = s.names, nil
	c.Limits, s.limits.bad = s.limits.bad, nil
	c.OtherWriters, s.others = s.others, nil
	c.Counted = s.counted
	c.Orphans, c.Adopted, c.Contested, c.Hurry = s.orphans.left, s.orphans.taken, !s.orphans.changed.IsZero(), s.orphans.waits()
	s.orphans.taken = 0
	c.Took = time.Since(began)
	return c, err
}

// Writing reports whether Run is writing now. Run does not begin to write once its
// context has ended. Writing may be called while Run runs.
func (s *Sidecar) Writing() bool { return s.writing.Load() }

// look does the part of a cycle that only reads.
func (s *Sidecar) look(ctx context.Context) (*Cycle, error) {
	// Ask the controller first: what it has handed over by now is in the tables
	// when they are read.
	began := time.Now()
	diag, err := s.slurm.Diag(ctx)
	if err != nil {
		return nil, err
	}
	answered := time.Since(began)
	queue, err := s.queue(ctx)
	if err != nil {
		return nil, err
	}
	asked := time.Now()
	batch, heard, err := s.read(ctx, queue)
	if err != nil {
		return nil, s.place.failed(err)
	}
	s.place.read()
	s.provisional.latest = max(s.provisional.latest, heard)
	s.leaveOut(batch.Skipped, queue)
	if err = s.lags(batch.Now, &diag); err != nil {
		return nil, err
	}
	behind := diag.DBDQueue > 0 || s.unheard(batch.Now)
	c := &Cycle{
		Diag:   diag,
		Server: s.place.address(), Passed: s.place.passed(),
		Rows: batch.Rows, Skipped: batch.Skipped, Controller: s.controller, Partitions: s.partitions, Site: s.limits.site,
		Time: s.clock(batch.Now, heard, behind),
	}
	c.Lag = ostrich.Duration(batch.Now - c.Time)
	s.govern(c, answered)
	s.suppose(ctx)
	if s.comments.err != nil {
		return nil, s.comments.err
	}
	c.Provisional = s.provisional.records
	c.Pools, c.Odd = s.pools.At(c.Time)
	if time.Since(asked) > queueAge {
		if queue, err = s.queue(ctx); err != nil {
			return nil, err
		}
	}
	if len(s.news) > 0 || !s.looked {
		s.generation = generations.Add(1)
	}
	if err = s.planQueue(c, queue); err != nil {
		return nil, err
	}
	c.Events, c.Anew = s.news, !s.looked
	s.news, s.looked = nil, true
	return c, nil
}

// queueAge is how old the queue may be when it is planned: a write to a job that
// was held or pinned meanwhile is wrong. A cold start can read and step for
// minutes.
const queueAge = 2 * time.Second

// batchSize is how many events go to the schedules at a time. A cold start reads
// millions, which need not be in memory together.
const batchSize = 1 << 12

// mostNews is how many events a cycle reports at most. With more it reports none, and is
// Anew.
const mostNews = 1 << 17

// read polls accounting and hands the events to the schedules. heard is the time
// of the latest event that accounting has reported.
func (s *Sidecar) read(ctx context.Context, queue []priority.Queued) (batch ledger.Batch, heard ostrich.Time, err error) {
	var events []ostrich.Event
	s.begin(ctx, queue)
	batch, err = s.accounting.PollEach(ctx, func(e ostrich.Event) {
		switch e.Kind {
		case ostrich.Submit, ostrich.Start, ostrich.End:
			heard = max(heard, e.At)
		case ostrich.Capacity, ostrich.Reshare, ostrich.Change, ostrich.Suspend, ostrich.Resume, ostrich.Requeue,
			ostrich.Hold, ostrich.Release:
			// These can carry the time of the reading.
		}
		if s.hear != nil {
			s.hear(e)
		}
		if s.looked {
			if s.news = append(s.news, e); len(s.news) > mostNews {
				s.news, s.looked = nil, false
			}
		}
		if events = append(events, e); len(events) == batchSize {
			s.join(ctx, events, nil)
			events = events[:0]
		}
	})
	s.join(ctx, events, nil)
	if err == nil {
		s.correct(ctx, batch.Now)
	}
	return batch, min(heard, batch.Now), err
}

// Hear lets somebody hear each event of accounting, from the history of the first cycle on, in the order of
// ostrich.Compare within each reading. It must come before the first cycle.
func (s *Sidecar) Hear(hear func(ostrich.Event)) { s.hear = hear }

// Record returns accounting's record of an unfinished job.
func (s *Sidecar) Record(id ostrich.JobID) (ledger.Record, bool) { return s.accounting.Record(id) }

// UserName returns the name of a user of the virtual schedule.
func (s *Sidecar) UserName(id ostrich.UserID) string { return s.accounting.UserName(id) }

// Live lists accounting's records of unfinished jobs, by id.
func (s *Sidecar) Live() []*ledger.Record { return s.accounting.Live() }

// Nodes returns what jobs ask of nodes, and which nodes are out, see ledger.Ledger.Nodes.
func (s *Sidecar) Nodes() (asked []ledger.Needs, out []ledger.Outage) { return s.accounting.Nodes() }
