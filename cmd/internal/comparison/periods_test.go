package comparison

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/satisfaction"
)

var (
	update    = flag.Bool("update", false, "write testdata anew")
	histories = flag.Int("histories", 15, "how many histories TestPeriodsCoverage makes up for each length")
)

// begun is a Monday, 2026-01-05T00:00Z.
const begun = ostrich.Time(1767571200)

const weekLong = ostrich.Time(week)

// happened makes up what happened in some weeks on 64 processors: each of 10 users
// submits a campaign every day or two. wait is the mean wait in a week, jobs how
// many jobs a campaign has there.
func happened(seed uint64, weeks int, wait, jobs func(week int) float64) PeriodsInput {
	random := rand.New(rand.NewPCG(seed, 0))
	var list []report.Job
	campaigns := 0
	for user := ostrich.UserID(1); user <= 10; user++ {
		at := begun + ostrich.Time(random.Int64N(86400))
		for n := 0; at < begun+ostrich.Time(weeks)*weekLong; n++ {
			w := int((at - begun) / weekLong)
			run, last := ostrich.Time(600+random.Int64N(7200)), at
			delay := ostrich.Time(random.ExpFloat64() * wait(w))
			for range max(1, int(math.Round(random.ExpFloat64()*jobs(w)))) {
				j := report.Job{
					ID: ostrich.JobID(len(list) + 1), User: user, Campaign: campaigns, Submit: at, Start: at + delay,
					End: at + delay + run, Procs: 1 + random.IntN(4),
				}
				list = append(list, j)
				last = max(last, j.End)
			}
			campaigns++
			at = last + ostrich.Time(random.ExpFloat64()*24*3600)
		}
	}
	in := PeriodsInput{
		Input: windowed(Input{
			Source: "cluster c1", From: begun, To: begun + ostrich.Time(weeks)*weekLong, Location: time.UTC, Procs: 64, Floor: 10, Measured: "max",
			Runs: []Run{{Name: "recorded", Recorded: true, Jobs: list}}, Seed: 1, Resamples: 300, Notes: []string{"3 jobs of user 7 are odd."},
		}),
		Date: begun + ostrich.Time(weeks/2)*weekLong, Ran: list,
	}
	return in
}

func each(x float64) func(int) float64 { return func(int) float64 { return x } }

// since is one value up to a week and another from it on.
func since(week int, before, after float64) func(int) float64 {
	return func(w int) float64 {
		if w < week {
			return before
		}
		return after
	}
}

