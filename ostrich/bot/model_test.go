package bot

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/swf"
	"slurm-ostrich/ostrich/trace"
)

func system(t testing.TB, name string) System {
	for _, s := range Systems {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no system %s", name)
	return System{}
}

// bags draws a log and reads its bags, as a replay does.
func bags(t testing.TB, m Model, seed uint64) (*trace.Log, []sim.Campaign) {
	t.Helper()
	log, err := m.Generate(seed)
	if err != nil {
		t.Fatal(err)
	}
	jobs, _, err := swf.Jobs(log, int(log.Processors()), swf.Exact)
	if err != nil {
		t.Fatal(err)
	}
	campaigns, err := sim.Linked(jobs, swf.Links(log))
	if err != nil {
		t.Fatal(err)
	}
	return log, campaigns
}

// TestGenerate: each bag is a campaign, all of whose tasks come at once, and the
// same seed gives the same log.
func TestGenerate(t *testing.T) {
	for _, s := range Systems {
		m := Model{System: s, Bags: 300, Load: 0.5}
		log, campaigns := bags(t, m, 7)
		if len(campaigns) != m.Bags {
			t.Errorf("%s: %d campaigns, want %d bags", s.Name, len(campaigns), m.Bags)
		}
		n := 0
		for i, c := range campaigns {
			for _, task := range c.Jobs {
				if r := &log.Records[n]; r.App != int64(i+1) || r.Submit != int64(c.Submit) || task.Submit != c.Submit || r.Run < 1 || r.Procs() != 1 {
					t.Fatalf("%s: task %d of bag %d: %+v", s.Name, task.ID, i+1, r)
				}
				n++
			}
			if len(c.Jobs) < 2 {
				t.Errorf("%s: bag %d has %d tasks", s.Name, i+1, len(c.Jobs))
			}
		}
		var first, again, other bytes.Buffer
		for out, seed := range map[*bytes.Buffer]uint64{&first: 7, &again: 7, &other: 8} {
			drawn, err := m.Generate(seed)
			if err != nil {
				t.Fatal(err)
			}
			if err := drawn.Write(out); err != nil {
				t.Fatal(err)
			}
		}
		if first.String() != again.String() || first.String() == other.String() {
			t.Errorf("%s: a seed decides nothing, or not all", s.Name)
		}
		work := 0.0
		for _, r := range log.Records {
			work += float64(r.Run)
		}
		span := float64(log.Records[n-1].Submit - log.Records[0].Submit)
		if load := work / span / float64(log.Processors()); load > 0.5 || log.Processors() > 3 && load < 0.35 {
			t.Errorf("%s: load %v on %d processors", s.Name, load, log.Processors())
		}
	}
	log, err := Model{System: system(t, "avg"), Tasks: 1001, Procs: 5}.Generate(1)
	if err != nil || len(log.Records) != 1001 || log.Processors() != 5 {
		t.Errorf("1001 tasks on 5 processors: %v", err)
	}
}

// TestDrawnLog: a drawn log that is fitted gives back what it was drawn from.
// Tolerances are four standard errors of the fit and, where the log cannot have
// what was drawn, the difference that it makes: whole tasks of at least two, half
// hours of one day, gaps cut off by the end of the peak hours, users who drew no
// bag, and of T1 variances beyond what run times of their mean can have.
func TestDrawnLog(t *testing.T) {
	for _, tt := range []struct {
		system string
		within [5][2]float64
		alpha  float64
	}{
		{"avg", [5][2]float64{{0.15, 0.15}, {0.15, 1.5}, {0.5, 0.25}, {0.15, 0.12}, {0.1, 0.2}}, 0.06},
		{"T1", [5][2]float64{{0.15, 0.15}, {0.3, 0.03}, {0.3, 0.15}, {0.1, 0.1}, {0.35, 0.6}}, 0.06},
		{"T6", [5][2]float64{{0.15, 0.15}, {0.15, 1.6}, {0.15, 0.1}, {0.05, 0.02}, {0.1, 0.2}}, 0.06},
	} {
		m := Model{System: system(t, tt.system), Bags: 10_000, Load: 0.5}
		_, campaigns := bags(t, m, 3)
		f, err := Observe(campaigns, 0).Fit()
		if err != nil {
			t.Fatal(err)
		}
		near(t, tt.system+": α", f.Users.Alpha, m.Users.Alpha, tt.alpha)
		for i, want := range m.characteristics() {
			got := f.Fits[i][want.Family]
			t.Logf("%s, %s: %v, drawn from %v, D %.3f, %d values", tt.system, Characteristics[i], got.Distribution, want, got.D, f.Counts[i])
			for k := range 2 {
				near(t, tt.system+", "+Characteristics[i]+": "+want.String(), got.Params[k], want.Params[k], tt.within[i][k])
			}
		}
	}
}

// TestMean: of one log, the mean system has the distributions with the least D.
func TestMean(t *testing.T) {
	m := Model{System: system(t, "T6"), Bags: 5000, Load: 0.5}
	_, campaigns := bags(t, m, 3)
	f, err := Observe(campaigns, 0).Fit()
	if err != nil {
		t.Fatal(err)
	}
	a := Mean([]*Fitted{f})
	if a.Users != f.Users {
		t.Errorf("users %v, want %v", a.Users, f.Users)
	}
	for i, one := range a.Fits {
		if best := Best(f.Fits[i], one.Family); best != one || slices.MinFunc(f.Fits[i], nearer) != one {
			t.Errorf("%s: %v, want %v", Characteristics[i], one, best)
		}
	}
	if twice := Mean([]*Fitted{f, f}); twice != a {
		t.Errorf("mean of twice the same: %v, want %v", twice, a)
	}
}

// TestObserve: which arrivals count, and what of a bag.
func TestObserve(t *testing.T) {
	bag := func(user ostrich.UserID, at ostrich.Time, runs ...ostrich.Duration) sim.Campaign {
		c := sim.Campaign{User: user, Submit: at}
		for _, run := range runs {
			c.Jobs = append(c.Jobs, &sim.Job{Run: run})
		}
		return c
	}
	const hour = 3600
	got := Observe([]sim.Campaign{ // the log begins at 6 h
		bag(1, 0, 10, 20),          // 6 h
		bag(2, 2*hour, 4, 4, 4, 4), // 8 h, the bag before is not in peak hours
		bag(2, 3*hour, 5),          // no bag
		bag(1, 4*hour, 2, 6),       // two hours later
		bag(sim.Nobody, 5*hour, 1, 2),
		bag(2, 11*hour, 8, 8),       // 17 h
		bag(1, 22*hour+1800, 8, 24), // 4.30 h on the next day
	}, 6*hour)
	want := &Observed{Jobs: []int{6, 7}, Bags: 5, Mean: 12.0 / 5, Values: [5][]float64{
		{math.Log2(2 * hour)},
		{2.5, 6.5, 10.5, 24.5, 47.5},
		{1, 2, 1, 1, 1},
		{math.Log2(15), 2, 2, 3, 4},
		{math.Log2(50), math.Inf(-1), 3, math.Inf(-1), 7},
	}}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := got.Fit(); !errors.Is(err, ErrFew) || !strings.HasPrefix(err.Error(), "users: 2 users with 13 jobs") {
		t.Error(err)
	}
	got.Jobs = []int{20, 30}
	if _, err := got.Fit(); !errors.Is(err, ErrFew) || !strings.HasPrefix(err.Error(), "inter-arrival of bags: 1 of 1 values") {
		t.Error(err)
	}
}

func TestSpread(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 40).Draw(t, "tasks")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		values := make([]float64, n)
		for i := range values {
			values[i] = rng.NormFloat64()
		}
		want := rapid.Float64Range(0, 2*float64(n)).Draw(t, "variance")
		mean, variance := 0.0, 0.0
		parts := spread(values, want)
		for _, p := range parts {
			mean += p / float64(n)
		}
		for _, p := range parts {
			variance += (p - mean) * (p - mean) / float64(n-1)
		}
		if !(math.Abs(mean-1) <= 1e-9) || want < 0.9*float64(n) && !(math.Abs(variance-want) <= 1e-6*(1+want)) || variance > float64(n)+1e-9 {
			t.Fatalf("mean %v, variance %v, want 1 and %v", mean, variance, want)
		}
	})
}

