package comparison

import (
	"slices"
	"strings"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/report/confidence"
)

// TestWords: the sentences name those for whom it got worse, the greatest effect
// first, and do not hide who cannot be judged.
func TestWords(t *testing.T) {
	in := madeUp(20, 25)
	in.Floor = 0
	c := compare(t, in)
	if len(c.Changes) != 1 || c.Changes[0].Run != "ostrich" {
		t.Fatalf("changes %+v", c.Changes)
	}
	text := strings.Join(c.Changes[0].Sentences, "\n")
	for _, want := range []string{
		"It got worse, by mean campaign stretch, for 8 of 20 users, who ran 86.0 % of the core-hours: mallory (+0.99; 1\u00a0996 core-hours), olivia (",
		"It got better, by mean campaign stretch, for 10 of 20 users",
		"Jobs wait longer for 8 of 20 users",
		"For 2 users with fewer than 6 campaigns nothing can be told; the stretch of 2 of them rose, most that of walter (+0.61).",
		"Of 18 users with an interval, about 1 would be named by chance alone if nothing had changed.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	last := 1e9
	_, worse, _ := strings.Cut(text, "It got worse")
	for _, name := range []string{"mallory", "olivia", "sybil", "peggy", "rupert", "niaj", "victor", "trent"} {
		i := slices.IndexFunc(c.Users, func(u User) bool { return u.Name == name })
		effect := c.Users[i].change("ostrich").Stretch.Difference
		at := strings.Index(worse, name)
		if effect > last || at < 0 {
			t.Errorf("%s, with %v, is not where it belongs", name, effect)
		}
		last, worse = effect, worse[max(at, 0):]
	}
}

// TestVerdict: what the simulation itself misses comes before any claim.
func TestVerdict(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(*Input)
		want  string
		far   bool
	}{
		{"close", func(*Input) {}, "The simulated fairshare is close to what happened: Kendall's tau of the order of the starts is 1.00 (95 % interval 1.00 to 1.00), and that of the waits 0.91; the mean wait is 2 h, and 1.9 h as recorded (+62 s; 95 % interval +31 s to +1.6 min);", false},
		{"far by the mean", func(in *Input) {
			later(in.Runs[1].Jobs, 7200)
		}, "The simulated fairshare is not close to what happened: ", true},
		{"far by the order", func(in *Input) { // who waits long is another one
			jobs := in.Runs[1].Jobs
			waits := make([]ostrich.Time, len(jobs))
			for i := range jobs {
				waits[i] = jobs[i].Start - jobs[i].Submit
			}
			for i := range jobs {
				run := jobs[i].End - jobs[i].Start
				jobs[i].Start = jobs[i].Submit + waits[(i+len(jobs)/2)%len(jobs)]
				jobs[i].End = jobs[i].Start + run
			}
		}, "The simulated fairshare is not close to what happened", true},
		{"nothing recorded", func(in *Input) { in.Runs[0].Recorded = false }, "There is no recorded run", false},
		{"recorded baseline", func(in *Input) { in.Baseline = 0 }, "The baseline is what happened", false},
		{"small change", func(in *Input) {
			in.Runs[2].Jobs = slices.Clone(in.Runs[1].Jobs)
			later(in.Runs[2].Jobs, 10)
		}, "This record cannot tell what ostrich would change: in the simulated fairshare the mean stretch per user is off by +0.008 from what happened, and ostrich changes it by +0.002; " +
			"in the simulated fairshare the mean wait is off by +62 s (95 % interval +31 s to +1.6 min) from what happened, and ostrich changes it by +10 s.", false},
	} {
		in := madeUp(20, 25)
		tt.spoil(&in)
		c := compare(t, in)
		if text := strings.Join(c.Verdict, "\n"); !strings.Contains(text, tt.want) {
			t.Errorf("%s: no %q in\n%s", tt.name, tt.want, text)
		}
		if c.Agreement != nil && c.Agreement.Far != tt.far {
			t.Errorf("%s: far is %v, %+v", tt.name, !tt.far, c.Agreement)
		}
	}
}

