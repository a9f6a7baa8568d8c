package sidecar

import (
	"fmt"
	"time"

	"slurm-ostrich/ostrich/plural"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/slurm"
)

// What counts as a loaded slurmctld; ADR 17 says why these.
const (
	// mostServed is how many requests are served or wait to be. slurmctld serves
	// 256 at a time (MAX_SERVER_THREADS) and complains of 150.
	mostServed = 64
	// fewestServed is the least to which a small max_rpc_cnt lowers it.
	fewestServed = 8
	// mostUnsent is how many messages to nodes wait to be sent again. Threads that
	// send share the 256 with those that serve.
	mostUnsent = 256
	// longPass is how long a pass of the main scheduler lasts, in which slurmctld
	// does nothing else; 2 s is where it ends by itself (max_sched_time).
	longPass = time.Second
	// longPasses is the mean length of a pass. One over the whole queue, which comes each
	// minute, may take long where the others do not.
	longPasses = 250 * time.Millisecond
	// longAnswer is how long sdiag takes to answer; it waits for no lock.
	longAnswer = time.Second

	// mostSlowdown is the largest slowdown.
	mostSlowdown = 8
	// calmCycles is after how many cycles in a row below full load the slowdown halves in
	// any case, so that no steady load keeps it for ever.
	calmCycles = 10
)

// mostWrites is how many changes a cycle makes while slurmctld is not loaded. A
// write takes about 1.5 ms, in which slurmctld's locks are held again and again,
// and the plan grows old.
const mostWrites = 5000

// burden is one part of slurmctld's load, as a fraction of what counts as loaded.
type burden struct {
	part  float64
	words string
}

// burdens returns the burdens of a slurmctld that answered sdiag with d after some
// time.
func burdens(d *slurm.Diag, answered time.Duration, maxRPCs int) []burden {
	served := mostServed
	if maxRPCs > 0 { // from that many on slurmctld puts scheduling off
		served = min(served, max(maxRPCs/2, fewestServed))
	}
	requests, unsent := d.ServerThread+d.RPCQueue, max(d.AgentQueue, d.AgentPending)
	pass := min(float64(d.Main.Last)/float64(longPass), float64(d.Main.Mean)/float64(longPasses))
	return []burden{
		{float64(requests) / float64(served), plural.Sprintf("%d request{|s} {is|are} being served or wait{s|}, and %d are many", requests, served)},
		{float64(unsent) / mostUnsent, plural.Sprintf("%d message{|s} to nodes wait{s|}, and %d are many", unsent, mostUnsent)},
		{pass, fmt.Sprintf("the main scheduler's last pass took %v and the mean one %v, and %v and %v are long",
			d.Main.Last.Round(time.Millisecond), d.Main.Mean.Round(time.Millisecond), longPass, longPasses)},
		{float64(answered) / float64(longAnswer), fmt.Sprintf("sdiag took %v, and %v is long", answered.Round(time.Millisecond), longAnswer)},
	}
}

// throttle decides by how much the sidecar slows down. The zero value is at full
// speed.
type throttle struct {
	slowdown int // 1 is full speed, as is 0
	calm     int // cycles in a row with less load than begins a slowdown
}

// judge updates the slowdown by how loaded slurmctld is, and returns why the
// sidecar slows down, "" at full speed. Under load the slowdown doubles with each
// cycle, up to mostSlowdown. It halves once all burdens are below half of what
// counts as load, or after calmCycles. In between it stays, so that it does not
// oscillate.
func (t *throttle) judge(d *slurm.Diag, answered time.Duration, maxRPCs int) (why string) {
	var worst burden
	for _, b := range burdens(d, answered, maxRPCs) {
		if b.part > worst.part {
			worst = b
		}
	}
	t.calm++
	switch now := max(t.slowdown, 1); {
	case worst.part >= 1:
		t.slowdown, t.calm = min(2*now, mostSlowdown), 0
	case worst.part < 0.5, t.calm == calmCycles:
		t.slowdown, t.calm = max(now/2, 1), 0
	default:
		t.slowdown = now
	}
	if t.slowdown == 1 {
		return ""
	}
	return worst.words
}

// govern judges the counters from the beginning of a cycle. Between two cycles
// nothing of ours is under way, so our own writes do not count as load.
func (s *Sidecar) govern(c *Cycle, answered time.Duration) {
	c.Loaded = s.throttle.judge(&c.Diag, answered, s.controller.Scheduling.MaxRPCs)
	c.Slowdown = s.throttle.slowdown
}

// burst returns how many of the changes a cycle makes.
func (s *Sidecar) burst(changes []priority.Change) int {
	return min(len(changes), mostWrites/max(s.throttle.slowdown, 1))
}
