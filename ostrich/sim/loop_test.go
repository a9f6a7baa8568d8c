package sim_test

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
)

// tasks are sequential jobs of the given lengths, the first with the given id.
func tasks(first ostrich.JobID, lengths ...ostrich.Duration) []sim.Job {
	list := make([]sim.Job, len(lengths))
	for i, p := range lengths {
		list[i] = sim.Job{ID: first + ostrich.JobID(i), Procs: 1, Run: p, Estimate: p}
	}
	return list
}

func mustRun(t rapid.TB, l sim.Machine, campaigns []sim.Campaign) []report.Job {
	t.Helper()
	jobs, err := l.Run(campaigns)
	if err != nil {
		t.Fatal(err)
	}
	return jobs
}

// mustCampaigns finds campaigns by the rule MAX.
func mustCampaigns(t rapid.TB, log []sim.Job) []sim.Campaign {
	t.Helper()
	campaigns, err := sim.Campaigns(log, campaign.Rule{})
	if err != nil {
		t.Fatal(err)
	}
	sim.Depend(campaigns)
	return campaigns
}

func starts(jobs []report.Job) []ostrich.Time {
	list := make([]ostrich.Time, len(jobs))
	for i := range jobs {
		list[i] = jobs[i].Start
	}
	return list
}

var strict = sim.OStrich(ostrich.Options{Gate: ostrich.Strict})