func periods(t testing.TB, in PeriodsInput) *Periods {
	t.Helper()
	c, err := ComparePeriods(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestPeriods compares histories in which it is known what changed.
func TestPeriods(t *testing.T) {
	for _, tt := range []struct {
		name    string
		in      PeriodsInput
		reading Reading
		alike   bool
		verdict string // the beginning of the first sentence
	}{
		{"better", happened(1, 16, since(8, 7200, 1800), each(4)), Better, true, "Better since then: users waited "},
		{"worse", happened(2, 16, since(8, 1800, 4500), each(4)), Worse, true, "Worse since then: users waited "},
		{"same", happened(3, 16, each(3600), each(4)), Unclear, true, "Not told from chance: users waited "},
		{
			"better under another load", happened(4, 16, since(8, 7200, 1800), since(8, 3, 12)), Differs, false,
			"The two periods cannot be compared: the load was ",
		},
		{
			"four weeks", happened(5, 8, since(4, 7200, 1800), each(4)), TooFew, true,
			"Too little time to tell from chance (4 weeks in each period, and an interval needs 6): users waited ",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := periods(t, tt.in)
			d := *shift(c, "user_mean_stretch")
			if d.Reading != tt.reading || c.Alike != tt.alike || !strings.HasPrefix(c.Verdict[0], tt.verdict) {
				t.Errorf("reading %s, loads alike %v, verdict %q; want %s, %v, %q", d.Reading, c.Alike, c.Verdict[0], tt.reading, tt.alike, tt.verdict)
			}
			if (d.Interval == nil) != (tt.reading == TooFew) {
				t.Errorf("interval %v", d.Interval)
			}
			if n := int((tt.in.Date - begun) / weekLong); c.Blocks != n || c.Block != week || len(c.Before.Weeks) != n || len(c.After.Weeks) != n {
				t.Errorf("%d blocks of %d s, want %d weeks", c.Blocks, c.Block, n)
			}
		})
	}
	c := periods(t, happened(4, 16, since(8, 7200, 1800), since(8, 3, 12)))
	if want := "Lower since then, with another load: users"; !strings.HasPrefix(c.Verdict[1], want) {
		t.Errorf("verdict %q, want %q", c.Verdict[1], want)
	}
	c = periods(t, happened(4, 16, since(8, 1800, 14400), since(8, 3, 12)))
	if want := "Higher since then, with another load: users"; !strings.HasPrefix(c.Verdict[1], want) {
		t.Errorf("verdict %q, want %q", c.Verdict[1], want)
	}
}

// TestPeriodsOpen: a campaign of which no job has ended is not among the jobs, and leaves
// those with the numbers next to it as they are.
func TestPeriodsOpen(t *testing.T) {
	in := happened(3, 16, each(3600), each(4))
	want := periods(t, in)
	number := in.Runs[0].Jobs[len(in.Runs[0].Jobs)/2].Campaign
	jobs := slices.Clone(in.Runs[0].Jobs)
	for i := range jobs { // the number is that of an open one from here on
		if jobs[i].Campaign >= number {
			jobs[i].Campaign++
		}
	}
	in.Runs[0].Jobs, in.Open = jobs, map[int]bool{number: true}
	got := periods(t, in)
	if diff := cmp.Diff(want.Measures, got.Measures); diff != "" || got.Straddling != want.Straddling || got.Beyond != want.Beyond {
		t.Errorf("%d campaigns across the date and %d across another end, want %d and %d (-want +got):\n%s",
			got.Straddling, got.Beyond, want.Straddling, want.Beyond, diff)
	}
}

// TestPeriodsCoverage: where nothing changed, most intervals contain 0. With few
// weeks they are a little narrow, as docs/compare-reference.md says.
func TestPeriodsCoverage(t *testing.T) {
	for _, weeks := range []int{6, 8, 12} {
		covers, odd := 0, 0
		for seed := range *histories {
			in := happened(1000+uint64(seed), 2*weeks, each(3600), each(1))
			in.Resamples = 200
			c := periods(t, in)
			if slices.ContainsFunc(c.Measures, func(d Shift) bool { return d.Reading.clear() }) {
				odd++
			}
			if d := *shift(c, "user_mean_stretch"); d.Reading == Unclear && !d.Interval.Excludes(0) && !d.RatioInterval.Excludes(1) {
				covers++
			}
		}
		if covers < *histories*3/4 {
			t.Errorf("%d weeks: %d of %d intervals contain 0", weeks, covers, *histories)
		}
		t.Logf("%d weeks: %d of %d intervals contain 0; in %d histories some measure seems to differ", weeks, covers, *histories, odd)
	}
}

// shift returns a measure by its key.
func shift(c *Periods, key string) *Shift {
	return &c.Measures[slices.IndexFunc(c.Measures, func(s Shift) bool { return s.Measure == key })]
}

// TestPeriodsSwapped: a comparison the other way round has the inverse ratios and the
// opposite differences.
func TestPeriodsSwapped(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		weeks := 2 * rapid.IntRange(1, 7).Draw(r, "weeks a period")
		in := happened(rapid.Uint64().Draw(r, "seed"), weeks, since(weeks/2, 3600, rapid.Float64Range(0, 9000).Draw(r, "wait")), each(2))
		in.Resamples = 20
		s, err := study(&in.Input)
		if err != nil {
			r.Fatal(err)
		}
		c, span := &Periods{Date: in.Date}, in.Date-in.From
		first, second := newPeriod(s, in.From, in.Date, week), newPeriod(s, in.Date, in.Date+span, week)
		if err = c.assign(s, nil, first, second); err != nil {
			r.Fatal(err)
		}
		late := make([]float64, len(s.runs[0].campaigns))
		for i := range late {
			late[i] = float64(i % 100)
		}
		first.measure(in.Ran, late)
		second.measure(in.Ran, late)
		one, err := shifts(t.Context(), first, second, true)
		if err != nil {
			r.Fatal(err)
		}
		other, err := shifts(t.Context(), second, first, true)
		if err != nil {
			r.Fatal(err)
		}
		opposite := map[Reading]Reading{Better: Worse, Worse: Better}
		for m := range one {
			a, b := one[m], other[m]
			if a.Before != b.After || a.After != b.Before || !near(a.Difference, -b.Difference) {
				r.Fatalf("%s: %+v and %+v", a.Name, a, b)
			}
			if a.Ratio != nil && b.Ratio != nil && !near(*a.Ratio, 1 / *b.Ratio) {
				r.Fatalf("%s: ratios %v and %v", a.Name, *a.Ratio, *b.Ratio)
			}
			if (a.Interval == nil) != (b.Interval == nil) || a.Interval != nil && (a.Interval.Excludes(0) != b.Interval.Excludes(0)) {
				r.Fatalf("%s: intervals %v and %v", a.Name, a.Interval, b.Interval)
			}
			if want, ok := opposite[a.Reading]; ok && b.Reading != want {
				r.Fatalf("%s: %s and %s", a.Name, a.Reading, b.Reading)
			}
		}
	})
}

