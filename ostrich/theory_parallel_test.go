package ostrich_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/sim"
)

// drawParallel replays random closed loops of parallel jobs under parallel
// OStrich (thesis 6.2): the virtual schedule resized at each event, largest job
// first. widest is α·m.
func drawParallel(t *rapid.T, gates []ostrich.Gate, backfills []sim.Backfill) (w *witness, m, widest int) {
	m = rapid.IntRange(2, 8).Draw(t, "m")
	widest = rapid.IntRange(1, m-1).Draw(t, "widest")
	l := sim.Machine{Procs: m, Inside: ostrich.LJF, Backfill: rapid.SampledFrom(backfills).Draw(t, "backfill")}
	o := ostrich.Options{Machine: ostrich.Parallel, Gate: rapid.SampledFrom(gates).Draw(t, "gate")}
	return replay(t, l, o, drawWorkload(t, widest)), m, widest
}

var (
	anyGate     = []ostrich.Gate{ostrich.Demote, ostrich.Strict, ostrich.Off}
	openGate    = []ostrich.Gate{ostrich.Demote, ostrich.Off}
	anyBackfill = []sim.Backfill{sim.None, sim.EASY, sim.Greedy}
)

// TestLemma61 (thesis 6.5.1): while a job is ready and waits, at most α·m
// processors are idle. Fewer, in fact: the job, or the first one of the queue
// where none may jump, does not fit.
//
// Chapter 6 has no start gate. What a strict one holds back is not ready.
func TestLemma61(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, m, widest := drawParallel(t, openGate, anyBackfill)
		for _, now := range w.jobs {
			busy, waits := 0, false
			for _, j := range w.jobs {
				if j.Start <= now.End && now.End < j.End {
					busy += j.Procs
				}
				waits = waits || j.Submit <= now.End && now.End < j.Start
			}
			if idle := m - busy; waits && idle >= widest {
				t.Fatalf("at %d %d processors are idle, α·m = %d", now.End, idle, widest)
			}
		}
	})
}

// TestLemma62 (thesis 6.5.1): in any interval V is as idle as R, and uses the
// same area. So it is from the beginning up to any event.
func TestLemma62(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if w, _, _ := drawParallel(t, anyGate, anyBackfill); w.apart > 1e-6 {
			t.Fatalf("V and R are %v processor-seconds apart", w.apart)
		}
	})
}

// TestLemma62Lengths: lengths must be known in advance, which chapter 6 takes
// for granted. While the job of user 1 runs, V gives half of what it uses to
// that of user 2, which then ends after a second, and what V gave it for the
// rest of its estimate is lost. V owes user 1 as much for a job that has ended,
// and stands still, as nothing runs: a strict gate would hold the user's next
// campaign back for ever.
func TestLemma62Lengths(t *testing.T) {
	s, err := ostrich.New(ostrich.Options{Procs: 1, Machine: ostrich.Parallel, Rule: campaign.Rule{By: campaign.Arrival, Threshold: 1}})
	if err != nil {
		t.Fatal(err)
	}
	one := ostrich.Job{ID: 1, User: 1, Procs: 1, Estimate: 10, Submit: 1, Start: 1, End: 11}
	two := ostrich.Job{ID: 2, User: 2, Procs: 1, Estimate: 10, Submit: 1, Start: 11, End: 12}
	for _, e := range []ostrich.Event{
		{At: 1, Kind: ostrich.Submit, Job: one},
		{At: 1, Kind: ostrich.Submit, Job: two},
		{At: 1, Kind: ostrich.Start, Job: one},
		{At: 11, Kind: ostrich.End, Job: one},
		{At: 11, Kind: ostrich.Start, Job: two},
		{At: 12, Kind: ostrich.End, Job: two},
	} {
		if err := s.Step(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.AdvanceTo(1_000_000); err != nil {
		t.Fatal(err)
	}
	// V served each 5.5, of which 4.5 of user 2 are lost.
	if u := s.Users(); float64(u[0].Owed) != 4.5 || u[1].Owed != 0 || !math.IsInf(s.NextCompletion(), 1) {
		t.Errorf("%+v", u)
	}
}

// lateness63 is by how much R may end a campaign after V, where no job starts
// before an earlier one of the order. After the last moment when a job that
// comes later in the order started, R has the jobs in front of the campaign to
// run that V has, and besides what then runs: an area of m·p_max. While a job
// of the campaign waits this is done by (1-α)·m processors at least, so that
// the last one starts within p_max/(1-α).
func lateness63(w *witness, m, widest int, c *seen) float64 {
	return longest(w.seen)*float64(m)/float64(m-widest) + float64(c.Longest)
}

// TestLemma63 (thesis 6.5.1, equation 6.2) in a version that holds. Published is
//
//	C ≤ t_i + k·(W_{i-1} + W_i)/(m·(1-α)) + p_max
//
// for a greedy queue from which any job that fits may start. TestLemma63Broken
// has what breaks it. True is, where no job starts before an earlier one of the
// order and no gate leaves processors idle,
//
//	C ≤ t_i + k·(B_i + W_i)/(m·(1-α)) + p_max/(1-α) + p_max^u
//
// with B_i what V still owes the user at t_i: of the campaign before, but also
// of earlier ones if that was not held back until its virtual start.
func TestLemma63(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, m, widest := drawParallel(t, openGate, []sim.Backfill{sim.None})
		for i := range w.seen {
			c := &w.seen[i]
			limit := c.t() + float64(c.k)*(c.owed+c.work())/float64(m-widest) + lateness63(w, m, widest, c)
			if c.end() > limit+2 {
				t.Fatalf("bound %v on\n%+v", limit, *c)
			}
		}
	})
}

