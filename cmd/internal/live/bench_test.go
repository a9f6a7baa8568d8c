package live

import (
	"context"
	"runtime"
	"testing"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/memslurm"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// deep is a machine of 1000 processors with many pending jobs. Its queue is always the
// same list.
type deep struct {
	*memslurm.Site
	config configuration.Config
}

func newDeep(users, jobs int) *deep {
	d := &deep{Site: memslurm.NewSite("c", 2_000_000), config: configuration.Default()}
	d.Pass, d.config.Cluster = 10, "c"
	d.Capacity(1_000_000, "", 1000)
	for i := range jobs {
		d.submit(ostrich.JobID(i+1), ostrich.UserID(i%users), 1+i%7, ostrich.Duration(60+60*(i%97)))
	}
	return d
}

func (d *deep) submit(id ostrich.JobID, user ostrich.UserID, procs int, limit ostrich.Duration) {
	d.Submit(ostrich.Job{ID: id, User: user, Partition: "main", Procs: procs, Estimate: limit, Submit: d.Now - 3})
}

func (d *deep) Config() configuration.Config                     { return d.config }
func (d *deep) Queue(context.Context) ([]priority.Queued, error) { return d.Pending, nil }

// BenchmarkObserve is the comparison's part of a cycle with 100 000 pending
// jobs: when nothing has changed, after one new campaign, and the first one.
func BenchmarkObserve(b *testing.B) {
	const jobs = 100_000
	world := newDeep(500, jobs)
	s, err := sidecar.New(world.config, world, world, world.Conf, nil)
	if err != nil {
		b.Fatal(err)
	}
	cycle := func(b *testing.B) *sidecar.Cycle {
		b.Helper()
		c, err := s.Run(b.Context(), false)
		if err != nil {
			b.Fatal(err)
		}
		return c
	}
	first := cycle(b)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	kept := New()
	kept.Observe(first, world)
	runtime.GC()
	runtime.ReadMemStats(&after)
	memory := float64(int64(after.HeapAlloc)-int64(before.HeapAlloc)) / (1 << 20)
	kept.Observe(cycle(b), world)
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			New().Observe(first, world)
		}
		b.ReportMetric(memory, "MB-kept")
	})
	b.Run("unchanged", func(b *testing.B) {
		c := cycle(b)
		for b.Loop() {
			kept.Observe(c, world)
			_ = kept.Report()
		}
	})
	id := ostrich.JobID(jobs)
	b.Run("campaign", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			id++
			world.submit(id, ostrich.UserID(id), 1, 60)
			c := cycle(b)
			b.StartTimer()
			kept.Observe(c, world)
			_ = kept.Report()
		}
	})
}
