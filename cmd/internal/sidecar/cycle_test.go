package sidecar

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/memslurm"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/journal"
	"slurm-ostrich/priority/slurm"
)

// site is a cluster whose accounting and controller say what a test wants.
type site struct {
	*memslurm.Site

	fail   map[string]error
	calls  []string
	sent   [][]priority.Change
	unseen map[ostrich.UserID]bool
	cut    int // changes after which an update ends with fail["update"]
}

func newSite() *site {
	s := &site{fail: make(map[string]error), Site: memslurm.NewSite("c", 10_000,
		priority.Partition{Name: "main", Nodes: []string{"n1", "n2"}}, priority.Partition{Name: "gpu", Nodes: []string{"g1"}})}
	s.Capacity(1, "", 8)
	return s
}

// submit puts a job into the accounting and into the queue.
func (s *site) submit(id, user int, at ostrich.Time, partition string) {
	s.Submit(ostrich.Job{ID: ostrich.JobID(id), User: ostrich.UserID(user), Partition: partition, Procs: 2, Estimate: 600, Submit: at})
}

func (s *site) did(what string) error {
	s.calls = append(s.calls, what)
	return s.fail[what]
}

func (s *site) PollEach(ctx context.Context, event func(ostrich.Event)) (ledger.Batch, error) {
	if err := s.did("poll"); err != nil {
		return ledger.Batch{}, err
	}
	return s.Site.PollEach(ctx, event)
}

func (s *site) UserName(id ostrich.UserID) string {
	if s.unseen[id] {
		return fmt.Sprint(id)
	}
	return s.Site.UserName(id)
}

func (s *site) Close() error { return s.did("close") }

func (s *site) Controller(context.Context) (priority.Controller, error) {
	return s.Conf, s.did("controller")
}

func (s *site) Partitions(context.Context) ([]priority.Partition, error) {
	return s.Parts, s.did("partitions")
}

func (s *site) Queue(ctx context.Context) ([]priority.Queued, error) {
	queue, _ := s.Site.Queue(ctx)
	return queue, s.did("queue")
}

func (s *site) Diag(context.Context) (slurm.Diag, error) { return s.Counts, s.did("diag") }

func (s *site) Update(ctx context.Context, ch priority.Channel, changes []priority.Change) (priority.Result, error) {
	err := s.did("update")
	s.sent = append(s.sent, changes)
	made := len(changes)
	if err != nil {
		made = min(s.cut, made)
	}
	r, _ := s.Site.Update(ctx, ch, changes[:made])
	for _, c := range changes[made:] {
		r.Outcomes = append(r.Outcomes, c.Outcome(priority.Unsent, ""))
	}
	return r, err
}

// start returns the sidecar of the site.
func (s *site) start(t *testing.T, edit ...func(*configuration.Config)) *Sidecar {
	t.Helper()
	c := configuration.Default()
	c.Cluster = s.Conf.ClusterName
	for _, e := range edit {
		e(&c)
	}
	sc, err := New(c, s, s, s.Conf, s.Parts)
	if err != nil {
		t.Fatal(err)
	}
	return sc
}

