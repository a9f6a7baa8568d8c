package horizon

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/optimal"
	"slurm-ostrich/ostrich/satisfaction"
)

// drawQueue draws a queue whose campaigns stand one after the other or mixed.
func drawQueue(t *rapid.T) *queue {
	q := &queue{Instance: optimal.Instance{Procs: rapid.IntRange(1, 5).Draw(t, "m")}}
	for left := q.Procs; left > 0 && rapid.Bool().Draw(t, "another runs"); {
		r := optimal.Running{Procs: rapid.IntRange(1, left).Draw(t, "q"), Left: ostrich.Duration(rapid.IntRange(1, 9).Draw(t, "left"))}
		left -= r.Procs
		q.Running = append(q.Running, r)
	}
	for range rapid.IntRange(1, 4).Draw(t, "campaigns") {
		q.promises = append(q.promises, rapid.SampledFrom([]float64{-5, 8, 15, 25, 40, math.Inf(1)}).Draw(t, "bound"))
	}
	for i := range rapid.IntRange(2, 9).Draw(t, "n") {
		q.Jobs = append(q.Jobs, optimal.Job{
			ID: ostrich.JobID(i + 1), Procs: rapid.IntRange(1, q.Procs).Draw(t, "q"), Length: ostrich.Duration(rapid.IntRange(1, 9).Draw(t, "p")),
			Due: ostrich.Duration(rapid.IntRange(-3, 20).Draw(t, "d")), Campaign: rapid.IntRange(0, len(q.promises)-1).Draw(t, "campaign"),
		})
	}
	return q
}

// wants is a solver that wants an order, whatever it is worth.
type wants []int

func (w wants) Solve(*optimal.Instance, optimal.Objective, optimal.Budget) (optimal.Result, error) {
	return optimal.Result{Order: w}, nil
}

// TestOrder: the order is one of the same jobs and is worth more than theirs or is
// theirs, no campaign ends beyond its bound, and none stands behind another that it
// precedes by more than the horizon, whatever the solver wants.
func TestOrder(t *testing.T) {
	changed, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		q := drawQueue(t)
		o := Options{
			Ahead: ostrich.Duration(rapid.IntRange(0, 30).Draw(t, "ahead")), Nodes: rapid.Int64Range(1, 500).Draw(t, "nodes"),
			Objective: rapid.SampledFrom([]optimal.Objective{optimal.SumU, optimal.SumT}).Draw(t, "objective"),
		}
		same := make([]int, len(q.Jobs))
		for i := range same {
			same[i] = i
		}
		if rapid.Bool().Draw(t, "any order") {
			o.Solver = wants(rapid.Permutation(same).Draw(t, "wanted"))
		}
		order, err := o.order(q)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(slices.Sorted(slices.Values(order)), same) {
			t.Fatalf("%v is no order of %d jobs", order, len(same))
		}
		before, plain := q.ends(same, o.Objective)
		after, value := q.ends(order, o.Objective)
		if value > plain || value == plain && !slices.Equal(order, same) {
			t.Fatalf("%v is worth %v, the plain order %v", order, value, plain)
		}
		for c := range after {
			if after[c] > q.promises[c] && after[c] > before[c] {
				t.Fatalf("campaign %d ends at %v, beyond its bound %v; in the plain order at %v", c, after[c], q.promises[c], before[c])
			}
		}
		work := make([]int, len(q.Jobs)+1) // in front of each
		for i, j := range q.Jobs {
			work[i+1] = work[i] + j.Procs*int(j.Length)
		}
		first := func(order []int, c int) int {
			return slices.IndexFunc(order, func(i int) bool { return q.Jobs[i].Campaign == c })
		}
		for a := range q.promises {
			for b := range q.promises {
				at, behind := first(same, a), first(same, b)
				if at < 0 || behind < 0 || work[behind]-work[at] <= int(o.Ahead)*q.Procs {
					continue
				}
				if first(order, a) > first(order, b) {
					t.Fatalf("campaign %d preceded %d by %d processor-seconds, and stands behind it in %v", a, b, work[behind]-work[at], order)
				}
			}
		}
		switch {
		case !slices.Equal(order, same):
			changed++
		default:
			refused++
		}
	})
	if changed == 0 || refused == 0 {
		t.Errorf("%d orders were changed, %d were not", changed, refused)
	}
}

