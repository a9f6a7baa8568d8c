// Package statuspagetest is a busy Slurm in memory for the tests of the status page.
package statuspagetest

import (
	"context"
	"fmt"
	"slices"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/memslurm"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/priority"
)

// Now is the time on the cluster's clock when it begins.
const Now = ostrich.Time(1_792_592_640)

// Cluster is a machine of 8 processors for each user, at least 32, most of them
// busy. Each poll of its accounting lets 10 s pass.
type Cluster struct {
	*memslurm.Site
	// Busy lets jobs end, start and arrive with each poll.
	Busy bool

	users   int
	next    ostrich.JobID
	running []ostrich.JobID // the one that has run longest in front
}

// New returns a cluster on which users have submitted pending jobs in campaigns
// of some dozens. Users are called user000 and so on, each in one of the accounts
// chemistry and physics. Jobs are numbered from 1, the running ones first.
func New(users, pending int) *Cluster {
	c := &Cluster{Site: memslurm.NewSite("testbed", Now, priority.Partition{Name: "main"}), users: users, next: 1}
	c.Pass, c.Conf.BackfillContinue = 10, true
	c.Name = func(id ostrich.UserID) string { return fmt.Sprintf("user%03d", id) }
	procs := max(32, 8*users)
	c.Capacity(Now-1_000_000, "", procs)
	held := 0
	for i := 0; held+4 <= procs; i++ {
		id := c.submit(ostrich.UserID(i%users), Now-20_000, 4, 7200)
		c.start(id, Now-10_000)
		held += 4
	}
	for i := range pending {
		user := ostrich.UserID((i / 30) % users)
		c.submit(user, Now-9000+ostrich.Time(i/(30*users))*2000, 1+i%7, ostrich.Duration(60+60*(i%97)))
	}
	return c
}

// submit adds a job to accounting and queue.
func (c *Cluster) submit(user ostrich.UserID, at ostrich.Time, procs int, limit ostrich.Duration) ostrich.JobID {
	id := c.next
	c.next++
	j := ostrich.Job{ID: id, User: user, Partition: "main", Procs: procs, Estimate: limit, Submit: min(at, c.Now)}
	q := c.Submit(j)
	q.Account, q.QOS, q.UID, q.Priority = []string{"chemistry", "physics"}[user%2], "normal", uint32(user), 1_000_000-uint32(id%1000)
	*c.Records[id] = ledger.Record{
		Job: j, UserName: q.User, Account: q.Account, Partition: "main", QOS: "normal", UID: uint32(user), ArrayTask: ledger.NoTask,
		Eligible: j.Submit, Limit: limit,
	}
	return id
}

func (c *Cluster) start(id ostrich.JobID, at ostrich.Time) {
	c.Start(id, at)
	c.running = append(c.running, id)
}

// churn lets some jobs end, start and arrive.
func (c *Cluster) churn() {
	ended := min(2, len(c.running))
	for _, id := range c.running[:ended] {
		c.End(id, c.Now-3)
	}
	c.running = slices.Clone(c.running[ended:])
	for range min(2, len(c.Pending)) {
		c.start(c.Pending[0].Job, c.Now-2)
	}
	for i := range 3 {
		c.submit(ostrich.UserID((int(c.next)+i)%c.users), c.Now-1, 2, 600)
	}
}

// Sidecar returns a sidecar of the cluster.
func (c *Cluster) Sidecar(config configuration.Config) (*sidecar.Sidecar, error) {
	config.Cluster = c.Conf.ClusterName
	return sidecar.New(config, c, c, c.Conf, c.Parts)
}

// PollEach reports what has happened since the last poll.
func (c *Cluster) PollEach(ctx context.Context, event func(ostrich.Event)) (ledger.Batch, error) {
	if c.Busy {
		c.churn()
	}
	return c.Site.PollEach(ctx, event)
}
