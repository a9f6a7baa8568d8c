package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/memslurm"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/journal"
	"slurm-ostrich/priority/slurm"
	"slurm-ostrich/slurmdb"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

var wholeDay = flag.Bool("day", false, "let TestDay last a day of emulated time, with 1000 kills")

// trouble is what goes wrong in a cycle.
type trouble string

const (
	none             trouble = "" // most often
	noDiag           trouble = "sdiag fails"
	noQueue          trouble = "squeue fails"
	queryKilled      trouble = "a query is killed while it waits"
	connectionKilled trouble = "a connection is killed while its query waits"
	denied           trouble = "the database denies access from now on"
	noSocket         trouble = "the database's socket is gone from now on"
	unlocked         trouble = "the connection that holds the lock is killed"
	away             trouble = "slurmdbd is away from now on"
	slowUpdate       trouble = "scontrol is too slow for all changes"
	brokenUpdate     trouble = "scontrol fails in the middle"
	refusedUpdate    trouble = "slurmctld refuses some changes"
	ignoredUpdate    trouble = "slurmctld accepts some changes and makes none of them"
	killedAtQueue    trouble = "killed while it reads the queue"
	killedInQuery    trouble = "killed while a query waits"
	killedAtPoll     trouble = "killed while it takes in news"
	killedBefore     trouble = "killed before a burst"
	killedInside     trouble = "killed inside a burst"
	killedAfterBurst trouble = "killed after a burst, before its results are in the journal"
)

// The troubles and the kills of a cycle, and both of a burst.
var (
	inCycle = []trouble{noDiag, noQueue, queryKilled, connectionKilled, denied, noSocket, unlocked, away}
	kills   = []trouble{killedAtQueue, killedInQuery, killedAtPoll}
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
	of      memslurm.Config
	config  configuration.Config
	begin   ostrich.Time
	length  ostrich.Duration // of the troubles
	odds    int              // of a kill in a cycle, in percent

	daemon *daemon // nil: killed
	tables *tables // what it reads
	calm   *daemon // undisturbed
	whole  *tables // what that reads

	trouble trouble      // which is to come in this cycle
	inBurst trouble      // and in the next burst
	struck  bool         // something has gone wrong in this cycle
	absent  int          // cycles for which slurmdbd is still away
	frozen  ostrich.Time // since when
	shut    int          // cycles for which the database still lets nobody in
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
// at random, beside a real MariaDB. In the end its order is that of a daemon that nothing
// happened to; Slurm has it; no job is held, pinned or taken for another writer's; all that
// was submitted and has not ended waits or runs; and the process has not grown.
func TestDay(t *testing.T) {
	t.Attr("real-time", "yes") // see contrib/internal/minutes: a server that waits 10 s for this process drops its connections
	length, odds, seeds, least := ostrich.Duration(3*3600), 15, uint64(2), 100
	if *wholeDay {
		length, odds, seeds, least = 86400, 35, 1, 1000
	}
	server := slurmdbtest.Shared(t)
	died, seen := 0, make(map[trouble]int)
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) {
			o := &ordeal{
				t: t, length: length, odds: odds, seen: seen,
				random: rand.New(rand.NewPCG(seed, 17)), //nolint:gosec // the same each time
			}
			o.run(server, []slurmdbtest.Release{slurmdbtest.R2411, slurmdbtest.R2505}[seed])
			died += o.kills
		})
	}
	t.Logf("%d kills, %v", died, seen)
	if died < least {
		t.Errorf("%d kills, want %d", died, least)
	}
	for _, one := range slices.Concat(inCycle, kills, inBurst) {
		if seen[one] == 0 {
			t.Errorf("%q never happened", one)
		}
	}
}

