package sidecar

import (
	"context"
	"flag"
	"path/filepath"
	"slices"
	"testing"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/memslurm"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/journal"
)

// crowd is a site whose queue only writes and the benchmark change: to compare it with
// what was read before takes longer than a cycle.
type crowd struct {
	*memslurm.Site
	shown []priority.Queued // as it was read last; nil if it has changed
}

func (s *crowd) Queue(context.Context) ([]priority.Queued, error) {
	if s.shown == nil {
		s.shown = slices.Clone(s.Pending)
	}
	return s.shown, nil
}

func (s *crowd) Update(ctx context.Context, ch priority.Channel, changes []priority.Change) (priority.Result, error) {
	s.shown = nil
	return s.Site.Update(ctx, ch, changes)
}

func multifactor() priority.Controller { return memslurm.NewSite("c", 0).Conf }

// burst is a machine of 1000 processors on which users have submitted jobs of
// one campaign each at the same time.
func burst(users, jobs int) *crowd {
	s := &crowd{Site: memslurm.NewSite("c", 2_000_000, priority.Partition{Name: "main"})}
	s.Pass = 1 // a benchmark does thousands of cycles, and after a day campaigns are overdue
	s.Capacity(1_000_000, "", 1000)
	for i := range jobs {
		s.Submit(ostrich.Job{
			ID: ostrich.JobID(i + 1), User: ostrich.UserID(i % users), Partition: "main", Procs: 1 + i%7,
			Estimate: ostrich.Duration(60 + 60*(i%97)), Submit: 1_999_990,
		})
	}
	return s
}

var pending = flag.Int("pending", 100_000, "how many jobs wait in BenchmarkCycle")

// BenchmarkCycle is a cycle on -pending jobs, without the database and
// Slurm's commands: after one new campaign, and when nothing has changed, without a journal
// and with one of all jobs.
func BenchmarkCycle(b *testing.B) {
	jobs := *pending
	c := configuration.Default()
	c.Cluster = "c"
	world := burst(500, jobs)
	s, err := New(c, world, world, multifactor(), nil)
	if err != nil {
		b.Fatal(err)
	}
	settle := func() {
		for written := 1; written > 0; { // a cycle makes mostWrites
			cycle, err := s.Run(b.Context(), true)
			if err != nil {
				b.Fatal(err)
			}
			written = len(cycle.Outcomes)
		}
	}
	settle()
	unchanged := func(b *testing.B) {
		for b.Loop() {
			cycle, err := s.Run(b.Context(), true)
			if err != nil || len(cycle.Outcomes) > 0 {
				b.Fatal(err, len(cycle.Outcomes))
			}
		}
	}
	b.Run("unchanged", unchanged)
	id := ostrich.JobID(jobs)
	b.Run("campaign", func(b *testing.B) {
		for b.Loop() {
			id++
			world.Submit(ostrich.Job{ID: id, User: ostrich.UserID(id), Partition: "main", Procs: 1, Estimate: 60, Submit: world.Now - 3})
			world.shown = nil
			cycle, err := s.Run(b.Context(), true)
			if err != nil || len(cycle.Outcomes) == 0 {
				b.Fatal(err, len(cycle.Outcomes))
			}
		}
	})
	s.journal = remembered(b, world.Pending)
	settle() // the first cycle with this journal plans
	b.Run("journal", unchanged)
}

// remembered returns a journal of the values that the jobs have.
func remembered(b *testing.B, queue []priority.Queued) *journal.Journal {
	b.Helper()
	j, err := journal.Open(filepath.Join(b.TempDir(), "journal"))
	if err != nil {
		b.Fatal(err)
	}
	var written []priority.Change
	for i := range queue {
		q := &queue[i]
		written = append(written, priority.Change{Job: q.Job, Submit: q.Submit, To: q.Site, Status: priority.Applied})
	}
	if err = j.Conclude(1, priority.SiteFactor, written); err != nil {
		b.Fatal(err)
	}
	return j
}
