package comparison

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/report/confidence"
	"slurm-ostrich/ostrich/satisfaction"
)

// madeUp is a month of 20 users on 64 processors, as recorded, under fairshare
// and under OStrich: users 0 to 9 have small campaigns, which wait less under
// OStrich, users 10 to 17 large ones, which wait longer; users 18 and 19 have
// two campaigns.
func madeUp(users, campaigns int) Input {
	random := rand.New(rand.NewPCG(3, 4))
	names := []string{"alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi", "ivan", "judy", "mallory", "niaj", "olivia", "peggy", "rupert", "sybil", "trent", "victor", "walter", "zoe"}
	in := Input{
		Floor: 600, Measured: "max", Title: "OStrich beside fairshare", Source: "made-up cluster", Location: time.UTC, Procs: 64, Baseline: 1, Resamples: 200,
		Runs: []Run{{Name: "recorded", Recorded: true}, {Name: "fairshare", Seconds: 0.4}, {Name: "ostrich", Seconds: 0.5}},
		UserName: func(u ostrich.UserID) string {
			if int(u) < 1000+len(names) {
				return names[u-1000]
			}
			return fmt.Sprintf("user-%d", u)
		},
		AccountName: func(u ostrich.UserID) string { return []string{"physics", "biology", "chemistry"}[u%3] },
		Notes:       []string{"3 jobs left out: no run time"},
	}
	const begin = 1_750_000_000
	id, campaign := ostrich.JobID(1), 0
	for u := range users {
		n := campaigns
		if u%20 >= 18 {
			n = 2
		}
		for range n {
			submit := ostrich.Time(begin + random.IntN(30*86400))
			last := [3]ostrich.Time{}
			for range 1 + random.IntN(6) {
				procs, run := 1+random.IntN(4), ostrich.Time(300+random.IntN(7200))
				recorded := ostrich.Time(random.ExpFloat64() * 7200)
				fairshare := recorded + ostrich.Time(random.IntN(1800)) - min(900, recorded)
				other := fairshare * 6 / 10
				if u%20 >= 10 {
					procs *= 8
					other = fairshare*5/4 + 600
				}
				submit += ostrich.Time(random.IntN(60))
				for r, wait := range []ostrich.Time{recorded, fairshare, other} {
					start := submit + wait
					last[r] = max(last[r], start+run)
					in.Runs[r].Jobs = append(in.Runs[r].Jobs, report.Job{
						ID: id, User: ostrich.UserID(1000 + u), Campaign: campaign, Submit: submit, Start: start, End: start + run, Procs: procs,
					})
				}
				id++
			}
			in.Virtual = append(in.Virtual, Block{ostrich.UserID(1000 + u), campaign, float64(submit), max(float64(submit), float64(last[2])-500)})
			campaign++
		}
	}
	in.Window.From, in.Window.To = begin+5*86400, begin+7*86400
	return windowed(in)
}

// windowed is an input with a window, if it has none: from the first submission to
// the last, or to the last end of the baseline if all are submitted at one moment.
// It has 1000 resamples unless it says how many, users accept the median wait
// and have no names.
func windowed(in Input) Input {
	in.Resamples, in.Accept = cmp.Or(in.Resamples, 1000), cmp.Or(in.Accept, satisfaction.Median)
	if in.UserName == nil {
		in.UserName, in.AccountName = nameless, nameless
	}
	if in.From != 0 || in.To != 0 {
		return in
	}
	var ends ostrich.Time
	in.From, ends = report.Span(in.Runs[in.Baseline].Jobs)
	in.To = in.From
	for _, j := range in.Runs[0].Jobs {
		in.To = max(in.To, j.Submit)
	}
	if in.To == in.From {
		in.To = ends
	}
	return in
}

func nameless(ostrich.UserID) string { return "" }