// TestLemma63Gate is the same with any gate, from the virtual start on. Before
// it a strict gate may hold the campaign back while hardly a processor is busy,
// and lemma 6.1 says nothing of how fast V is.
func TestLemma63Gate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, m, widest := drawParallel(t, anyGate, []sim.Backfill{sim.None})
		for i := range w.seen {
			c := &w.seen[i]
			late := lateness63(w, m, widest, c)
			if limit := c.completed + late; c.end() > limit+2 {
				t.Fatalf("end by %v in\n%+v", limit, *c)
			}
			if limit := c.start + float64(c.k)*c.work()/float64(m-widest) + late; c.start > 0 && c.end() > limit+2 {
				t.Fatalf("bound %v on\n%+v", limit, *c)
			}
		}
	})
}

// TestLemma63Broken keeps instances on which equation 6.2 does not hold under the
// greedy schedule of 6.2, as published with one p_max or with as many as lemma
// 5.2 has, three.
func TestLemma63Broken(t *testing.T) {
	// Jobs of one processor that end one by one, and never two at once.
	narrow := append([]sim.Job{task(1, 5), task(1, 4)}, tasks(60, 1, 3)...)
	for _, tt := range []struct {
		name      string
		m, widest int
		campaigns []sim.Campaign
		at        int // the campaign that ends too late
		times     float64
	}{
		{
			// The proof says that a campaign cannot end later than p_max after
			// its virtual completion. But that is when its last job starts. Of
			// five equal jobs on four processors the last ends at 2·p, where
			// 2/3·p + p are allowed.
			name: "the last job starts late", m: 4, widest: 1,
			campaigns: []sim.Campaign{
				sim.NewCampaign(1, 1, 0, tasks(4, 1, 10)...),
				sim.NewCampaign(2, 2, 0, tasks(1, 1, 10)...),
			},
			at: 1, times: 1,
		},
		{
			// Narrow jobs pass a wide one as long as there are any, and end one
			// by one: there is no bound at all.
			name: "narrow jobs pass", m: 3, widest: 2,
			campaigns: []sim.Campaign{
				sim.NewCampaign(1, 1, 0, narrow...),
				sim.NewCampaign(2, 2, 0, tasks(1, 2, 1)...),
			},
			at: 1, times: 3,
		},
		{
			name: "V owes more than the campaign before", m: 2, widest: 1,
			campaigns: early(),
			at:        3, times: 3,
		},
	} {
		w := replayLJF(t, tt.m, sim.Greedy, tt.campaigns)
		c := &w.seen[tt.at]
		if limit := published63(w, tt.m, tt.widest, c, tt.times); c.end() <= limit {
			t.Errorf("%s: ends at %v, the bound is %v\n%+v", tt.name, c.end(), limit, *c)
		}
	}
}

