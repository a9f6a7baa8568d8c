package ostrich

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/lengths"
)

// An oracle is the virtual schedule in the plainest form that follows from
// equations 5.1 and 5.2. It has no clocks and no tags: it keeps what is left of
// each campaign, goes from one event to the next, and after each of them works
// everybody's C~ out anew.
//
// What a user was served is kept as a list of portions. When the work of a
// campaign turns out to be other than expected, the portions are handed out
// again from the first one: "service beyond the new work goes to the next
// campaign, as far as that had arrived by then, else it is lost". Only work
// found after a campaign was completed is not paid from old portions, see reopen.
//
// Campaigns are found with Arrival and a late job lets them Grow.
type oracle struct {
	threshold Duration
	machine   Machine
	procs     int
	now       float64
	shares    *Shares
	users     map[UserID]*oracleUser
	jobs      map[JobID]*oracleJob
}

type oracleUser struct {
	campaigns []*oracleCampaign
	portions  []portion
}

type portion struct {
	from float64
	work float64
}

type oracleCampaign struct {
	user             UserID
	number           int
	first, latest    Time
	arrived          float64
	work             float64
	settled          float64 // served, whatever becomes of the portions
	served           float64
	began, completed float64 // moments, -1 if not yet
	open             int
}

type oracleJob struct {
	Job
	c       *oracleCampaign
	length  Duration
	running bool
	paused  Time
	rested  Duration
	due     Time
}

func (c *oracleCampaign) left() float64 { return max(0, c.work-c.served) }

// head is the campaign of a user that is served, or nil.
func (u *oracleUser) head() *oracleCampaign {
	for _, c := range u.campaigns {
		if c.completed < 0 {
			return c
		}
	}
	return nil
}

// fractions are the parts of the machine of the active users: the machine is
// divided among the active children of the root, each part among the active
// children of that child, and so on.
func (o *oracle) fractions() map[UserID]float64 {
	parent := map[string]Account{}
	for _, a := range o.shares.Accounts {
		parent[a.Name] = a
	}
	place := func(u UserID) UserShare {
		for _, p := range o.shares.Users {
			if p.User == u {
				return p
			}
		}
		return UserShare{User: u, Weight: 1}
	}
	var active []UserID
	for id, u := range o.users {
		if u.head() != nil {
			active = append(active, id)
		}
	}
	slices.Sort(active)
	fractions := map[UserID]float64{}
	var divide func(account string, part float64)
	divide = func(account string, part float64) {
		users := slices.DeleteFunc(slices.Clone(active), func(u UserID) bool { return place(u).Account != account })
		total := 0.0
		for _, u := range users {
			total += place(u).Weight
		}
		var children []Account
		for _, a := range o.shares.Accounts {
			below := func(u UserID) bool {
				for at := place(u).Account; at != ""; at = parent[at].Parent {
					if at == a.Name {
						return true
					}
				}
				return false
			}
			if a.Parent == account && slices.ContainsFunc(active, below) {
				children = append(children, a)
				total += a.Weight
			}
		}
		for _, u := range users {
			fractions[u] = part * place(u).Weight / total
		}
		for _, a := range children {
			divide(a.Name, part*a.Weight/total)
		}
	}
	divide("", 1)
	return fractions
}

func (o *oracle) capacity() float64 {
	if o.machine == Sequential {
		return float64(o.procs)
	}
	busy := 0
	for _, j := range o.jobs {
		if j.running && j.paused == 0 {
			busy += j.Procs * j.Count()
		}
	}
	return float64(busy)
}

// advance goes to time t from one completion, or outlived length, to the next.
func (o *oracle) advance(t float64) {
	for {
		fractions, capacity := o.fractions(), o.capacity()
		next := t
		for u, f := range fractions {
			if rate := f * capacity; rate > 0 {
				next = min(next, o.now+o.users[u].head().left()/rate)
			}
		}
		var late *oracleJob
		for _, j := range o.jobs {
			if j.running && j.paused == 0 && float64(j.due) < t && float64(j.due) <= next {
				next = float64(j.due)
				late = j
			}
		}
		for u, f := range fractions {
			user := o.users[u]
			user.portions = append(user.portions, portion{o.now, f * capacity * (next - o.now)})
		}
		o.now = next
		for _, u := range slices.Sorted(maps.Keys(o.users)) {
			o.handOut(o.users[u])
		}
		if late != nil {
			ran := Duration(late.due-late.Start) - late.rested
			more := max(60, ran/16-ran/16%60) // a minute, later a sixteenth in whole minutes
			o.count(late, late.Job, ran+more)
			late.due += Time(more)
			continue
		}
		if next >= t {
			return
		}
	}
}

