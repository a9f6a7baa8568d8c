package livecompare

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/slurm"
	"slurm-ostrich/slurmdb"
)

// site is a cluster of which a test says what happens, with a sidecar and the
// comparison beside it. A cycle comes every ten seconds.
type site struct {
	t      *testing.T
	now    ostrich.Time
	config sidecar.Config
	parts  []priority.Partition
	ctl    priority.Controller
	events []ostrich.Event
	jobs   map[ostrich.JobID]*ostrich.Job
	queue  map[ostrich.JobID]*priority.Queued

	sidecar *sidecar.Sidecar
	shadow  *Shadow
}

func newSite(t *testing.T, procs int, edit ...func(*sidecar.Config)) *site {
	t.Helper()
	s := &site{
		t: t, now: 10_000, jobs: make(map[ostrich.JobID]*ostrich.Job), queue: make(map[ostrich.JobID]*priority.Queued),
		config: sidecar.Default(), shadow: New(),
		parts: []priority.Partition{{Name: "main", PriorityTier: 1}, {Name: "high", PriorityTier: 5}, {Name: "gpu", PriorityTier: 1}},
		ctl: priority.Controller{
			ClusterName: "c", Version: "22.05.8", PriorityType: "priority/multifactor", Weights: priority.Weights{Age: 1000},
			DefaultQueueDepth: 100, BackfillMaxJobTest: 500,
		},
	}
	s.config.Cluster = "c"
	s.config.Campaign.Rule = ostrich.Max
	s.config.Schedule.Predictor = ostrich.ByLastTwo // nobody's jobs change what is expected of others'
	for _, e := range edit {
		e(&s.config)
	}
	if len(s.config.Pools) == 0 {
		s.capacity("", procs)
	}
	s.open()
	return s
}

// open starts a sidecar that reads all of the history.
func (s *site) open() {
	s.t.Helper()
	var err error
	if s.sidecar, err = sidecar.New(s.config, s, s, s.ctl, s.parts); err != nil {
		s.t.Fatal(err)
	}
}

// paper is the papers' order.
func paper(c *sidecar.Config) { c.Schedule.Order = "paper" }

// inBothOrders runs a test in the default order and in the papers'.
func inBothOrders(t *testing.T, test func(t *testing.T, order func(*sidecar.Config))) {
	t.Helper()
	t.Run("remaining", func(t *testing.T) { test(t, func(*sidecar.Config) {}) })
	t.Run("paper", func(t *testing.T) { test(t, paper) })
}

func (s *site) capacity(pool string, procs int) {
	s.events = append(s.events, ostrich.Event{At: s.now, Kind: ostrich.Capacity, Pool: pool, Procs: procs})
}

func (s *site) tell(kind ostrich.Kind, j *ostrich.Job) {
	s.events = append(s.events, ostrich.Event{At: s.now, Kind: kind, Job: *j})
}

// submit has a user submit a job now. Slurm starts those first that come
// first, unless edit says something else.
func (s *site) submit(id, user, procs int, limit ostrich.Duration, edit ...func(*ostrich.Job, *priority.Queued)) {
	j := &ostrich.Job{ID: ostrich.JobID(id), User: ostrich.UserID(user), Partition: "main", Procs: procs, Estimate: limit, Submit: s.now}
	q := &priority.Queued{
		Job: j.ID, User: fmt.Sprint("u", user), Count: 1, Priority: uint32(100_000 - id), Listed: true, SiteKnown: true,
		State: "PENDING", Reason: "Priority", Submit: s.now,
	}
	for _, e := range edit {
		e(j, q)
	}
	q.Full, q.Partition = strconv.Itoa(id), j.Partition
	s.jobs[j.ID], s.queue[j.ID] = j, q
	s.tell(ostrich.Submit, j)
}

func (s *site) start(ids ...int) {
	for _, id := range ids {
		j := s.jobs[ostrich.JobID(id)]
		j.Start = s.now
		delete(s.queue, j.ID)
		s.tell(ostrich.Start, j)
	}
}

func (s *site) end(ids ...int) {
	for _, id := range ids {
		j := s.jobs[ostrich.JobID(id)]
		j.End = s.now
		s.tell(ostrich.End, j)
		delete(s.jobs, j.ID)
		delete(s.queue, j.ID)
	}
}

func (s *site) requeue(id int) {
	j := s.jobs[ostrich.JobID(id)]
	j.Start = 0
	s.tell(ostrich.Requeue, j)
	s.queue[j.ID] = &priority.Queued{
		Job: j.ID, User: fmt.Sprint("u", j.User), Partition: j.Partition, Count: 1, Priority: 50, Listed: true, SiteKnown: true,
		State: "PENDING", Reason: "Priority", Submit: j.Submit,
	}
}

// cycle lets ten seconds pass and looks.
func (s *site) cycle() *Report {
	s.t.Helper()
	return s.after(10)
}

func (s *site) after(d ostrich.Duration) *Report {
	s.t.Helper()
	s.now += ostrich.Time(d)
	c, err := s.sidecar.Run(s.t.Context(), false)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, odd := range c.Odd {
		s.t.Error(odd)
	}
	s.shadow.Observe(c, s)
	return s.shadow.Report()
}

func (s *site) PollEach(_ context.Context, event func(ostrich.Event)) (slurmdb.Batch, error) {
	slices.SortStableFunc(s.events, ostrich.Compare)
	for _, e := range s.events {
		event(e)
	}
	b := slurmdb.Batch{Now: s.now, Rows: len(s.events)}
	s.events = nil
	return b, nil
}

func (*site) Expect(*slurmdb.Waiting) (ostrich.Job, bool) { return ostrich.Job{}, false }

func (s *site) Record(id ostrich.JobID) (slurmdb.Record, bool) {
	j, ok := s.jobs[id]
	if !ok {
		return slurmdb.Record{}, false
	}
	return slurmdb.Record{Job: *j}, true
}

func (s *site) Live() []slurmdb.Record {
	var all []slurmdb.Record
	for _, id := range sorted(s.jobs) {
		all = append(all, slurmdb.Record{Job: *s.jobs[id]})
	}
	return all
}

func (s *site) Config() sidecar.Config            { return s.config }
func (s *site) UserName(id ostrich.UserID) string { return fmt.Sprint("u", id) }
func (s *site) Close() error                      { return nil }

func (s *site) Controller(context.Context) (priority.Controller, error) { return s.ctl, nil }
func (s *site) Partitions(context.Context) ([]priority.Partition, error) {
	return s.parts, nil
}

func (s *site) Queue(context.Context) ([]priority.Queued, error) {
	var all []priority.Queued
	for _, id := range sorted(s.queue) {
		all = append(all, *s.queue[id])
	}
	return all, nil
}

func (s *site) Diag(context.Context) (slurm.Diag, error) { return slurm.Diag{}, nil }

func (s *site) Update(context.Context, priority.Channel, []priority.Change) (priority.Result, error) {
	return priority.Result{}, nil
}

func sorted[V any](m map[ostrich.JobID]V) []ostrich.JobID {
	var ids []ostrich.JobID
	for id := range m {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

func equal(t *testing.T, what string, want, got any, options ...cmp.Option) {
	t.Helper()
	if d := cmp.Diff(want, got, options...); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}
