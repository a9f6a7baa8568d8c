package view

import (
	"slices"
	"strings"

	"slurm-ostrich/cmd/internal/inventory"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/ostrich/accounting/sacct"
	"slurm-ostrich/ostrich/forecast"
	"slurm-ostrich/ostrich/sim/nodes"
	"slurm-ostrich/priority"
)

// bounds are the limits of a pool's jobs that may keep some of them, as its jobs that wait and run ask for more than one of these allows.
// The jobs of other pools do not count. nil keeps none.
type bounds struct {
	policies *inventory.Policies
	keep     map[forecast.Bound]bool
}

// counted reports whether nodes count what a limit is of. Of a single job, it is kept for ever, which slurmctld gives as its reason.
func counted(l *nodes.Limit) bool {
	switch {
	case l.Scope == nodes.Job, l.Scope == nodes.JobNode:
		return false
	case strings.HasPrefix(l.Resource, "gres/"):
		return true
	}
	return l.Resource == "jobs" || l.Resource == "cpu" || l.Resource == "mem" || l.Resource == "node"
}

// usage is whose use of which limit.
type usage struct {
	limit *nodes.Limit
	name  string // of a user or an account; "" for all
}

// alike are jobs that the same limits count.
type alike struct {
	forecast.Bound
	partitions string
}

// boundsOf returns the limits of the jobs of a pool, and gives the partitions of its nodes their QOS.
func (s *Cycle) boundsOf(pool *Pool, c *nodes.Cluster) *bounds {
	if s.site == nil {
		return nil
	}
	qos := make(map[string]string, len(s.Partitions))
	for i := range s.Partitions {
		qos[s.Partitions[i].Name] = s.Partitions[i].QOS
	}
	b := &bounds{
		policies: inventory.PoliciesOf(s.site, true, c, func(partition int) string { return qos[c.Partitions[partition].Name] }, counted),
		keep:     make(map[forecast.Bound]bool),
	}
	gres, uses, sums := s.controller.GRES(), make(map[alike][]usage), make(map[usage]int64)
	add := func(is alike, needs uint32, procs, count int) {
		all, known := uses[is]
		if !known {
			all = b.uses(c, is)
			uses[is] = all
		}
		var of ledger.Needs
		if int(needs) < len(s.asked) {
			of = s.asked[needs]
		}
		for _, u := range all {
			sums[u] += int64(count) * amount(u.limit.Resource, procs, &of, gres)
		}
	}
	for i := range s.live {
		if r := s.live[i]; s.runsIn(pool, r) {
			add(alike{b.of(r.UserName, r.Account, r.QOS, r.Job.Partition), r.Job.Partition}, r.Job.Needs, r.Job.Procs, 1)
		}
	}
	for i := range s.Plan.Entries {
		e := s.Plan.Entries[i]
		if e.Pool != pool.Name || e.Wait != priority.Able && e.Wait != priority.Limited {
			continue
		}
		needs := uint32(0)
		if r, ok := s.record(e.Job); ok {
			needs = r.Job.Needs
		}
		add(alike{b.of(e.User, e.Account, e.QOS, e.Partition), e.Partition}, needs, s.procs(e), max(e.Count, 1))
	}
	may := make(map[*nodes.Limit]bool) // keep jobs
	for is, all := range uses {
		if !slices.ContainsFunc(all, func(u usage) bool { return sums[u] > u.limit.Most }) {
			continue
		}
		b.keep[is.Bound] = true
		for _, u := range all {
			may[u.limit] = true
		}
	}
	for i := range c.Partitions { // who has no association is under none
		if q := c.Partitions[i].QOS; q != nil && !anyOf(q.Limits, may) {
			c.Partitions[i].QOS = nil
		}
	}
	return b
}

func anyOf(limits []nodes.Limit, in map[*nodes.Limit]bool) bool {
	for i := range limits {
		if in[&limits[i]] {
			return true
		}
	}
	return false
}

// of returns what binds a user's job.
func (b *bounds) of(user, account, qos, partition string) forecast.Bound {
	first, _, _ := strings.Cut(partition, ",")
	return forecast.Bound{QOS: b.policies.QOS[qos], Association: b.policies.Association(user, account, first)}
}

// binding returns what binds a user's job if its limits may keep it, else nothing.
func (b *bounds) binding(user, account, qos, partition string) forecast.Bound {
	if b == nil {
		return forecast.Bound{}
	}
	if is := b.of(user, account, qos, partition); b.keep[is] {
		return is
	}
	return forecast.Bound{}
}

// uses lists the limits that count jobs.
func (b *bounds) uses(c *nodes.Cluster, is alike) (all []usage) {
	in := strings.Split(is.partitions, ",")
	add := func(limits []nodes.Limit) {
		for i := range limits {
			u := usage{limit: &limits[i]}
			switch u.limit.Scope {
			case nodes.User:
				u.name = is.Association.User
			case nodes.Account:
				u.name = is.Association.Account
			case nodes.Group, nodes.Job, nodes.JobNode:
			}
			all = append(all, u)
		}
	}
	if is.QOS != nil {
		add(is.QOS.Limits)
	}
	for i := range c.Partitions {
		p := &c.Partitions[i]
		if p.QOS != nil && p.QOS != is.QOS && slices.Contains(in, p.Name) {
			add(p.QOS.Limits)
		}
	}
	for a := is.Association; a != nil; a = a.Parent {
		add(a.Limits)
	}
	return all
}

// amount is how much a job takes of what a limit is of, as far as accounting knows.
func amount(resource string, procs int, needs *ledger.Needs, counts []string) int64 {
	switch resource {
	case "jobs":
		return 1
	case "cpu":
		return int64(procs)
	case "node":
		return max(1, int64(needs.Nodes))
	case "mem":
		return int64(needs.Memory)
	}
	tres, _ := sacct.ReadResources([]byte(needs.GRES), counts) // which the ledger has written
	for _, c := range tres.Others {
		if c.Name == resource {
			return int64(c.N)
		}
	}
	return 0
}