// TestByHand compares with schedules computed by hand.
func TestByHand(t *testing.T) {
	// A log of one user: jobs 1 and 2 overlap, 3 was submitted when 1 had
	// ended, 4 when 1 and 2 had; then, 5 s after the end, a campaign of one.
	chain := []sim.Job{
		{ID: 1, User: 1, Submit: 0, Run: 2, Estimate: 2, Procs: 1, Start: 0},
		{ID: 2, User: 1, Submit: 0, Run: 9, Estimate: 9, Procs: 1, Start: 1},
		{ID: 3, User: 1, Submit: 4, Run: 8, Estimate: 8, Procs: 1, Start: 4},
		{ID: 4, User: 1, Submit: 10, Run: 1, Estimate: 1, Procs: 1, Start: 12},
		{ID: 5, User: 1, Submit: 18, Run: 3, Estimate: 3, Procs: 1, Start: 19},
	}
	wide := func(id ostrich.JobID, procs int, p ostrich.Duration) sim.Job {
		return sim.Job{ID: id, Procs: procs, Run: p, Estimate: p}
	}
	for _, tt := range []struct {
		name      string
		loop      sim.Machine
		campaigns []sim.Campaign
		want      []ostrich.Time
	}{
		{
			// W = 6 and 4 on 2 processors: user 2 is done virtually at 4 in
			// each round, user 1 at 5.
			"two users",
			sim.Machine{Procs: 2, Policy: strict},
			[]sim.Campaign{
				sim.NewCampaign(1, 0, 0, tasks(1, 3, 3)...),
				sim.NewCampaign(2, 0, 0, tasks(3, 2, 2)...),
				sim.NewCampaign(2, 100, 1, tasks(5, 4)...), // closed: at 2+1
			},
			[]ostrich.Time{2, 2, 0, 0, 5},
		},
		{
			// The campaign of user 1 is done at 1, virtually at 4: W = 8 on half
			// of 4 processors. The next one, submitted at 1, waits for that on
			// idle processors.
			"strict gate",
			sim.Machine{Procs: 4, Policy: strict},
			[]sim.Campaign{
				sim.NewCampaign(1, 5, 0, tasks(1, 2, 2, 2, 2)...),
				sim.NewCampaign(2, 5, 0, tasks(5, 20)...),
				sim.NewCampaign(1, 50, 0, tasks(6, 1)...),
			},
			// By 7 user 1 was served 4 of 8; user 2 is active until 15.
			[]ostrich.Time{5, 5, 5, 5, 7, 9},
		},
		{
			"no gate",
			sim.Machine{Procs: 4, Policy: sim.OStrich(ostrich.Options{Gate: ostrich.Off})},
			[]sim.Campaign{
				sim.NewCampaign(1, 5, 0, tasks(1, 2, 2, 2, 2)...),
				sim.NewCampaign(2, 5, 0, tasks(5, 20)...),
				sim.NewCampaign(1, 50, 0, tasks(6, 1)...),
			},
			[]ostrich.Time{5, 5, 5, 5, 7, 7},
		},
		{
			// On one processor: 1, with immediate successors 3 and 4; then 2,
			// with 4; then 3, which is longer than 4; and 5 after 5 s of thought.
			"dependencies",
			sim.Machine{Procs: 1, Dependencies: true, Policy: strict},
			mustCampaigns(t, chain),
			[]ostrich.Time{0, 2, 11, 19, 25},
		},
		{
			"dependencies and offsets",
			sim.Machine{Procs: 2, Dependencies: true, Offsets: true, Policy: strict},
			mustCampaigns(t, chain),
			// Job 4 is submitted at 10 and needs 1 and 2 only, which have ended.
			[]ostrich.Time{0, 0, 4, 10, 17},
		},
		{
			// On one processor the offset of job 4 has come when 1 and 2 have ended.
			"dependencies outlast offsets",
			sim.Machine{Procs: 1, Dependencies: true, Offsets: true, Policy: strict},
			mustCampaigns(t, chain),
			[]ostrich.Time{0, 2, 11, 19, 25},
		},
		{
			"all at once",
			sim.Machine{Procs: 2, Policy: strict},
			mustCampaigns(t, chain),
			[]ostrich.Time{8, 0, 0, 9, 15},
		},
		{
			"open",
			sim.Machine{Procs: 2, Policy: strict, Open: true, Offsets: true},
			mustCampaigns(t, chain),
			[]ostrich.Time{0, 0, 4, 10, 18},
		},
		{
			// At 4 the small campaign of user 2 is the first of the ranking, but
			// job 3 still runs. Job 1 fits beside that and jumps.
			"greedy",
			sim.Machine{Procs: 4, Backfill: sim.Greedy, Inside: ostrich.LJF, Policy: sim.OStrich(ostrich.Options{
				Gate: ostrich.Off, Machine: ostrich.Parallel,
			})},
			[]sim.Campaign{
				sim.NewCampaign(1, 0, 0, wide(1, 1, 5), wide(2, 3, 4), wide(3, 1, 9)),
				sim.NewCampaign(2, 1, 0, wide(4, 4, 1)),
			},
			[]ostrich.Time{4, 0, 0, 9},
		},
		{
			// The gate of the third campaign opens at 5: 2 of its predecessor's 6
			// were served by 1, the rest at half the speed. From then on it
			// goes before the wide job, which has been waiting for both processors.
			"gate behind a blocked job",
			sim.Machine{Procs: 2, Open: true, Policy: strict},
			[]sim.Campaign{
				sim.NewCampaign(1, 0, 0, tasks(1, 6)...),
				sim.NewCampaign(2, 1, 0, wide(2, 2, 5)),
				sim.NewCampaign(1, 2, 0, tasks(3, 1)...),
			},
			[]ostrich.Time{0, 6, 5},
		},
		{
			// Nobody jumps: job 1 waits behind job 4.
			"in order",
			sim.Machine{Procs: 4, Policy: sim.FCFSCampaigns, Inside: ostrich.LJF},
			[]sim.Campaign{
				sim.NewCampaign(1, 0, 0, wide(1, 1, 5), wide(2, 3, 4), wide(3, 1, 9)),
				sim.NewCampaign(2, 1, 0, wide(4, 4, 1)),
				sim.NewCampaign(3, 1, 0, wide(5, 1, 1)),
			},
			[]ostrich.Time{4, 0, 0, 9, 10},
		},
		{
			"first come, first served",
			sim.Machine{Procs: 1},
			[]sim.Campaign{
				sim.NewCampaign(1, -7, 0, tasks(1, 1, 5)...),
				sim.NewCampaign(2, -7, 0, tasks(3, 2)...),
				sim.NewCampaign(1, -6, 0, tasks(4, 1)...),
			},
			[]ostrich.Time{-7, -6, -1, 1},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := gocmp.Diff(tt.want, starts(mustRun(t, tt.loop, tt.campaigns))); diff != "" {
				t.Error("starts -want +got\n", diff)
			}
		})
	}
}

