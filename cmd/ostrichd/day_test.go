package main

import (
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"slurm-ostrich/cmd/internal/memslurm"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/journal"
	"slurm-ostrich/priority/slurm"
	"slurm-ostrich/slurmdb"
)

var wholeDay = flag.Bool("day", false, "let TestDay last a day of emulated time, with 1000 kills")

// trouble is what goes wrong in a cycle.
type trouble string

const (
	none             trouble = "" // most often
	noDiag           trouble = "sdiag fails"
	noQueue          trouble = "squeue fails"
	noPoll           trouble = "the database fails"
	away             trouble = "slurmdbd is away from now on"
	slowUpdate       trouble = "scontrol is too slow for all changes"
	brokenUpdate     trouble = "scontrol fails in the middle"
	refusedUpdate    trouble = "slurmctld refuses some changes"
	ignoredUpdate    trouble = "slurmctld accepts some changes and makes none of them"
	killedAtQueue    trouble = "killed while it reads the queue"
	killedAtPoll     trouble = "killed while it takes in news"
	killedBefore     trouble = "killed before a burst"
	killedInside     trouble = "killed inside a burst"
	killedAfterBurst trouble = "killed after a burst, before its results are in the journal"
)

// The troubles of a cycle, the two kills last, and those of a burst.
var (
	inCycle = []trouble{noDiag, noQueue, noPoll, away, killedAtQueue, killedAtPoll}
	inBurst = []trouble{slowUpdate, brokenUpdate, refusedUpdate, ignoredUpdate, killedBefore, killedInside, killedAfterBurst}
)

var (
	errTrouble = errors.New("trouble")
	errOver    = errors.New("the day is over")
)

// killed is what ends a daemon.
type killed struct{}

// ordeal is a daemon to which all of that happens, beside one to which nothing does.
type ordeal struct {
	t       *testing.T
	random  *rand.Rand
	cluster *memslurm.Cluster
	config  sidecar.Config
	begin   ostrich.Time
	length  ostrich.Duration // of the troubles
	mean    int              // cycles between two kills

	daemon *daemon // nil: killed
	own    *journal.Journal
	calm   *daemon // undisturbed

	trouble trouble      // which is to come in this cycle
	inBurst trouble      // and in the next burst
	struck  bool         // something has gone wrong in this cycle
	absent  int          // cycles for which slurmdbd is still away
	frozen  ostrich.Time // since when
	cycles  int
	kills   int
	seen    map[trouble]int
	first   footprint // after a quarter of the time
}

// footprint is what the process uses.
type footprint struct {
	goroutines, descriptors int
	heap                    uint64
}

// quiet are the cycles without trouble at the end: refused jobs are tried again within
// 15 minutes.
const (
	quiet  = 45
	period = 30
)

// TestDay lets a daemon run through hours of emulated time in which everything goes wrong
// at random. In the end its order is that of a daemon that nothing happened to; Slurm has
// it; no job is held, pinned or taken for another writer's; all that was submitted and
// has not ended waits or runs; and the process has not grown.
func TestDay(t *testing.T) {
	length, mean, seeds, least := ostrich.Duration(3*3600), 8, uint64(3), 100
	if *wholeDay {
		length, mean, seeds, least = 86400, 3, 1, 1000
	}
	kills, seen := 0, make(map[trouble]int)
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) {
			o := &ordeal{
				t: t, length: length, mean: mean, seen: seen,
				random: rand.New(rand.NewPCG(seed, 17)), //nolint:gosec // the same each time
			}
			o.run()
			kills += o.kills
		})
	}
	t.Logf("%d kills, %v", kills, seen)
	if kills < least {
		t.Errorf("%d kills, want %d", kills, least)
	}
	for _, one := range slices.Concat(inCycle, inBurst) {
		if seen[one] == 0 {
			t.Errorf("%q never happened", one)
		}
	}
}