// TestCannotTell: where the error of the simulation is larger than what a run changes, nothing
// is said of the run in words, in JSON and on the page; where another run changes more, that is told.
func TestCannotTell(t *testing.T) {
	in := madeUp(20, 25)
	in.Runs[2].Jobs = slices.Clone(in.Runs[1].Jobs)
	later(in.Runs[2].Jobs, 10)
	in.LeftOut = []LeftOut{{What: "preempted", Name: "were preempted", Replay: "run on", Jobs: 3, Part: .1, Hours: 12, Work: .2}}
	c := compare(t, in)
	if len(c.Verdict) != 1 || !strings.HasPrefix(c.Verdict[0], "This record cannot tell what ostrich would change: ") || len(c.Changes) != 0 || !slices.Equal(c.CannotTell, []string{"ostrich"}) {
		t.Errorf("verdict %q, changes %v, cannot tell %q", c.Verdict, c.Changes, c.CannotTell)
	}
	for _, d := range c.Differences {
		if d.Run == "ostrich" && (d.Interval != nil || d.Reading != CannotTell) {
			t.Errorf("%+v", d)
		}
	}
	for _, u := range c.Users {
		if change := u.change("ostrich"); change.Stretch.Interval != nil || change.Wait.Interval != nil || change.Stretch.Reading != CannotTell || change.Wait.Reading != CannotTell {
			t.Errorf("%s: %+v", u.Name, change)
		}
	}
	var titles []string
	for _, table := range c.Tables(false) {
		titles = append(titles, table.Title)
	}
	if want := []string{"How near the simulation is", "What the record has and the replay leaves out"}; !slices.Equal(titles, want) {
		t.Errorf("tables %q, want %q", titles, want)
	}
	page := htmlOf(t, c)
	for _, not := range []string{"Winners and losers", "In numbers", "Distributions", "What changed", "The promise", "All users", "Utilisation over", "is close to"} {
		if strings.Contains(page, not) {
			t.Errorf("the page has %q", not)
		}
	}
	for _, want := range []string{"This record cannot tell what ostrich would change", "were preempted", "run on"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	other := slices.Clone(in.Runs[1].Jobs)
	later(other, 36_000)
	in.Runs = append(in.Runs, Run{Name: "fcfs", Jobs: other})
	if c = compare(t, in); len(c.Verdict) != 3 || !strings.HasPrefix(c.Verdict[0], "This record cannot tell what ostrich") || !strings.HasPrefix(c.Verdict[1], "Users pay under fcfs") || len(c.Changes) != 1 || c.Silent() {
		t.Errorf("verdict %q, changes %v", c.Verdict, c.Changes)
	}
}

// TestJackknife: of a mean it is the interval of the blocks' means.
func TestJackknife(t *testing.T) {
	values := []float64{3, 5, 4, 8, 1, 3, 7, 5}
	mean := func(from, to int) (float64, bool) {
		sum, n := 0.0, 0.0
		for k, v := range values {
			if k < from || k >= to {
				sum, n = sum+v, n+1
			}
		}
		return sum / n, true
	}
	m := confidence.MeanOf(values)
	if got := jackknife(len(values), m.Mean, mean); got == nil || !near(got.Low, m.Mean-m.Reach()) || !near(got.High, m.Mean+m.Reach()) {
		t.Errorf("%+v, want %v ± %v", got, m.Mean, m.Reach())
	}
	if got := jackknife(confidence.Fewest-1, 1, mean); got != nil {
		t.Errorf("of too few blocks %+v", got)
	}
}

// later starts all jobs so many seconds later.
func later(jobs []report.Job, seconds int64) {
	for i := range jobs {
		jobs[i].Start += ostrich.Time(seconds)
		jobs[i].End += ostrich.Time(seconds)
	}
}

// TestOutcome: the verdict comes first and says who gains and who pays.
func TestOutcome(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(*Input)
		want  string
	}{
		{
			"some gain, some pay",
			func(*Input) {},
			"No clear change for users under ostrich, compared with fairshare: the mean stretch per user falls from 3.25 to 3.05 (−0.20; 95 % interval −0.59 to +0.22). " +
				"Of 18 users with an interval, 10 clearly gain (12.1 % of the core-hours; most ivan: −1.42, 95 % interval −2.01 to −0.82) " +
				"and 8 clearly pay (86.0 % of the core-hours; most olivia: +0.94, 95 % interval +0.73 to +1.18).",
		},
		{"all gain", func(in *Input) { later(in.Runs[1].Jobs, 360_000) }, "Users gain under ostrich"},
		{"nobody", func(in *Input) { in.Runs[2].Jobs, in.Runs[0].Jobs = in.Runs[1].Jobs, in.Runs[1].Jobs }, "No clear change for users under ostrich, compared with fairshare: the mean stretch per user stays at "},
		{"none of either", func(in *Input) { in.Runs[2].Jobs, in.Runs[0].Jobs = in.Runs[1].Jobs, in.Runs[1].Jobs }, "Of 18 users with an interval, none clearly gain and none clearly pay."},
		{"one pays", func(in *Input) {
			in.Runs[2].Jobs = slices.Clone(in.Runs[1].Jobs)
			for i := range in.Runs[2].Jobs {
				if in.Runs[2].Jobs[i].User == in.Runs[1].Jobs[0].User {
					later(in.Runs[2].Jobs[i:i+1], 360_000)
				}
			}
		}, "none clearly gain and 1 clearly pays ("},
		{"all pay", func(in *Input) { later(in.Runs[2].Jobs, 360_000) }, "Users pay under ostrich"},
		{"one run", func(in *Input) { in.Runs = in.Runs[:2] }, "The simulated fairshare is close"},
	} {
		in := madeUp(20, 25)
		tt.spoil(&in)
		c := compare(t, in)
		if first := c.Verdict[0]; !strings.Contains(first, tt.want) {
			t.Errorf("%s: no %q in\n%s", tt.name, tt.want, first)
		}
	}
	in := madeUp(3, 2)
	if first := compare(t, in).Verdict[0]; !strings.HasPrefix(first, "Too few users to tell under ostrich") || !strings.HasSuffix(first, "No user has enough campaigns to tell who gains and who pays.") {
		t.Error(first)
	}
}