// TestFigure51 replays thesis 5.2, Figure 5.1, from submissions to starts. The
// loads follow from the text, the lengths are chosen so that each sentence of
// it can be true: they are in the lost figure.
func TestFigure51(t *testing.T) {
	campaigns := []sim.Campaign{
		sim.NewCampaign(1, 0, 0, tasks(100, slices.Repeat([]ostrich.Duration{3}, 16)...)...),
		sim.NewCampaign(2, 0, 0, tasks(200, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1)...),
		sim.NewCampaign(3, 2, 0, tasks(300, 2, 2, 2, 2, 1, 1)...),
		sim.NewCampaign(3, 5, 0, tasks(310, 2, 2, 2, 2)...),
		sim.NewCampaign(2, 8, 0, tasks(210, 2, 2, 2, 2, 2)...),
		sim.NewCampaign(2, 14, 0, tasks(220, 2, 2, 2)...),
		sim.NewCampaign(3, 14, 0, tasks(320, 2, 2, 2)...),
	}
	jobs := mustRun(t, sim.Machine{Procs: 6, Policy: strict, Open: true}, campaigns)
	ran := report.Campaigns(jobs)
	for _, j := range jobs {
		switch {
		case j.Start < 2 && j.User != 2:
			t.Errorf("before t = 2 only user 2 runs, not %+v", j)
		case j.Start == 2 && j.User != 3:
			t.Errorf("at t = 2 user 3 has the priority, not %+v", j)
		case j.Start >= 5 && j.Start < 7 && j.User != 1:
			t.Errorf("from t = 5 to s~ = 7 only jobs of user 1 start, not %+v", j)
		}
	}
	if ran[1].End != 5 || ran[2].End > 5 {
		t.Errorf("the first campaigns of users 2 and 3 end at %d and %d, want 5, and 5 at the latest", ran[1].End, ran[2].End)
	}
	for _, j := range jobs {
		if j.Campaign == 3 && j.Start < 7 {
			t.Errorf("the second campaign of user 3 starts at %d, before its virtual start 7", j.Start)
		}
		if j.Campaign >= 5 && j.End > 18 {
			t.Errorf("a third campaign ends at %d, want it done by 18", j.End)
		}
		if j.User == 1 && j.Start == 14 {
			t.Errorf("at t = 14 a job of user 1 starts: %+v", j)
		}
	}
}

// TestSameSecond: campaigns that one user submits in the same second stay
// apart, and none holds another back for ever. Each waits for its virtual start.
func TestSameSecond(t *testing.T) {
	campaigns := []sim.Campaign{
		sim.NewCampaign(1, 5, 0, tasks(1, 10)...),
		sim.NewCampaign(1, 5, 0, tasks(2, 4, 4)...),
		sim.NewCampaign(1, 5, 0, tasks(4, 2)...),
	}
	for _, tt := range []struct {
		gate ostrich.Gate
		want []ostrich.Time
	}{
		{ostrich.Strict, []ostrich.Time{5, 10, 14, 15}}, // virtually 10 s on 2 processors take 5 s, and twice 4 s take 4
		{ostrich.Off, []ostrich.Time{5, 5, 9, 13}},
	} {
		l := sim.Machine{Procs: 2, Policy: sim.OStrich(ostrich.Options{Gate: tt.gate}), Open: true}
		if diff := gocmp.Diff(tt.want, starts(mustRun(t, l, campaigns))); diff != "" {
			t.Errorf("gate %v: starts -want +got\n%s", tt.gate, diff)
		}
	}
}

