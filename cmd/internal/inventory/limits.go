package inventory

import (
	"cmp"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/sim/nodes"
)

// Policies are the QOS and the associations of a site as nodes know them.
type Policies struct {
	QOS    map[string]*nodes.QOS
	Others []string // names of limits that are set and that nodes do not know, such as "GrpTRESMins"

	accounts map[string]*nodes.Association
	users    map[place]*nodes.Association
}

// place is where a user is in the association tree.
type place struct{ user, account, partition string }

// PoliciesOf makes the policies of a site, with limits if slurmctld enforces them, and gives the partitions of its cluster their QOS, whose
// names are given by their places; "" is none. Of the limits those are left out that are not counted.
func PoliciesOf(site *accounting.Site, enforced bool, c *nodes.Cluster, ofPartition func(partition int) string, counted func(*nodes.Limit) bool) *Policies {
	p := &Policies{QOS: make(map[string]*nodes.QOS), accounts: make(map[string]*nodes.Association), users: make(map[place]*nodes.Association)}
	limits := func(l *accounting.Limits) ([]nodes.Limit, ostrich.Duration) {
		p.Others = append(p.Others, l.Other...)
		if !enforced {
			return nil, 0
		}
		return limitsOf(l, counted), l.MaxWall
	}
	percentages := make(map[*nodes.QOS]bool)
	for i := range site.QOS {
		q := &site.QOS[i]
		is := &nodes.QOS{
			Name: q.Name, Override: q.Flags.Has(accounting.OverPartQOS), Mode: PreemptMode(q.PreemptMode), Priority: q.Priority, Exempt: q.Exempt, Grace: q.Grace,
			NoReserve: q.Flags.Has(accounting.NoReserve), AnyMin: q.Flags.Has(accounting.PartitionMinNodes), AnyMax: q.Flags.Has(accounting.PartitionMaxNodes), AnyTime: q.Flags.Has(accounting.PartitionTimeLimit),
		}
		is.Limits, is.MaxWall = limits(&q.Limits)
		p.QOS[q.Name], percentages[is] = is, q.Flags.Has(accounting.Relative)
	}
	for i := range site.QOS {
		for _, name := range site.QOS[i].Preempts {
			if q := p.QOS[name]; q != nil {
				mine := p.QOS[site.QOS[i].Name]
				mine.Preempts = append(mine.Preempts, q)
			}
		}
	}
	for i := range c.Partitions {
		part := &c.Partitions[i]
		if part.QOS = p.QOS[ofPartition(i)]; percentages[part.QOS] {
			part.QOS.Limits, percentages[part.QOS] = relative(c, part.QOS.Limits, part.Nodes), false
		}
	}
	everywhere := make([]int, len(c.Nodes))
	for i := range everywhere {
		everywhere[i] = i
	}
	for q, is := range percentages {
		if is {
			q.Limits = relative(c, q.Limits, everywhere)
		}
	}
	for i := range site.Accounts {
		a := &site.Accounts[i]
		is := &nodes.Association{Account: a.Name}
		is.Limits, _ = limits(&a.Limits)
		p.accounts[a.Name] = is
	}
	for i := range site.Accounts {
		if a := &site.Accounts[i]; a.Name != a.Parent {
			p.accounts[a.Name].Parent = p.accounts[a.Parent]
		}
	}
	for i := range site.Accounts { // one above itself would have no end
		is, steps := p.accounts[site.Accounts[i].Name], 0
		for up := is.Parent; up != nil; up = up.Parent {
			if steps++; steps > len(site.Accounts) {
				is.Parent = nil
				break
			}
		}
	}
	for i := range site.Associations {
		a := &site.Associations[i]
		is := &nodes.Association{Account: a.Account, User: a.User, Parent: p.accounts[a.Account]}
		is.Limits, is.MaxWall = limits(&a.Limits)
		p.users[place{a.User, a.Account, a.Partition}] = is
	}
	slices.Sort(p.Others)
	p.Others = slices.Compact(p.Others)
	return p
}

// Association returns that of a user's jobs in an account on a partition. One that the site does not have has the limits of its account.
func (p *Policies) Association(user, account, partition string) *nodes.Association {
	a := cmp.Or(p.users[place{user, account, partition}], p.users[place{user, account, ""}])
	if a == nil {
		a = &nodes.Association{User: user, Account: account, Parent: p.accounts[account]}
		p.users[place{user, account, partition}] = a
	}
	return a
}

// limitsOf returns limits as the nodes count them.
func limitsOf(l *accounting.Limits, counted func(*nodes.Limit) bool) []nodes.Limit {
	scopes := [...]nodes.Scope{accounting.ByGroup: nodes.Group, accounting.ByUser: nodes.User, accounting.ByAccount: nodes.Account, accounting.ByJob: nodes.Job, accounting.ByJobNode: nodes.JobNode}
	list := make([]nodes.Limit, 0, len(l.List))
	for _, x := range l.List {
		if is := (nodes.Limit{Scope: scopes[x.Scope], Resource: x.Resource, Most: x.Most}); counted(&is) {
			list = append(list, is)
		}
	}
	return list
}

// relative returns limits that are percentages of some nodes as numbers (flag Relative of a QOS, since Slurm 23.11). What nodes do
// not have, such as licences and billing, has no limit.
func relative(c *nodes.Cluster, limits []nodes.Limit, of []int) []nodes.Limit {
	all := map[string]int64{"node": int64(len(of))}
	for _, at := range of {
		n := &c.Nodes[at]
		all["cpu"] += int64(n.Processors())
		all["mem"] += n.Memory
		for _, g := range n.GRES {
			all["gres/"+g.Name] += g.Count
			if g.Type != "" {
				all["gres/"+g.Name+":"+g.Type] += g.Count
			}
		}
	}
	list := make([]nodes.Limit, 0, len(limits))
	for _, l := range limits {
		if l.Resource != "jobs" {
			has := all[l.Resource]
			if has == 0 {
				continue
			}
			if l.Most > 0 {
				l.Most = max(1, has*l.Most/100) // jobs have run under it
			}
		}
		list = append(list, l)
	}
	return list
}
