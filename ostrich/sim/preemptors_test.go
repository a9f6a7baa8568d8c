package sim_test

import (
	"slices"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/nodes"
)

// TestReservedFirst: jobs with a reservation go before those without, also where the main scheduler looks at few, but not before one that may
// preempt them.
func TestReservedFirst(t *testing.T) {
	scav := &nodes.QOS{Name: "scav"}
	high := &nodes.QOS{Name: "high", Preempts: []*nodes.QOS{scav}}
	for _, tt := range []struct {
		name     string
		first    nodes.Request
		qos      *nodes.QOS
		by       nodes.PreemptBy
		tier     int32        // of the other job
		reserved ostrich.Time // start of the job with the reservation
	}{
		{"no preemption", nodes.Request{CPUs: 8}, nil, nodes.NoPreemption, 0, 1},
		{"no victim", nodes.Request{CPUs: 8, QOS: high}, nil, nodes.PreemptByQOS, 0, 1},
		{"a victim", nodes.Request{CPUs: 8, QOS: high}, scav, nodes.PreemptByQOS, 0, 61},
		{"a lower tier", nodes.Request{CPUs: 8}, nil, nodes.NoPreemption, 10, 1},
		{"a lower tier, which is preempted", nodes.Request{CPUs: 8}, nil, nodes.PreemptByTier, 10, 61},
	} {
		m := sim.Machine{Cluster: rack(2), Backfill: sim.Slurm, Scheduler: sim.Scheduler{Depth: 1, BackfillDepth: -1}, Open: true}
		m.Cluster.Reservations = []nodes.Reservation{{Name: "r", Nodes: []int{1}, From: 0, To: 1000}}
		if tt.by != nodes.NoPreemption {
			m.Cluster.Preempt = nodes.Preempt{By: tt.by, Mode: nodes.PreemptCancel, Exempt: 1000}
		}
		m.Policy = (&clerk{jobs: func(ostrich.Time) []ostrich.JobID { return []ostrich.JobID{1, 2} }}).policy
		m.Requests = []nodes.Request{tt.first, {CPUs: 4, Reservation: "r", QOS: tt.qos}}
		task := func(id ostrich.JobID, tier int32) []sim.Job {
			return []sim.Job{{ID: id, Procs: 4, Run: 200, Estimate: 200, Request: int32(id), Tier: tier}}
		}
		ran, err := m.Run([]sim.Campaign{sim.NewCampaign(1, 1, 0, task(1, tt.tier)...), sim.NewCampaign(1, 1, 0, task(2, 0)...)})
		if err != nil {
			t.Fatal(err)
		}
		if got := ran[1].Start; got != tt.reserved {
			t.Errorf("%s: it starts at %d, want %d", tt.name, got, tt.reserved)
		}
	}
}

// TestPreemptorsFirst: of two jobs that wait, the one goes first that may preempt the other, and others by their priority. Where a third
// one lies between the two, the order is that of a sort that merges halves. Without priorities, QOS that may preempt others go first.
func TestPreemptorsFirst(t *testing.T) {
	scav, normal, top := &nodes.QOS{Name: "scav"}, &nodes.QOS{Name: "normal"}, &nodes.QOS{Name: "top"}
	high := &nodes.QOS{Name: "high", Preempts: []*nodes.QOS{scav}}
	top.Preempts = []*nodes.QOS{high}
	const array = "a third between them, and an array of two tasks"
	for _, tt := range []struct {
		name string
		qos  []*nodes.QOS    // of the jobs, as they come
		by   []ostrich.JobID // their priority, the highest first; nil: none
		came []int32         // their places in the order of submission, if that is another one
		want []ostrich.JobID
	}{
		{"it may not preempt the other", []*nodes.QOS{high, normal}, []ostrich.JobID{2, 1}, nil, []ostrich.JobID{2, 1}},
		{"it may", []*nodes.QOS{scav, high}, []ostrich.JobID{1, 2}, nil, []ostrich.JobID{2, 1}},
		{"none has a QOS", []*nodes.QOS{nil, nil, high, scav}, []ostrich.JobID{2, 4, 1, 3}, nil, []ostrich.JobID{2, 1, 3, 4}},
		{"a third between them", []*nodes.QOS{normal, high, scav}, []ostrich.JobID{3, 1, 2}, nil, []ostrich.JobID{1, 2, 3}},
		{"a third between them, which came in another order", []*nodes.QOS{scav, normal, high}, []ostrich.JobID{1, 2, 3}, nil, []ostrich.JobID{1, 2, 3}},
		{"likewise, but submitted in the first order", []*nodes.QOS{scav, normal, high}, []ostrich.JobID{1, 2, 3}, []int32{3, 1, 2}, []ostrich.JobID{2, 3, 1}},
		{array, []*nodes.QOS{normal, scav, scav, high}, []ostrich.JobID{2, 3, 1, 4}, nil, []ostrich.JobID{1, 4, 2, 3}},
		{"without priorities", []*nodes.QOS{scav, normal, high, top}, nil, nil, []ostrich.JobID{4, 3, 1, 2}},
	} {
		m := sim.Machine{Cluster: rack(1), Backfill: sim.Slurm, Scheduler: sim.Scheduler{BackfillDepth: -1}, Open: true}
		m.Cluster.Preempt = nodes.Preempt{By: nodes.PreemptByQOS, Mode: nodes.PreemptCancel, Exempt: 1000}
		if tt.by != nil {
			m.Policy = (&clerk{jobs: func(ostrich.Time) []ostrich.JobID { return tt.by }}).policy
		}
		var campaigns []sim.Campaign
		for i, q := range tt.qos {
			m.Requests = append(m.Requests, nodes.Request{CPUs: 4, Partitions: []int{0}, QOS: q})
			task := sim.Job{ID: ostrich.JobID(i + 1), Procs: 4, Run: 10, Estimate: 10, Request: int32(i + 1)}
			if tt.came != nil {
				task.Queued = tt.came[i]
			}
			if tt.name == array && q == scav {
				task.Array = 9
			}
			campaigns = append(campaigns, sim.NewCampaign(1, 1, 0, task))
		}
		ran, err := m.Run(campaigns)
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(ran, func(a, b report.Job) int { return int(a.Start - b.Start) })
		var got []ostrich.JobID
		for i := range ran {
			got = append(got, ran[i].ID)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: they start in the order %d, want %d", tt.name, got, tt.want)
		}
	}
}