// at makes a job of a campaign, by hours from the date on.
func at(campaign int, submit, start, end ostrich.Time) report.Job {
	date := begun + 14*86400
	return report.Job{
		ID: ostrich.JobID(campaign + 1), User: ostrich.UserID(campaign + 1), Campaign: campaign, Procs: 1,
		Submit: date + submit*3600, Start: date + start*3600, End: date + end*3600,
	}
}

// TestPeriodsBelong: a period has what was submitted and ended in it.
func TestPeriodsBelong(t *testing.T) {
	jobs := []report.Job{
		at(0, -30, -29, -28), at(1, 2, 4, 8), // one in each period
		at(2, -5, -4, 0), at(3, 0, 1, 2), // up to the date, and from it on
		at(4, -5, -4, 1),         // across the date
		at(5, -15*24, -2, -1),    // from before the data that are compared
		at(6, 100, 200, 14*24+1), // until after them
		at(7, 5, 6, 7),           // has another job that has not ended
		at(8, -8, -7, -6),        // the same, before
		at(9, -16*24, -370, -369),
		at(10, -15*24, -14, 15*24),
	}
	in := PeriodsInput{
		Input: windowed(Input{Location: time.UTC, Procs: 8, From: begun, To: begun + 28*86400, Runs: []Run{{Name: "recorded", Jobs: jobs}}, Resamples: 10}),
		Date:  begun + 14*86400, Ran: jobs, Open: map[int]bool{7: true, 8: true, 99: true},
	}
	c := periods(t, in)
	if c.Before.Campaigns != 2 || c.After.Campaigns != 2 || c.Straddling != 3 || c.Beyond != 3 {
		t.Errorf("%d campaigns before, %d after, %d across the date, %d beyond; want 2, 2, 3, 3", c.Before.Campaigns, c.After.Campaigns, c.Straddling, c.Beyond)
	}
	// Waits of 1 h and 1 h before, 2 h and 1 h after.
	if d := shift(c, "wait_mean"); d.Before != 3600 || d.After != 5400 {
		t.Errorf("mean wait %v and %v, want 3600 and 5400", d.Before, d.After)
	}
	if d := shift(c, "campaign_stretch_mean"); !near(d.Before, (2+1.25)/2) { // 2 h of which 1 h ran, 5 h of which 4 h ran
		t.Errorf("mean stretch before %v, want 1.625", d.Before)
	}
	if c.Accepted != "median" {
		t.Errorf("in time by %q", c.Accepted)
	}
	// All waits are below the 71 minutes that the median accepts for a job of an hour,
	// but for the one of 2 h, which ran for 4 h: it may wait for 197 minutes.
	for _, key := range []string{"jobs_in_time", "campaigns_in_time"} {
		if d := shift(c, key); d.Before != 1 || d.After != 1 || d.Unit != "part" {
			t.Errorf("%s %v and %v, want 1 and 1", d.Measure, d.Before, d.After)
		}
	}
	hasty := in
	hasty.Accept = satisfaction.Acceptance{Slope: 1, Offset: 60}
	for _, key := range []string{"jobs_in_time", "campaigns_in_time"} {
		if d := shift(periods(t, hasty), key); d.Before != 1 || d.After != 0.5 || *d.Ratio != 0.5 {
			t.Errorf("if an hour is accepted: %s %v and %v, want 1 and 0.5", d.Measure, d.Before, d.After)
		}
	}
	limited := in
	limited.Runs = []Run{{Name: "recorded", Jobs: slices.Clone(jobs)}}
	for i := range limited.Runs[0].Jobs {
		limited.Runs[0].Jobs[i].Estimate = 86400
	}
	if diff := cmp.Diff(c.Measures, periods(t, limited).Measures); diff != "" {
		t.Errorf("time limits change what is measured:\n%s", diff)
	}
	if c.Before.Jobs != 4 || c.After.Jobs != 4 || c.Before.Users != 4 {
		t.Errorf("%d jobs of %d users before, %d after; want 4 of 4, 4", c.Before.Jobs, c.Before.Users, c.After.Jobs)
	}
	if want := (1 + 4 + 4 + 1) / (8 * 14 * 24.0); !near(c.Before.Load, want) {
		t.Errorf("load before %v, want %v", c.Before.Load, want)
	}
}

