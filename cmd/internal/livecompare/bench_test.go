package livecompare

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/slurm"
	"slurm-ostrich/slurmdb"
)

// deep is a machine of 1000 processors with many pending jobs.
type deep struct {
	events []ostrich.Event
	live   []slurmdb.Record
	queue  []priority.Queued
	now    ostrich.Time
	config sidecar.Config

	controller priority.Controller
}

func newDeep(users, jobs int) *deep {
	d := &deep{now: 2_000_000, config: sidecar.Default()}
	d.config.Cluster = "c"
	d.events = append(d.events, ostrich.Event{At: 1_000_000, Kind: ostrich.Capacity, Procs: 1000})
	for i := range jobs {
		d.submit(ostrich.JobID(i+1), ostrich.UserID(i%users), 1+i%7, ostrich.Duration(60+60*(i%97)))
	}
	return d
}

func (d *deep) submit(id ostrich.JobID, user ostrich.UserID, procs int, limit ostrich.Duration) {
	j := ostrich.Job{ID: id, User: user, Partition: "main", Procs: procs, Estimate: limit, Submit: d.now - 3}
	d.events = append(d.events, ostrich.Event{At: j.Submit, Kind: ostrich.Submit, Job: j})
	d.live = append(d.live, slurmdb.Record{Job: j})
	d.queue = append(d.queue, priority.Queued{
		Job: id, User: fmt.Sprint(user), Partition: "main", Count: 1, Priority: 1000, Listed: true, SiteKnown: true,
		State: "PENDING", Reason: "Priority", Submit: j.Submit,
	})
}

func (*deep) Expect(*slurmdb.Waiting) (ostrich.Job, bool) { return ostrich.Job{}, false }

func (d *deep) PollEach(_ context.Context, event func(ostrich.Event)) (slurmdb.Batch, error) {
	b := slurmdb.Batch{Now: d.now}
	for _, e := range d.events {
		event(e)
	}
	d.events = nil
	d.now += 10
	return b, nil
}

func (*deep) Record(ostrich.JobID) (slurmdb.Record, bool) { return slurmdb.Record{}, false }
func (d *deep) Live() []slurmdb.Record                    { return d.live }
func (*deep) UserName(id ostrich.UserID) string           { return fmt.Sprint(id) }
func (d *deep) Config() sidecar.Config                    { return d.config }
func (*deep) Close() error                                { return nil }
func (d *deep) Controller(context.Context) (priority.Controller, error) {
	return d.controller, nil // asked again every few minutes
}

func (*deep) Partitions(context.Context) ([]priority.Partition, error) { return nil, nil }
func (d *deep) Queue(context.Context) ([]priority.Queued, error)       { return d.queue, nil }
func (*deep) Diag(context.Context) (slurm.Diag, error)                 { return slurm.Diag{}, nil }

func (*deep) Update(context.Context, priority.Channel, []priority.Change) (priority.Result, error) {
	return priority.Result{}, nil
}

// BenchmarkObserve is the comparison's part of a cycle with 100 000 pending
// jobs: when nothing has changed, after one new campaign, and the first one.
func BenchmarkObserve(b *testing.B) {
	const jobs = 100_000
	world := newDeep(500, jobs)
	world.controller = priority.Controller{
		ClusterName: "c", Version: "22.05.8", PriorityType: "priority/multifactor", Weights: priority.Weights{Age: 1000},
		DefaultQueueDepth: 100, BackfillMaxJobTest: 500,
	}
	s, err := sidecar.New(world.config, world, world, world.controller, nil)
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
	shadow := New()
	shadow.Observe(first, world)
	runtime.GC()
	runtime.ReadMemStats(&after)
	memory := float64(int64(after.HeapAlloc)-int64(before.HeapAlloc)) / (1 << 20)
	shadow.Observe(cycle(b), world)
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			New().Observe(first, world)
		}
		b.ReportMetric(memory, "MB-kept")
	})
	b.Run("unchanged", func(b *testing.B) {
		c := cycle(b)
		for b.Loop() {
			shadow.Observe(c, world)
			_ = shadow.Report()
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
			shadow.Observe(c, world)
			_ = shadow.Report()
		}
	})
}