func compare(t testing.TB, in Input) *Comparison {
	t.Helper()
	c, err := Compare(t.Context(), windowed(in))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestAgainstSamples measures the resampled jobs themselves: each user's jobs as
// often as the user was drawn, as users and campaigns of their own.
func TestAgainstSamples(t *testing.T) {
	in := madeUp(20, 7)
	in.Share = func(u ostrich.UserID) float64 { return float64(1 + 5*(u%3)) }
	in.Seed, in.Resamples = 5, 60
	c := compare(t, in)
	s, err := study(&in)
	if err != nil {
		t.Fatal(err)
	}
	samples := make(map[string][]float64)
	random := rand.New(rand.NewPCG(5, 0))
	for range in.Resamples {
		draws := make([]float64, len(s.users))
		for range s.users {
			draws[random.IntN(len(s.users))]++
		}
		base := measureSample(sample(&in, in.Baseline, draws), &in)
		other := measureSample(sample(&in, 2, draws), &in)
		for key := range base {
			samples[key] = append(samples[key], other[key]-base[key])
		}
	}
	once := slices.Repeat([]float64{1}, len(s.users))
	base, other := measureSample(sample(&in, in.Baseline, once), &in), measureSample(sample(&in, 2, once), &in)
	found := 0
	for _, d := range c.Differences {
		if d.Run != "ostrich" || samples[d.Measure] == nil {
			continue
		}
		found++
		want, _ := confidence.Percentile(samples[d.Measure], confidence.Level)
		if d.Interval == nil || !near(d.Interval.Low, want.Low) || !near(d.Interval.High, want.High) {
			t.Errorf("%s: interval %v, want %v", d.Measure, d.Interval, want)
		}
		if want.Low == want.High {
			t.Errorf("%s: an interval of no length, %v, tells nothing of the code", d.Measure, want)
		}
		if !near(d.Baseline, base[d.Measure]) || !near(d.Value, other[d.Measure]) || !near(d.Difference, other[d.Measure]-base[d.Measure]) {
			t.Errorf("%s: %v, %v, difference %v; want %v, %v", d.Measure, d.Baseline, d.Value, d.Difference, base[d.Measure], other[d.Measure])
		}
	}
	if found != len(base) || found != 18 {
		t.Errorf("%d measures compared of %d", found, len(base))
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

// sample is a run with each user so often. The id of a user shows the original:
// it is that plus a multiple of 10000.
func sample(in *Input, run int, draws []float64) []report.Job {
	var list []report.Job
	numbers := make(map[[2]int]int)
	for _, j := range in.Runs[run].Jobs {
		for copied := range int(draws[j.User-1000]) {
			one := j
			one.User += ostrich.UserID(10_000 * copied)
			key := [2]int{copied, j.Campaign}
			if _, ok := numbers[key]; !ok {
				numbers[key] = len(numbers)
			}
			one.Campaign = numbers[key]
			list = append(list, one)
		}
	}
	return list
}

// measureSample measures jobs by the plain functions of report.
func measureSample(jobs []report.Job, in *Input) map[string]float64 {
	campaigns := report.Campaigns(jobs)
	plain := report.Stretches(campaigns, in.Procs).Mean
	report.SetFloor(campaigns, in.Floor)
	users := report.Users(campaigns, in.Procs)
	stretch, wait := report.Stretches(campaigns, in.Procs), report.Waits(jobs)
	var mean, most, sum, squares, apart, envy, pairs float64
	for i, a := range users {
		mean, most = mean+a.MeanStretch, most+a.MaxStretch
		sum, squares = sum+a.Stretch, squares+a.Stretch*a.Stretch
		for k, b := range users {
			apart += math.Abs(a.Stretch - b.Stretch)
			if a.User%10_000 == b.User%10_000 {
				continue
			}
			pairs++
			per := func(u *report.User) float64 { return float64(u.Work) / in.Share(u.User%10_000) }
			if a.Stretch > 1.1*b.Stretch && per(&users[i]) <= per(&users[k]) {
				envy++
			}
		}
	}
	n := float64(len(users))
	p95 := make([]float64, len(campaigns))
	for i := range campaigns {
		p95[i] = campaigns[i].Stretch(in.Procs)
	}
	slices.Sort(p95)
	accepted := report.Satisfy(jobs, in.Procs, satisfaction.Median).All
	return map[string]float64{
		"campaign_stretch_mean": stretch.Mean, "campaign_stretch_p50": stretch.P50, "campaign_stretch_p99": stretch.P99,
		"campaign_stretch_p95":   p95[int(math.Ceil(0.95*float64(len(p95))))-1],
		"unbounded_stretch_mean": plain,
		"user_mean_stretch":      mean / n, "user_max_stretch": most / n,
		"wait_mean": wait.Mean, "wait_p50": wait.P50, "wait_p95": wait.P95, "wait_p99": wait.P99,
		"jobs_in_time": accepted.Jobs.Share, "campaigns_in_time": accepted.Campaigns.Share,
		"lateness_mean": accepted.Jobs.Lateness, "tardiness_mean": accepted.Jobs.Tardiness,
		"jain": sum * sum / (n * squares), "gini": apart / (2 * n * sum),
		"envy": envy / pairs * 20 * 19,
	}
}

// TestFigures compares with the plain functions of report what those measure.
func TestFigures(t *testing.T) {
	in := madeUp(20, 10)
	c := compare(t, in)
	for r, f := range c.Runs {
		jobs := in.Runs[r].Jobs
		campaigns := report.Campaigns(jobs)
		if plain := report.Stretches(campaigns, in.Procs).Mean; !near(f.UnboundedStretch, plain) || f.Stretch.Mean >= plain {
			t.Errorf("%s: unbounded mean %v, want %v; bounded %v", f.Run, f.UnboundedStretch, plain, f.Stretch.Mean)
		}
		report.SetFloor(campaigns, in.Floor)
		want := report.SummariseRun(jobs, campaigns, in.Procs, 0)
		if f.Stretch != want.Stretch || f.Campaigns != want.Campaigns || f.Users != want.Users || f.Makespan != want.Makespan ||
			!near(f.Wait.Mean, want.Wait.Mean) || f.Wait.P95 != want.Wait.P95 || !near(f.BoundedSlowdown, want.BoundedSlowdown) {
			t.Errorf("%s: %+v, want %+v", f.Run, f, want)
		}
		whole := report.Utilisations(jobs, in.Procs, c.From, c.To, ostrich.Duration(c.To-c.From))
		if len(whole) != 1 || !near(f.Utilisation, whole[0]) {
			t.Errorf("%s: utilisation %v, want %v", f.Run, f.Utilisation, whole)
		}
		if f.WaitQuantiles[0] > f.Wait.P50 || f.WaitQuantiles[95] != f.Wait.P95 || f.StretchQuantiles[100] != f.Stretch.Max {
			t.Errorf("%s: percentiles do not fit", f.Run)
		}
	}
	var hours float64
	for _, u := range c.Users {
		hours += u.CoreHours
	}
	var work float64
	for _, j := range in.Runs[1].Jobs {
		work += float64(j.End-j.Start) * float64(j.Procs)
	}
	if !near(hours*3600, work) || !slices.IsSortedFunc(c.Users, func(a, b User) int { return int(b.CoreHours - a.CoreHours) }) {
		t.Errorf("%v core-hours of users, %v of jobs, or out of order", hours, work/3600)
	}
}

// TestFiguresAreListed: what the JSON tells of a run are measures of the table, under their
// keys, or the shape of a distribution.
func TestFiguresAreListed(t *testing.T) {
	known := map[string]bool{ // no measures
		"run": true, "recorded": true, "seconds": true, "stretch_percentiles": true, "wait_percentiles": true,
		"rho_p50": true, "rho_max": true, "envy_pairs": true,
	}
	for _, m := range report.Comparison {
		known[m.Key] = true
	}
	for _, m := range report.CampaignSummary {
		known[m.Key] = true
	}
	raw, err := json.Marshal(compare(t, madeUp(3, 8)).Runs[0])
	if err != nil {
		t.Fatal(err)
	}
	var figures map[string]any
	if err = json.Unmarshal(raw, &figures); err != nil {
		t.Fatal(err)
	}
	delete(figures, "satisfaction") // by class, see report.PunctualSummary
	for name, x := range figures {
		parts, ok := x.(map[string]any)
		if !ok {
			parts, name = map[string]any{name: x}, ""
		}
		for part := range parts {
			if key := strings.TrimPrefix(name+"_"+part, "_"); !known[key] {
				t.Errorf("%s is no measure of the table", key)
			}
		}
	}
}

// TestWinnersAndLosers: who wins and loses in the made-up month is known.
func TestWinnersAndLosers(t *testing.T) {
	c := compare(t, madeUp(20, 25))
	want := map[string]Reading{"walter": TooFew, "zoe": TooFew}
	for i, name := range []string{"alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi", "ivan", "judy", "mallory", "niaj", "olivia", "peggy", "rupert", "sybil", "trent", "victor"} {
		want[name] = Better
		if i >= 10 {
			want[name] = Worse
		}
	}
	for _, u := range c.Users {
		change := u.change("ostrich")
		if change.Stretch.Reading != want[u.Name] || (change.Wait.Reading != want[u.Name] && want[u.Name] != TooFew) {
			t.Errorf("%s: %+v, want %s", u.Name, change, want[u.Name])
		}
		// What happened is no better or worse than a simulation of it.
		if r := u.change("recorded"); slices.Contains([]Reading{Better, Worse}, r.Stretch.Reading) || slices.Contains([]Reading{Better, Worse}, r.Wait.Reading) {
			t.Errorf("%s: recorded is %+v", u.Name, r)
		}
		if i := change.Stretch.Interval; i != nil && i.Excludes(change.Stretch.Difference) {
			t.Errorf("%s: difference %v outside of %v", u.Name, change.Stretch.Difference, i)
		}
	}
}

// TestRecordedDiffers: a recorded run differs from the baseline, in no direction
// that is better.
func TestRecordedDiffers(t *testing.T) {
	differs := 0
	for _, d := range compare(t, madeUp(20, 25)).Differences {
		if d.Run == "recorded" && (d.Reading == Better || d.Reading == Worse) {
			t.Errorf("%+v", d)
		}
		if d.Reading == Differs {
			differs++
			if d.Run != "recorded" || !d.Interval.Excludes(0) {
				t.Errorf("%+v", d)
			}
		}
	}
	if differs == 0 {
		t.Error("nothing differs")
	}
}

// TestSame: a run that is the baseline again differs in nothing.
func TestSame(t *testing.T) {
	in := madeUp(20, 10)
	in.Runs[2].Jobs, in.Runs[0].Jobs = in.Runs[1].Jobs, in.Runs[1].Jobs // what happened, too, or nothing could be told
	c := compare(t, in)
	for _, d := range c.Differences {
		if d.Run == "ostrich" && (d.Difference != 0 || d.Interval != nil && *d.Interval != report.Interval{} || d.Reading.clear()) {
			t.Errorf("%+v", d)
		}
	}
	for _, u := range c.Users {
		if change := u.change("ostrich"); change.Stretch.Difference != 0 || change.Wait.Difference != 0 || change.Stretch.Reading.clear() || change.Wait.Reading.clear() {
			t.Errorf("%s: %+v", u.Name, change)
		}
	}
	if text := htmlOf(t, c); !strings.Contains(text, "Nobody&#39;s mean stretch changed.") && !strings.Contains(text, "Nobody's mean stretch changed.") {
		t.Error("the page does not say that nobody's stretch changed")
	}
}

// TestDeterministic: same input, same bytes; another seed, other intervals.
func TestDeterministic(t *testing.T) {
	in := madeUp(20, 10)
	a, b := compare(t, in), compare(t, in)
	in.Seed = 99
	other := compare(t, in)
	if jsonOf(t, a) != jsonOf(t, b) || htmlOf(t, a) != htmlOf(t, b) {
		t.Error("the same input gives two comparisons")
	}
	if a.Differences[0].Difference != other.Differences[0].Difference || *a.Differences[0].Interval == *other.Differences[0].Interval {
		t.Error("another seed must change the intervals, and them alone")
	}
}

// TestFew: with little there are figures, and no interval that pretends to know.
func TestFew(t *testing.T) {
	in := madeUp(3, 2)
	in.Runs = in.Runs[1:]
	in.Baseline = 0
	for r := range in.Runs { // nobody knows the campaigns
		for i := range in.Runs[r].Jobs {
			in.Runs[r].Jobs[i].Campaign = -1
		}
	}
	c := compare(t, in)
	for _, d := range c.Differences {
		want := cmp.Or(map[string]Reading{"utilisation": d.Reading, "makespan": NoneFor, "campaign_stretch_max": NoneFor}[d.Measure], TooFew)
		if d.Reading != want {
			t.Errorf("%+v of 3 users, want %s", d, want)
		}
	}
	if c.Runs[0].Campaigns != 0 || c.Runs[0].Stretch.Mean != 0 || c.Agreement != nil {
		t.Errorf("%+v", c.Runs[0])
	}
	if text := htmlOf(t, c) + jsonOf(t, c); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
		t.Error("numbers that are none")
	}
}

// TestOtherMachine: the utilisation of a run is a part of the machine on which it ran, and the stretch is by the first one.
func TestOtherMachine(t *testing.T) {
	jobs := []report.Job{{ID: 1, User: 7, Submit: 100, Start: 110, End: 150, Procs: 2}}
	c := compare(t, Input{Procs: 4, Runs: []Run{{Name: "fairshare", Jobs: jobs}, {Name: "fairshare, procs:-2", Jobs: jobs, Procs: 2}}})
	if a, b := c.Runs[0], c.Runs[1]; a.Utilisation != 0.4 || b.Utilisation != 0.8 || a.Stretch.Mean != b.Stretch.Mean {
		t.Errorf("utilisation %v and %v, stretch %v and %v", a.Utilisation, b.Utilisation, a.Stretch.Mean, b.Stretch.Mean)
	}
}

// TestLeast: one job in one run is a comparison, too.
func TestLeast(t *testing.T) {
	in := Input{
		Procs: 4, Runs: []Run{{Name: "fairshare", Jobs: []report.Job{{ID: 1, User: 7, Submit: 100, Start: 110, End: 150, Procs: 2}}}},
	}
	c := compare(t, in)
	if f := c.Runs[0]; c.From != 100 || c.To != 150 || f.Stretch.Mean != 50.0/40 || f.Utilisation != 0.4 || f.Wait.Mean != 10 || f.Jain != 1 || f.Envy != 0 {
		t.Errorf("%+v of %d to %d", f, c.From, c.To)
	}
	if u := c.Users[0]; u.Name != "user 7" || u.CoreHours != 80.0/3600 || len(u.Changes) != 0 {
		t.Errorf("%+v", u)
	}
	text := htmlOf(t, c)
	elements(t, text)
	if strings.Contains(text+jsonOf(t, c), "NaN") || !strings.Contains(text, "There is no other simulated run") {
		t.Error("the page of one run")
	}
	for _, list := range []string{`"differences":[]`, `"changes":[]`, `"notes":[]`, `"agreement":null`, `"unix":false`} {
		if !strings.Contains(jsonOf(t, c), list) {
			t.Errorf("no %s in the JSON", list)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		spoil      func(*Input)
	}{
		{"no runs", "no runs", func(in *Input) { in.Runs = nil }},
		{"baseline", "baseline 3 of 3 runs", func(in *Input) { in.Baseline = 3 }},
		{"machine", "a machine of 0 processors", func(in *Input) { in.Procs = 0 }},
		{"floor", "a floor of -1 s", func(in *Input) { in.Floor = -1 }},
		{"resamples", "-1 resamples", func(in *Input) { in.Resamples = -1 }},
		{"window", "a window that ends at 6, not after it begins at 6", func(in *Input) { in.From, in.To = 6, 6 }},
		{"Gantt", "Gantt chart that ends at 5, before it begins at 6", func(in *Input) { in.Window.From, in.Window.To = 6, 5 }},
		{"empty", `run "recorded" has no jobs`, func(in *Input) {
			for i := range in.Runs {
				in.Runs[i].Jobs = nil
			}
		}},
		{"name", "run 1 has no name", func(in *Input) { in.Runs[1].Name = "" }},
		{"names", `two runs have the name "recorded"`, func(in *Input) { in.Runs[2].Name = "recorded" }},
		{"missing jobs", `run "ostrich": 1 jobs, and "recorded" has`, func(in *Input) { in.Runs[2].Jobs = in.Runs[2].Jobs[:1] }},
		{"other job", `run "ostrich": job 4 (number 3) is not the one of "recorded"`, func(in *Input) { in.Runs[2].Jobs[3].Procs++ }},
		{"other submission", `run "ostrich": job 4 (number 3) is not the one of "recorded"`, func(in *Input) { in.Runs[2].Jobs[3].Submit-- }},
		{"before submission", "job 4 (number 3) starts at", func(in *Input) { in.Runs[2].Jobs[3].Start = 1 }},
		{"no length", "job 4 (number 3) ends at", func(in *Input) { in.Runs[2].Jobs[3].End = in.Runs[2].Jobs[3].Start }},
		{"share", "alice has a share of NaN", func(in *Input) { in.Share = func(ostrich.UserID) float64 { return math.NaN() } }},
		{"virtual", "campaign 0 of user 1000: virtual from NaN", func(in *Input) { in.Virtual[0].Start = math.NaN() }},
		{"campaign of two", "campaign 0 has jobs of alice and of bob", func(in *Input) {
			for r := range in.Runs {
				for i := range in.Runs[r].Jobs {
					in.Runs[r].Jobs[i].Campaign = 0
				}
			}
		}},
	} {
		in := madeUp(20, 3)
		tt.spoil(&in)
		if _, err := Compare(t.Context(), in); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestClosed: in a closed loop a job may be submitted at another time in each run.
func TestClosed(t *testing.T) {
	in := madeUp(20, 3)
	in.Closed = true
	in.Runs[2].Jobs[3].Submit--
	c, err := Compare(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(jsonOf(t, c), `"replay":"closed"`) {
		t.Error("the JSON does not say so")
	}
}

func jsonOf(t testing.TB, c *Comparison) string {
	t.Helper()
	b, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// BenchmarkCompare is a comparison of four runs of a million jobs of 300 users.
func BenchmarkCompare(b *testing.B) {
	in := madeUp(300, 990)
	in.Resamples = 0
	in.Runs = append(in.Runs, in.Runs[2])
	in.Runs[3].Name = "ostrich, share:alice=2"

	for b.Loop() {
		c := compare(b, in)
		b.ReportMetric(float64(len(htmlOf(b, c))), "page-bytes")
		b.ReportMetric(float64(len(in.Runs[0].Jobs)), "jobs")
	}
}
