package ostrich

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/campaign"
)

// TestLateGoFirst: a campaign that is completed virtually goes first no later than
// the grace promises,
//
//	t + 2·(C~ - t) + Grace
//
// and what goes first does so by C~. Without a grace that is at C~.
func TestLateGoFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		o.Gate, o.Late = Off, Grow // one stage a campaign
		s := mustNew(t, o)
		completed := make(map[JobID]float64)
		s.OnCompletion(func(lead JobID, at float64) { completed[lead] = at })
		check := func() {
			behind := false // a campaign that need not go first yet
			latest := math.Inf(-1)
			for _, c := range byRank(s) {
				at, late := completed[c.Lead]
				late = late && c.Completed
				switch first := late && float64(s.now) > at+max(at-float64(c.First), float64(o.Grace)); {
				case first && behind:
					t.Fatalf("t = %d: campaign %d of %d, completed at %v, is not first\n%s", s.now, c.Number, c.User, at, s.Describe())
				case first && at < latest:
					t.Fatalf("t = %d: campaign %d of %d, completed at %v, comes after one of %v", s.now, c.Number, c.User, at, latest)
				case first:
					latest = at
				case o.Grace > 0 || !late:
					behind = true
				}
			}
		}
		for _, e := range drawEvents(t, drawn{users: 4, steps: 60, weighted: true}) {
			for s.now < e.At {
				mustAdvance(t, s, min(e.At, s.now+7))
				check()
			}
			mustStep(t, s, e)
		}
	})
}

// byRank lists the campaigns with pending jobs in the order of the ranking.
func byRank(s *Schedule) []Campaign {
	all := s.Campaigns()
	var list []Campaign
	for _, r := range s.Ranking() {
		i := slices.IndexFunc(all, func(c Campaign) bool { return c.User == r.User && c.Number == r.Campaign })
		list = append(list, all[i])
	}
	return list
}

// TestBoundByFront: when nothing is submitted any more, lengths are true and no
// job passes another, each campaign ends by the bound that it had at any time.
func TestBoundByFront(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := Options{
			Procs: rapid.IntRange(1, 6).Draw(t, "m"), Machine: Machine(rapid.IntRange(0, 1).Draw(t, "machine")),
			Gate: Off, Inside: SPT, Rule: campaign.Rule{By: campaign.Groups}, Settle: true,
			Grace: Duration(rapid.IntRange(1, 60).Draw(t, "grace")), Memory: Duration(rapid.SampledFrom([]int{0, 50}).Draw(t, "memory")),
		}
		r := newMachine(t, o)
		r.inLine = true
		id := JobID(0)
		for range rapid.IntRange(1, 6).Draw(t, "campaigns") {
			lead, user := id+1, UserID(rapid.IntRange(1, 3).Draw(t, "user"))
			for range rapid.IntRange(1, 4).Draw(t, "jobs") {
				id++
				r.submit(Job{
					ID: id, Group: lead, User: user, Procs: rapid.IntRange(1, o.Procs).Draw(t, "procs"),
					Estimate: Duration(rapid.IntRange(1, 40).Draw(t, "length")),
				})
			}
		}
		bounds := make(map[JobID]float64)
		r.until(2000, func(Time) {
			for _, c := range r.s.Campaigns() {
				if bound, ok := bounds[c.Lead]; !ok || c.Bound < bound {
					bounds[c.Lead] = c.Bound
				}
			}
		})
		for _, j := range r.ended {
			if bound := bounds[j.Group]; float64(epoch+j.End) > bound+rounding {
				t.Fatalf("job %d of campaign %d ends at %d, after the bound of %v", j.ID, j.Group, epoch+j.End, bound)
			}
		}
		if len(r.ended) != int(id) {
			t.Fatalf("%d of %d jobs have ended", len(r.ended), id)
		}
	})
}

// TestLongWaitGoesFirst: inside a campaign, a job that could have started for three
// times the grace goes before shorter ones that came later. What cannot start does
// not age, and the version tells of a change that comes with time alone.
func TestLongWaitGoesFirst(t *testing.T) {
	s := mustNew(t, Options{Procs: 1, Machine: Parallel, Gate: Off, Inside: SPT, Rule: campaign.Rule{By: campaign.Max}, Grace: 100})
	job := func(id JobID, submit Time, limit Duration) Job {
		return Job{ID: id, User: 1, Submit: submit, Procs: 1, Estimate: limit}
	}
	running := job(1, 0, 5000)
	running.Start = 0
	held := job(3, 11, 900)
	for _, e := range []Event{
		{At: 0, Kind: Submit, Job: running},
		{At: 0, Kind: Start, Job: running},
		{At: 10, Kind: Submit, Job: job(2, 10, 1000)},
		{At: 11, Kind: Submit, Job: held},
		{At: 12, Kind: Hold, Job: held},
		{At: 20, Kind: Submit, Job: job(4, 20, 10)},
	} {
		mustStep(t, s, e)
	}
	for _, tt := range []struct {
		at    Time
		order []JobID
	}{
		{309, []JobID{4, 3, 2}},
		{310, []JobID{2, 4, 3}},
		{319, []JobID{2, 4, 3}}, // 3 is held
		{699, []JobID{2, 4, 3}}, // it was released at 400
		{700, []JobID{2, 4, 3}},
	} {
		if tt.at == 699 {
			mustStep(t, s, Event{At: 400, Kind: Release, Job: held})
		}
		before := s.Version()
		old := slices.Collect(s.Pending())
		mustAdvance(t, s, tt.at)
		got := slices.Collect(s.Clone().Pending())
		if version := s.Version(); !slices.Equal(old, got) && version == before {
			t.Errorf("t = %d: another order, but the version is still %d", tt.at, version)
		}
		if !slices.Equal(got, tt.order) || !slices.Equal(slices.Collect(s.Pending()), tt.order) {
			t.Errorf("t = %d: %v, want %v", tt.at, got, tt.order)
		}
	}
	// One that comes after the release is shorter, and has to wait for both.
	mustStep(t, s, Event{At: 701, Kind: Submit, Job: job(5, 701, 1)})
	if got := slices.Collect(s.Pending()); !slices.Equal(got, []JobID{2, 4, 3, 5}) {
		t.Errorf("t = 701: %v", got)
	}
}
