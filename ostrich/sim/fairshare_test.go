package sim_test

import (
	"errors"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/policy"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/orders"
)

// units makes each load a campaign of jobs of a second on one processor. The
// loads must be sorted by arrival.
func units(loads []policy.Divisible) []sim.Campaign {
	var list []sim.Campaign
	id := ostrich.JobID(1)
	for _, l := range loads {
		list = append(list, sim.NewCampaign(l.User, l.Arrive, 0, tasks(id, slices.Repeat([]ostrich.Duration{1}, int(l.Work))...)...))
		id += ostrich.JobID(l.Work)
	}
	return list
}

// turns tells who had the machine when, where it is one user at a time.
func turns(t rapid.TB, jobs []report.Job) []policy.Turn {
	slices.SortStableFunc(jobs, func(a, b report.Job) int { return int(a.Start - b.Start) })
	var list []policy.Turn
	for _, j := range jobs {
		n := len(list)
		switch start, end := float64(j.Start), float64(j.End); {
		case n > 0 && list[n-1].User == j.User && list[n-1].End >= start:
			list[n-1].End = end
		case n > 0 && list[n-1].End > start:
			t.Fatalf("users %d and %d run at %v", list[n-1].User, j.User, start)
		default:
			list = append(list, policy.Turn{User: j.User, Start: start, End: end})
		}
	}
	return list
}

// TestFigure214 has the users of thesis figures 2.13 and 2.14 on 6 processors,
// with jobs of a second: dark (1) and medium gray (3) from time 0, light gray (2)
// from 2 on. The factors are calculated every 2 s. At 2 the thesis has light and
// medium gray drawn at random, and light gray won.
func TestFigure214(t *testing.T) {
	loads := []policy.Divisible{
		{User: 1, Work: 3*2 + 2*6 + 3*4 + 6*3},
		{User: 3, Work: 3*2 + 2*6},
		{User: 2, Arrive: 2, Work: 2*6 + 3*4},
	}
	got := turns(t, mustRun(t, sim.Machine{Procs: 6, Policy: orders.FairShare(2)}, units(loads)))
	want := []policy.Turn{
		{User: 1, Start: 0, End: 2},   // 0.5, as user 3
		{User: 3, Start: 2, End: 4},   // 1, as user 2, whose jobs came later
		{User: 2, Start: 4, End: 6},   // 1, as user 1, who has run
		{User: 1, Start: 6, End: 8},   // 1, as user 3, who ran later
		{User: 3, Start: 8, End: 9},   // 1, as user 2, who ran later; done
		{User: 2, Start: 9, End: 10},  // next in the order of t = 8
		{User: 1, Start: 10, End: 12}, // 1, and user 2 has 0.5 for half of the period
		{User: 2, Start: 12, End: 13}, // 1, and user 1 has 0.25; done
		{User: 1, Start: 13, End: 15},
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Error("-want +got\n", diff)
	}
}

// TestFairShareAgrees: jobs of a second share the machine as divisible work
// does, where that goes in whole seconds and users come when factors are
// calculated. (An arrival in between lets policy.FairShare choose anew among
// equal users.)
func TestFairShareAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 4).Draw(t, "m")
		period := ostrich.Duration(rapid.IntRange(1, 6).Draw(t, "period"))
		loads := make([]policy.Divisible, rapid.IntRange(1, 4).Draw(t, "users"))
		at := ostrich.Time(0)
		for i := range loads {
			loads[i] = policy.Divisible{
				User: ostrich.UserID(i), Arrive: at, Work: ostrich.Work(m * rapid.IntRange(1, 12).Draw(t, "seconds")),
			}
			at += ostrich.Time(period) * ostrich.Time(rapid.IntRange(0, 3).Draw(t, "gap"))
		}
		want, err := policy.FairShare(m, period, loads)
		if err != nil {
			t.Fatal(err)
		}
		got := turns(t, mustRun(t, sim.Machine{Procs: m, Policy: orders.FairShare(period)}, units(loads)))
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatal("divisible - jobs +\n", diff)
		}
	})
}