func (o *ordeal) run(server *slurmdbtest.Server, release slurmdbtest.Release) {
	o.of = memslurm.Config{
		Cluster: "c1", Nodes: 4, CPUs: 4,
		Users: []memslurm.User{{UID: 1, Name: "ann", Account: "a"}, {UID: 2, Name: "bob", Account: "a"}, {UID: 3, Name: "cid", Account: "b"}, {UID: 4, Name: "dee", Account: "c"}},
		Rule:  memslurm.Classic, Age: 1000, Fairshare: 10_000, MaxAge: 86400, HalfLife: 86400, CalcPeriod: 300,
	}
	cluster, err := memslurm.New(o.of)
	if err != nil {
		o.t.Fatal(err)
	}
	o.cluster, o.begin = cluster, ostrich.Time(time.Now().Unix())
	o.config = configuration.Default()
	o.config.Cluster, o.config.Mode, o.config.Priority.Margin, o.config.Interval = "c1", configuration.Enforce, 0, period*time.Second
	o.config.Journal = filepath.Join(o.t.TempDir(), "journal.jsonl")
	observing := o.config
	observing.Mode, observing.Journal = configuration.Observe, ""
	o.tables = tablesOf(o.t, server, release, cluster, "disturbed", o.of.Users)
	o.whole = tablesOf(o.t, server, release, cluster, "calm", o.of.Users)
	defer o.whole.Run("SET GLOBAL init_connect = ''")
	o.tables.source(&o.config)
	o.whole.source(&observing)
	o.calm = daemonOf(observing, opens(cluster.Controller, func(r *slurmdb.Reader) sidecar.Accounting { return r }, nil))
	err = cluster.Run(o.t.Context(), o.load(len(o.of.Users)), memslurm.Every{Period: period, Do: o.step})
	if !errors.Is(err, errOver) {
		o.t.Errorf("the cluster ended early: %v", err)
	}
	if o.daemon != nil {
		o.dies()
	}
	if err := o.calm.close(); err != nil {
		o.t.Error(err)
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
				c.Jobs = append(c.Jobs, &sim.Job{User: c.User, Submit: c.Submit, Procs: 1 + o.random.IntN(4), Run: run, Estimate: run/60*60 + 60*ostrich.Duration(1+o.random.IntN(60))})
			}
			all = append(all, c)
		}
	}
	return all
}

// daemonOf returns a daemon that opens its sidecar in its first cycle.
func daemonOf(config configuration.Config, open func(context.Context, configuration.Config) (cycler, error)) *daemon {
	d := &daemon{config: config, metrics: newMetrics("test"), now: time.Now, log: zerolog.Nop(), open: open, notify: notifier{tell: func(string) {}}}
	d.page.shown = make(chan struct{})
	d.configured()
	return d
}

// begins starts the daemon that has trouble.
func (o *ordeal) begins() {
	lead := &sidecar.Lead{Wait: true}
	o.daemon = daemonOf(o.config, opens(&troubled{o.cluster.Controller, o}, func(r *slurmdb.Reader) sidecar.Accounting { return &disturbed{r, o} }, lead))
	o.daemon.lead = lead
}

// dies ends the daemon as kill -9 does: its connections and files are closed, and the
// lock is not given back.
func (o *ordeal) dies() {
	o.tables.unlock()
	_ = o.daemon.close() // The server may have ended the connection.
	o.daemon.release()
	o.tables.cut(0)
	o.daemon = nil
}

// step does a cycle of both daemons.
func (o *ordeal) step(ctx context.Context) error {
	now := o.cluster.Now()
	time.Sleep(time.Duration(now-ostrich.Time(time.Now().Unix())) * time.Second)
	synctest.Wait() // the lock may have been confirmed just now
	o.cycles++
	o.struck = false
	left := o.begin + ostrich.Time(o.length) - now
	o.choose(left > 0)
	frozen := ostrich.Time(0)
	if o.absent > 0 {
		frozen = o.frozen
	}
	o.tables.write(ctx, frozen, &o.of)
	o.whole.write(ctx, 0, &o.of)
	clocks(now, o.tables, o.whole)
	c := o.cycle(ctx)
	calm := o.calm.cycle(ctx)
	o.calm.report(calm, zerolog.DebugLevel)
	o.calm.judge(calm.err)
	if calm.err != nil {
		return calm.err
	}
	o.calm.show(calm.cycle)
	if c != nil && o.absent == 0 {
		o.compare(c, calm.cycle)
	}
	switch {
	case o.t.Failed():
		return errOver // what follows from the first failure says little
	case o.first == footprint{} && c != nil && o.daemon.lead.Mine() && left < ostrich.Time(o.length)*3/4:
		o.first = measure()
	case left < -quiet*period:
		o.check(c, calm.cycle)
		return errOver
	}
	return nil
}