func run(t *testing.T, s *Sidecar, apply bool) *Cycle {
	t.Helper()
	c, err := s.Run(t.Context(), apply)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func equal(t *testing.T, what string, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// The controller is asked before the tables are read, so that what it had
// handed over is in them; nothing is written without apply, and once with it.
func TestCycle(t *testing.T) {
	w := newSite()
	w.submit(1, 1, 9000, "main")
	w.submit(2, 2, 9500, "main")
	s := w.start(t)
	c := run(t, s, false)
	equal(t, "calls", []string{"diag", "queue", "poll"}, w.calls)
	equal(t, "summary", priority.Summary{Pending: 2, Managed: 2, KendallTau: 1, Writes: 2}, c.Plan.Summary)
	equal(t, "time", ostrich.Time(10_000), c.Time)
	equal(t, "rows", 3, c.Rows)

	c = run(t, s, true)
	equal(t, "outcomes", 2, len(c.Outcomes))
	first := []ostrich.JobID{c.Plan.Entries[0].Job, c.Plan.Entries[1].Job}
	equal(t, "order of the writes", first, []ostrich.JobID{w.sent[0][0].Job, w.sent[0][1].Job})
	c = run(t, s, true)
	equal(t, "writes after that", 0, len(c.Outcomes)+c.Plan.Summary.Writes)
	equal(t, "bursts", 1, len(w.sent))
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestErrorsOfACycle(t *testing.T) {
	away := errors.New("away")
	for _, call := range []string{"diag", "poll", "queue"} {
		w := newSite()
		w.submit(1, 1, 9000, "main")
		w.fail[call] = away
		s := w.start(t)
		if c, err := s.Run(t.Context(), true); !errors.Is(err, away) || c != nil {
			t.Errorf("%s: %v, %v", call, c, err)
		}
		if len(w.sent) > 0 {
			t.Errorf("%s: something was written", call)
		}
		// The next cycle tells what this one would have told.
		delete(w.fail, call)
		equal(t, call+": managed", 1, run(t, s, true).Plan.Summary.Managed)
	}
}

// While messages wait for slurmdbd the clock stands at the latest thing that
// it told.
func TestFrozenClock(t *testing.T) {
	w := newSite()
	w.submit(1, 1, 9000, "main")
	s := w.start(t)
	for i, step := range []struct {
		waiting int
		told    ostrich.Time // when a job was submitted of which the tables tell now; 0 for none
		want    ostrich.Time // where the clock stands, 10 s after the step before
	}{
		{waiting: 0, want: 10_010},
		{waiting: 3, want: 10_020}, // Messages on their way are no outage,
		{waiting: 7, want: 10_020}, // those that stay are.
		{waiting: 9, want: 10_020},
		{waiting: 5, told: 10_025, want: 10_025}, // Catching up.
		{waiting: 2, told: 10_051, want: 10_051},
		{waiting: 0, want: 10_070},
		{waiting: 1, want: 10_080},
		{waiting: 0, want: 10_090},
		{waiting: 2, want: 10_100},
		{waiting: 2, told: 10_108, want: 10_108}, // A busy cluster, where some always wait.
		{waiting: 2, told: 10_119, want: 10_119},
		{waiting: 2, told: 10_999, want: 10_130}, // Never beyond the database's clock.
	} {
		w.Now += 10
		w.Counts.DBDQueue = step.waiting
		if step.told != 0 {
			w.submit(100+i, 2, step.told, "main")
		}
		c := run(t, s, false)
		if c.Time != step.want || c.Lag != ostrich.Duration(w.Now-c.Time) {
			t.Errorf("step %d: the clock stands at %d, %d s behind; want %d", i, c.Time, c.Lag, step.want)
		}
	}
}

// Cycles that come every other second freeze it no sooner than cycles that are
// ten seconds apart: some message is always on its way.
func TestClockOfQuickCycles(t *testing.T) {
	w := newSite()
	w.submit(1, 1, 9000, "main")
	s := w.start(t)
	run(t, s, false)
	w.Counts.DBDQueue = 1
	for range 5 {
		w.Now += 2
		equal(t, "clock", w.Now, run(t, s, false).Time)
	}
	stands := w.Now
	for range 3 {
		w.Now += 2
		equal(t, "clock", stands, run(t, s, false).Time)
	}
	w.Counts.DBDQueue = 0
	equal(t, "clock", w.Now, run(t, s, false).Time)
	w.Counts.DBDQueue, w.Now = 1, w.Now+2
	equal(t, "clock", w.Now, run(t, s, false).Time)
}

// TestUnheardJobs stops the clock while the queue has a job that accounting
// never told of, though no message waits for slurmdbd, and lets it go on once
// accounting tells of anything later.
func TestUnheardJobs(t *testing.T) {
	w := newSite()
	w.submit(1, 1, 9000, "main")
	s := w.start(t)
	run(t, s, false)
	w.submit(2, 2, 10_010, "main")
	w.Events = nil // slurmdbd is not told
	delete(w.Records, 2)
	for _, step := range []struct{ now, want ostrich.Time }{
		{10_020, 10_020}, {10_070, 10_070}, {10_080, 10_070}, {10_200, 10_070},
	} {
		w.Now = step.now
		equal(t, "clock", step.want, run(t, s, false).Time)
	}
	w.Now = 10_300
	w.submit(3, 3, 10_290, "main") // accounting tells again; job 2 stays a riddle
	equal(t, "clock", ostrich.Time(10_300), run(t, s, false).Time)
}

// Weights and partitions change under a running sidecar.
func TestConfigurationIsReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newSite()
		w.submit(1, 1, 9000, "main")
		w.submit(2, 1, 9000, "main")
		s := w.start(t, func(c *configuration.Config) { c.Priority.Classes = priority.ClassesOff })
		asked := func() int {
			n := 0
			for _, c := range w.calls {
				if c == "controller" {
					n++
				}
			}
			return n
		}
		run(t, s, true)
		time.Sleep(59 * time.Second)
		run(t, s, true)
		equal(t, "asked within a minute", 0, asked())
		time.Sleep(2 * time.Second)
		w.Conf.Weights.Fairshare = 1_000_000
		w.Parts[0].PriorityTier = 7
		c := run(t, s, true)
		equal(t, "asked after a minute", 1, asked())
		equal(t, "tier", 7, c.Queue[0].Tier)
		equal(t, "weight", int64(1_000_000), c.Controller.Weights.Fairshare)
		equal(t, "writes after new weights", 1, len(c.Outcomes))

		// A plugin with which the channel cannot work ends the writing.
		w.Conf.PriorityType = "priority/basic"
		time.Sleep(time.Hour)
		if _, err := s.Run(t.Context(), true); !errors.Is(err, priority.ErrImpossible) {
			t.Errorf("under priority/basic: %v", err)
		}
		// If the controller is away, nothing is planned from what it said before.
		w.fail["controller"] = errors.New("away")
		time.Sleep(time.Hour)
		if _, err := s.Run(t.Context(), true); err == nil {
			t.Error("a cycle without a controller")
		}
	})
}

