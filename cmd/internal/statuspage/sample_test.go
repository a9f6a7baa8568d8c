package statuspage

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/live"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/priority"
)

// idle is a cluster of which only the queue is known.
type idle struct{}

func (idle) Config() configuration.Config {
	c := configuration.Default()
	c.Cluster = "testbed"
	return c
}
func (idle) Live() []*ledger.Record { return nil }

func (idle) Nodes() ([]ledger.Needs, []ledger.Outage) { return nil, nil }
func (idle) UserName(ostrich.UserID) string           { return "" }
func (idle) Past() *sidecar.Past                      { return nil }

// planned is a described cycle that found only a plan.
func planned(plan sidecar.Plan) *view.Cycle {
	return view.Describe(idle{}, &sidecar.Cycle{Time: sampleNow, Plan: plan}, nil)
}

// sampleNow is a Wednesday in the afternoon.
const sampleNow = ostrich.Time(1_792_592_640)

// sample is a made-up snapshot with some users and pending jobs, the same each
// time. Some names are as hostile as a name can be.
func sample(users, pending int) *Snapshot {
	s := madeUp(`<b>"d&ve'</b>`, users, pending)
	s.cycle.Plan.Entries[1].Why = priority.Why{Code: priority.Excluded, About: `held by <script>alert("admin")</script>`}
	s.Writes[2].Result, s.Writes[2].Words = "refused", "Access/permission denied"
	s.Checks = append(s.Checks, Check{
		Name: "writes", OK: false, Words: "1 of the latest 6 writes was refused: Access/permission denied",
		Fix: "sacctmgr -i modify user ostrich set adminlevel=operator",
	})
	return s
}

