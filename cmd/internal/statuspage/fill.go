package statuspage

import (
	"cmp"
	"math"
	"slices"

	"slurm-ostrich/cmd/internal/live"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/ostrich"
)

// Limits of what a snapshot draws. Left counts the rest.
const (
	mostLanes  = 1000
	mostBlocks = 5000
	mostInLane = 50
)

// trendStep is how long a point of the trends is.
const trendStep = ostrich.Duration(300)

// New returns a snapshot of a cycle and of the comparison so far; either may be nil.
// With adds what the daemon itself knows.
func New(cycle *view.Cycle, found *live.Report) *Snapshot {
	s := &Snapshot{
		Pools: []Pool{}, Lanes: []Lane{}, Running: []Running{},
		Trends: Trends{Step: trendStep, Points: []live.Point{}},
		Writes: []Write{}, Checks: []Check{}, Users: []string{}, cycle: cycle,
	}
	if found != nil {
		s.Trends.Points, s.Nights = append(s.Trends.Points, found.Trends...), found.Nights
		s.Promise, s.Finished = found.Campaigns.Promise, found.Campaigns.Last
	}
	if cycle != nil {
		s.addCycle()
	}
	s.name()
	return s
}

// Known reports whether there has been a cycle. Without one only Health, Writes
// and Checks hold anything.
func (s *Snapshot) Known() bool { return s.cycle != nil }

// addCycle adds what the schedules say.
func (s *Snapshot) addCycle() {
	s.Resource = s.cycle.Resource
	for i := range s.cycle.Pools {
		p := &s.cycle.Pools[i]
		s.Pools = append(s.Pools, Pool{
			Pool: p.Name, Class: p.Class, Partitions: append([]string{}, p.Partitions...), Procs: p.Units, Busy: p.Busy, Active: p.Active,
			Campaigns: p.Unfinished, Pending: p.Managed,
		})
		for k := range p.Users {
			s.Shares = append(s.Shares, &p.Users[k])
		}
	}
	for i := range s.cycle.Campaigns {
		s.Campaigns = append(s.Campaigns, &s.cycle.Campaigns[i])
	}
	s.draw()
}

// draw makes the lanes, and the running jobs in the same order.
func (s *Snapshot) draw() {
	type line struct {
		Lane
		running Running
		order   int // of the pool
	}
	var lines []line
	for i := range s.cycle.Pools {
		p := &s.cycle.Pools[i]
		for k := range p.Users {
			u := &p.Users[k]
			l := line{
				Lane:    Lane{Pool: p.Name, Class: p.Class, Account: u.Account, User: u.User, Blocks: []Block{}},
				running: Running{Pool: p.Name, Class: p.Class, Account: u.Account, User: u.User, Procs: u.Held},
				order:   i,
			}
			for _, c := range u.Campaigns {
				l.running.Jobs += c.Jobs.Running
				if !c.Completed {
					l.Blocks = append(l.Blocks, Block{
						Campaign: c.Campaign, User: c.User, Account: c.Account, Start: c.VirtualStart, End: c.VirtualEnd,
						Work: c.Work, Progress: c.Progress, Share: &u.Share, Pending: c.Jobs.Pending, Running: c.Jobs.Running, Waiting: c.Waiting,
					})
				}
			}
			if len(l.Blocks) > 0 || l.running.Jobs > 0 || u.Held > 0 {
				lines = append(lines, l)
			}
		}
	}
	for i := range lines {
		slices.SortStableFunc(lines[i].Blocks, func(a, b Block) int {
			return cmp.Or(cmp.Compare(view.OrNever(a.Start), view.OrNever(b.Start)), cmp.Compare(view.OrNever(a.End), view.OrNever(b.End)),
				cmp.Compare(a.Campaign, b.Campaign))
		})
	}
	slices.SortStableFunc(lines, func(a, b line) int {
		return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(first(a.Blocks), first(b.Blocks)),
			cmp.Compare(a.User, b.User), cmp.Compare(a.Account, b.Account))
	})
	room := mostBlocks
	for i := range lines {
		l := &lines[i]
		if l.running.Procs > 0 || l.running.Jobs > 0 {
			s.Running = append(s.Running, l.running)
		}
		keep := min(len(l.Blocks), mostInLane, room)
		if i >= mostLanes {
			keep = 0
			s.Left.Lanes++
		}
		for _, b := range l.Blocks[keep:] {
			l.More++
			l.Work += b.Work
			s.Left.Blocks++
			s.Left.Work += b.Work
		}
		l.Blocks = l.Blocks[:keep]
		room -= keep
		if i < mostLanes {
			s.Lanes = append(s.Lanes, l.Lane)
		}
	}
}

// first returns when the first of the blocks ends, +Inf if there is none.
func first(blocks []Block) float64 {
	if len(blocks) == 0 {
		return math.Inf(1)
	}
	return view.OrNever(blocks[0].End)
}

func (s *Snapshot) name() {
	var seen []string
	for _, one := range s.Shares {
		seen = append(seen, one.User)
	}
	for _, one := range s.Campaigns {
		seen = append(seen, one.User)
	}
	for _, one := range s.Finished {
		seen = append(seen, one.User)
	}
	for _, one := range s.Promise.Users {
		seen = append(seen, one.User)
	}
	if s.cycle != nil {
		before := ""
		for i := range s.cycle.Plan.Entries {
			if user := s.cycle.Plan.Entries[i].User; user != before {
				seen, before = append(seen, user), user
			}
		}
	}
	slices.Sort(seen)
	s.Users = append(s.Users, slices.Compact(seen)...)
}

// number returns the place of a user in Users, which gives the colour.
func (s *Snapshot) number(user string) int {
	i, _ := slices.BinarySearch(s.Users, user)
	return i
}