func (o *ordeal) run() {
	users := []memslurm.User{{UID: 1, Name: "ann", Account: "a"}, {UID: 2, Name: "bob", Account: "a"}, {UID: 3, Name: "cid", Account: "b"}, {UID: 4, Name: "dee", Account: "c"}}
	cluster, err := memslurm.New(memslurm.Config{
		Cluster: "test", Nodes: 4, CPUs: 4, Users: users,
		Rule: memslurm.Classic, Age: 1000, Fairshare: 10_000, MaxAge: 86400, HalfLife: 86400, CalcPeriod: 300,
	})
	if err != nil {
		o.t.Fatal(err)
	}
	o.cluster, o.begin = cluster, ostrich.Time(time.Now().Unix())
	o.config = sidecar.Default()
	o.config.Cluster, o.config.Mode, o.config.Priority.Margin = "test", sidecar.Enforce, 0
	o.config.Journal = filepath.Join(o.t.TempDir(), "journal.jsonl")
	observing := o.config
	observing.Mode, observing.Journal = sidecar.Observe, ""
	o.calm = o.begins(observing, cluster.Controller, cluster.Accounting)
	err = cluster.Run(o.t.Context(), o.load(len(users)), memslurm.Every{Period: period, Do: o.step})
	if !errors.Is(err, errOver) {
		o.t.Fatalf("the cluster ended early: %v", err)
	}
	if o.daemon != nil {
		o.dies()
	}
}

// load keeps sixteen processors busy and a queue in front of them.
func (o *ordeal) load(users int) (all []sim.Campaign) {
	rounds := 3 + int(o.length/3600)
	for range rounds {
		for user := range users {
			c := sim.Campaign{User: ostrich.UserID(user + 1), Submit: o.begin, Think: ostrich.Duration(o.random.IntN(900))}
			for range 5 + o.random.IntN(20) {
				run := ostrich.Duration(60 + o.random.IntN(1800))
				c.Tasks = append(c.Tasks, sim.Task{Procs: 1 + o.random.IntN(4), Run: run, Estimate: run + ostrich.Duration(o.random.IntN(3600))})
			}
			all = append(all, c)
		}
	}
	return all
}

// begins starts a daemon, with a journal if it has one.
func (o *ordeal) begins(config sidecar.Config, ctl slurmctld, accounting sidecar.Accounting) *daemon {
	o.t.Helper()
	controller, err := ctl.Controller(o.t.Context())
	if err != nil {
		o.t.Fatal(err)
	}
	partitions, err := ctl.Partitions(o.t.Context())
	if err != nil {
		o.t.Fatal(err)
	}
	s, err := sidecar.New(config, accounting, ctl, controller, partitions)
	if err != nil {
		o.t.Fatal(err)
	}
	if config.Journal != "" {
		if o.own, err = journal.Open(config.Journal); err != nil {
			o.t.Fatal(err)
		}
		s.Keep(o.own)
	}
	d := &daemon{config: config, metrics: newMetrics("test"), now: time.Now, log: zerolog.Nop(), sidecar: s, notify: notifier{tell: func(string) {}}}
	d.page.shown = make(chan struct{})
	d.configured()
	return d
}

// dies ends the daemon as kill -9 does: its files are closed.
func (o *ordeal) dies() {
	if err := o.own.Close(); err != nil {
		o.t.Error(err)
	}
	o.daemon, o.own = nil, nil
}

// step does a cycle of both daemons.
func (o *ordeal) step(ctx context.Context) error {
	now := o.cluster.Now()
	time.Sleep(time.Duration(now-ostrich.Time(time.Now().Unix())) * time.Second)
	o.cycles++
	o.struck = false
	left := o.begin + ostrich.Time(o.length) - now
	o.choose(left > 0)
	c := o.disturbed(ctx)
	calm := o.calm.cycle(ctx)
	o.calm.report(calm, zerolog.DebugLevel)
	o.calm.judge(calm.err)
	if calm.err != nil {
		return calm.err
	}
	o.calm.show(calm.cycle)
	switch {
	case o.first == footprint{} && o.daemon != nil && left < ostrich.Time(o.length)*3/4:
		o.first = measure()
	case left < -quiet*period:
		o.check(c, calm.cycle)
		return errOver
	}
	return nil
}