// TestClock: the time to wait is where the sum of the rates, second by second,
// reaches what was drawn.
func TestClock(t *testing.T) {
	clock := newClock(system(t, "avg").Cycle)
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.IntRange(0, 3*day).Draw(t, "from")
		want := rapid.Float64Range(0, 300_000).Draw(t, "seconds")
		until := clock.after(float64(from), want)
		sum, at := 0.0, from
		for ; float64(at+1) <= until; at++ {
			sum += clock[at/halfHour%halfHours]
		}
		sum += (until - float64(at)) * clock[at/halfHour%halfHours]
		if !(math.Abs(sum-want) <= 1e-6*(1+want)) {
			t.Fatalf("from %d until %v: %v, want %v", from, until, sum, want)
		}
	})
}

func TestModelRefused(t *testing.T) {
	for _, tt := range []struct {
		change func(*Model)
		want   string
	}{
		{func(m *Model) { m.Bags = -1 }, "-1 bags, 0 tasks"},
		{func(m *Model) { m.Bags = 0 }, "0 bags, 0 tasks"},
		{func(m *Model) { m.Users.Users = 0 }, "0 users"},
		{func(m *Model) { m.Users.Alpha = math.NaN() }, "an exponent of NaN"},
		{func(m *Model) { m.Procs = -1 }, "-1 processors"},
		{func(m *Model) { m.Load = 0 }, "a load of 0"},
		{func(m *Model) { m.Size = weibull(-1, 2) }, "size by W(-1.00,2.00)"},
		{func(m *Model) { m.Size.Family = 99 }, "size by distribution 99"},
		{func(m *Model) { m.Cycle = weibull(50, 2) }, "with cycle W(50.00,2.00) no bag comes in some half hour"},
		{func(m *Model) { m.InterArrive = normal(1, 40) }, "bag 1 comes more than 2147483647 s after the first"},
	} {
		m := Model{System: system(t, "avg"), Bags: 10, Load: 0.5}
		tt.change(&m)
		want := "bot: generate: " + tt.want + ": nothing can be generated"
		if _, err := m.Generate(1); err == nil || err.Error() != want || !errors.Is(err, trace.ErrModel) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestBeyond counts the bags whose variance is beyond what their mean admits, drawn
// from one quantile and apart.
func TestBeyond(t *testing.T) {
	want := map[string][2]float64{
		"T1": {0.256, 0.391}, "T2": {0.040, 0.387}, "T3": {0.187, 0.374}, "T4": {0, 0.334}, "T5": {0.013, 0.290}, "T6": {0, 0.324},
		"T7": {0.001, 0.250}, "avg": {0.017, 0.325},
	}
	for _, s := range Systems {
		rng := rand.New(rand.NewPCG(1, 1))
		const n = 20_000
		var together, apart float64
		for range n {
			size := max(math.Round(math.Exp2(draw(rng, s.Size))), smallest)
			u := uniform(rng)
			mean := math.Exp2(s.RunTime.Quantile(u))
			if math.Exp2(s.Variance.Quantile(u)) > size*mean*mean {
				together += 1.0 / n
			}
			if math.Exp2(draw(rng, s.Variance)) > size*mean*mean {
				apart += 1.0 / n
			}
		}
		near(t, s.Name+", from one quantile", together, want[s.Name][0], 0.01)
		near(t, s.Name+", apart", apart, want[s.Name][1], 0.01)
	}
}
