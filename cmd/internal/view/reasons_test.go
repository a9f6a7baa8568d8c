package view

import (
	"testing"

	"slurm-ostrich/ostrich"
)

// Slurm says of ordinary jobs beside a higher tier that their nodes are down, drained or
// reserved, when these are merely taken: they wait for their turn.
func TestTakenNodes(t *testing.T) {
	const reason = "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions"
	const next = "It is the next to start, as soon as there is room for it. "
	for _, test := range []struct {
		name  string
		tiers []int // of the jobs before it
		want  string
	}{
		{"no other tier", []int{1}, "It waits for its turn: campaigns that are nearer to their end go first. Its nodes are taken, down or drained (sinfo -R lists the last two); Slurm's reason does not tell these apart."},
		{"alone", nil, next + "Its nodes are taken, down or drained (sinfo -R lists the last two); Slurm's reason does not tell these apart."},
		{"one above", []int{9}, "It waits for its turn: campaigns that are nearer to their end go first. 1 job in partitions with a higher PriorityTier waits and goes first on nodes that both may use, whatever the order."},
		{"two above", []int{9, 1, 2}, "It waits for its turn: campaigns that are nearer to their end go first. 2 jobs in partitions with a higher PriorityTier wait and go first on nodes that both may use, whatever the order."},
	} {
		s := &Cycle{Pools: []Pool{{Procs: 8}}, Enforced: true}
		for i, tier := range append(test.tiers, 1) {
			p := pending(ostrich.JobID(10+i), i+1)
			p.Tier, p.Reason = tier, reason
			s.Plan.Entries = append(s.Plan.Entries, p)
		}
		n := len(s.Plan.Entries)
		s.dues, s.works = make([]due, n), make([]ostrich.Work, n)
		e := s.waiting(n - 1)
		if e.Verdict != test.want || !e.Able || e.Expected == nil {
			t.Errorf("%s: able %v, start %v, verdict %q, want %q", test.name, e.Able, e.Expected, e.Verdict, test.want)
		}
	}
}