// Pools are ordered and planned apart, and their summaries are added up.
func TestPools(t *testing.T) {
	w := newSite()
	w.Events = []ostrich.Event{
		{At: 1, Kind: ostrich.Capacity, Pool: "cpu", Procs: 8},
		{At: 1, Kind: ostrich.Capacity, Pool: "gpu", Procs: 2},
	}
	for i, partition := range []string{"main", "gpu", "main", "gpu", "attic", "main"} {
		w.submit(i+1, i+1, ostrich.Time(9000+i), partition)
	}
	s := w.start(t, func(c *configuration.Config) {
		c.Pools = []ostrich.Pool{{Name: "cpu", Partitions: []string{"main"}}, {Name: "gpu", Partitions: []string{"gpu"}}}
	})
	c := run(t, s, true)
	var got []string
	for _, e := range c.Plan.Entries {
		got = append(got, fmt.Sprintf("%s:%d rank %d of slurm %d, %s", e.Pool, e.Job, e.Rank, e.SlurmRank, e.Why.String()))
	}
	equal(t, "entries", []string{
		"cpu:1 rank 1 of slurm 1, campaign order", "cpu:3 rank 2 of slurm 3, campaign order", "cpu:6 rank 3 of slurm 6, campaign order",
		"gpu:2 rank 1 of slurm 2, campaign order", "gpu:4 rank 2 of slurm 4, campaign order",
		":5 rank 0 of slurm 5, its partition is in no pool",
	}, got)
	equal(t, "summary", priority.Summary{Pending: 6, Managed: 5, Writes: 5, KendallTau: 1}, c.Plan.Summary)
	equal(t, "writes", 5, len(c.Outcomes))
}

// Other classes need other schedules, so the sidecar has to be opened anew.
func TestOtherClasses(t *testing.T) {
	w := newSite()
	w.submit(1, 1, 9000, "main")
	s := w.start(t)
	run(t, s, true)
	w.Conf.QOS = []priority.QOS{{Name: "normal"}, {Name: "urgent", Priority: 9}}
	s.asked = s.asked.Add(-configAge)
	run(t, s, true) // PriorityWeightQOS is 0
	w.Conf.Weights.QOS = 1000
	s.asked = s.asked.Add(-2 * configAge)
	if _, err := s.Run(t.Context(), true); !errors.Is(err, ErrClasses) || !strings.Contains(err.Error(), "before, one of all jobs; now, urgent, then normal") {
		t.Errorf("with a weight: %v", err)
	}
	w.submit(2, 2, 9000, "main")
	w.Pending[1].QOS = "urgent"
	s = w.start(t)
	c := run(t, s, true)
	equal(t, "classes", []string{"urgent", "normal"}, c.Plan.Classes)

	// One more QOS in a class gives it another name, and no job another place. It was a QOS that
	// is not known, and these are in the last class.
	again := func(qos ...priority.QOS) (*Cycle, error) {
		w.Conf.QOS = qos
		s.asked = s.asked.Add(-2 * configAge)
		return s.Run(t.Context(), true)
	}
	c, err := again(priority.QOS{Name: "normal"}, priority.QOS{Name: "urgent", Priority: 9}, priority.QOS{Name: "long"})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "classes with another name", []string{"urgent", "long+normal"}, c.Plan.Classes)
	// Here it would be the first class that has one more.
	if _, err = again(priority.QOS{Name: "normal"}, priority.QOS{Name: "urgent", Priority: 9}, priority.QOS{Name: "short", Priority: 9}); !errors.Is(err, ErrClasses) {
		t.Errorf("a QOS of the first class: %v", err)
	}
	// And here a QOS is gone that was in the first class: its jobs would go to the last.
	s = w.start(t, func(*configuration.Config) {
		w.Conf.QOS = []priority.QOS{{Name: "normal"}, {Name: "urgent", Priority: 9}, {Name: "short", Priority: 9}}
	})
	if _, err = again(priority.QOS{Name: "normal"}, priority.QOS{Name: "urgent", Priority: 9}); !errors.Is(err, ErrClasses) {
		t.Errorf("a QOS that is gone: %v", err)
	}
}