// TestOrderByHand: a short job passes a long one if that is allowed.
func TestOrderByHand(t *testing.T) {
	q := &queue{
		Instance: optimal.Instance{Procs: 2, Jobs: []optimal.Job{
			{ID: 1, Procs: 2, Length: 100, Due: 500, Campaign: 0},
			{ID: 2, Procs: 2, Length: 10, Due: 5, Campaign: 1},
		}},
		promises: []float64{110, 1000},
	}
	for _, c := range []struct {
		name    string
		ahead   ostrich.Duration
		promise float64
		want    []int
	}{
		{"it preceded by 100 s", 100, 110, []int{1, 0}},
		{"by more than it may", 99, 110, []int{0, 1}},
		{"it would end after its bound", 100, 109, []int{0, 1}},
		{"which it misses anyhow", 100, 50, []int{0, 1}},
	} {
		q.promises[0] = c.promise
		o := Options{Ahead: c.ahead, Nodes: 100, Objective: optimal.SumT}
		if got, err := o.order(q); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v, want %v", c.name, got, err, c.want)
		}
	}
}

// TestOrderHalfway: where the whole plan would break a bound, what comes behind that
// campaign is still reordered.
func TestOrderHalfway(t *testing.T) {
	q := &queue{
		Instance: optimal.Instance{Procs: 1, Jobs: []optimal.Job{
			{ID: 1, Procs: 1, Length: 10, Due: 100, Campaign: 0},
			{ID: 2, Procs: 1, Length: 10, Due: 100, Campaign: 1},
			{ID: 3, Procs: 1, Length: 1, Due: 0, Campaign: 2},
		}},
		promises: []float64{10, 100, 100},
	}
	o := Options{Ahead: 100, Nodes: 100, Objective: optimal.SumT, Solver: wants{2, 1, 0}}
	if got, err := o.order(q); err != nil || !slices.Equal(got, []int{0, 2, 1}) {
		t.Errorf("%v, %v, want 0, 2, 1", got, err)
	}
}

