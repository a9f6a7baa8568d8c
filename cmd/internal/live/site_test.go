package live

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/memslurm"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/lengths"
	"slurm-ostrich/priority"
)

// site is a cluster of which a test says what happens, with a sidecar and the
// comparison beside it. A cycle comes every ten seconds.
type site struct {
	*memslurm.Site

	t       *testing.T
	config  configuration.Config
	sidecar *sidecar.Sidecar
	state   *State
}

func newSite(t *testing.T, procs int, edit ...func(*configuration.Config)) *site {
	t.Helper()
	s := &site{
		t: t, config: configuration.Default(), state: New(),
		Site: memslurm.NewSite("c", 10_000, priority.Partition{Name: "main", PriorityTier: 1}, priority.Partition{Name: "high", PriorityTier: 5},
			priority.Partition{Name: "gpu", PriorityTier: 1}),
	}
	s.config.Cluster = "c"
	s.config.Priority.Classes = priority.ClassesOff // one schedule, though partitions have different tiers
	s.config.Campaign.Rule.By = campaign.Max
	s.config.Schedule.Predictor = lengths.ByLastTwo // nobody's jobs change what is expected of others'
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
	if s.sidecar, err = sidecar.New(s.config, s, s, s.Conf, s.Parts); err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) capacity(pool string, procs int) { s.Capacity(s.Now, pool, procs) }

// tell lets accounting tell that something has happened to a job now.
func (s *site) tell(kind ostrich.Kind, id ostrich.JobID) { s.Tell(s.Now, kind, s.Records[id].Job) }

// submit has a user submit a job now. Slurm starts those first that come
// first, unless edit says something else.
func (s *site) submit(id, user, procs int, limit ostrich.Duration, edit ...func(*ostrich.Job, *priority.Queued)) {
	j := ostrich.Job{ID: ostrich.JobID(id), User: ostrich.UserID(user), Partition: "main", Procs: procs, Estimate: limit, Submit: s.Now}
	q := s.Enqueue(j)
	q.Priority = uint32(100_000 - id)
	for _, e := range edit {
		e(&j, q)
	}
	q.Partition = j.Partition
	s.Records[j.ID] = &ledger.Record{Job: j}
	s.tell(ostrich.Submit, j.ID)
}

func (s *site) start(ids ...int) {
	for _, id := range ids {
		s.Start(ostrich.JobID(id), s.Now)
	}
}

func (s *site) end(ids ...int) {
	for _, id := range ids {
		s.End(ostrich.JobID(id), s.Now)
	}
}

// task lets a task leave the record of its array.
func (s *site) task(array, id ostrich.JobID, submitted ostrich.Time) {
	left := s.Records[array].Job
	left.ID, left.Tasks = id, 0
	s.Records[id] = &ledger.Record{Job: left}
	s.Tell(submitted, ostrich.Submit, left)
	s.Records[array].Job.Tasks--
	s.tell(ostrich.Change, array)
}

func (s *site) requeue(id int) {
	j := &s.Records[ostrich.JobID(id)].Job
	j.Start = 0
	s.tell(ostrich.Requeue, j.ID)
	s.Enqueue(*j).Priority = 50
}

// cycle lets ten seconds pass and looks.
func (s *site) cycle() *Report {
	s.t.Helper()
	return s.after(10)
}

func (s *site) after(d ostrich.Duration) *Report {
	s.t.Helper()
	s.Now += ostrich.Time(d)
	c, err := s.sidecar.Run(s.t.Context(), false)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, odd := range c.Odd {
		s.t.Error(odd)
	}
	s.state.Observe(c, s)
	return s.state.Report()
}

func (s *site) Config() configuration.Config { return s.config }

func sorted[V any](m map[ostrich.JobID]V) []ostrich.JobID { return slices.Sorted(maps.Keys(m)) }

func equal(t *testing.T, what string, want, got any, options ...cmp.Option) {
	t.Helper()
	if d := cmp.Diff(want, got, options...); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}
