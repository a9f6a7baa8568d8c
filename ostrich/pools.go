package ostrich

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Pool is a set of processors that one virtual schedule shares: the partitions
// that use the same nodes.
type Pool struct {
	Name       string
	Partitions []string // none: every partition that no other pool names
}

// Pools keeps a timeline for each pool and adds every event to the pool that it is
// about. Pools are independent: a user competes in each of them anew.
//
// A job that may run in several pools counts in the first one that its list of
// partitions names until it starts. From then on it counts where it runs, as if it
// had been submitted there.
type Pools struct {
	pools     []Pool
	timelines []*Timeline
	partition map[string]int // partition to pool
	rest      int            // the pool of all other partitions, or -1
	place     map[JobID]int  // of jobs that have not ended
	kept      map[JobID]Time // since when they are, of those that cannot start
}

// NewPools returns the schedules of the given pools, all with the same options. Without a
// pool there is a single one named "" for everything. Names and partitions must differ, and
// at most one pool may be without partitions.
func NewPools(o Options, horizon Duration, pools ...Pool) (*Pools, error) {
	if len(pools) == 0 {
		pools = []Pool{{}}
	}
	p := &Pools{
		pools: pools, partition: make(map[string]int), rest: -1,
		place: make(map[JobID]int), kept: make(map[JobID]Time),
	}
	for i, pool := range pools {
		if slices.ContainsFunc(pools[:i], func(o Pool) bool { return o.Name == pool.Name }) {
			return nil, fmt.Errorf("pool %q: named twice", pool.Name)
		}
		s, err := New(o)
		if err != nil {
			return nil, err
		}
		p.timelines = append(p.timelines, NewTimeline(s, horizon))
		if len(pool.Partitions) == 0 {
			if p.rest >= 0 {
				return nil, fmt.Errorf("pool %q: a second pool without partitions", pool.Name)
			}
			p.rest = i
		}
		for _, name := range pool.Partitions {
			if first, ok := p.partition[name]; ok {
				return nil, fmt.Errorf("pool %q: partition %q belongs to pool %q", pool.Name, name, pools[first].Name)
			}
			p.partition[name] = i
		}
	}
	return p, nil
}

// find is the pool of a partition or of a list of partitions, or -1.
func (p *Pools) find(partitions string) int {
	for name := range strings.SplitSeq(partitions, ",") {
		if i, ok := p.partition[name]; ok {
			return i
		}
	}
	return p.rest
}

// Add adds events in any order, see Timeline.Add. It ignores events of a partition
// that belongs to no pool, and of an unknown pool. A single pool without partitions gets
// all events.
func (p *Pools) Add(events ...Event) {
	if len(p.timelines) == 1 && p.rest == 0 {
		p.timelines[0].Add(events...)
		return
	}
	events = inOrder(events)
	batches := make([][]Event, len(p.timelines))
	for _, e := range events {
		switch e.Kind {
		case Capacity:
			if i := slices.IndexFunc(p.pools, func(o Pool) bool { return o.Name == e.Pool }); i >= 0 {
				batches[i] = append(batches[i], e)
			}
			continue
		case Reshare:
			for i := range batches {
				batches[i] = append(batches[i], e)
			}
			continue
		case Submit, Change, Start, Suspend, Resume, Requeue, End, Hold, Release:
		}
		was, known := p.place[e.Job.ID]
		if !known && (e.Kind == Hold || e.Kind == Release) {
			continue // it has ended
		}
		is := was
		if !known || e.Kind == Submit || e.Kind == Change || e.Kind == Start {
			is = p.find(e.Job.Partition)
		}
		if known && is != was {
			// It has moved: as rebuilding from the accounting tables would find
			// it, it never was in the one pool and was always in the other.
			first := e.Job
			if was >= 0 {
				p.timelines[was].Add(batches[was]...)
				batches[was] = nil
				if asked := p.timelines[was].retract(e.Job, e.At); asked > 0 && e.Job.Start != 0 {
					first.Procs = asked // not what it has been allocated
				}
			}
			if is >= 0 && e.Kind != Submit {
				at := cmp.Or(e.Job.Submit, e.At)
				batches[is] = append(batches[is], Event{At: at, Kind: Submit, Job: first})
				if since, kept := p.kept[e.Job.ID]; kept {
					batches[is] = append(batches[is], Event{At: max(at, since), Kind: Hold, Job: e.Job})
				}
			}
		}
		switch e.Kind {
		case Hold:
			p.kept[e.Job.ID] = e.At
		case Release, Start, End:
			delete(p.kept, e.Job.ID)
		case Capacity, Reshare, Submit, Change, Suspend, Resume, Requeue:
		}
		p.place[e.Job.ID] = is
		if e.Kind == End {
			delete(p.place, e.Job.ID)
		}
		if is >= 0 {
			batches[is] = append(batches[is], e)
		}
	}
	for i, b := range batches {
		p.timelines[i].Add(b...)
	}
}

// PoolSchedule is the schedule of one pool.
type PoolSchedule struct {
	Pool     Pool
	Schedule *Schedule
}

// At returns the schedule of each pool at the given time, in the order of the
// pools, and the errors of rejected events, see Timeline.At.
func (p *Pools) At(now Time) ([]PoolSchedule, []error) {
	var bad []error
	list := make([]PoolSchedule, len(p.pools))
	for i, t := range p.timelines {
		s, errs := t.At(now)
		for _, err := range errs {
			if p.pools[i].Name != "" {
				err = fmt.Errorf("pool %s: %w", p.pools[i].Name, err)
			}
			bad = append(bad, err)
		}
		list[i] = PoolSchedule{Pool: p.pools[i], Schedule: s}
	}
	return list, bad
}