// TestFairShareJobs has rigid jobs of two users on 4 processors, and factors every
// 10 s, worked out by hand.
func TestFairShareJobs(t *testing.T) {
	job := func(id ostrich.JobID, procs int, p ostrich.Duration) []sim.Job {
		return []sim.Job{{ID: id, Procs: procs, Run: p, Estimate: p}}
	}
	campaigns := []sim.Campaign{
		sim.NewCampaign(1, 100, 0, job(1, 4, 15)...),
		sim.NewCampaign(1, 101, 0, job(2, 2, 10)...),
		sim.NewCampaign(2, 102, 0, job(3, 3, 10)...), // goes last until 110
		sim.NewCampaign(1, 112, 0, job(4, 1, 4)...),
		sim.NewCampaign(3, 113, 0, job(5, 1, 4)...), // goes last until 120
	}
	for _, tt := range []struct {
		backfill sim.Backfill
		want     []ostrich.Time
	}{
		// At 110 user 1 has had all and user 2 nothing. At 115 job 2 does not fit
		// beside job 3. At 120 user 3 has factor 1, user 2 2^(-3·15/35), and user
		// 1, who ran 20 of the 35 processor-seconds, 2^(-3·20/35).
		{sim.None, []ostrich.Time{100, 125, 115, 125, 120}},
		{sim.Greedy, []ostrich.Time{100, 125, 115, 115, 119}},
	} {
		got := starts(mustRun(t, sim.Machine{Procs: 4, Policy: orders.FairShare(10), Backfill: tt.backfill, Open: true}, campaigns))
		if diff := gocmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: starts -want +got\n%s", sim.BackfillNames[tt.backfill], diff)
		}
	}
}

// A fidget is a ranker that is woken every second, and counts how often it asked.
type fidget struct {
	sim.JobRanker
	sim.Waker
	every ostrich.Time // 0: as the ranker itself says
	now   ostrich.Time
	woken int
}

func (f *fidget) Step(e ostrich.Event) error {
	f.now = e.At
	return f.JobRanker.Step(e)
}

func (f *fidget) Wake(waiting bool) ostrich.Time {
	if f.every > 0 {
		return f.now + f.every
	}
	return f.Waker.Wake(waiting)
}

func (f *fidget) AdvanceTo(t ostrich.Time) error {
	f.now = t
	f.woken++
	return f.Waker.AdvanceTo(t)
}

// fairFidget is FairShare, woken every so often.
func fairFidget(period ostrich.Duration, every ostrich.Time) (*fidget, sim.Policy) {
	f := &fidget{every: every}
	return f, func(m int) (sim.Ranker, error) {
		r, err := orders.FairShare(period)(m)
		if err != nil {
			return nil, err
		}
		f.JobRanker, f.Waker = r.(sim.JobRanker), r.(sim.Waker) // or there is no point in going on
		return f, nil
	}
}

// TestFairShareWake: calculations that change nothing are left out.
func TestFairShareWake(t *testing.T) {
	f, policy := fairFidget(1, 0)
	mustRun(t, sim.Machine{Procs: 2, Policy: policy}, []sim.Campaign{
		sim.NewCampaign(1, 1, 0, tasks(1, 100_000)...),
		sim.NewCampaign(2, 2, 0, sim.Job{ID: 2, Procs: 2, Run: 10, Estimate: 10}),
		sim.NewCampaign(3, 3, 0, tasks(3, 10)...), // waits beside a free processor, behind job 2
	})
	if f.woken > 10 {
		t.Fatalf("woken %d times for three jobs", f.woken)
	}

	rapid.Check(t, func(t *rapid.T) {
		l := drawPolicy(t)
		campaigns := mustCampaigns(t, drawLog(t, l.Procs, false))
		period := ostrich.Duration(rapid.IntRange(1, 6).Draw(t, "period"))
		_, l.Policy = fairFidget(period, 1)
		want := mustRun(t, l, campaigns)
		l.Policy = orders.FairShare(period)
		if diff := gocmp.Diff(want, mustRun(t, l, campaigns)); diff != "" {
			t.Fatal("woken every second - when it wants +\n", diff)
		}
	})
}

func TestFairSharePeriod(t *testing.T) {
	if _, err := (sim.Machine{Procs: 1, Policy: orders.FairShare(0)}).Run(nil); !errors.Is(err, sim.ErrWorkload) {
		t.Errorf("factors every 0 s: %v", err)
	}
}