// choose says what goes wrong in the next cycle.
func (o *ordeal) choose(troubled bool) {
	if o.absent > 0 {
		o.absent--
	}
	switch {
	case !troubled:
		o.trouble, o.inBurst, o.absent = none, none, 0
		return
	case o.random.IntN(o.mean) == 0:
		o.trouble = inCycle[4+o.random.IntN(2)]
	case o.random.IntN(4) == 0:
		o.trouble = inCycle[o.random.IntN(4)]
	default:
		o.trouble = none
	}
	if o.inBurst == none && o.random.IntN(2) == 0 {
		o.inBurst = inBurst[o.random.IntN(len(inBurst))]
	}
	if o.trouble == away && o.absent == 0 {
		o.frozen = o.cluster.Now()
		o.absent = 1 + o.random.IntN(8) // within the horizon
		o.seen[away]++
	}
}

// disturbed does a cycle of the daemon that has trouble.
func (o *ordeal) disturbed(ctx context.Context) (c *sidecar.Cycle) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(killed); !ok {
				panic(r)
			}
			o.kills++
			o.dies()
		}
	}()
	if o.daemon == nil {
		o.daemon = o.begins(o.config, &troubled{o.cluster.Controller, o}, &forgetful{o.cluster.Reader(), o})
	}
	out := o.daemon.cycle(ctx)
	o.daemon.report(out, zerolog.DebugLevel)
	o.daemon.judge(out.err)
	if out.err != nil {
		if !o.struck {
			o.t.Errorf("cycle %d: %v", o.cycles, out.err)
		}
		return nil
	}
	o.daemon.show(out.cycle)
	return out.cycle
}

// strikes reports whether this is what goes wrong now.
func (o *ordeal) strikes(t trouble) bool {
	for _, to := range []*trouble{&o.trouble, &o.inBurst} {
		if *to == t {
			*to, o.struck = none, true
			o.seen[t]++
			return true
		}
	}
	return false
}

// troubled is a slurmctld that has trouble.
type troubled struct {
	slurmctld
	o *ordeal
}

func (c *troubled) Diag(ctx context.Context) (slurm.Diag, error) {
	if c.o.strikes(noDiag) {
		return slurm.Diag{}, errTrouble
	}
	d, err := c.slurmctld.Diag(ctx)
	if c.o.absent > 0 {
		d.DBDQueue = 5
	}
	return d, err
}

func (c *troubled) Queue(ctx context.Context) ([]priority.Queued, error) {
	if c.o.strikes(noQueue) {
		return nil, errTrouble
	}
	if c.o.strikes(killedAtQueue) {
		panic(killed{})
	}
	return c.slurmctld.Queue(ctx)
}

func (c *troubled) Update(ctx context.Context, ch priority.Channel, changes []priority.Change) (priority.Result, error) {
	o := c.o
	n := o.random.IntN(len(changes) + 1)
	if o.strikes(killedBefore) {
		panic(killed{})
	}
	if after := o.strikes(killedAfterBurst); after || o.strikes(killedInside) {
		if after {
			n = len(changes)
		}
		if _, err := c.slurmctld.Update(ctx, ch, changes[:n]); err != nil {
			o.t.Error(err)
		}
		panic(killed{})
	}
	status, words := priority.Unsent, ""
	var bad error
	switch {
	case o.strikes(slowUpdate):
		bad = slurm.ErrSlow
	case o.strikes(brokenUpdate):
		bad = errTrouble
	case o.strikes(refusedUpdate):
		status, words = priority.Refused, "Job/step already completing or completed"
	case o.strikes(ignoredUpdate):
		status = priority.NotApplied
	default:
		n = len(changes)
	}
	r, err := c.slurmctld.Update(ctx, ch, changes[:n])
	for _, change := range changes[n:] {
		r.Outcomes = append(r.Outcomes, priority.Outcome{Change: change, Status: status, Words: words})
	}
	return r, errors.Join(err, bad)
}