func TestSentence(t *testing.T) {
	for _, tt := range []struct {
		d    Difference
		want string
	}{
		{
			Difference{Name: "mean wait", Unit: "s", Baseline: 60, Value: 40, Change: Change{Difference: -20, Interval: &report.Interval{Low: -30, High: -5}, Reading: Better}},
			"The mean wait falls from 60 s to 40 s (−20 s; 95 % interval −30 to −5 s).",
		},
		{
			Difference{Name: "mean wait", Unit: "s", Baseline: 40, Value: 60, Change: Change{Difference: 20, Interval: &report.Interval{Low: -3, High: 50}, Reading: Unclear}},
			"The mean wait rises from 40 s to 60 s (+20 s; 95 % interval −3 to +50 s), which is not clearly different from no change.",
		},
		{
			Difference{Name: "mean wait", Unit: "s", Baseline: 40, Value: 40.1, Change: Change{Difference: 0.1, Reading: TooFew}},
			"The mean wait stays at 40 s (0 s), of too few users for an interval.",
		},
	} {
		if got := tt.d.sentence(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{signed(0.25), "+0.25"},
		{signed(-1), "−1"},
		{signed(0.00001), "0.000"},
		{coreHours(0.4), "below 1 core-hour"},
		{coreHours(1.2), "1 core-hour"},
		{coreHours(1234), "1\u00a0234 core-hours"},
		{signedLength(-3660), "−61 min"},
		{between(&report.Interval{Low: -60, High: 5}, "s"), "−60 to +5 s"},
		{between(&report.Interval{Low: -600, High: 5}, "s"), "−10 min to +5 s"},
		{between(&report.Interval{Low: -0.01, High: 0.02}, "part"), "−1.0 to +2.0 points"},
		{intervalCell(nil, "s").Text, "–"},
		{moment(90061, nil), "day 1 01:01"},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
}

// TestHoursCell: little work is not none.
func TestHoursCell(t *testing.T) {
	for hours, want := range map[float64]string{0: "0", 0.2: "<1", 0.7: "1", 12: "12"} {
		if got := hoursCell(hours).Text; got != want {
			t.Errorf("%v core-hours: %q, want %q", hours, got, want)
		}
	}
}
