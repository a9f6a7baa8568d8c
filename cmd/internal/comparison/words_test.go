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
		{"close", func(*Input) {}, "The simulated fairshare is close to what happened: mean wait 2 h, and 1.9 h as recorded", false},
		{"far by the mean", func(in *Input) {
			later(in.Runs[1].Jobs, 7200)
		}, "The simulated fairshare is far from what happened: mean wait 4 h, and 1.9 h as recorded", true},
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
		}, "The simulated fairshare is far from what happened", true},
		{"nothing recorded", func(in *Input) { in.Runs[0].Recorded = false }, "There is no recorded run", false},
		{"recorded baseline", func(in *Input) { in.Baseline = 0 }, "The baseline is what happened", false},
		{"small change", func(in *Input) {
			in.Runs[2].Jobs = slices.Clone(in.Runs[1].Jobs)
			later(in.Runs[2].Jobs, 10)
		}, "The change of the mean wait by ostrich (+10 s) is smaller than what the simulation itself misses it by (62 s).", false},
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
		{"nobody", func(in *Input) { in.Runs[2].Jobs = in.Runs[1].Jobs }, "No clear change for users under ostrich, compared with fairshare: the mean stretch per user stays at "},
		{"none of either", func(in *Input) { in.Runs[2].Jobs = in.Runs[1].Jobs }, "Of 18 users with an interval, none clearly gain and none clearly pay."},
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
			Difference{Name: "mean wait", Unit: "s", Baseline: 60, Value: 40, Change: Change{Difference: -20, Interval: &confidence.Interval{Low: -30, High: -5}, Reading: Better}},
			"The mean wait falls from 60 s to 40 s (−20 s; 95 % interval −30 to −5 s).",
		},
		{
			Difference{Name: "mean wait", Unit: "s", Baseline: 40, Value: 60, Change: Change{Difference: 20, Interval: &confidence.Interval{Low: -3, High: 50}, Reading: Unclear}},
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
		{between(&confidence.Interval{Low: -60, High: 5}, "s"), "−60 to +5 s"},
		{between(&confidence.Interval{Low: -600, High: 5}, "s"), "−10 min to +5 s"},
		{between(&confidence.Interval{Low: -0.01, High: 0.02}, "part"), "−1.0 to +2.0 points"},
		{intervalCell(nil, "s").Text, "–"},
		{moment(90061, nil), "day 1 01:01"},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
}