// madeUp names the fourth user.
func madeUp(fourth string, users, pending int) *Snapshot {
	r := rand.New(rand.NewPCG(uint64(users), uint64(pending)))
	procs := max(32, 8*users)
	s := &Snapshot{
		Health: Health{
			Cluster: "testbed", Version: "0.5.0", Slurm: "22.05.8", Mode: "enforce", Channel: "sitefactor", PriorityMode: "strict",
			Interval: 10, Now: sampleNow, Started: sampleNow - 86400, Time: sampleNow - 4, LastSuccess: sampleNow - 4, Took: 0.04,
			Ready: true, Pending: pending, Managed: pending - 1, Planned: 3, KendallTau: -0.21,
		},
	}
	names := []string{"alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi"}
	for i := range users {
		name := fmt.Sprintf("user%03d", i)
		if i < len(names) {
			name = names[i]
		}
		s.Users = append(s.Users, name)
	}
	if users > 3 {
		s.Users[3] = fourth
	}
	slices.Sort(s.Users)
	busy, lead := 0, ostrich.JobID(1000)
	leads := make([][]ostrich.JobID, users)
	for i, user := range s.Users {
		account := []string{"physics", "chemistry"}[i%2]
		lane := Lane{User: user}
		at := float64(sampleNow - ostrich.Time(r.IntN(7200)))
		queued, owed := 0.0, 0.0
		for n := range 1 + r.IntN(4) {
			start, work := at, 2+40*r.Float64()
			progress := 0.0
			if n == 0 {
				progress = r.Float64()
			}
			left := work * (1 - progress)
			end := max(start, float64(sampleNow)) + left*3600*float64(users)/float64(procs)
			bound := end + 3*3600
			at = end
			block := Block{Campaign: lead, User: user, Account: account, Start: &start, End: &end, Work: work, Progress: progress, Share: new(1 / float64(users)), Pending: 1 + r.IntN(40), Running: r.IntN(5)}
			lane.Blocks = append(lane.Blocks, block)
			c := &view.Campaign{
				User: user, Account: account, Partition: "main", Campaign: lead, Submitted: sampleNow - 7200, Latest: sampleNow - 3600,
				Work: work, VirtualStart: &start, VirtualEnd: &end, Started: n == 0, Progress: progress, Stretch: 1 + 4*r.Float64(), Bound: &bound,
				Jobs:  view.Jobs{Done: 3, Pending: block.Pending, Running: block.Running},
				Share: block.Share,
			}
			if n == 2 {
				c.Bound = nil
			}
			s.Campaigns = append(s.Campaigns, c)
			leads[i] = append(leads[i], lead)
			queued += work
			owed += left
			lead += ostrich.JobID(10 + r.IntN(100))
		}
		held := min(procs-busy, r.IntN(2*procs/users+1))
		busy += held
		s.Lanes = append(s.Lanes, lane)
		s.Running = append(s.Running, Running{User: user, Procs: float64(held), Jobs: (held + 3) / 4})
		s.Shares = append(s.Shares, &view.User{
			User: user, Active: true, Share: 1 / float64(users), Entitled: float64(procs) / float64(users), Held: float64(held), Queued: queued, Owed: owed,
			HeldShare: float64(held) / float64(procs),
		})
	}
	slices.SortStableFunc(s.Lanes, func(a, b Lane) int { return int(*a.Blocks[0].End - *b.Blocks[0].End) })
	slices.SortStableFunc(s.Campaigns, func(a, b *view.Campaign) int { return int(*a.VirtualEnd - *b.VirtualEnd) })
	s.Pools = []Pool{{Procs: float64(procs), Busy: float64(busy), Active: users, Campaigns: len(s.Campaigns), Pending: pending}}
	slurm := r.Perm(pending)
	var plan sidecar.Plan
	for k := range pending {
		i := r.IntN(users)
		job := lead + ostrich.JobID(k)
		e := priority.Entry{
			Queued: &priority.Queued{
				Job: job, Full: fmt.Sprint(job), Count: 1, User: s.Users[i], Account: "physics", Partition: "main", QOS: "normal",
				Priority: uint32(1_000_000 - slurm[k]), State: "PENDING", Reason: "Priority", Submit: sampleNow - 3600,
			},
			Rank: k + 1, SlurmRank: slurm[k] + 1, From: 100, To: 100 + int64(k%3), Write: k%3 > 0, Why: priority.Why{Code: priority.InOrder},
		}
		campaign := leads[i][r.IntN(len(leads[i]))]
		switch {
		case k == pending-1:
			e.Rank, campaign, e.Write, e.Why.Code = 0, 0, false, priority.IsHeld
		case k%10 == 0:
			e.Full, e.Array, e.Tasks, e.Count = e.Full+"_[0-63%4]", job, "0-63%4", 64
		}
		e.Place.Lead = campaign
		plan.Entries = append(plan.Entries, &e)
	}
	s.cycle = planned(plan)
	p := func(x float64) *float64 { return &x }
	s.Trends.Step = 300
	for k := range 72 {
		point := live.Point{Time: sampleNow - ostrich.Time(72-k)*300}
		if k != 29 { // a quiet step
			wait := 300 + 2000*r.Float64()*(1+math.Sin(float64(k)/9))
			point.Wait = live.Spread{Count: 5, P50: wait, P90: 2 * wait}
			point.Stretch = live.Spread{Count: 1, P50: 1 + wait/400, P90: 1 + wait/150}
		}
		s.Trends.Points = append(s.Trends.Points, point)
	}
	s.Nights = []live.Night{{
		Period: "week", Made: sampleNow - 3600, From: sampleNow - 8*86400, To: sampleNow - 86400, Page: "week.html", Baseline: "fairshare",
		Verdict: []string{"Users gain under ostrich, compared with fairshare: the mean stretch per user falls from 4.1 to 2.6 (−1.5; 95 % interval −2.1 to −0.9)."},
		Changes: []live.Change{
			{Run: "recorded", Baseline: 4.1, Value: 4.3, Difference: 0.2},
			{Run: "ostrich", Baseline: 4.1, Value: 2.6, Difference: -1.5, Interval: &report.Interval{Low: -2.1, High: -0.9}},
		},
	}}
	for k := range 6 {
		s.Writes = append(s.Writes, Write{Time: sampleNow - ostrich.Time(30*k) - 5, Job: lead + ostrich.JobID(k), Channel: priority.SiteFactor, From: 0, To: int64(900 - k), Why: "campaign order", Result: "applied"})
	}
	s.Finished = []*live.Finished{{User: s.Users[0], Account: "physics", Campaign: 17, Submitted: sampleNow - 9000, Ended: sampleNow - 600, Flow: 8400, Stretch: 1.7, Bound: p(float64(sampleNow))}}
	s.Promise = live.Promise{Campaigns: 148, Rhos: report.Rhos{Le1: 0.743, Mean: 1.31, P95: 3.4}, Users: []live.PromiseUser{
		{User: s.Users[min(2, users-1)], Account: "physics", Campaigns: 4, Le1: 0.25, Mean: 2.75, Max: 6.1},
	}}
	s.Checks = []Check{
		{Name: "cycles", OK: true, Words: "the latest cycle succeeded 4 s ago"},
		{Name: "accounting", OK: true, Words: "no message waits for slurmdbd"},
	}
	return s
}