// Partitions of no pool make no class. A job that names one beside others is in the class of
// the others.
func TestClassesOfPools(t *testing.T) {
	parts := []priority.Partition{{Name: "top", PriorityTier: 3}, {Name: "main", PriorityTier: 2}, {Name: "attic", PriorityTier: 1}}
	pools := []ostrich.Pool{{Name: "a", Partitions: []string{"top"}}, {Name: "b", Partitions: []string{"main"}}}
	for _, tt := range []struct {
		pools []ostrich.Pool
		names []string
		of    map[string]int // class by partitions
	}{
		{nil, []string{"top", "main", "attic"}, map[string]int{"top": 0, "top,attic": 2}},
		{pools, []string{"top", "main"}, map[string]int{"top": 0, "top,attic": 0, "attic,main,top": 1, "attic": 1}},
		{append(pools[:1:1], ostrich.Pool{Name: "rest"}), []string{"top", "main", "attic"}, map[string]int{"top,attic": 2}},
	} {
		c := configuration.Default()
		c.Pools = tt.pools
		got := c.Classes(multifactor(), parts)
		equal(t, "classes", tt.names, got.Names)
		for names, want := range tt.of {
			equal(t, names, want, got.Of(names, ""))
		}
	}
}

// Pools that share nodes are refused: the jobs of one would wait for those of another.
func TestSharedNodes(t *testing.T) {
	pools := []ostrich.Pool{{Name: "a", Partitions: []string{"pa"}}, {Name: "b"}}
	parts := []priority.Partition{{Name: "pa", Nodes: []string{"n1", "n2"}}, {Name: "pb", Nodes: []string{"n3"}}}
	if _, err := nodesOf(pools, parts); err != nil {
		t.Errorf("apart: %v", err)
	}
	parts[1].Nodes = []string{"n2", "n3"}
	if _, err := nodesOf(pools, parts); !errors.Is(err, ErrShared) || !Permanent(err) || !strings.HasSuffix(err.Error(), "node n2 is in pool a and in pool b") {
		t.Errorf("shared: %v", err)
	}
}

// The journal has each change before the burst and each outcome after it.
func TestJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j, err := journal.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	w := newSite()
	w.submit(1, 1, 9000, "main")
	w.submit(2, 1, 9100, "main")
	s := w.start(t)
	s.journal = j
	away := errors.New("scontrol was killed")
	w.fail["update"], w.cut = away, 1
	c, err := s.Run(t.Context(), true)
	if !errors.Is(err, away) || c == nil || len(c.Outcomes) != 2 {
		t.Fatalf("a burst that is cut: %v, %v", c, err)
	}
	delete(w.fail, "update")
	run(t, s, true)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(string(text)) {
		_, job, _ := strings.Cut(line, `"job":`)
		job, _, _ = strings.Cut(job, ",")
		_, result, _ := strings.Cut(line, `"result":"`)
		result, _, _ = strings.Cut(result, `"`)
		got = append(got, job+" "+result)
	}
	equal(t, "journal", []string{
		"1 intended", "2 intended", "1 applied", "2 not sent",
		"2 intended", "2 applied",
	}, got)
	if err := s.Close(); err != nil {
		t.Error(err)
	}

	// What cannot be noted is not written.
	w.submit(3, 2, 9200, "main")
	before := len(w.sent)
	var journalError JournalError
	if _, err := s.Run(t.Context(), true); !errors.As(err, &journalError) {
		t.Errorf("a cycle with a closed journal: %v", err)
	}
	equal(t, "bursts", before, len(w.sent))
}

