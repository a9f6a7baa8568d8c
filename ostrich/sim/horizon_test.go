package sim_test

import (
	"cmp"
	"errors"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/optimal"
	"slurm-ostrich/ostrich/satisfaction"
	"slurm-ostrich/ostrich/sim"
)

// optimise plans with so many nodes. Seconds stand for the hours of real jobs.
func optimise(nodes int64, o optimal.Objective) sim.Planner {
	return optimal.Planner{
		Solver: optimal.Own{}, Objective: o, Accept: satisfaction.Acceptance{Slope: 1.5, Offset: 0.05},
		Budget: func() optimal.Budget { return optimal.Budget{Nodes: nodes} },
	}.Plan
}

// anyOrder plans the jobs one after the other in an order that the due dates have
// nothing to do with: longest first.
func anyOrder(now ostrich.Time, m int, jobs []sim.Job, running sim.Running) ([]ostrich.Time, error) {
	in := optimal.Instance{Procs: m}
	for _, e := range running {
		in.Running = append(in.Running, optimal.Running{Procs: int(e.Procs), Left: max(1, ostrich.Duration(e.End-now))})
	}
	order := make([]int, len(jobs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(jobs[b].Estimate, jobs[a].Estimate) })
	for _, i := range order {
		in.Jobs = append(in.Jobs, optimal.Job{ID: jobs[i].ID, Procs: jobs[i].Procs, Length: jobs[i].Estimate})
	}
	starts := make([]ostrich.Time, len(jobs))
	for k, s := range optimal.EASY(&in) {
		starts[order[k]] = now + ostrich.Time(s)
	}
	return starts, nil
}

// TestHorizonByHand is figure 1 of Schlagkamp et al. on two processors, planned
// shortest job first.
func TestHorizonByHand(t *testing.T) {
	shortest := func(now ostrich.Time, _ int, jobs []sim.Job, running sim.Running) ([]ostrich.Time, error) {
		order := slices.Clone(jobs)
		slices.SortStableFunc(order, func(a, b sim.Job) int { return cmp.Compare(a.Estimate, b.Estimate) })
		starts := make([]ostrich.Time, len(jobs))
		at := now
		for _, e := range running {
			at = max(at, e.End)
		}
		for _, j := range order { // all are as wide as the machine but the last two
			starts[slices.IndexFunc(jobs, func(o sim.Job) bool { return o.ID == j.ID })] = at
			at += ostrich.Time(j.Estimate)
		}
		return starts, nil
	}
	jobs := []sim.Job{
		{ID: 1, Submit: 0, Run: 10, Procs: 1},   // Q_0: at once
		{ID: 2, Submit: 1, Run: 20, Procs: 2},   // Q_1
		{ID: 3, Submit: 2, Run: 5, Procs: 2},    // Q_1
		{ID: 4, Submit: 3, Run: 4, Procs: 1},    // ends within horizon 0: backfilled
		{ID: 5, Submit: 4, Run: 7, Procs: 1},    // would end after it: Q_1
		{ID: 6, Submit: 11, Run: 100, Procs: 1}, // Q_2
	}
	for i := range jobs {
		jobs[i].Estimate = jobs[i].Run
	}
	for _, c := range []struct {
		length ostrich.Duration
		want   []ostrich.Time
		begin  []ostrich.Time
	}{
		// S_1 is 3, 5, 2 and lasts from 10 to 42.
		{0, []ostrich.Time{0, 22, 10, 3, 15, 42}, []ostrich.Time{0, 10, 42}},
		// The horizon ends at 12 by the clock; the oldest of Q_1 has EASY's reservation
		// then, and so goes first.
		{12, []ostrich.Time{0, 12, 32, 3, 37, 37}, []ostrich.Time{0, 12, 24, 36}},
	} {
		var begin []ostrich.Time // a replay moves all to second 1
		h := sim.Horizon{Length: c.length, Plan: shortest, Began: func(at, _ ostrich.Time, _ []ostrich.JobID) { begin = append(begin, at-1) }}
		got := mustReplay(t, sim.Machine{Procs: 2, Policy: h.Policy}, jobs)
		if diff := gocmp.Diff(c.want, got); diff != "" {
			t.Errorf("length %d: starts -want +got\n%s", c.length, diff)
		}
		if diff := gocmp.Diff(c.begin, begin); diff != "" {
			t.Errorf("length %d: horizons -want +got\n%s", c.length, diff)
		}
	}
}