// TestPeriodsLoad: where the same jobs come every day, the loads are the same, however long
// they are. Of the last ones nothing tells when they will end.
func TestPeriodsLoad(t *testing.T) {
	jobs := []report.Job{at(0, -30, -29, -28), at(1, 30, 31, 32)}
	in := PeriodsInput{
		Input: windowed(Input{Location: time.UTC, Procs: 8, From: begun, To: begun + 28*86400, Runs: []Run{{Name: "recorded", Jobs: jobs}}, Resamples: 10}),
		Date:  begun + 14*86400, Ran: slices.Clone(jobs),
	}
	for from := in.From; from < in.To; from += 86400 {
		in.Ran = append(in.Ran, report.Job{User: 3, Procs: 1, Submit: from, Start: from + 3600, End: min(from+10*86400, in.To)})
	}
	in.Ran = append(in.Ran, report.Job{User: 3, Procs: 8, Submit: in.Date - 3600, Start: in.Date + 3600, End: in.Date + 7200}) // waited across the date
	if c := periods(t, in); !near(c.Before.Load, c.After.Load) || !c.Alike {
		t.Errorf("loads of %v and %v, alike %v", c.Before.Load, c.After.Load, c.Alike)
	}
}

// TestPeriodsMeasured: a user who never pauses has one campaign, across the date. The
// verdict does not count that user, and says so.
func TestPeriodsMeasured(t *testing.T) {
	in := happened(1, 16, each(3600), each(4))
	jobs := in.Ran
	restless := report.Job{ID: ostrich.JobID(len(jobs) + 1), User: 11, Campaign: jobs[len(jobs)-1].Campaign + 1, Submit: in.From, Procs: 40}
	for at := in.From; at < in.To; at += 86400 {
		one := restless
		one.ID += ostrich.JobID((at - in.From) / 86400)
		one.Submit, one.Start, one.End = at, at, at+86400
		jobs = append(jobs, one)
	}
	in.Ran, in.Runs[0].Jobs = jobs, jobs
	c := periods(t, in)
	for _, p := range []Period{c.Before, c.After} {
		if p.Users != 11 || p.MeasuredUsers != 10 || p.MeasuredJobs+56 > p.Jobs || p.MeasuredJobs < p.Jobs-70 || p.MeasuredWork > 0.15 || p.MeasuredWork < 0.05 {
			t.Errorf("%d of %d users, %d of %d jobs, %.2f of the work are measured", p.MeasuredUsers, p.Users, p.MeasuredJobs, p.Jobs, p.MeasuredWork)
		}
	}
	text := strings.Join(c.Verdict, "\n")
	for _, want := range []string{
		fmt.Sprintf("Measured: %d jobs of 10 users (", c.Before.MeasuredJobs), " % of the core-hours of a period are measured, and nothing is said of the others: they are in campaigns that reach over an end of it. " +
			"By the rule max all jobs of a user who never pauses are one campaign; --measure-rule arrival=30m finds shorter ones.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("verdict %q, want %q", text, want)
		}
	}
	in.Measured = "arrival=30m"
	if text = strings.Join(periods(t, in).Verdict, "\n"); strings.Contains(text, "--measure-rule") || !strings.Contains(text, "Only ") {
		t.Errorf("verdict %q names the rule that was used", text)
	}
	if text = strings.Join(periods(t, happened(1, 16, each(3600), each(4))).Verdict, "\n"); strings.Contains(text, "Only ") {
		t.Errorf("verdict %q, and nobody never pauses", text)
	}
}

// TestPeriodsErrors: a moment without data in both periods of it is an error.
func TestPeriodsErrors(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*PeriodsInput)
		want   string
	}{
		{"before the data", func(in *PeriodsInput) { in.Date = in.From }, "2026-01-05 00:00 is outside of the data: the data go from 2026-01-05 00:00 to 2026-03-02 00:00"},
		{"after the data", func(in *PeriodsInput) { in.Date = in.To + 5 }, "is outside of the data"},
		{"little before", func(in *PeriodsInput) { in.Date = in.From + 82800 }, "less than a day before 2026-01-05 23:00: the data go"},
		{"little after", func(in *PeriodsInput) { in.Date = in.To - 3600 }, "less than a day after "},
		{"no campaign", func(in *PeriodsInput) {
			in.Open = make(map[int]bool)
			for i := range in.Runs[0].Jobs {
				if j := &in.Runs[0].Jobs[i]; j.Submit >= in.Date {
					in.Open[j.Campaign] = true
				}
			}
		}, "no campaign was submitted and ended from 2026-02-02 00:00 to 2026-03-02 00:00, after the date"},
		{"no machine", func(in *PeriodsInput) { in.Procs = 0 }, "comparison: a machine of 0 processors"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := happened(1, 8, each(60), each(1))
			tt.change(&in)
			_, err := ComparePeriods(t.Context(), in)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ComparePeriods(ctx, happened(1, 8, each(60), each(1))); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted comparison: %v", err)
	}
}