// TestLemma63Repair: the obvious repair, that no job passes another and three
// p_max as in lemma 5.2, fails too. While user 1 fills the machine, V serves four
// campaigns of users 2 to 5. R has all of them to do when user 6 comes, and they
// run one by one, as no job of 9 processors fits beside one of 2: 3.6 p_max up to
// the last start. Where a job of 2 processors may pass one of 9, those of 90 s run
// side by side, and equation 6.2 holds as it is published.
func TestLemma63Repair(t *testing.T) {
	const m, widest = 10, 9
	inTurn := func(u ostrich.UserID) sim.Campaign {
		return sim.NewCampaign(u, 2, 0, task(9, 1), task(2, 90))
	}
	campaigns := []sim.Campaign{
		sim.NewCampaign(1, 1, 0, task(9, 100), task(1, 100)),
		inTurn(2), inTurn(3), inTurn(4), inTurn(5),
		sim.NewCampaign(6, 101, 0, tasks(1, 9, 1)...),
	}
	for _, tt := range []struct {
		backfill   sim.Backfill
		times      float64
		end, limit float64
	}{
		{sim.None, 3, 466, 419},
		{sim.EASY, 1, 196, 219},
		{sim.Greedy, 1, 196, 219},
	} {
		w := replayLJF(t, m, tt.backfill, campaigns)
		c := &w.seen[5]
		if limit := published63(w, m, widest, c, tt.times); c.end() != tt.end || limit != tt.limit {
			t.Errorf("%s: ends at %v, the bound is %v; want %v, %v\n%+v", sim.BackfillNames[tt.backfill], c.end(), limit, tt.end, tt.limit, *c)
		}
	}
}

// replayLJF runs campaigns under parallel OStrich, with the gate demote.
func replayLJF(t *testing.T, m int, b sim.Backfill, campaigns []sim.Campaign) *witness {
	t.Helper()
	return replay(t, sim.Machine{Procs: m, Backfill: b, Inside: ostrich.LJF}, ostrich.Options{Machine: ostrich.Parallel}, campaigns)
}

// published63 is the right side of equation 6.2 with so many p_max.
func published63(w *witness, m, widest int, c *seen, times float64) float64 {
	return c.t() + c.demand()/float64(m-widest) + times*longest(w.seen)
}

// TestTheorem61 (thesis 6.5.1): the stretch of a campaign is at most
//
//	k/(1-α)·(W_{i-1}/W_i + 1) + m·p_max
//
// which follows from equation 6.2 and is checked in the version of TestLemma63,
//
//	k/(1-α)·(B_i/W_i + 1) + p_max/((1-α)·p_max^u) + 1
//
// The text divides by max(W_i/m, p_max), where 3.3 defines the stretch with the
// longest job of the campaign, p_max^u; so does this.
func TestTheorem61(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, m, widest := drawParallel(t, openGate, []sim.Backfill{sim.None})
		for i := range w.seen {
			c := &w.seen[i]
			limit := float64(c.k)*(c.owed/c.work()+1)*float64(m)/float64(m-widest) +
				(lateness63(w, m, widest, c)+2)/float64(c.Longest)
			if d := c.Stretch(m); d > limit {
				t.Fatalf("stretch %v, bound %v on\n%+v", d, limit, *c)
			}
		}
	})
}

// TestTheorem61Broken: for a greedy queue, as published, the theorem does not
// hold. With k = 2, α = 2/3, W_{i-1} = 0 and p_max = 5 the stretch grows with
// the number of jobs that another user has submitted, where 2/(1-α) + m·p_max
// = 21 is allowed.
func TestTheorem61Broken(t *testing.T) {
	for _, n := range []int{30, 60, 600} {
		w := replayLJF(t, 3, sim.Greedy, []sim.Campaign{
			sim.NewCampaign(1, 1, 0, append([]sim.Job{task(1, 5), task(1, 4)}, tasks(n, 1, 3)...)...),
			sim.NewCampaign(2, 2, 0, tasks(1, 2, 1)...),
		})
		c := &w.seen[1]
		if d := c.Stretch(3); c.k != 2 || d < float64(n) || d <= 21 {
			t.Errorf("%d narrow jobs: stretch %v, k = %d", n, d, c.k)
		}
	}
}
