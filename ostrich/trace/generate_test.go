package trace_test

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/trace"
)

// TestGenerate checks what a log says of itself: jobs of a user follow one
// another in campaigns, which the fields 17 and 18 tie together.
func TestGenerate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		model := trace.Model{
			Jobs: rapid.IntRange(1, 60).Draw(t, "jobs"), Users: rapid.IntRange(1, 5).Draw(t, "users"), Procs: 4,
			New: rapid.Float64Range(0.01, 1).Draw(t, "new"), Exponent: rapid.Float64Range(0, 3).Draw(t, "exponent"),
			Owners:   rapid.SampledFrom([]trace.Owners{trace.Uniform, trace.Zipf}).Draw(t, "owners"),
			Profiles: []trace.Profile{{Shortest: 1, Longest: 3}, {Shortest: 7, Longest: 7}},
			Think:    rapid.Int64Range(0, 50).Draw(t, "think"),
		}
		seed := rapid.Uint64().Draw(t, "seed")
		log, err := model.Generate(seed)
		if err != nil {
			t.Fatal(err)
		}
		again, err := model.Generate(seed)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(log, again); diff != "" {
			t.Fatal("the same seed: -first +again\n", diff)
		}
		if len(log.Records) != model.Jobs || log.Processors() != 4 {
			t.Fatalf("%d jobs, %d processors", len(log.Records), log.Processors())
		}
		type campaign struct{ preceding, submit, end, last int64 }
		now := make(map[int64]campaign) // by user, the present one
		for i, r := range log.Records {
			shortest, longest := int64(1), int64(3)
			if r.User%2 == 0 {
				shortest, longest = 7, 7
			}
			c, known := now[r.User]
			switch {
			case r.Number != int64(i+1) || r.User < 1 || r.User > int64(model.Users) || r.Procs() != 1 || r.Limit != r.Run:
				t.Fatalf("%+v", r)
			case r.Run < shortest || r.Run > longest || r.App != 2-r.User%2:
				t.Fatalf("not a job of the user's profile: %+v", r)
			case !known && (r.Preceding != trace.Unknown || r.Think != trace.Unknown || r.Submit != 0):
				t.Fatalf("a first job: %+v", r)
			case r.Preceding != trace.Unknown && r.Think != model.Think:
				t.Fatalf("think time: %+v", r)
			case known && r.Preceding == c.preceding && r.Submit != c.submit:
				t.Fatalf("two submissions of a campaign: %+v after %+v", r, c)
			case known && r.Preceding != c.preceding && (r.Preceding != c.last || r.Submit != c.end+model.Think):
				t.Fatalf("a new campaign: %+v after %+v", r, c)
			}
			end := r.Submit + r.Run
			if known && r.Preceding == c.preceding {
				end = max(end, c.end)
			}
			now[r.User] = campaign{r.Preceding, r.Submit, end, r.Number}
		}
		var text bytes.Buffer
		if err = log.Write(&text); err != nil {
			t.Fatal(err)
		}
		read, err := trace.Read(&text, "x", trace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(log, read); diff != "" {
			t.Fatal("-written +read\n", diff)
		}
	})
}