// TestPeriodsDays: without a whole week in both periods the blocks are days.
func TestPeriodsDays(t *testing.T) {
	in := happened(1, 4, each(600), each(2))
	in.Date = in.To - 6*86400 - 7200
	c := periods(t, in)
	if c.Block != day || c.Blocks != 6 || c.Before.From != in.Date-6*86400 || c.After.To != in.Date+6*86400 {
		t.Errorf("%d blocks of %d s from %d to %d", c.Blocks, c.Block, c.Before.From, c.After.To)
	}
	if text := strings.Join(c.Verdict, "\n"); !strings.Contains(text, "Compared are the 6 days before 2026-01-26 22:00 and the 6 days after it. Measured: ") {
		t.Errorf("verdict %q", text)
	}
	if page := periodsHTML(t, c); !strings.Contains(page, "<h2>Day by day</h2>") || strings.Contains(page, "each week") {
		t.Error("the page speaks of weeks")
	}
}

// TestPeriodsSlack: a few hours that are lacking, as where clocks are put forward, are no
// reason to leave out a week.
func TestPeriodsSlack(t *testing.T) {
	for _, tt := range []struct {
		weeks         int // that would be in each period
		before, after ostrich.Time
		block         ostrich.Duration
		blocks        int
	}{
		{6, 0, 0, week, 6},
		{6, 3600, 0, week, 6},
		{6, 0, 6 * 3600, week, 6},
		{6, 6*3600 + 1, 0, week, 5},
		{1, 6 * 3600, 0, week, 1},
		{1, 0, 6*3600 + 1, day, 6},
	} {
		in := happened(1, 2*tt.weeks, each(600), each(2))
		in.From, in.To = in.From+tt.before, in.To-tt.after
		c := periods(t, in)
		if c.Block != tt.block || c.Blocks != tt.blocks || c.Before.From != in.Date-ostrich.Time(tt.blocks)*ostrich.Time(tt.block) {
			t.Errorf("%d s less before and %d s after: %d blocks of %d s from %d, want %d of %d s", tt.before, tt.after, c.Blocks, c.Block, c.Before.From, tt.blocks, tt.block)
		}
	}
}

func periodsHTML(t testing.TB, c *Periods) string {
	t.Helper()
	var b bytes.Buffer
	if err := c.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestPeriodsPage: the page is as it was, well-formed, and needs nothing else.
func TestPeriodsPage(t *testing.T) {
	in := happened(1, 16, since(8, 7200, 1800), each(4))
	text := periodsHTML(t, periods(t, in))
	for _, e := range elements(t, text) {
		if name := e.Name.Local; name == "script" || name == "link" || name == "img" {
			t.Errorf("the page has an element %s", name)
		}
	}
	before, rest, _ := strings.Cut(text, "<style>")
	_, rest, _ = strings.Cut(rest, "</style>") // the style is that of all pages
	text = before + rest
	const golden = "testdata/periods.html"
	if *update {
		if err := os.WriteFile(golden, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text); diff != "" {
		t.Errorf("go test ./cmd/internal/comparison -run TestPeriodsPage -update writes it anew (-want +got):\n%s", diff)
	}
}

// TestPeriodsAnonymous: no name of a user or of an account is left.
func TestPeriodsAnonymous(t *testing.T) {
	in := happened(1, 4, each(600), each(2))
	in.UserName = func(u ostrich.UserID) string { return fmt.Sprintf("secret%d", u) }
	in.AccountName = func(ostrich.UserID) string { return "hidden" }
	in.Source, in.Notes = "secret3's dump", []string{"secret7 in hidden has 3 odd jobs."}
	Anonymize(&in.Input)
	c := periods(t, in)
	raw, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	if all := string(raw) + periodsHTML(t, c) + c.Sentences(); strings.Contains(all, "secret") || strings.Contains(all, "hidden") {
		t.Errorf("a name is left in %s", all)
	}
	if c.Sentences() == "" {
		t.Error("no notes")
	}
}
