package forecast

import (
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/nodes"
)

// site is the nodes of a watched machine, as far as the future may know them.
type site struct {
	cluster  *nodes.Cluster // nil without nodes
	requests []nodes.Request
}

// siteOf returns the nodes of a machine, without preemption and reservations, which the draws do not have.
func siteOf(m *sim.Machine) site {
	c := *m.Cluster
	c.Preempt, c.Reservations = nodes.Preempt{}, nil
	requests := slices.Clone(m.Requests)
	for i := range requests {
		requests[i].Reservation = ""
	}
	return site{&c, requests}
}

// Back is when a node is expected back that has been out since a moment: after as long again, and an hour at least.
func Back(since, now ostrich.Time) ostrich.Time { return now + max(3600, now-since) }

// clusterAt returns the nodes as they are at a moment. Nobody knows which will go.
func (s *site) clusterAt(at ostrich.Time) *nodes.Cluster {
	if s.cluster == nil || len(s.cluster.Outages) == 0 {
		return s.cluster
	}
	now := *s.cluster
	now.Outages = nil
	for _, o := range s.cluster.Outages {
		if o.From <= at && (o.To == 0 || at < o.To) {
			now.Outages = append(now.Outages, nodes.Outage{Node: o.Node, From: o.From, To: Back(o.From, at)})
		}
	}
	return &now
}

// placed notes what a job has of the nodes, and tells whoever else wants to know.
func (w *Watch) placed(other func(job int, at ostrich.Time, a *nodes.Allocation)) func(job int, at ostrich.Time, a *nodes.Allocation) {
	return func(job int, at ostrich.Time, a *nodes.Allocation) {
		if f := w.jobs[ostrich.JobID(job+1)]; f != nil {
			f.on = a
		}
		if other != nil {
			other(job, at, a)
		}
	}
}
