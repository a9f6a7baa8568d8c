// Package statuspagetest is a cluster in memory for the tests of the status page: a
// queue and accounting, without Slurm and without a database.
package statuspagetest

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/slurm"
	"slurm-ostrich/slurmdb"
)

// Now is the time on the cluster's clock when it begins.
const Now = ostrich.Time(1_792_592_640)

// Cluster is a machine of 8 processors for each user, at least 32, most of them
// busy. Each poll of its accounting lets 10 s pass. Like a sidecar, it is not safe
// for concurrent use.
type Cluster struct {
	// Busy lets jobs end, start and arrive with each poll.
	Busy bool

	names   []string
	now     ostrich.Time
	next    ostrich.JobID
	events  []ostrich.Event
	records map[ostrich.JobID]*slurmdb.Record
	running []ostrich.JobID // the one that has run longest in front
	queue   []priority.Queued
}

// New returns a cluster on which users have submitted pending jobs in campaigns
// of some dozens. Users are called user000 and so on, each in one of the accounts
// chemistry and physics. Jobs are numbered from 1, the running ones first.
func New(users, pending int) *Cluster {
	c := &Cluster{now: Now, next: 1, records: make(map[ostrich.JobID]*slurmdb.Record)}
	for i := range users {
		c.names = append(c.names, fmt.Sprintf("user%03d", i))
	}
	c.events = append(c.events, ostrich.Event{At: Now - 1_000_000, Kind: ostrich.Capacity, Procs: c.procs()})
	held := 0
	for i := 0; held+4 <= c.procs(); i++ {
		id := c.submit(ostrich.UserID(i%users), Now-20_000, 4, 7200)
		c.start(id, Now-10_000)
		held += 4
	}
	for i := range pending {
		user := ostrich.UserID((i / 30) % users)
		c.submit(user, Now-9000+ostrich.Time(i/(30*users))*2000, 1+i%7, ostrich.Duration(60+60*(i%97)))
	}
	slices.SortStableFunc(c.events, ostrich.Compare)
	return c
}

func (c *Cluster) procs() int { return max(32, 8*len(c.names)) }

// submit adds a job to accounting and queue.
func (c *Cluster) submit(user ostrich.UserID, at ostrich.Time, procs int, limit ostrich.Duration) ostrich.JobID {
	id := c.next
	c.next++
	j := ostrich.Job{ID: id, User: user, Partition: "main", Procs: procs, Estimate: limit, Submit: min(at, c.now)}
	account := []string{"chemistry", "physics"}[user%2]
	c.records[id] = &slurmdb.Record{
		Job: j, UserName: c.names[user], Account: account, Partition: "main", QOS: "normal", UID: uint32(user), ArrayTask: slurmdb.NoTask,
		Eligible: j.Submit, Limit: limit,
	}
	c.events = append(c.events, ostrich.Event{At: j.Submit, Kind: ostrich.Submit, Job: j})
	c.queue = append(c.queue, priority.Queued{
		Job: id, Full: fmt.Sprint(id), User: c.names[user], Account: account, Partition: "main", QOS: "normal", Count: 1, UID: uint32(user),
		Priority: 1_000_000 - uint32(id%1000), Listed: true, SiteKnown: true, State: "PENDING", Reason: "Priority", Submit: j.Submit,
	})
	return id
}

func (c *Cluster) start(id ostrich.JobID, at ostrich.Time) {
	r := c.records[id]
	r.Job.Start, r.State = at, slurmdb.Running
	c.events = append(c.events, ostrich.Event{At: at, Kind: ostrich.Start, Job: r.Job})
	c.running = append(c.running, id)
	c.queue = slices.DeleteFunc(c.queue, func(q priority.Queued) bool { return q.Job == id })
}

func (c *Cluster) end(id ostrich.JobID, at ostrich.Time) {
	j := c.records[id].Job
	j.End = at
	c.events = append(c.events, ostrich.Event{At: at, Kind: ostrich.End, Job: j})
	delete(c.records, id)
	c.running = slices.DeleteFunc(c.running, func(one ostrich.JobID) bool { return one == id })
}