// handOut divides what a user was served among the user's campaigns.
func (o *oracle) handOut(u *oracleUser) {
	o.serve(u.campaigns, u.portions)
	for _, c := range u.campaigns {
		if c.completed < 0 && c == u.head() && c.left() <= rounding {
			c.completed = o.now
		}
		if c.began < 0 && (c.completed >= 0 || c == u.head()) {
			c.began = o.now
		}
	}
}

// serve gives the portions to the campaigns that had arrived, the first one
// first, and returns what they took.
func (o *oracle) serve(campaigns []*oracleCampaign, portions []portion) []portion {
	for _, c := range campaigns {
		c.served = c.settled
	}
	var taken []portion
	for _, p := range portions {
		whole := p.work
		for _, c := range campaigns {
			if p.from >= c.arrived-rounding {
				some := min(p.work, c.left())
				c.served += some
				p.work -= some
			}
		}
		taken = append(taken, portion{p.from, whole - p.work})
	}
	return taken
}

// reopen has a completed campaign served from now on. What it and the later
// ones got so far is not touched any more; what the earlier ones got still is
// theirs to leave.
func (o *oracle) reopen(u *oracleUser, c *oracleCampaign) {
	i := slices.Index(u.campaigns, c)
	for _, later := range u.campaigns[i:] {
		later.settled, later.arrived = later.served, o.now
	}
	c.settled, c.completed = c.work, -1
	u.portions = o.serve(u.campaigns[:i], u.portions)
}

// count changes what a job counts for.
func (o *oracle) count(j *oracleJob, as Job, d Duration) {
	before := float64(j.Procs) * float64(j.Count()) * float64(j.length)
	j.Procs, j.Tasks, j.Estimate, j.length = as.Procs, as.Tasks, as.Estimate, d
	change := float64(j.Procs)*float64(j.Count())*float64(d) - before
	u := o.users[j.User]
	if change > 0 && j.c.completed >= 0 {
		o.reopen(u, j.c)
	}
	j.c.work += change
	o.handOut(u)
}

func (o *oracle) step(e Event) {
	o.advance(float64(e.At))
	j := o.jobs[e.Job.ID]
	wait := func() { j.due = e.At + Time(max(0, j.length-(Duration(e.At-j.Start)-j.rested))) }
	switch e.Kind {
	case Capacity:
		o.procs = e.Procs
	case Reshare:
		o.shares = e.Shares
	case Submit:
		u := o.users[e.Job.User]
		if u == nil {
			u = &oracleUser{}
			o.users[e.Job.User] = u
		}
		n := len(u.campaigns)
		if n == 0 || Duration(e.At-u.campaigns[n-1].latest) >= o.threshold {
			n++
			u.campaigns = append(u.campaigns, &oracleCampaign{
				user: e.Job.User, number: n, first: e.At, arrived: float64(e.At), began: -1, completed: -1,
			})
		}
		c := u.campaigns[n-1]
		c.latest = e.At
		c.open++
		j = &oracleJob{Job: e.Job, c: c}
		o.jobs[e.Job.ID] = j
		o.count(j, e.Job, e.Job.Estimate)
	case Change:
		length := j.length
		if e.Job.Estimate != j.Estimate {
			length = e.Job.Estimate
			if j.running {
				at := e.At
				if j.paused != 0 {
					at = j.paused
				}
				length = max(length, Duration(at-j.Start)-j.rested)
			}
		}
		o.count(j, e.Job, length)
		wait()
	case Start:
		j.running, j.Start, j.rested = true, e.At, 0
		o.count(j, e.Job, e.Job.Estimate)
		wait()
	case Suspend:
		j.paused = e.At
	case Resume:
		j.rested += Duration(e.At - j.paused)
		j.paused = 0
		wait()
	case Requeue:
		j.running, j.paused, j.rested, j.Start = false, 0, 0, 0
		o.count(j, j.Job, j.Estimate)
	case End:
		ran := Duration(0)
		if e.Job.Start != 0 {
			ran = Duration(e.Job.End-e.Job.Start) - e.Job.Suspended
		}
		o.count(j, j.Job, ran)
		j.c.open--
		delete(o.jobs, e.Job.ID)
	case Hold, Release: // not drawn for it
	}
}

