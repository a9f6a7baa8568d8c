package memslurm_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/memslurm"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/priority"
)

const begin ostrich.Time = 1_000_000

func config() memslurm.Config {
	return memslurm.Config{
		Cluster: "test", Nodes: 2, CPUs: 2,
		Users: []memslurm.User{{UID: 1, Name: "alice", Account: "a"}, {UID: 2, Name: "bob", Account: "b"}, {UID: 3, Name: "carol", Account: "c"}},
		Rule:  memslurm.Classic, Age: 1000, Fairshare: 10_000, MaxAge: 1000, HalfLife: 693, CalcPeriod: 100,
	}
}

func cluster(t *testing.T, c memslurm.Config) *memslurm.Cluster {
	t.Helper()
	e, err := memslurm.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// campaign has n jobs of one processor.
func campaign(user ostrich.UserID, at ostrich.Time, think ostrich.Duration, n int, run ostrich.Duration) sim.Campaign {
	c := sim.Campaign{User: user, Submit: begin + at, Think: think}
	for range n {
		c.Jobs = append(c.Jobs, &sim.Job{User: user, Submit: c.Submit, Procs: 1, Run: run, Estimate: (run + 59) / 60 * 60 * 2})
	}
	return c
}

// load has a user with much work, one with little again and again, and one who
// comes later.
func load() []sim.Campaign {
	list := []sim.Campaign{campaign(1, 0, 0, 40, 130), campaign(2, 7, 0, 3, 50), campaign(3, 400, 0, 8, 200)}
	for i := range 8 {
		list = append(list, campaign(2, 1000+ostrich.Time(i), 90, 3, 40+ostrich.Duration(i)))
	}
	wide := campaign(1, 2000, 30, 6, 90)
	for i := range wide.Jobs {
		wide.Jobs[i].Procs = 1 + i%4
	}
	return append(list, wide)
}

func equal(t *testing.T, what string, want, got any, options ...cmp.Option) {
	t.Helper()
	if d := cmp.Diff(want, got, options...); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// daemon returns the sidecar of a cluster.
func daemon(t *testing.T, e *memslurm.Cluster) *sidecar.Sidecar {
	t.Helper()
	c := configuration.Default()
	c.Cluster = "test"
	ctl, err := e.Controller.Controller(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	parts, err := e.Partitions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s, err := sidecar.New(c, e.Accounting, e.Controller, ctl, parts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// starts are when the jobs started, by id.
func starts(e *memslurm.Cluster) []ostrich.Time {
	var list []ostrich.Time
	for _, j := range e.Jobs() {
		list = append(list, j.Start-begin)
	}
	return list
}

// probe is done at one moment of a run.
func probe(at ostrich.Time, e *memslurm.Cluster, do func()) memslurm.Every {
	return memslurm.Every{Period: 1, Do: func(context.Context) error {
		if e.Now() == begin+at {
			do()
		}
		return nil
	}}
}

// Factors and priorities by hand, under Fair Tree.
//
//	0 s    alice's job starts on all 4 processors; nobody has any usage: F = 1
//	100 s  alice has used all there is, F = 1/3; the others are equal, F = 1
//	150 s  her job ends, the first of bob's two jobs starts
//	160 s  alice is back, with the factor of 100 s
//	200 s  alice has used about 600, bob 200, carol nothing: F = 1/3, 2/3, 1
func TestFairshare(t *testing.T) {
	c := config()
	c.Rule = memslurm.FairTree
	got := queues(t, c, whole(1, 0, 150), whole(2, 40, 1000, 1000), whole(3, 120, 100), whole(1, 130, 100))
	for at, want := range map[ostrich.Time][]row{
		39:  nil,
		99:  {{2, 10_000, 0, 10_000}, {3, 10_000, 0, 10_000}},
		100: {{2, 10_060, 60, 10_000}, {3, 10_060, 60, 10_000}},
		149: {{2, 10_060, 60, 10_000}, {3, 10_060, 60, 10_000}, {4, 10_000, 0, 10_000}},
		151: {{3, 10_060, 60, 10_000}, {4, 10_000, 0, 10_000}},
		161: {{3, 10_060, 60, 10_000}, {4, 10_000, 0, 10_000}, {5, 3333, 0, 3333}},
		200: {{4, 10_080, 80, 10_000}, {3, 6826, 160, 6666}, {5, 3373, 40, 3333}},
	} {
		equal(t, fmt.Sprintf("queue at %d s", at), want, got[at])
	}
}

// Two accounts, alice and bob in one, carol and dave in the other. At 100 s
// alice has used 400, all there is.
//
// Fair Tree: the account of carol and dave comes first, and both are equal in
// it: 4/4. Then bob, without usage of his own, 2/4, then alice, 1/4.
//
// Classic: S = 1/4. The accounts count with their usage from before the
// calculation, which is none. Alice's own part of all usage is 1, half of which her
// account makes good: U = 1 + (0 − 1)·1/2, and F is 2^−2. The others have 1.
//
// Age is a point a second, from the submission.
func TestAccounts(t *testing.T) {
	for rule, want := range map[memslurm.Rule][]row{
		memslurm.FairTree: {{4, 10_060, 60, 10_000}, {5, 10_050, 50, 10_000}, {3, 5070, 70, 5000}, {2, 2600, 100, 2500}},
		memslurm.Classic:  {{3, 10_070, 70, 10_000}, {4, 10_060, 60, 10_000}, {5, 10_050, 50, 10_000}, {2, 2600, 100, 2500}},
	} {
		c := config()
		c.Rule = rule
		c.Users = []memslurm.User{
			{UID: 1, Name: "alice", Account: "a"},
			{UID: 2, Name: "bob", Account: "a"},
			{UID: 3, Name: "carol", Account: "b"},
			{UID: 4, Name: "dave", Account: "b"},
		}
		got := queues(t, c, whole(1, 0, 150, 100), whole(2, 30, 100), whole(3, 40, 100), whole(4, 50, 100))
		equal(t, memslurm.RuleNames[rule], want, got[100])
	}
}

// whole is a campaign of jobs that take the whole machine.
func whole(user ostrich.UserID, at ostrich.Time, runs ...ostrich.Duration) sim.Campaign {
	c := sim.Campaign{User: user, Submit: begin + at, Think: 10}
	for _, run := range runs {
		c.Jobs = append(c.Jobs, &sim.Job{User: user, Submit: c.Submit, Procs: 4, Run: run, Estimate: 6000})
	}
	return c
}

// row is a waiting job.
type row struct {
	Job            ostrich.JobID
	Priority       uint32
	Age, Fairshare int64
}

// queues are the waiting jobs at each moment of a run.
func queues(t *testing.T, c memslurm.Config, campaigns ...sim.Campaign) map[ostrich.Time][]row {
	t.Helper()
	e := cluster(t, c)
	got := make(map[ostrich.Time][]row)
	see := memslurm.Every{Period: 1, Do: func(ctx context.Context) error {
		queue, err := e.Queue(ctx)
		for _, j := range queue {
			at := e.Now() - begin
			got[at] = append(got[at], row{j.Job, j.Priority, j.Factors.Age, j.Factors.Fairshare})
		}
		return err
	}}
	if err := e.Run(t.Context(), campaigns, see); err != nil {
		t.Fatal(err)
	}
	return got
}

// With the sidecar only observing, the schedule is Slurm's own.
func TestObserving(t *testing.T) {
	stock, watched := cluster(t, config()), cluster(t, config())
	if err := stock.Run(t.Context(), load()); err != nil {
		t.Fatal(err)
	}
	s := daemon(t, watched)
	if err := watched.Run(t.Context(), load(), memslurm.Every{Period: 10, Do: func(ctx context.Context) error {
		_, err := s.Run(ctx, false)
		return err
	}}); err != nil {
		t.Fatal(err)
	}
	equal(t, "jobs", stock.Jobs(), watched.Jobs(), cmpopts.IgnoreUnexported(memslurm.Job{}))
}

// In every cycle the writes bring the queue into the sidecar's order, and
// planning again after that gives an empty plan.
func TestCycles(t *testing.T) {
	e := cluster(t, config())
	s := daemon(t, e)
	writes, deep := 0, 0
	if err := e.Run(t.Context(), load(), memslurm.Every{Period: 10, Do: func(ctx context.Context) error {
		c, err := s.Run(ctx, true)
		if err != nil {
			return err
		}
		for _, o := range c.Outcomes {
			if o.Status != priority.Applied {
				t.Errorf("job %d: %s %s", o.Job, o.Status, o.Words)
			}
		}
		writes += len(c.Outcomes)
		again, err := s.Run(ctx, true)
		if err != nil {
			return err
		}
		if n := len(again.Outcomes) + again.Plan.Summary.Writes; n > 0 {
			t.Errorf("at %d: %d writes in the second cycle", e.Now()-begin, n)
		}
		if len(c.Odd)+len(c.Skipped) > 0 {
			t.Errorf("at %d: odd %v, skipped %v", e.Now()-begin, c.Odd, c.Skipped)
		}
		var want, got []ostrich.JobID
		managed := make(map[ostrich.JobID]bool)
		for _, p := range c.Plan.Entries {
			if p.Rank > 0 {
				want = append(want, p.Job)
				managed[p.Job] = true
			}
		}
		queue, err := e.Queue(ctx)
		for i, q := range queue {
			if managed[q.Job] {
				got = append(got, q.Job)
			} else if i < len(managed) {
				t.Errorf("at %d: job %d is in front of the order", e.Now()-begin, q.Job)
			}
		}
		equal(t, "order", want, got)
		deep = max(deep, len(got))
		return err
	}}); err != nil {
		t.Fatal(err)
	}
	if writes == 0 || deep < 20 {
		t.Errorf("%d writes, %d jobs in order at most: too little to tell", writes, deep)
	}
}

// What accounting told, in the order in which it did, and the queue meanwhile, gives
// the same order as the true history.
func TestAccounting(t *testing.T) {
	e := cluster(t, config())
	s := daemon(t, e)
	compared := 0
	if err := e.Run(t.Context(), load(), memslurm.Every{Period: 30, Do: func(ctx context.Context) error {
		c, err := s.Run(ctx, true)
		if err != nil {
			return err
		}
		compared += compare(t, e, c)
		return nil
	}}); err != nil {
		t.Fatal(err)
	}
	if compared < 200 {
		t.Errorf("only %d places were compared", compared)
	}
}

// compare replays what a table with all rows known by now would hold in a new
// schedule, and compares its order with that of the cycle.
func compare(t *testing.T, e *memslurm.Cluster, c *sidecar.Cycle) int {
	t.Helper()
	config := configuration.Default()
	o, err := config.ScheduleOptions()
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := ostrich.New(o)
	if err != nil {
		t.Fatal(err)
	}
	events := []ostrich.Event{{At: begin, Kind: ostrich.Capacity, Procs: 4}}
	for _, j := range e.Jobs() {
		row := j.Submit - j.Submit%5 + 5 // when it shows at the latest
		started := j.Start != 0 && j.Start+1 <= c.Time
		if row > c.Time && !started && j.Start != 0 {
			continue // neither the queue has it nor the table
		}
		job := j.Job
		job.Start, job.End = 0, 0
		events = append(events, ostrich.Event{At: j.Submit, Kind: ostrich.Submit, Job: job})
		if started {
			job.Start = j.Start
			events = append(events, ostrich.Event{At: j.Start, Kind: ostrich.Start, Job: job})
		}
		if j.End != 0 && j.End+1 <= c.Time {
			job.End = j.End
			events = append(events, ostrich.Event{At: j.End, Kind: ostrich.End, Job: job})
		}
	}
	slices.SortStableFunc(events, ostrich.Compare)
	for _, event := range events {
		if err := fresh.Step(event); err != nil {
			t.Fatal(err)
		}
	}
	if err := fresh.AdvanceTo(c.Time); err != nil {
		t.Fatal(err)
	}
	want := fresh.Order()
	equal(t, "order", want, c.Pools[0].Schedule.Order())
	return len(want)
}

// Same load, same bytes.
func TestSame(t *testing.T) {
	var runs [2][]ostrich.Time
	for i := range runs {
		e := cluster(t, config())
		s := daemon(t, e)
		if err := e.Run(t.Context(), load(), memslurm.Every{Period: 10, Do: func(ctx context.Context) error {
			_, err := s.Run(ctx, true)
			return err
		}}); err != nil {
			t.Fatal(err)
		}
		runs[i] = starts(e)
	}
	equal(t, "starts", runs[0], runs[1])
}

func TestErrors(t *testing.T) {
	for name, edit := range map[string]func(*memslurm.Config){
		"nodes": func(c *memslurm.Config) { c.Nodes = 0 }, "half-life": func(c *memslurm.Config) { c.HalfLife = 0 },
		"no user": func(c *memslurm.Config) { c.Users = nil }, "twice": func(c *memslurm.Config) { c.Users[1].UID = 1 },
		"weight": func(c *memslurm.Config) { c.Age = -1 },
	} {
		c := config()
		edit(&c)
		if _, err := memslurm.New(c); !errors.Is(err, memslurm.ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
	e := cluster(t, config())
	if err := e.Run(t.Context(), nil); !errors.Is(err, memslurm.ErrConfig) {
		t.Errorf("no campaign: %v", err)
	}
	if err := e.Run(t.Context(), load(), memslurm.Every{}); !errors.Is(err, memslurm.ErrConfig) {
		t.Errorf("every 0 s: %v", err)
	}
	away := errors.New("away")
	e = cluster(t, config())
	err := e.Run(t.Context(), load(), memslurm.Every{Period: 50, Do: func(context.Context) error { return away }})
	if !errors.Is(err, away) {
		t.Errorf("an error of what is done: %v", err)
	}
	if err = e.Run(t.Context(), load()); err == nil {
		t.Error("a second run")
	}
	ctx, cancel := context.WithCancel(t.Context())
	e = cluster(t, config())
	err = e.Run(ctx, load(), probe(300, e, cancel))
	if !errors.Is(err, context.Canceled) || e.Now() > begin+301 {
		t.Errorf("interrupted at %d: %v", e.Now()-begin, err)
	}
}
