package statuspage

import (
	"cmp"
	"math"
	"slices"

	amounts "slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/livecompare"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/ostrich"
)

// How much a snapshot draws. What is beyond is counted in Left; the lists of the
// API have everything.
const (
	mostLanes  = 1000
	mostBlocks = 5000
	mostInLane = 50
)

// trendStep is how long a point of the trends is.
const trendStep = ostrich.Duration(300)

// Take makes a snapshot of the state after a cycle and of what the comparison
// had found by then; either may be nil where there is none yet. It has nothing of
// the daemon's own yet, see With.
func Take(state *view.State, found *livecompare.Report) *Snapshot {
	s := &Snapshot{
		Pools: []Pool{}, Lanes: []Lane{}, Running: []Running{}, Shares: []Share{}, Campaigns: []Campaign{},
		Finished: []Finished{}, Promise: Promise{Le1: 1, Users: []Promised{}}, Trends: Trends{Step: trendStep, Points: []livecompare.Point{}},
		Writes: []Write{}, Checks: []Check{}, Users: []string{}, state: state,
	}
	if found != nil {
		s.takeReport(found)
	}
	if state != nil {
		s.takeState(state)
	}
	s.colour()
	return s
}

// Known tells whether a cycle has been looked at. Without one only Health,
// Writes and Checks tell anything.
func (s *Snapshot) Known() bool { return s.state != nil }

// takeReport takes what the comparison has found.
func (s *Snapshot) takeReport(found *livecompare.Report) {
	s.Trends.Points = append(s.Trends.Points, found.Trends...)
	p := &found.Campaigns.Promise
	s.Promise.Campaigns, s.Promise.Le1, s.Promise.Mean, s.Promise.P95 = p.Campaigns, p.Le1, p.Mean, p.P95
	for _, u := range p.Users {
		account, user := sidecar.Owner(u.User)
		s.Promise.Users = append(s.Promise.Users, Promised{User: user, Account: account, Campaigns: u.Campaigns, Le1: u.Le1, Mean: u.Mean, Max: u.Max})
	}
	for _, f := range found.Campaigns.Last {
		account, user := sidecar.Owner(f.User)
		s.Finished = append(s.Finished, Finished{
			Pool: f.Pool, User: user, Account: account, Campaign: f.Campaign, Submitted: f.Submitted, Ended: f.Ended,
			Flow: f.Flow, Stretch: f.Stretch, Bound: f.Bound, Broken: f.Broken,
		})
	}
}

// place is whose line of a pool's schedule something is.
type place struct {
	pool string
	of   ostrich.UserID
}

// takeState takes what the schedules say.
func (s *Snapshot) takeState(state *view.State) {
	fraction, views := make(map[place]float64), make(map[place][]ostrich.Campaign)
	s.moved = moves(state.Entries)
	procs, ordered := make(map[string]int), make(map[string]int)
	for i := range state.Entries {
		if e := &state.Entries[i]; e.Rank != 0 {
			ordered[e.Pool]++
		}
	}
	for i := range state.Pools {
		p := &state.Pools[i]
		pool := Pool{
			Pool: p.Name, Partitions: append([]string{}, p.Partitions...), Procs: p.Procs, Busy: p.Busy, Active: p.Active,
			Campaigns: len(p.Campaigns), Pending: ordered[p.Name],
		}
		procs[p.Name] = p.Procs
		for _, u := range p.Users {
			fraction[place{p.Name, u.User}] = u.Fraction
		}
		for _, v := range p.Campaigns {
			at := place{p.Name, v.User}
			views[at] = append(views[at], v)
		}
		s.Pools = append(s.Pools, pool)
	}
	for _, one := range state.Shares().Shares {
		row := Share{Share: one}
		if procs[one.Pool] > 0 {
			row.HeldAs = float64(one.Held) / float64(procs[one.Pool])
		}
		s.Shares = append(s.Shares, row)
	}
	blocks := make(map[place][]Block)
	for _, c := range state.Campaigns().Campaigns {
		at := place{c.Pool, c.Of}
		views := views[at]
		v := &views[slices.IndexFunc(views, func(v ostrich.Campaign) bool { return v.Lead == c.Campaign && v.First == c.Submitted })]
		row := Campaign{
			Campaign: c, Jobs: Jobs{Done: v.Done, Pending: state.Tasks(v.Pending), Running: len(v.Running)},
			Done: amounts.CoreHours(max(0, v.Work-v.Open)), Share: fraction[at],
		}
		s.Campaigns = append(s.Campaigns, row)
		if !c.Completed {
			blocks[at] = append(blocks[at], Block{
				Campaign: c.Campaign, User: c.User, Account: c.Account, Start: c.VirtualStart, End: c.VirtualEnd,
				Work: c.Work, Progress: c.Progress, Share: row.Share, Pending: row.Jobs.Pending, Running: row.Jobs.Running,
			})
		}
	}
	s.draw(state, blocks, views)
}

// draw makes the lanes, and the running jobs in the same order.
func (s *Snapshot) draw(state *view.State, blocks map[place][]Block, views map[place][]ostrich.Campaign) {
	type line struct {
		Lane
		running Running
		order   int // of the pool
	}
	var lines []line
	for i := range state.Pools {
		p := &state.Pools[i]
		for _, u := range p.Users {
			at := place{p.Name, u.User}
			jobs := 0
			for _, v := range views[at] {
				jobs += len(v.Running)
			}
			if len(blocks[at]) == 0 && jobs == 0 && u.Held == 0 {
				continue
			}
			account, user := state.Owner(u.User)
			lines = append(lines, line{
				Lane:    Lane{Pool: p.Name, Account: account, User: user, Blocks: append([]Block{}, blocks[at]...)},
				running: Running{Pool: p.Name, Account: account, User: user, Procs: u.Held, Jobs: jobs},
				order:   i,
			})
		}
	}
	for i := range lines {
		slices.SortStableFunc(lines[i].Blocks, func(a, b Block) int {
			return cmp.Or(cmp.Compare(orNever(a.Start), orNever(b.Start)), cmp.Compare(orNever(a.End), orNever(b.End)),
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

// orNever is a moment that null stands for where it never comes.
func orNever(t *float64) float64 {
	if t == nil {
		return math.Inf(1)
	}
	return *t
}

// first is when the first of the blocks ends.
func first(blocks []Block) float64 {
	if len(blocks) == 0 {
		return math.Inf(1)
	}
	return orNever(blocks[0].End)
}

// colour names the users and gives each a number.
func (s *Snapshot) colour() {
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
	if s.state != nil {
		before := ""
		for i := range s.state.Entries {
			if user := s.state.Entries[i].User; user != before {
				seen, before = append(seen, user), user
			}
		}
	}
	slices.Sort(seen)
	s.Users = append(s.Users, slices.Compact(seen)...)
	for i := range s.Shares {
		s.Shares[i].Colour = s.number(s.Shares[i].User)
	}
	for i := range s.Campaigns {
		s.Campaigns[i].Colour = s.number(s.Campaigns[i].User)
	}
	for i := range s.Finished {
		s.Finished[i].Colour = s.number(s.Finished[i].User)
	}
	for i := range s.Promise.Users {
		s.Promise.Users[i].Colour = s.number(s.Promise.Users[i].User)
	}
	for i := range s.Lanes {
		s.Lanes[i].Colour = s.number(s.Lanes[i].User)
	}
	for i := range s.Running {
		s.Running[i].Colour = s.number(s.Running[i].User)
	}
}

// number is the colour of a user.
func (s *Snapshot) number(user string) int {
	i, _ := slices.BinarySearch(s.Users, user)
	return i
}