// TestModels compares large samples of the papers' models with what they say.
func TestModels(t *testing.T) {
	for _, tt := range []struct {
		name            string
		model           trace.Model
		campaigns       float64
		shares          []float64 // of campaigns, by user
		length          []float64 // mean, by user
		jobs            int
		procs, shortest int64
		longest         int64
	}{
		// 1, 2^−1.4267 and 3^−1.4267 over their sum.
		{"hipc", trace.HiPC(3), 0.1, []float64{0.6326, 0.2353, 0.1320}, []float64{50.5, 50.5, 50.5}, 10_000, 10, 1, 100},
		{"ppam", trace.PPAM(2), 0.02, []float64{0.5, 0.5}, []float64{1800.5, 19_800}, 10_000, 64, 1, 36_000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.model.Jobs != tt.jobs || tt.model.Procs != tt.procs || tt.model.Think != 0 {
				t.Errorf("%+v", tt.model)
			}
			tt.model.Jobs = 400_000
			log, err := tt.model.Generate(1)
			if err != nil {
				t.Fatal(err)
			}
			// A campaign begins where the preceding job changes, or the user.
			campaigns := make([]float64, tt.model.Users)
			jobs, seconds := make([]float64, tt.model.Users), make([]float64, tt.model.Users)
			total := 0.0
			shortest, longest := int64(math.MaxInt64), int64(0)
			for i, r := range log.Records {
				if i == 0 || r.User != log.Records[i-1].User || r.Preceding != log.Records[i-1].Preceding {
					campaigns[r.User-1]++
					total++
				}
				jobs[r.User-1]++
				seconds[r.User-1] += float64(r.Run)
				shortest, longest = min(shortest, r.Run), max(longest, r.Run)
			}
			near := func(what string, got, want, tolerance float64) {
				t.Helper()
				if math.Abs(got/want-1) > tolerance {
					t.Errorf("%s: %v, want about %v", what, got, want)
				}
			}
			near("campaigns a job", total/float64(tt.model.Jobs), tt.campaigns, 0.03)
			for u := range campaigns {
				near("share of campaigns", campaigns[u]/total, tt.shares[u], 0.05)
				near("mean length", seconds[u]/jobs[u], tt.length[u], 0.02)
			}
			if shortest != tt.shortest || longest != tt.longest {
				t.Errorf("jobs of %d to %d s, want %d to %d", shortest, longest, tt.shortest, tt.longest)
			}
		})
	}
	one, err := trace.HiPC(5).Generate(1)
	if err != nil {
		t.Fatal(err)
	}
	two, err := trace.HiPC(5).Generate(2)
	if err != nil {
		t.Fatal(err)
	}
	if cmp.Equal(one.Records, two.Records) {
		t.Error("two seeds give the same log")
	}
}

func TestModelRefusals(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*trace.Model)
		want   string
	}{
		{"jobs", func(m *trace.Model) { m.Jobs = 0 }, "0 jobs"},
		{"users", func(m *trace.Model) { m.Users = 0 }, "0 users"},
		{"processors", func(m *trace.Model) { m.Procs = 0 }, "0 processors"},
		{"probability", func(m *trace.Model) { m.New = 0 }, "a new campaign with probability 0"},
		{"no probability", func(m *trace.Model) { m.New = math.NaN() }, "a new campaign with probability NaN"},
		{"owners", func(m *trace.Model) { m.Owners = 7 }, "owners by distribution 7"},
		{"exponent", func(m *trace.Model) { m.Exponent = math.Inf(1) }, "an exponent of +Inf"},
		{"profiles", func(m *trace.Model) { m.Profiles = nil }, "no profile"},
		{"lengths", func(m *trace.Model) { m.Profiles = []trace.Profile{{Shortest: 2, Longest: 1}} }, "profile 1 has jobs of 2 to 1 s"},
		{"think time", func(m *trace.Model) { m.Think = -1 }, "a think time of -1 s"},
		{"long think time", func(m *trace.Model) { m.Think = math.MaxInt32 + 1 }, "a think time of 2147483648 s"},
		{"too many users", func(m *trace.Model) { m.Users = math.MaxInt32 + 1 }, "2147483648 users"},
		{"too probable", func(m *trace.Model) { m.New = 1.5 }, "a new campaign with probability 1.5"},
		{"negative exponent", func(m *trace.Model) { m.Exponent = -1 }, "an exponent of -1"},
		{"large exponent", func(m *trace.Model) { m.Exponent = 101 }, "an exponent of 101"},
		{"no length", func(m *trace.Model) { m.Profiles = []trace.Profile{{Shortest: 0, Longest: 1}} }, "profile 1 has jobs of 0 to 1 s"},
		{"long jobs", func(m *trace.Model) { m.Profiles[0].Longest = math.MaxInt32 + 1 }, "profile 1 has jobs of 1 to 2147483648 s"},
	} {
		model := trace.HiPC(2)
		tt.change(&model)
		want := "trace: generate: " + tt.want + ": nothing can be generated"
		if _, err := model.Generate(1); err == nil || err.Error() != want || !errors.Is(err, trace.ErrModel) {
			t.Errorf("%s: got %v\nwant %s", tt.name, err, want)
		}
	}
}