// churn lets some jobs end, start and arrive.
func (c *Cluster) churn() {
	for range min(2, len(c.running)) {
		c.end(c.running[0], c.now-3)
	}
	for range min(2, len(c.queue)) {
		c.start(c.queue[0].Job, c.now-2)
	}
	for i := range 3 {
		c.submit(ostrich.UserID((int(c.next)+i)%len(c.names)), c.now-1, 2, 600)
	}
}

// Sidecar is a sidecar of the cluster.
func (c *Cluster) Sidecar(config sidecar.Config) (*sidecar.Sidecar, error) {
	config.Cluster = "testbed"
	controller, err := c.Controller(context.Background())
	if err != nil {
		return nil, err
	}
	return sidecar.New(config, c, c, controller, []priority.Partition{{Name: "main"}})
}

// Expect is sidecar.Accounting's. Accounting knows all jobs at once.
func (c *Cluster) Expect(*slurmdb.Waiting) (ostrich.Job, bool) { return ostrich.Job{}, false }

// PollEach is sidecar.Accounting's.
func (c *Cluster) PollEach(_ context.Context, event func(ostrich.Event)) (slurmdb.Batch, error) {
	if c.Busy {
		c.churn()
	}
	b := slurmdb.Batch{Now: c.now, Rows: len(c.events)}
	for _, e := range c.events {
		event(e)
	}
	c.events = nil
	c.now += 10
	return b, nil
}

// Record is sidecar.Accounting's.
func (c *Cluster) Record(id ostrich.JobID) (slurmdb.Record, bool) {
	r, ok := c.records[id]
	if !ok {
		return slurmdb.Record{}, false
	}
	return *r, true
}

// Live is sidecar.Accounting's.
func (c *Cluster) Live() []slurmdb.Record {
	all := make([]slurmdb.Record, 0, len(c.records))
	for _, r := range c.records {
		all = append(all, *r)
	}
	slices.SortFunc(all, func(a, b slurmdb.Record) int { return cmp.Compare(a.Job.ID, b.Job.ID) })
	return all
}

// UserName is sidecar.Accounting's.
func (c *Cluster) UserName(id ostrich.UserID) string { return c.names[id] }

// Close is sidecar.Accounting's.
func (*Cluster) Close() error { return nil }

// Controller is sidecar.Controller's.
func (*Cluster) Controller(context.Context) (priority.Controller, error) {
	return priority.Controller{
		ClusterName: "testbed", Version: "22.05.8", PriorityType: "priority/multifactor",
		Weights: priority.Weights{Age: 1000, Fairshare: 10000}, DefaultQueueDepth: 100, BackfillMaxJobTest: 500, BackfillContinue: true,
	}, nil
}

// Partitions is sidecar.Controller's.
func (*Cluster) Partitions(context.Context) ([]priority.Partition, error) {
	return []priority.Partition{{Name: "main"}}, nil
}

// Queue is sidecar.Controller's.
func (c *Cluster) Queue(context.Context) ([]priority.Queued, error) {
	return slices.Clone(c.queue), nil
}

// Diag is sidecar.Controller's.
func (*Cluster) Diag(context.Context) (slurm.Diag, error) { return slurm.Diag{}, nil }

// Update is sidecar.Controller's: each change takes effect.
func (c *Cluster) Update(_ context.Context, _ priority.Channel, changes []priority.Change) (priority.Result, error) {
	to := make(map[ostrich.JobID]int64, len(changes))
	var r priority.Result
	for _, one := range changes {
		to[one.Job] = one.To
		r.Outcomes = append(r.Outcomes, one.Outcome(priority.Applied, ""))
	}
	for i := range c.queue {
		if value, ok := to[c.queue[i].Job]; ok {
			c.queue[i].Site = value
		}
	}
	return r, nil
}