// Jobs that have ended are left behind when a journal has grown too long.
func TestJournalIsRotated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j, err := journal.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	w := newSite()
	w.submit(1, 1, 9000, "main")
	s := w.start(t)
	s.journal, s.limit = j, 600
	run(t, s, true)
	if _, err := os.Stat(path + ".1"); err == nil {
		t.Error("rotated below the limit")
	}
	// Job 1 ends, two others come.
	w.Events = append(w.Events, ostrich.Event{At: 9900, Kind: ostrich.End, Job: ostrich.Job{ID: 1, User: 1, Procs: 2, Estimate: 600, Submit: 9000, End: 9900}})
	delete(w.Records, 1)
	w.Pending = nil
	w.submit(2, 1, 9950, "main")
	w.submit(3, 2, 9950, "main")
	// Accounting has lost job 4, which waits.
	lost := priority.Change{Job: 4, Submit: 9000, To: 7}
	if err := j.Conclude(9900, priority.SiteFactor, []priority.Change{lost.Outcome(priority.Applied, "")}); err != nil {
		t.Fatal(err)
	}
	w.submit(4, 3, 9000, "main")
	w.Events = w.Events[:len(w.Events)-1]
	w.Pending[2].Site = lost.To
	delete(w.Records, 4)
	run(t, s, true)
	if _, err := os.Stat(path + ".1"); err != nil {
		t.Errorf("not rotated: %v", err)
	}
	var remembered []ostrich.JobID
	for id := range ostrich.JobID(5) {
		if _, _, ok := j.Written(priority.SiteFactor, id); ok {
			remembered = append(remembered, id)
		}
	}
	equal(t, "remembered", []ostrich.JobID{2, 3, 4}, remembered)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// A journal is rotated also while the controller is too slow for any burst to be
// finished.
func TestJournalOfASlowControllerIsRotated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j, err := journal.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	w := newSite()
	for i := range 4 {
		w.submit(i+1, i+1, 9000, "main")
	}
	s := w.start(t)
	s.journal, s.limit = j, 600
	w.fail["update"], w.cut = fmt.Errorf("scontrol: %w: killed", slurm.ErrSlow), 2
	if c := run(t, s, true); c.Slow == nil {
		t.Error("not slow")
	}
	if _, err := os.Stat(path + ".1"); err != nil {
		t.Errorf("not rotated: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestNew(t *testing.T) {
	for _, test := range []struct {
		name string
		edit func(*configuration.Config)
		ctl  func(*priority.Controller)
		want string
	}{
		{name: "another cluster", edit: func(c *configuration.Config) { c.Cluster = "other" }, want: `cluster is "other", but slurmctld's ClusterName is "c"`},
		{name: "basic", ctl: func(c *priority.Controller) { c.PriorityType = "priority/basic" }, want: "priority/basic accepts a SiteFactor and ignores it"},
	} {
		w := newSite()
		c := configuration.Default()
		c.Cluster = "c"
		if test.edit != nil {
			test.edit(&c)
		}
		if test.ctl != nil {
			test.ctl(&w.Conf)
		}
		_, err := New(c, w, w, w.Conf, w.Parts)
		if err == nil || !strings.Contains(err.Error(), test.want) || !Permanent(err) {
			t.Errorf("%s: %v, want %s for good", test.name, err, test.want)
		}
	}
}

func TestNodesOfPools(t *testing.T) {
	parts := []priority.Partition{
		{Name: "main", Nodes: []string{"n1", "n2"}, NodeCPUs: []int{16, 128}},
		{Name: "long", Nodes: []string{"n2", "n3"}, NodeCPUs: []int{128, 4}},
		{Name: "gpu", Nodes: []string{"g1"}, TotalCPUs: 8},
	}
	got, err := nodesOf([]ostrich.Pool{{Name: "gpu", Partitions: []string{"gpu"}}, {Name: "rest"}}, parts)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "pools", []ledger.Pool{
		{Name: "gpu", Partitions: []string{"gpu"}, Nodes: []string{"g1"}, Procs: 8}, {Name: "rest", Nodes: []string{"n1", "n2", "n3"}, Procs: 148},
	}, got)
	_, err = nodesOf([]ostrich.Pool{{Name: "x", Partitions: []string{"fast"}}}, parts)
	if !errors.Is(err, configuration.ErrConfig) || !strings.Contains(err.Error(), `pool x: slurmctld has no partition "fast"`) {
		t.Errorf("a partition that is not there: %v", err)
	}
}