// TestLoopFaults: what cannot be replayed is refused with a reason.
func TestLoopFaults(t *testing.T) {
	one := func(change func(*sim.Campaign)) []sim.Campaign {
		list := []sim.Campaign{sim.NewCampaign(1, 0, 0, tasks(7, 3, 3)...)}
		change(&list[0])
		return list
	}
	depends := func(needs []int32, successors ...int32) func(*sim.Campaign) {
		return func(c *sim.Campaign) { c.Depends = &sim.Dependencies{Needs: needs, Successors: successors} }
	}
	for _, tt := range []struct {
		name      string
		loop      sim.Machine
		campaigns []sim.Campaign
		want      string
	}{
		{"processors", sim.Machine{}, nil, "a machine of 0 processors"},
		{"depth", sim.Machine{Procs: 1, Depth: -1}, nil, "reservations for -1 jobs"},
		{"backfilling", sim.Machine{Procs: 1, Backfill: 9}, nil, "backfilling number 9 is not known"},
		{"order", sim.Machine{Procs: 1}, []sim.Campaign{sim.NewCampaign(1, 2, 0, tasks(1, 1)...), sim.NewCampaign(2, 0, 0, tasks(2, 1)...)}, "campaign 2 of user 2: submitted before"},
		{"empty", sim.Machine{Procs: 1}, []sim.Campaign{{User: 3}}, "campaign 1 of user 3: without a job"},
		{"think time", sim.Machine{Procs: 1}, one(func(c *sim.Campaign) { c.Think = -1 }), "think time of -1 s"},
		{"early", sim.Machine{Procs: 1}, one(func(c *sim.Campaign) { c.Submit = math.MinInt64 }), "campaign 1 of user 1: submitted at -9223372036854775808"},
		{"late", sim.Machine{Procs: 1}, one(func(c *sim.Campaign) { c.Submit = 1 << 62 }), "campaign 1 of user 1: submitted at 4611686018427387904"},
		{"long think time", sim.Machine{Procs: 1}, one(func(c *sim.Campaign) { c.Think = math.MaxInt64 }), "campaign 1 of user 1: think time of 9223372036854775807 s"},
		{"long offset", sim.Machine{Procs: 1}, one(func(c *sim.Campaign) { c.Jobs[1].Submit = math.MaxInt64 }), "job 8: submitted 9223372036854775807 s after its campaign"},
		{"long think times", sim.Machine{Procs: 1}, []sim.Campaign{
			sim.NewCampaign(1, 0, 9e17, tasks(1, 1)...),
			sim.NewCampaign(2, 0, 9e17, tasks(2, 1)...),
			sim.NewCampaign(1, 0, 9e17, tasks(3, 1)...),
			sim.NewCampaign(1, 0, 9e17, tasks(4, 1)...),
		}, "campaign 4 of user 1: its user's think times, offsets and run times add up to 2700000000000000003 s"},
		{"too wide", sim.Machine{Procs: 1}, one(func(c *sim.Campaign) { c.Jobs[1].Procs = 2 }), "job 8: needs 2 of 1 processors"},
		{"no length", sim.Machine{Procs: 1}, one(func(c *sim.Campaign) { c.Jobs[1].Run = 0 }), "job 8: runs for 0 s"},
		{"offsets", sim.Machine{Procs: 1}, one(func(c *sim.Campaign) { c.Jobs[0].Submit = 1 }), "job 8: submitted 0 s after"},
		{"successors", sim.Machine{Procs: 1, Dependencies: true}, one(depends([]int32{0, 0}, 0, 3)), "job 8: has 3 successors"},
		{"circle", sim.Machine{Procs: 1, Dependencies: true}, one(depends([]int32{1, 0}, 0, 0)), "job 7: needs 1 jobs"},
		{"too many", sim.Machine{Procs: 1, Dependencies: true}, one(depends([]int32{0, 3}, 0, 0)), "job 8: needs 3 jobs"},
	} {
		_, err := tt.loop.Run(tt.campaigns)
		if !errors.Is(err, sim.ErrWorkload) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	if _, err := (sim.Machine{Procs: 1, Policy: sim.OStrich(ostrich.Options{Gate: 77})}).Run(nil); err == nil {
		t.Error("an unknown gate is taken")
	}
	// User 2 ends a second early, after the virtual schedule gave that second
	// away. What it still owes user 1 is never served, since nothing runs.
	list := []sim.Campaign{
		sim.NewCampaign(1, 0, 0, tasks(1, 1, 1)...),
		sim.NewCampaign(2, 0, 0, sim.Job{ID: 3, Procs: 1, Run: 1, Estimate: 2}),
		sim.NewCampaign(1, 1, 0, tasks(4, 1)...),
	}
	shut := sim.OStrich(ostrich.Options{Gate: ostrich.Strict, Machine: ostrich.Parallel})
	if _, err := (sim.Machine{Procs: 1, Policy: shut}).Run(list); !errors.Is(err, sim.ErrWorkload) {
		t.Errorf("a gate that never opens: %v", err)
	}
	if jobs, err := (sim.Machine{Procs: 1}).Run(nil); err != nil || len(jobs) != 0 {
		t.Errorf("nothing: %v, %v", jobs, err)
	}
}

// TestFCFSAgrees: job by job, an open loop with logged offsets is the
// replay of a log, with each kind of backfilling.
func TestFCFSAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log := drawLog(t, 4, true)
		for _, b := range []sim.Backfill{sim.None, sim.EASY, sim.Greedy} {
			want, err := sim.Machine{Procs: 4, Backfill: b}.Replay(log)
			if err != nil {
				t.Fatal(err)
			}
			campaigns := mustCampaigns(t, log)
			place := make(map[ostrich.JobID]int)
			for i := range log {
				place[log[i].ID] = i
			}
			got := make([]ostrich.Time, len(log))
			ran := mustRun(t, sim.Machine{Procs: 4, Backfill: b, Open: true, Offsets: true}, campaigns)
			i := 0
			for _, c := range campaigns {
				for _, task := range c.Jobs {
					got[place[task.ID]] = ran[i].Start
					i++
				}
			}
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Fatalf("%s: starts -want +got\n%s", sim.BackfillNames[b], diff)
			}
		}
	})
}

// drawLog draws a log of three users on m processors. With distinct, no two
// jobs were submitted at one moment.
func drawLog(t *rapid.T, m int, distinct bool) []sim.Job {
	n := rapid.IntRange(1, 14).Draw(t, "jobs")
	at := ostrich.Time(rapid.IntRange(-2, 3).Draw(t, "first"))
	var log []sim.Job
	for i := range n {
		gap := rapid.IntRange(0, 5).Draw(t, "gap")
		if distinct {
			gap++
		}
		at += ostrich.Time(gap)
		run := ostrich.Duration(rapid.IntRange(1, 9).Draw(t, "run"))
		log = append(log, sim.Job{
			ID: ostrich.JobID(i + 1), User: ostrich.UserID(rapid.IntRange(1, 3).Draw(t, "user")), Submit: at,
			Procs: rapid.IntRange(1, m).Draw(t, "procs"), Run: run,
			Estimate: run + ostrich.Duration(rapid.IntRange(0, 3).Draw(t, "over")),
			Start:    at + ostrich.Time(rapid.IntRange(0, 6).Draw(t, "wait")),
		})
	}
	slices.SortStableFunc(log, func(a, b sim.Job) int { return cmp.Compare(a.Submit, b.Submit) })
	return log
}