// forgetful is accounting that has trouble.
type forgetful struct {
	*memslurm.Accounting
	o *ordeal
}

func (a *forgetful) PollEach(ctx context.Context, event func(ostrich.Event)) (slurmdb.Batch, error) {
	a.Frozen = 0
	if a.o.absent > 0 {
		a.Frozen = a.o.frozen
	}
	switch {
	case a.o.strikes(noPoll):
		return slurmdb.Batch{}, errTrouble
	case a.o.strikes(killedAtPoll):
		left := a.o.random.IntN(20)
		_, err := a.Accounting.PollEach(ctx, func(e ostrich.Event) {
			if left--; left < 0 {
				panic(killed{})
			}
			event(e)
		})
		if err != nil {
			a.o.t.Error(err)
		}
		panic(killed{})
	}
	return a.Accounting.PollEach(ctx, event)
}

// ordered are the jobs that a cycle has put into an order, and how many it has not.
func ordered(c *sidecar.Cycle) (jobs []ostrich.JobID, rest int) {
	for _, e := range c.Plan.Entries {
		if e.Rank == 0 {
			rest++
		} else {
			jobs = append(jobs, e.Job)
		}
	}
	return jobs, rest
}

// check compares what both daemons say in the end, and what Slurm has.
func (o *ordeal) check(c, calm *sidecar.Cycle) {
	o.t.Helper()
	if c == nil {
		o.t.Fatal("no cycle in the end")
	}
	order, rest := ordered(c)
	want, _ := ordered(calm)
	if len(want) < 10 {
		o.t.Errorf("only %d jobs wait in the end", len(want))
	}
	diff(o.t, "order in the end", want, order)
	due := c.Plan.Summary.Writes - count(c.Outcomes, priority.Applied)
	if rest > 0 || c.Plan.Refused+c.Plan.Rivals+c.Plan.Unheard > 0 || due > 0 {
		o.t.Errorf("%d jobs are left alone, %d refused, %d of another writer, %d not heard of; %d writes are due",
			rest, c.Plan.Refused, c.Plan.Rivals, c.Plan.Unheard, due)
	}
	queue, err := o.cluster.Queue(o.t.Context())
	if err != nil {
		o.t.Fatal(err)
	}
	var has []ostrich.JobID
	for _, q := range queue {
		has = append(has, q.Job)
		if !o.own.Ours(priority.SiteFactor, q.Job, q.Site) {
			o.t.Errorf("job %d has %d, which the journal does not know", q.Job, q.Site)
		}
	}
	diff(o.t, "Slurm's order in the end", order, has)
	live := o.daemon.sidecar.Live()
	if waits := len(has); o.cluster.Ended()+waits > len(o.cluster.Jobs()) || len(live) != len(o.calm.sidecar.Live()) {
		o.t.Errorf("%d jobs are live, and %d for the daemon that nothing happened to", len(live), len(o.calm.sidecar.Live()))
	}
	last := measure()
	if last.goroutines > o.first.goroutines || last.descriptors > o.first.descriptors || last.heap > o.first.heap+16<<20 {
		o.t.Errorf("after a quarter of the time %+v, in the end %+v", o.first, last)
	}
}

func measure() footprint {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	f := footprint{goroutines: runtime.NumGoroutine(), heap: m.HeapAlloc}
	open, err := os.ReadDir("/proc/self/fd")
	if err == nil {
		f.descriptors = len(open)
	}
	return f
}
