package sidecar

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/slurm"
	"slurm-ostrich/slurmdb"
)

// still is a cluster on which nothing happens after the first poll.
type still struct {
	events []ostrich.Event
	queue  []priority.Queued
	shown  []priority.Queued // a copy of queue, see slurm.Remembered; nil if it has changed
	now    ostrich.Time
}

func (s *still) PollEach(_ context.Context, event func(ostrich.Event)) (slurmdb.Batch, error) {
	b := slurmdb.Batch{Now: s.now}
	for _, e := range s.events {
		event(e)
	}
	s.events = nil
	s.now++ // a benchmark does thousands of cycles, and after a day campaigns are overdue
	return b, nil
}
func (*still) Record(ostrich.JobID) (slurmdb.Record, bool) { return slurmdb.Record{}, true }
func (*still) Live() []slurmdb.Record                      { return nil }
func (*still) UserName(id ostrich.UserID) string           { return fmt.Sprint(id) }
func (*still) Close() error                                { return nil }

func (*still) Controller(context.Context) (priority.Controller, error) { return multifactor(), nil }
func (*still) Partitions(context.Context) ([]priority.Partition, error) {
	return []priority.Partition{{Name: "main"}}, nil
}

func (*still) Expect(*slurmdb.Waiting) (ostrich.Job, bool) { return ostrich.Job{}, false }

func (s *still) Queue(context.Context) ([]priority.Queued, error) {
	if s.shown == nil {
		s.shown = slices.Clone(s.queue)
	}
	return s.shown, nil
}
func (*still) Diag(context.Context) (slurm.Diag, error) { return slurm.Diag{}, nil }
func (s *still) Update(_ context.Context, _ priority.Channel, changes []priority.Change) (priority.Result, error) {
	index := make(map[ostrich.JobID]*priority.Queued, len(s.queue))
	for i := range s.queue {
		index[s.queue[i].Job] = &s.queue[i]
	}
	var r priority.Result
	for _, c := range changes {
		index[c.Job].Site, s.shown = c.To, nil
		r.Outcomes = append(r.Outcomes, c.Outcome(priority.Applied, ""))
	}
	return r, nil
}

func multifactor() priority.Controller {
	return priority.Controller{
		ClusterName: "c", Version: "22.05.8", PriorityType: "priority/multifactor",
		Weights: priority.Weights{Age: 1000, Fairshare: 10000}, DefaultQueueDepth: 100, BackfillMaxJobTest: 500,
	}
}

// burst is a machine of 1000 processors on which users have submitted jobs of
// one campaign each at the same time.
func burst(users, jobs int) *still {
	s := &still{now: 2_000_000}
	s.events = append(s.events, ostrich.Event{At: 1_000_000, Kind: ostrich.Capacity, Procs: 1000})
	for i := range jobs {
		j := ostrich.Job{
			ID: ostrich.JobID(i + 1), User: ostrich.UserID(i % users), Partition: "main", Procs: 1 + i%7,
			Estimate: ostrich.Duration(60 + 60*(i%97)), Submit: 1_999_990,
		}
		s.events = append(s.events, ostrich.Event{At: j.Submit, Kind: ostrich.Submit, Job: j})
		s.queue = append(s.queue, priority.Queued{
			Job: j.ID, User: fmt.Sprint(j.User), Partition: "main", Count: 1, Priority: 1000, Listed: true, SiteKnown: true,
			State: "PENDING", Reason: "Priority", Submit: j.Submit,
		})
	}
	return s
}

// BenchmarkCycle is a cycle on 100 000 pending jobs, without the database and
// Slurm's commands: after one new campaign, and when nothing has changed.
func BenchmarkCycle(b *testing.B) {
	const jobs = 100_000
	c := Default()
	c.Cluster = "c"
	world := burst(500, jobs)
	s, err := New(c, world, world, multifactor(), nil)
	if err != nil {
		b.Fatal(err)
	}
	for written := 1; written > 0; { // a cycle makes mostWrites
		cycle, err := s.Run(b.Context(), true)
		if err != nil {
			b.Fatal(err)
		}
		written = len(cycle.Outcomes)
	}
	b.Run("unchanged", func(b *testing.B) {
		for b.Loop() {
			cycle, err := s.Run(b.Context(), true)
			if err != nil || len(cycle.Outcomes) > 0 {
				b.Fatal(err, len(cycle.Outcomes))
			}
		}
	})
	id := ostrich.JobID(jobs)
	b.Run("campaign", func(b *testing.B) {
		for b.Loop() {
			id++
			world.events = []ostrich.Event{{At: world.now - 3, Kind: ostrich.Submit, Job: ostrich.Job{
				ID: id, User: ostrich.UserID(id), Partition: "main", Procs: 1, Estimate: 60, Submit: world.now - 3,
			}}}
			world.queue = append(world.queue, priority.Queued{
				Job: id, User: "new", Partition: "main", Count: 1, Priority: 1000, Listed: true, SiteKnown: true,
				State: "PENDING", Reason: "Priority", Submit: world.now - 3,
			})
			world.shown = nil
			cycle, err := s.Run(b.Context(), true)
			if err != nil || len(cycle.Outcomes) == 0 {
				b.Fatal(err, len(cycle.Outcomes))
			}
		}
	})
}