// list is what Campaigns and Active should say.
func (o *oracle) list() (list []Campaign, active int) {
	fractions := o.fractions()
	for _, id := range slices.Sorted(maps.Keys(o.users)) {
		u := o.users[id]
		rate, until := float64(o.procs)*fractions[id], o.now
		if u.head() != nil {
			active++
		}
		for _, c := range u.campaigns {
			v := Campaign{
				User: id, Number: c.number, First: c.first, Latest: c.latest,
				Work: Work(c.work), Served: Work(min(c.work, c.served)),
				Started: c.began >= 0, VirtualStart: c.began, Completed: c.completed >= 0, VirtualEnd: c.completed,
			}
			if !v.Started {
				v.VirtualStart = until // equation 5.2
			}
			if !v.Completed {
				if c.left() > 0 {
					until += c.left() / rate // equation 5.1
				}
				v.VirtualEnd = until
			}
			if v.Completed && c.open == 0 {
				continue
			}
			list = append(list, v)
		}
	}
	return list, active
}

func near(a, b float64) bool {
	return a == b || math.Abs(a-b) <= 1e-6*max(1, math.Abs(a), math.Abs(b))
}

// compareWithOracle tells the first difference.
func compareWithOracle(s *Schedule, o *oracle) string {
	want, active := o.list()
	got := s.Campaigns()
	// What is completed at this very moment may be so for the one and not yet
	// for the other.
	instant := func(c Campaign) bool {
		return near(c.VirtualEnd, o.now) || near(float64(c.Served), float64(c.Work))
	}
	key := func(c Campaign) [2]int { return [2]int{int(c.User), c.Number} }
	merged := map[[2]int]*[2]*Campaign{}
	for i, list := range [][]Campaign{got, want} {
		for _, c := range list {
			if merged[key(c)] == nil {
				merged[key(c)] = &[2]*Campaign{}
			}
			merged[key(c)][i] = &c
		}
	}
	for k, pair := range merged {
		g, w := pair[0], pair[1]
		switch {
		case (g == nil || w == nil) && instant(*cmp.Or(g, w)):
			return ""
		case g == nil || w == nil:
			return fmt.Sprintf("campaign %v: got %+v, want %+v", k, g, w)
		case g.Completed != w.Completed && instant(*g) && instant(*w):
			return ""
		}
	}
	for k, pair := range merged {
		g, w := pair[0], pair[1]
		if g.First != w.First || g.Latest != w.Latest || g.Work != w.Work || !near(float64(g.Served), float64(w.Served)) ||
			g.Completed != w.Completed || g.Started != w.Started ||
			!near(g.VirtualStart, w.VirtualStart) || !near(g.VirtualEnd, w.VirtualEnd) {
			return fmt.Sprintf("campaign %v: got\n%+v, want\n%+v", k, *g, *w)
		}
	}
	if s.Active() != active {
		return fmt.Sprintf("k~ = %d, want %d", s.Active(), active)
	}
	return orderDiffers(s, merged)
}

// orderDiffers checks the order against the oracle's times: started campaigns
// first, then by C~.
func orderDiffers(s *Schedule, of map[[2]int]*[2]*Campaign) string {
	var last *Campaign
	for _, p := range s.Order() {
		c := of[[2]int{int(p.User), p.Campaign}][1]
		if p.Gated == c.Started && s.options.Gate != Off {
			return fmt.Sprintf("job %d gated %t, campaign %+v", p.Job, p.Gated, c)
		}
		if last != nil {
			wrong := last.VirtualEnd > c.VirtualEnd && !near(last.VirtualEnd, c.VirtualEnd)
			if s.options.Gate != Off && last.Started != c.Started {
				wrong = c.Started
			}
			if wrong {
				return fmt.Sprintf("job %d of\n%+v comes after\n%+v", p.Job, c, last)
			}
		}
		last = c
	}
	return ""
}

// TestOracle compares the schedule with the oracle after each event.
func TestOracle(t *testing.T) {
	for _, tt := range []struct {
		name string
		d    drawn
	}{
		{"calm", drawn{users: 4, steps: 40, calm: true}},
		{"flat", drawn{users: 4, steps: 60}},
		{"weighted", drawn{users: 4, steps: 60, weighted: true}},
		{"tree", drawn{users: 5, steps: 60, tree: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				options := drawPaper(t)
				options.Late, options.Predictor = Grow, lengths.ByLimit
				options.Rule = campaign.Rule{By: campaign.Arrival, Threshold: options.Rule.Threshold}
				s := mustNew(t, options)
				o := &oracle{
					threshold: options.Rule.Threshold, machine: options.Machine, procs: options.Procs,
					shares: &Shares{}, users: map[UserID]*oracleUser{}, jobs: map[JobID]*oracleJob{},
				}
				for i, e := range drawEvents(t, tt.d) {
					mustStep(t, s, e)
					o.step(e)
					if differs := compareWithOracle(s, o); differs != "" {
						t.Fatalf("event %d, %v of job %d at %d: %s\n%s", i, e.Kind, e.Job.ID, e.At, differs, s.Describe())
					}
				}
			})
		})
	}
}
