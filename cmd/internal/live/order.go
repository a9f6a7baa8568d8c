package live

import (
	"cmp"
	"slices"

	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/priority"
)

// observePlan records the order of a new plan, and what the queue says of its
// jobs.
func (s *State) observePlan(c *sidecar.Cycle) {
	for _, k := range s.campaigns {
		k.waits, k.head, k.tier = false, 0, 0
	}
	parts := parted(c)
	for i := range s.pools {
		p := &s.pools[i]
		old := p.order
		p.order = make([]*job, 0, len(old))
		next := 0 // place in the old order, where the next job mostly is
		for _, entry := range parts[i] {
			var j *job
			if next < len(old) && old[next].id == entry.Job && !old[next].ended {
				j = old[next]
				next++
			} else if j = s.jobs[entry.Job]; j != nil && j.rank > 0 {
				next = j.rank
			}
			if j == nil || j.start != 0 {
				continue // accounting and queue were not read in the same moment
			}
			j.class, j.tier, j.rank, j.planned, j.lost = classOf(entry), entry.Tier, 0, s.cycle, false
			j.startable = priority.ForItsTurn(entry.Reason)
			why, stands := standing(entry, j.class)
			if j.class == managed {
				p.order = append(p.order, j)
				j.rank = len(p.order)
			}
			k := j.campaign
			if k == nil {
				continue
			}
			k.waits = true
			if stands && j.class != unseen {
				k.blame.add(why)
			}
			if j.class == managed {
				k.tier = max(k.tier, j.tier)
				k.head = cmp.Or(k.head, j.rank)
			}
		}
		s.lose(old)
	}
	s.overlaps = overlaps(c, s.depth)
}

// lose gives those jobs of an order that the queue has no more, and of whose start accounting has yet to tell, the
// rank of the first job behind them that still waits.
func (s *State) lose(old []*job) {
	rank := 1
	for _, j := range old {
		switch {
		case j.planned == s.cycle:
			rank = max(rank, j.rank+1) // 0 of one that is left alone by now
		case !j.ended && j.start == 0:
			j.rank, j.lost = rank, true
		}
	}
}

// parted divides the jobs of a plan by pool and class, as Cycle.Pools has them. Jobs of no
// pool are with the first.
func parted(c *sidecar.Cycle) [][]*priority.Entry {
	type part struct {
		pool  string
		class int
	}
	place := make(map[part]int)
	for i, in := range c.Pools {
		place[part{in.Pool.Name, in.Class}] = i
	}
	parts := make([][]*priority.Entry, len(c.Pools))
	for _, e := range c.Plan.Entries {
		i := place[part{e.Pool, e.Class}]
		parts[i] = append(parts[i], e)
	}
	return parts
}

// overlaps returns the part of the first jobs in OStrich's order that are among as
// many first ones of Slurm's: of the first 10, the first 50, and as many as Slurm
// looks at.
func overlaps(c *sidecar.Cycle, depth int) []Overlap {
	list := []Overlap{{Depth: "10", First: 10}, {Depth: "50", First: 50}, {Depth: "slurm", First: depth}}
	common, all := make([]int, len(list)), make([]int, len(list))
	for _, jobs := range parted(c) {
		if n := slices.IndexFunc(jobs, func(e *priority.Entry) bool { return e.Rank == 0 }); n >= 0 {
			jobs = jobs[:n]
		}
		ranks := make([]int, len(jobs)) // Slurm's, in its order
		for k := range jobs {
			ranks[k] = jobs[k].SlurmRank
		}
		slices.Sort(ranks)
		for o := range list {
			n := min(list[o].First, len(jobs))
			all[o] += n
			for k := range n {
				if jobs[k].SlurmRank <= ranks[n-1] {
					common[o]++
				}
			}
		}
	}
	for o := range list {
		list[o].Now = 1
		if all[o] > 0 {
			list[o].Now = float64(common[o]) / float64(all[o])
		}
	}
	return list
}

// compareOrder adds the orders of a cycle to the averages.
func (s *State) compareOrder(c *sidecar.Cycle) {
	var v [sums]float64
	s.report.Order.Tau.Now = c.Plan.Summary.KendallTau
	v[sumCycles], v[sumTau] = 1, c.Plan.Summary.KendallTau
	for i := range s.overlaps {
		v[sumOverlap+i] = s.overlaps[i].Now
	}
	s.window.add(c.Time, &v)
}

// rankStarts finds the ranks that the jobs that have started had among the pending
// ones that fitted: those that needed no more processors each than were idle or
// handed out since the previous cycle, and waited for nothing but their turn.
// Tasks of an array share the rank of its record.
func (s *State) rankStarts() {
	for i := range s.pools {
		p := &s.pools[i]
		var list []*job
		room := max(0, p.schedule.Size()-p.schedule.Busy())
		for _, j := range s.started {
			if j.pool != i || j.start == 0 {
				continue
			}
			room += j.size * j.tasks
			if j.class == managed && j.rank > 0 {
				list = append(list, j)
			}
		}
		if len(list) == 0 {
			continue
		}
		slices.SortFunc(list, func(a, b *job) int {
			return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.rank, b.rank), cmp.Compare(a.id, b.id))
		})
		s.addRanks(p, list, room)
	}
}

// addRanks adds jobs that have started, in the order in which they did.
func (s *State) addRanks(p *pool, list []*job, room int) {
	order, of := p.records(list)
	at := make(map[*job]int, len(of)) // by record, the rank among those that fitted
	for _, record := range of {
		at[record] = 0
	}
	fitted, found := 0, 0
	for _, j := range order {
		if found == len(at) {
			break
		}
		_, started := at[j]
		if started || (j.size <= room && j.startable) {
			fitted++
		}
		if started {
			at[j] = fitted
			found++
		}
	}
	var v [sums]float64
	counted := make(map[*job]int, len(at)) // by record, its position
	for _, record := range of {
		if counted[record] == 0 {
			counted[record] = len(counted) + 1
		}
		v[sumStarts]++
		v[sumShift] += float64(at[record] - counted[record])
	}
	for _, record := range of {
		if at[record] <= len(counted) {
			v[sumFirst]++
		}
	}
	s.window.add(s.now, &v)
}

// records returns the order in which jobs stood that have started, and of each the record there. Those that the queue
// lost before accounting told of their start are put back.
func (p *pool) records(list []*job) (order, of []*job) {
	of = slices.Clone(list)
	var lost []*job
	for i, j := range list {
		if !j.lost && j.rank <= len(p.order) {
			of[i] = p.order[j.rank-1]
			continue
		}
		same := func(other *job) bool { return j.group != 0 && other.group == j.group && other.rank == j.rank }
		if k := slices.IndexFunc(lost, same); k >= 0 {
			of[i] = lost[k]
		} else {
			lost = append(lost, j)
		}
	}
	if len(lost) == 0 {
		return p.order, of
	}
	slices.SortFunc(lost, func(a, b *job) int { return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(b.id, a.id)) })
	order = slices.Clone(p.order)
	for _, j := range lost {
		order = slices.Insert(order, min(j.rank-1, len(order)), j)
	}
	return order, of
}