// choose says what goes wrong in the next cycle. A trouble that had no occasion waits for
// one.
func (o *ordeal) choose(troubled bool) {
	o.absent = max(0, o.absent-1)
	o.shut = max(0, o.shut-1)
	if !troubled {
		o.absent, o.shut = 0, 0
	}
	if o.shut == 0 {
		o.tables.open()
	}
	switch {
	case !troubled:
		o.trouble, o.inBurst = none, none
		return
	case o.trouble != none:
	case o.random.IntN(100) < o.odds:
		o.trouble = kills[o.random.IntN(len(kills))]
	case o.random.IntN(4) == 0:
		o.trouble = inCycle[o.random.IntN(len(inCycle))]
	}
	if o.inBurst == none && o.random.IntN(2) == 0 {
		o.inBurst = inBurst[o.random.IntN(len(inBurst))]
	}
	switch how := o.trouble; {
	case o.absent == 0 && o.strikes(away):
		o.frozen, o.struck = o.cluster.Now(), false // no cycle fails by that
		o.absent = 1 + o.random.IntN(8)             // within schedule.delay
	case o.shut == 0 && (o.strikes(denied) || o.strikes(noSocket)):
		o.tables.shut(how)
		o.shut = 1 + o.random.IntN(3)
	case o.daemon != nil && o.strikes(unlocked):
		o.tables.unlock()
	}
}

// cycle does a cycle of the daemon that has trouble. It returns nil if the daemon was
// killed, or if the cycle failed.
func (o *ordeal) cycle(ctx context.Context) (c *sidecar.Cycle) {
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
		o.begins()
	}
	out := o.daemon.cycle(ctx)
	o.daemon.report(out, zerolog.DebugLevel)
	o.daemon.judge(out.err)
	switch {
	case out.err != nil && (!o.struck && o.shut == 0 || sidecar.Permanent(out.err)):
		o.t.Errorf("cycle %d: %v", o.cycles, out.err)
	case out.err == nil && o.shut > 0:
		o.t.Errorf("cycle %d: read a database that lets nobody in", o.cycles)
	case out.err == nil && out.cycle.StandsBy != "":
		o.t.Errorf("cycle %d: %s", o.cycles, out.cycle.StandsBy)
	}
	if out.err != nil {
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
		r.Outcomes = append(r.Outcomes, change.Outcome(status, words))
	}
	return r, errors.Join(err, bad)
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

// compare compares what both daemons know when both have heard of everything.
func (o *ordeal) compare(c, calm *sidecar.Cycle) {
	o.t.Helper()
	unfinished := func(d *daemon) (live []ledger.Record) {
		for _, r := range d.sidecar.Live() {
			r := *r
			r.Job.Needs = 0 // each has numbers of its own
			live = append(live, r)
		}
		return live
	}
	diff(o.t, fmt.Sprint("unfinished jobs in cycle ", o.cycles), unfinished(o.calm), unfinished(o.daemon))
	order, rest := ordered(c)
	want, _ := ordered(calm)
	if rest == 0 {
		diff(o.t, fmt.Sprint("order in cycle ", o.cycles), want, order)
	}
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
	if rest > 0 || c.Plan.Reasons[priority.WasRefused]+c.Plan.Reasons[priority.OtherWriter]+c.Plan.Reasons[priority.Unheard] > 0 || due > 0 {
		o.t.Errorf("%d jobs are left alone, %d refused, %d of another writer, %d not heard of; %d writes are due",
			rest, c.Plan.Reasons[priority.WasRefused], c.Plan.Reasons[priority.OtherWriter], c.Plan.Reasons[priority.Unheard], due)
	}
	queue, err := o.cluster.Queue(o.t.Context())
	if err != nil {
		o.t.Fatal(err)
	}
	own, err := journal.Read(o.config.Journal)
	if err != nil {
		o.t.Fatal(err)
	}
	defer func() { _ = own.Close() }() // it is only read
	var has []ostrich.JobID
	for _, q := range queue {
		has = append(has, q.Job)
		if q.Priority == 0 {
			o.t.Errorf("job %d is held", q.Job)
		}
		if !own.Ours(priority.SiteFactor, q.Job, q.Site) {
			o.t.Errorf("job %d has %d, which the journal does not know", q.Job, q.Site)
		}
	}
	diff(o.t, "Slurm's order in the end", order, has)
	live := o.daemon.sidecar.Live()
	unfinished := len(o.cluster.Jobs()) - o.cluster.Ended()
	if heard := len(live) + len(c.Provisional); heard != unfinished {
		o.t.Errorf("%d jobs of %d have not ended, for the daemon %d", unfinished, len(o.cluster.Jobs()), heard)
	}
	last := measure()
	if last.goroutines > o.first.goroutines || last.descriptors > o.first.descriptors || last.heap > o.first.heap+16<<20 {
		o.t.Errorf("after a quarter of the time %+v, in the end %+v", o.first, last)
	}
}

// measure returns what the process uses when nothing runs in it.
func measure() footprint {
	synctest.Wait()
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