// TestHorizonWithoutBudget: a horizon on which nothing may be spent, or whose solver
// fails, is EASY.
func TestHorizonWithoutBudget(t *testing.T) {
	broken := errors.New("broken")
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 6).Draw(t, "m")
		jobs := drawJobs(t, m, 1, 5)
		failures := 0
		h := sim.Horizon{
			Length: ostrich.Duration(rapid.IntRange(0, 20).Draw(t, "length")), Plan: optimise(0, optimal.SumU),
			Failed: func(err error) {
				if failures++; !errors.Is(err, broken) {
					t.Fatal(err)
				}
			},
		}
		fails := rapid.Bool().Draw(t, "fails")
		if fails {
			h.Plan = func(ostrich.Time, int, []sim.Job, sim.Running) ([]ostrich.Time, error) { return nil, broken }
		}
		want := mustReplay(t, sim.Machine{Procs: m, Backfill: sim.EASY}, jobs)
		if diff := gocmp.Diff(want, mustReplay(t, sim.Machine{Procs: m, Policy: h.Policy}, jobs)); diff != "" {
			t.Fatalf("starts -EASY +horizon\n%s", diff)
		}
		if fails != (failures == 1) {
			t.Fatalf("%d failures were told", failures)
		}
	})
}

// TestHorizonProperties: every job starts, in a horizon for which it was planned and
// no later than planned, or beside one within which it is expected to end. With a
// constant length the oldest job of a queue starts no later than under EASY's
// reservation.
func TestHorizonProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 6).Draw(t, "m")
		beyond := rapid.SampledFrom([]int{0, 0, 5}).Draw(t, "outlive")
		jobs := drawJobs(t, m, 1, beyond)
		for i := range jobs {
			jobs[i].Submit += 10 // a replay moves what is before second 1
		}
		h := sim.Horizon{Length: ostrich.Duration(rapid.SampledFrom([]int{0, 0, 1, 5, 20, 100}).Draw(t, "length"))}
		h.Most = rapid.SampledFrom([]int{0, 0, 1, 3}).Draw(t, "most")
		plan := sim.Planner(anyOrder)
		if rapid.Bool().Draw(t, "optimise") {
			plan = optimise(30, rapid.SampledFrom([]optimal.Objective{optimal.SumU, optimal.SumT, optimal.Cmax}).Draw(t, "objective"))
		}
		type horizon struct {
			at, until ostrich.Time
			planned   map[ostrich.JobID]ostrich.Time
			ends      ostrich.Time // what is planned, as planned
			oldest    ostrich.JobID
			latest    ostrich.Time // start of the oldest
		}
		var horizons []horizon
		var now horizon
		h.Plan = func(at ostrich.Time, m int, list []sim.Job, running sim.Running) ([]ostrich.Time, error) {
			starts, err := plan(at, m, list, running)
			now = horizon{planned: make(map[ostrich.JobID]ostrich.Time), oldest: list[0].ID}
			for i, j := range list {
				now.planned[j.ID], now.ends = starts[i], max(now.ends, starts[i]+ostrich.Time(j.Estimate))
			}
			free := m
			for _, e := range running {
				free -= int(e.Procs)
			}
			room := running.Reserve(at, free, list[0].Procs)
			now.latest = room.Shadow
			return starts, err
		}
		h.Began = func(at, until ostrich.Time, list []ostrich.JobID) {
			if h.Most > 0 && len(list) > h.Most || len(list) != len(now.planned) {
				t.Fatalf("%d jobs are planned", len(list))
			}
			now.at, now.until = at, until
			horizons = append(horizons, now)
		}
		starts := mustReplay(t, sim.Machine{Procs: m, Policy: h.Policy}, jobs) // ErrWorkload where one starves
		for i, start := range starts {
			j, number := &jobs[i], ostrich.JobID(i+1)
			k := len(horizons) - 1
			for horizons[k].at > start {
				k--
			}
			of := &horizons[k]
			if beyond > 0 {
				continue // what is planned by lengths that do not hold may come later
			}
			if h.Length > 0 && start > of.until {
				t.Fatalf("job %d starts at %d, and the horizon of %d ends at %d", j.ID, start, of.at, of.until)
			}
			at, planned := of.planned[number]
			switch end := start + ostrich.Time(j.Estimate); {
			case planned && number == of.oldest && h.Length > 0:
				if start > max(of.latest, of.at) {
					t.Fatalf("job %d, the oldest, starts at %d, under EASY at %d", j.ID, start, of.latest)
				}
			case planned && start > at && of.planned[of.oldest] <= max(of.latest, of.at):
				t.Fatalf("job %d starts at %d, planned for %d", j.ID, start, at)
			case !planned && h.Length > 0 && end > of.until:
				t.Fatalf("job %d runs from %d to %d beside a horizon that ends at %d", j.ID, start, end, of.until)
			case !planned && h.Length == 0 && end > of.ends:
				t.Fatalf("job %d runs from %d to %d beside a plan that ends at %d", j.ID, start, end, of.ends)
			}
		}
		if diff := gocmp.Diff(starts, mustReplay(t, sim.Machine{Procs: m, Policy: h.Policy}, jobs)); diff != "" {
			t.Fatal("a second time it is another schedule\n", diff)
		}
	})
}