// TestOrderFailure: a solver that fails or prints rubbish, and a queue that the machine
// cannot run, leave the order as it is and say why.
func TestOrderFailure(t *testing.T) {
	q := &queue{Instance: optimal.Instance{Procs: 2, Jobs: []optimal.Job{{ID: 1, Procs: 2, Length: 9}, {ID: 2, Procs: 2, Length: 1}}}, promises: []float64{math.Inf(1)}}
	for _, o := range []Options{
		{Nodes: 1, Ahead: 100, Solver: wants{0, 0}}, {Nodes: 1, Ahead: 100, Solver: wants{1}}, {Nodes: 1, Ahead: 100, Solver: wants{1, 2}},
	} {
		if got, err := o.order(q); err == nil || !slices.Equal(got, []int{0, 1}) {
			t.Errorf("%v: %v, %v", o.Solver, got, err)
		}
	}
	q.Jobs[1].Procs = 3
	if got, err := (&Options{Nodes: 1, Ahead: 100}).order(q); !errors.Is(err, optimal.ErrInstance) || !slices.Equal(got, []int{0, 1}) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestDepth(t *testing.T) {
	for nodes, want := range map[int64]int{0: 0, 1: 8, 400: 8, 2000: 40, 1e9: 100} {
		if got := (&Options{Nodes: nodes}).Depth(); got != want {
			t.Errorf("%d schedules: depth %d, want %d", nodes, got, want)
		}
	}
}

func TestTogether(t *testing.T) {
	for _, c := range []struct {
		w      ostrich.Prospect
		procs  int
		length ostrich.Duration
	}{
		{ostrich.Prospect{Procs: 3, Tasks: 1, Length: 7}, 3, 7},
		{ostrich.Prospect{Procs: 3, Tasks: 3, Length: 7}, 9, 7},
		{ostrich.Prospect{Procs: 3, Tasks: 4, Length: 7}, 9, 14},
		{ostrich.Prospect{Procs: 6, Tasks: 1 << 20, Length: 1e5}, 6, 1 << 30},
	} {
		if procs, length := together(c.w, 10); procs != c.procs || length != c.length {
			t.Errorf("%+v: %d processors for %d s", c.w, procs, length)
		}
	}
}

// drawSchedule draws a schedule with jobs that wait and run.
func drawSchedule(t *rapid.T) *ostrich.Schedule {
	m := rapid.IntRange(2, 6).Draw(t, "m")
	s, err := ostrich.New(ostrich.Options{
		Procs: m, Machine: ostrich.Parallel, Gate: ostrich.Off, Inside: ostrich.SPT, Settle: true,
		Grace: ostrich.Duration(rapid.SampledFrom([]int{0, 30}).Draw(t, "grace")), Rule: ostrich.Rule{By: ostrich.Max},
	})
	if err != nil {
		t.Fatal(err)
	}
	step := func(e ostrich.Event) {
		if err = s.Step(e); err != nil {
			t.Fatal(err)
		}
	}
	now, free := ostrich.Time(1), m
	for id := range ostrich.JobID(rapid.IntRange(2, 14).Draw(t, "jobs")) {
		now += ostrich.Time(rapid.IntRange(0, 8).Draw(t, "gap"))
		j := ostrich.Job{
			ID: id + 1, User: ostrich.UserID(rapid.IntRange(1, 3).Draw(t, "user")), Procs: rapid.IntRange(1, m).Draw(t, "procs"),
			Estimate: ostrich.Duration(rapid.IntRange(1, 40).Draw(t, "estimate")), Tasks: rapid.SampledFrom([]int{0, 0, 5}).Draw(t, "tasks"), Submit: now,
		}
		if j.Tasks > 0 {
			j.Group = j.ID
		}
		step(ostrich.Event{At: now, Kind: ostrich.Submit, Job: j})
		switch {
		case j.Tasks == 0 && j.Procs <= free && rapid.Bool().Draw(t, "starts"):
			free -= j.Procs
			j.Start = now
			step(ostrich.Event{At: now, Kind: ostrich.Start, Job: j})
		case rapid.IntRange(0, 4).Draw(t, "held") == 0:
			step(ostrich.Event{At: now, Kind: ostrich.Hold, Job: j})
		}
	}
	if err = s.AdvanceTo(now + ostrich.Time(rapid.IntRange(0, 60).Draw(t, "later"))); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestReorder: the order of a schedule stays one of the same places, the same each
// time. Jobs that cannot start stay where they are. Without a budget, and where nobody
// may pass, it is the plain order.
func TestReorder(t *testing.T) {
	changed := 0
	rapid.Check(t, func(t *rapid.T) {
		s := drawSchedule(t)
		o := Options{
			Ahead: ostrich.Duration(rapid.IntRange(1, 100).Draw(t, "ahead")), Nodes: 50, Objective: optimal.SumT,
			Accept: satisfaction.Acceptance{Slope: 1.2, Offset: 0.1},
		}
		plain := s.Order()
		order, err := o.Reorder(s)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := o.Reorder(s)
		if diff := cmp.Diff(order, again); diff != "" {
			t.Fatal("a second time it is another order\n", diff)
		}
		ids := func(places []ostrich.Place) (list []ostrich.JobID) {
			for _, p := range places {
				list = append(list, p.Job)
			}
			return list
		}
		if !slices.Equal(slices.Sorted(slices.Values(ids(order))), slices.Sorted(slices.Values(ids(plain)))) {
			t.Fatalf("%v is no order of %v", ids(order), ids(plain))
		}
		for i, p := range plain {
			if w, _ := s.Prospect(p.Job); w.Held && order[i].Job != p.Job {
				t.Fatalf("job %d cannot start, and leaves place %d", p.Job, i)
			}
		}
		if _, places := o.queue(s, plain); len(places) > 1 {
			for _, i := range places {
				if order[i].Distance != 0 {
					t.Fatalf("the planned place %d is %v away", i, order[i].Distance)
				}
			}
		}
		if !slices.Equal(ids(order), ids(plain)) {
			changed++
		}
		for _, none := range []Options{{Nodes: 0, Ahead: o.Ahead, Accept: o.Accept}, {Nodes: 200, Ahead: 0, Accept: o.Accept}} {
			same, err := none.Reorder(s)
			if diff := cmp.Diff(plain, same); diff != "" || err != nil {
				t.Fatalf("%+v: %v\n%s", none, err, diff)
			}
		}
	})
	if changed == 0 {
		t.Error("no order was changed")
	}
}

// TestReorderFailure: the order of a schedule stays when planning fails.
func TestReorderFailure(t *testing.T) {
	s := scheduleOf(t, 2, 10, 1, 1, 1)
	got, err := Options{Nodes: 100, Ahead: 100, Solver: wants{0, 0, 0}}.Reorder(s)
	if err == nil || cmp.Diff(s.Order(), got) != "" {
		t.Errorf("%v, %v", got, err)
	}
}

// TestQueue: of each job that is planned, the queue has when it is due, and what its
// campaign was promised, both from now on; of many jobs, it has the first ones.
func TestQueue(t *testing.T) {
	s := scheduleOf(t, 4, 10, 1, 1, 1, 1, 1, 1, 1, 1, 1)
	j := ostrich.Job{ID: 10, User: 8, Procs: 1, Estimate: 20, Submit: 1}
	if err := s.Step(ostrich.Event{At: 1, Kind: ostrich.Submit, Job: j}); err != nil {
		t.Fatal(err)
	}
	if err := s.AdvanceTo(4); err != nil {
		t.Fatal(err)
	}
	plain := s.Order()
	bounds := make(map[ostrich.UserID]float64) // each has one campaign
	for _, c := range s.Campaigns() {
		bounds[c.User] = c.Bound - 4
	}
	for nodes, want := range map[int64]int{100: 8, 500: 10} {
		o := Options{Nodes: nodes, Ahead: 100, Accept: satisfaction.Acceptance{Slope: 2}}
		q, places := o.queue(s, plain)
		if len(q.Jobs) != want || len(places) != want {
			t.Errorf("%d jobs at %v, want %d", len(q.Jobs), places, want)
		}
		numbers := make(map[ostrich.UserID]int)
		for i, j := range q.Jobs {
			p := plain[places[i]]
			if _, known := numbers[p.User]; !known {
				numbers[p.User] = len(numbers)
			}
			length, _ := s.Expected(p.Job)
			if j.ID != p.Job || j.Length != length || j.Due != 1+length-4 || j.Campaign != numbers[p.User] || q.promises[j.Campaign] != bounds[p.User] {
				t.Errorf("%+v, promised %v; want job %d of campaign %d, promised %v", j, q.promises[j.Campaign], p.Job, numbers[p.User], bounds[p.User])
			}
		}
	}
}

// TestOddQueue: a job that is wider than the machine, one that never ends, and jobs that
// run on nodes that the machine has lost do not keep the others from being planned.
func TestOddQueue(t *testing.T) {
	s := scheduleOf(t, 4, 1e12, 2, 2, 5, 1, 1)
	for id := range ostrich.JobID(2) {
		j := ostrich.Job{ID: id + 1, User: ostrich.UserID(id), Procs: 2, Estimate: 1e12, Submit: 1, Start: 1}
		if err := s.Step(ostrich.Event{At: 1, Kind: ostrich.Start, Job: j}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Step(ostrich.Event{At: 2, Kind: ostrich.Capacity, Procs: 3}); err != nil {
		t.Fatal(err)
	}
	plain := s.Order()
	o := Options{Nodes: 100, Ahead: 1 << 40}
	q, places := o.queue(s, plain)
	if len(places) != 2 || len(q.Running) != 2 || q.Running[1].Procs != 1 {
		t.Errorf("planned: %v, %+v", places, q)
	}
	if err := q.Check(); err != nil {
		t.Error(err)
	}
	if got, err := o.Reorder(s); len(got) != len(plain) || err != nil {
		t.Errorf("%v, %v", got, err)
	}
}

// scheduleOf is a schedule of a machine with pending jobs of one length, which need so
// many processors.
func scheduleOf(t *testing.T, m int, length ostrich.Duration, procs ...int) *ostrich.Schedule {
	t.Helper()
	s, err := ostrich.New(ostrich.Options{Procs: m, Gate: ostrich.Off})
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range procs {
		j := ostrich.Job{ID: ostrich.JobID(i + 1), User: ostrich.UserID(i), Procs: n, Estimate: length, Submit: 1}
		if err = s.Step(ostrich.Event{At: 1, Kind: ostrich.Submit, Job: j}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}
