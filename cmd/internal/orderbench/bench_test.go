package orderbench

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"slurm-ostrich/cmd/internal/runs"
	"slurm-ostrich/cmd/internal/svg/svgtest"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/satisfaction"
	"slurm-ostrich/ostrich/sim"
)

// near reports whether two figures are the same but for rounding.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*max(1, math.Abs(b)) }

// TestMeasured: two processors, floor 10 s. User 1 has a campaign of a second
// that waits 9 s and one of two jobs, user 2 has one.
//
//	job  procs  submit  start  end   campaign  flow  least           stretch
//	1    1      0       9      10    0         10    10 (floor)      1
//	2    2      10      10     30    1         70    max(40/1…, 20)  70/30
//	3    1      10      60     80    1
//	4    1      0       0      8     2         8     10 (floor)      0.8
//
// Campaign 1 has a work of 40 + 20 on 2 processors: W/m = 30. A job that runs p may
// take p + 8 s in all, so jobs 1 and 3 are past due. So are campaign 0, due at 9, and
// campaign 1: at 48, 8 s more than the 30 s that it needs.
func TestMeasured(t *testing.T) {
	jobs := []report.Job{
		{ID: 1, User: 1, Campaign: 0, Submit: 0, Start: 9, End: 10, Procs: 1},
		{ID: 2, User: 1, Campaign: 1, Submit: 10, Start: 10, End: 30, Procs: 2},
		{ID: 3, User: 1, Campaign: 1, Submit: 10, Start: 60, End: 80, Procs: 1},
		{ID: 4, User: 2, Campaign: 2, Submit: 0, Start: 0, End: 8, Procs: 1},
	}
	m, err := measured(jobs, 2, 10, satisfaction.Acceptance{Slope: 1, Offset: 8.0 / 60})
	if err != nil {
		t.Fatal(err)
	}
	first := (1 + 70.0/30) / 2
	for _, tt := range []struct {
		name string
		want float64
	}{
		{"mean", (1 + 70.0/30 + 0.8) / 3},
		{"users_mean", (first + 0.8) / 2},
		{"users_geometric", math.Sqrt(first * 0.8)},
		{"p95", 70.0 / 30},
		{"p99", 70.0 / 30},
		{"max", 70.0 / 30},
		{"wait", (9.0 + 50) / 4},
		{"max_wait", 50},
		{"utilisation", (8 + 1) / 20.0}, // up to 10 s
		// Evenly shared, the campaigns take 1 s, 30 s and, as long as job 4 runs, 8 s.
		{"rho", (10.0/11 + 70.0/40 + 8.0/18) / 3},
		{"rho_above", 1.0 / 3},
		{"jobs_past_due", 2.0 / 4},
		{"campaigns_past_due", 2.0 / 3},
	} {
		if got := *m.Of(tt.name); !near(got, tt.want) {
			t.Errorf("%s %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestLate: one processor, which two users share evenly from 0 on. Job 1 runs
// first, and job 2, of 10 s, is done at 20 either way; job 1 should have been done
// then at the latest. In the other order of lengths the short one is late.
func TestLate(t *testing.T) {
	for _, tt := range []struct {
		first, second ostrich.Time // lengths in the order in which they run
		want          float64
	}{
		{10, 10, 0},
		// The second one has 10 s of work, half of the machine, and is done
		// virtually at 20, in reality at 40.
		{30, 10, 10},
	} {
		jobs := []report.Job{
			{ID: 1, User: 1, Campaign: 0, Submit: 0, Start: 0, End: tt.first, Procs: 1},
			{ID: 2, User: 2, Campaign: 1, Submit: 0, Start: tt.first, End: tt.first + tt.second, Procs: 1},
		}
		got, err := measured(jobs, 1, 0, satisfaction.Acceptance{})
		if err != nil || !near(*got.Of("late"), tt.want) {
			t.Errorf("lengths %d, %d: late %v, want %v (%v)", tt.first, tt.second, got, tt.want, err)
		}
	}
}

// TestRatios: two logs of two parts and two shakes, computed by hand.
//
// Log a: part 0 has ratios 2 and 8, of which the geometric mean is 4; part 1 has
// 1 and 1. So the parts are ln 4 and 0, their mean is ln 2 and the error
// ln 4/√2/√2 = ln 2. Log b: parts ln 2 and ln 2, mean ln 2 and error 0. Over
// both: ln 2, with an error of ln 2 / 2.
func TestRatios(t *testing.T) {
	policies, err := ParsePolicies("fcfs,spt,again=spt")
	if err != nil {
		t.Fatal(err)
	}
	logs := []Log{{Name: "a", Procs: 1, Jobs: numbered(4)}, {Name: "b", Procs: 1, Jobs: numbered(4)}}
	b, err := New(logs, policies, Settings{Parts: 2, PartJobs: 10, Shakes: 2, Loop: "open", Satisfaction: "median"}, "test")
	if err != nil {
		t.Fatal(err)
	}
	if got := len(b.runs); got != 16 { // the third policy is the second
		t.Fatalf("%d runs", got)
	}
	factor := map[string][2][2]float64{"a": {{2, 8}, {1, 1}}, "b": {{1, 4}, {2, 2}}}
	for i := range b.runs {
		r := &b.runs[i]
		m := make(Measures, len(measures))
		for key, x := range map[string]float64{
			"mean": 3, "users_mean": 1, "users_geometric": 1, "p95": 1, "p99": 1, "max": 1, "max_wait": 0.5, "late": 2, "rho": 2,
			"utilisation": 0.5, "campaigns_past_due": 0.1,
		} {
			*m.Of(key) = x
		}
		if strings.HasPrefix(r.Policy, "spt") {
			*m.Of("mean") *= factor[r.Log][r.Part][r.Shake]
			*m.Of("wait") = 1                                                 // of which nobody can say how much more than 0 it is
			*m.Of("jobs_past_due"), *m.Of("campaigns_past_due") = 0.0005, 0.3 // beside 0 and 0.1
		}
		b.Keep(r, m)
	}
	result := b.Result()
	two := math.Log(2)
	check := func(what string, r Ratio, want, err float64) {
		t.Helper()
		if r.Error == nil || !near(r.Ratio, want) || !near(*r.Error, err) {
			t.Errorf("%s: %s, want %v ± %v", what, r.String(), want, err)
		}
	}
	for _, p := range result.Policies[1:] {
		check("mean", *p.Ratios.Of("mean"), 2, 2*two/2)
		check("wait", *p.Ratios.Of("wait"), 1, 0)
		check("late", *p.Ratios.Of("late"), 1, 0)
		check("rho", *p.Ratios.Of("rho"), 1, 0)
		check("rho above 1", *p.Ratios.Of("rho_above"), 1, 0)
		check("jobs past due", *p.Ratios.Of("jobs_past_due"), 1, 0)
		check("campaigns past due", *p.Ratios.Of("campaigns_past_due"), 3, 0)
	}
	check("first", *result.Policies[0].Ratios.Of("mean"), 1, 0)
	check("log a", *result.Logs[0].Policies[1].Ratios.Of("mean"), 2, 2*two)
	check("log b", *result.Logs[1].Policies[1].Ratios.Of("mean"), 2, 0)
	if f := result.Logs[0].First; !near(*f.Of("mean"), 3) || *f.Of("max_wait") != 0.5 || !near(*f.Of("campaigns_past_due"), 0.1) {
		t.Errorf("first: %+v", f)
	}
	if result.Policies[2].Policy != "again" {
		t.Errorf("label %s", result.Policies[2].Policy)
	}

	var page bytes.Buffer
	if err := result.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	wellFormed(t, page.Bytes())
	for _, want := range []string{"again", "2.00 ± 0.69", "compared with fcfs"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	var picture bytes.Buffer
	if err := result.WriteSVG(&picture); err != nil {
		t.Fatal(err)
	}
	wellFormed(t, picture.Bytes())
	for _, want := range []string{"The mean campaign stretch, beside fcfs.", ">all logs<", ">a<", ">b<", ">again<", "prefers-color-scheme: dark"} {
		if !strings.Contains(picture.String(), want) {
			t.Errorf("the picture lacks %q", want)
		}
	}
	drawn := svgtest.ReadAll(t, page.String())
	for _, tt := range []struct{ name, row, value string }{
		{"Differences over all logs", "mean campaign stretch", "+100 %"},
		{"Differences over all logs", "mean wait", "0"},
		{"Differences of the mean campaign stretch by log", "a", "+100 %"},
		{"Differences of the mean campaign stretch by log", "all logs", "+100 %"},
	} {
		i := slices.IndexFunc(drawn, func(p *svgtest.Picture) bool { return strings.HasPrefix(p.Name, tt.name) })
		if i < 0 {
			t.Fatalf("no drawing %q", tt.name)
		}
		row, x := drawn[i].Find(t, tt.row).Y, drawn[i].Find(t, tt.value).X
		for _, policy := range []string{"r1", "r2"} {
			marks := slices.DeleteFunc(append(drawn[i].All("dot", policy), drawn[i].All("hollow", policy)...), func(m svgtest.Shape) bool {
				return math.Abs(m.Points[0].Y-row) > 16
			})
			if len(marks) != 1 || math.Abs(marks[0].Points[0].X-x) > 0.02 {
				t.Errorf("%s, %s, %s: the marks are %+v, want one at %v", tt.name, tt.row, policy, marks, x)
			}
		}
	}
}

// wellFormed reads a page as XML.
func wellFormed(t *testing.T, page []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(page))
	d.Entity = xml.HTMLEntity
	for {
		_, err := d.Token()
		if err != nil {
			if err.Error() != "EOF" {
				t.Errorf("the page: %v", err)
			}
			return
		}
	}
}

// With one part the error is not known.
func TestNoError(t *testing.T) {
	policies, err := ParsePolicies("fcfs")
	if err != nil {
		t.Fatal(err)
	}
	b := replayed(t, []Log{{Name: "a", Procs: 1, Jobs: numbered(3)}}, policies, Settings{Parts: 1, PartJobs: 10, Shakes: 2, Loop: "open", Satisfaction: "median"}, nil)
	r := b.Result()
	raw, err := json.Marshal(*r.Policies[0].Ratios.Of("mean"))
	if err != nil || string(raw) != `{"ratio":1,"error":null}` || r.Policies[0].Ratios.Of("mean").String() != "1.00" {
		t.Errorf("%s %v", raw, err)
	}
	if err := r.WriteHTML(&bytes.Buffer{}); err != nil {
		t.Error(err)
	}
	if err := r.WriteSVG(&bytes.Buffer{}); err == nil || err.Error() != "there is no other policy to compare with fcfs" {
		t.Errorf("a picture of one policy: %v", err)
	}
}

func TestNewErrors(t *testing.T) {
	good := Settings{Parts: 1, PartJobs: 1, Shakes: 1, Loop: "open", Satisfaction: "median"}
	policies, err := ParsePolicies("fcfs")
	if err != nil {
		t.Fatal(err)
	}
	nobody := numbered(1)
	nobody[0].User = sim.Nobody
	for _, tt := range []struct {
		logs   []Log
		change func(*Settings)
		want   string
	}{
		{[]Log{{Name: "a", Jobs: numbered(1)}}, func(s *Settings) { s.Satisfaction = "1,0" }, `satisfaction "1,0": `},
		{[]Log{{Name: "a", Jobs: nobody}}, func(*Settings) {}, "a: no job tells its user"},
		{[]Log{{Name: "a", Jobs: numbered(1)}, {Name: "a", Jobs: numbered(1)}}, func(*Settings) {}, "two logs of the name a"},
	} {
		s := good
		tt.change(&s)
		if _, err := New(tt.logs, policies, s, ""); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
}

// busy is a log with more work than its machine can do at once.
func busy() []Log {
	jobs := numbered(60)
	for i := range jobs {
		j := &jobs[i]
		j.User = ostrich.UserID(i % 3)
		j.Run, j.Procs = ostrich.Duration(5+i*7%23), 1+i%2
		j.Estimate = j.Run * ostrich.Duration(1+i%4)
		j.Start = j.Submit + ostrich.Time(i)
	}
	return []Log{{Name: "busy", Procs: 2, Jobs: jobs}}
}

const allKinds = "fairshare,ostrich,ostrich:gate=off:grace=24h:predictor=alike:inside=spt:memory=7d,paper,exact=paper:estimate=exact,fcfs,spt,spt:estimate=exact"

// restoreAll takes the results of all runs that are kept, and returns how many.
func (b *Bench) restoreAll(store *runs.Store) (n int, err error) {
	for i := range b.runs {
		found, err := b.restore(i, store)
		if err != nil {
			return n, err
		}
		if found {
			n++
		}
	}
	return n, nil
}

// replayed makes all runs that are not done; after says whether to go on.
func replayed(t *testing.T, logs []Log, policies []Policy, s Settings, store *runs.Store) *Bench {
	t.Helper()
	b, err := New(logs, policies, s, "test")
	if err != nil {
		t.Fatal(err)
	}
	if store == nil {
		store = &runs.Store{} // keeps nothing
	}
	if _, err := b.restoreAll(store); err != nil {
		t.Fatal(err)
	}
	for i := range b.runs {
		r := &b.runs[i]
		if r.done {
			continue
		}
		ended := 0
		m, err := b.Do(r, func(n int) { ended = n })
		if err != nil {
			t.Fatal(err)
		}
		if ended != r.Jobs {
			t.Errorf("%d of %d jobs ended", ended, r.Jobs)
		}
		b.Keep(r, m)
		if err := store.Keep(r.key, m); err != nil {
			t.Fatal(err)
		}
	}
	for _, parts := range b.shaken {
		for _, shakes := range parts {
			for i := range shakes {
				if shakes[i].campaigns != nil {
					t.Error("a replayed part is still held")
				}
			}
		}
	}
	return b
}

// Every policy runs in both loops, and what it knows changes what it does.
func TestPoliciesRun(t *testing.T) {
	policies, err := ParsePolicies(allKinds)
	if err != nil {
		t.Fatal(err)
	}
	for _, loop := range Loops {
		b := replayed(t, busy(), policies, Settings{Parts: 2, PartJobs: 100, Shakes: 2, Floor: 10, Loop: loop, Satisfaction: "median"}, nil)
		r := b.Result()
		for i := range r.Policies {
			for k, x := range r.Policies[i].Ratios {
				if !(x.Ratio > 0) || math.IsInf(x.Ratio, 0) {
					t.Errorf("%s: %s: %s %v", loop, r.Policies[i].Policy, measures[k].Name, x.Ratio)
				}
			}
		}
		mean := func(i int) float64 { return r.Policies[i].Ratios.Of("mean").Ratio }
		if mean(3) == mean(4) || mean(6) == mean(7) {
			t.Errorf("%s: exact lengths change nothing: %v %v, %v %v", loop, mean(3), mean(4), mean(6), mean(7))
		}
	}
}

// TestResume ends a bench after each number of its runs, as a kill would, and goes on
// from there: the result is always the same.
func TestResume(t *testing.T) {
	policies, err := ParsePolicies("fairshare,paper")
	if err != nil {
		t.Fatal(err)
	}
	settings := Settings{Parts: 2, PartJobs: 100, Seed: 7, Shakes: 2, Floor: 10, Loop: "open", Satisfaction: "median"}
	open := func() *runs.Store {
		t.Helper()
		s := &runs.Store{Dir: t.TempDir()}
		if openErr := s.Make(); openErr != nil {
			t.Fatal(openErr)
		}
		return s
	}
	asJSON := func(b *Bench) string {
		t.Helper()
		raw, jsonErr := json.Marshal(b.Result())
		if jsonErr != nil {
			t.Fatal(jsonErr)
		}
		return string(raw)
	}
	store := open()
	want := asJSON(replayed(t, busy(), policies, settings, store))
	kept, err := filepath.Glob(store.Path("results", "*.json"))
	if err != nil || len(kept) != 8 {
		t.Fatalf("%d runs are kept: %v", len(kept), err)
	}
	for n := range kept {
		cut := open()
		for _, path := range kept[:n] {
			if err = os.Link(path, cut.Path("results", filepath.Base(path))); err != nil {
				t.Fatal(err)
			}
		}
		if got := asJSON(replayed(t, busy(), policies, settings, cut)); got != want {
			t.Fatalf("%d of the runs were kept:\n%s\nwant\n%s", n, got, want)
		}
		for _, path := range kept {
			whole, readErr := os.ReadFile(path)
			if readErr != nil {
				t.Fatal(readErr)
			}
			again, readErr := os.ReadFile(cut.Path("results", filepath.Base(path)))
			if readErr != nil || !bytes.Equal(again, whole) {
				t.Fatalf("%d of the runs were kept, one is\n%s\n%v", n, again, readErr)
			}
		}
	}

	// Another program, other jobs, another policy or other settings are other runs; more
	// shakes are more of the same.
	for _, other := range []struct {
		policies string
		logs     []Log
		code     string
		change   func(*Settings)
		want     int
	}{
		{"fairshare,paper", busy(), "test", nil, 8},
		{"spt,label=paper", busy(), "test", nil, 4},
		{"fairshare,paper:gate=off", busy(), "test", nil, 4},
		{"fairshare,paper", busy(), "other", nil, 0},
		{"fairshare,paper", []Log{{Name: "busy", Procs: 3, Jobs: busy()[0].Jobs}}, "test", nil, 0},
		{"fairshare,paper", busy(), "test", func(s *Settings) { s.Shakes = 9 }, 8},
		{"fairshare,paper", busy(), "test", func(s *Settings) { s.Parts = 1 }, 0},
		{"fairshare,paper", busy(), "test", func(s *Settings) { s.PartJobs = 99 }, 0},
		{"fairshare,paper", busy(), "test", func(s *Settings) { s.Seed = 8 }, 0},
		{"fairshare,paper", busy(), "test", func(s *Settings) { s.Floor = 0 }, 0},
		{"fairshare,paper", busy(), "test", func(s *Settings) { s.Loop = "closed" }, 0},
		{"fairshare,paper", busy(), "test", func(s *Settings) { s.Satisfaction = ".25" }, 0},
	} {
		list, bad := ParsePolicies(other.policies)
		if bad != nil {
			t.Fatal(bad)
		}
		changed := settings
		if other.change != nil {
			other.change(&changed)
		}
		b, bad := New(other.logs, list, changed, other.code)
		if bad != nil {
			t.Fatal(bad)
		}
		if got, bad := b.restoreAll(store); got != other.want || bad != nil {
			t.Errorf("%s of %s, %+v: %d runs, want %d (%v)", other.policies, other.code, changed, got, other.want, bad)
		}
	}

	// What is torn is not taken for a run.
	if err = os.WriteFile(kept[0], []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := New(busy(), policies, settings, "test")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.restoreAll(store); err == nil || !strings.Contains(err.Error(), "remove it") {
		t.Errorf("a torn run: %v", err)
	}
}

// TestIdentity: a log is another one if any of what a replay uses differs.
func TestIdentity(t *testing.T) {
	base := sim.Job{User: 1, Submit: 2, Procs: 4, Run: 5, Estimate: 6, Start: 3}
	seen := map[string]string{identity(&Log{Procs: 8, Jobs: []sim.Job{base}}): "the log"}
	for name, change := range map[string]func(*sim.Job){
		"user": func(j *sim.Job) { j.User++ }, "submit": func(j *sim.Job) { j.Submit++ }, "start": func(j *sim.Job) { j.Start++ },
		"run": func(j *sim.Job) { j.Run++ }, "estimate": func(j *sim.Job) { j.Estimate++ }, "procs": func(j *sim.Job) { j.Procs++ },
		"class": func(j *sim.Job) { j.Class++ }, "outcome": func(j *sim.Job) { j.Outcome++ },
	} {
		j := base
		change(&j)
		id := identity(&Log{Procs: 8, Jobs: []sim.Job{j}})
		if other := seen[id]; other != "" {
			t.Errorf("with another %s it is %s", name, other)
		}
		seen[id] = name
	}
}
