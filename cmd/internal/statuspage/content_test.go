package statuspage

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"
)

// mostBytes is what a page may weigh that nobody asked for all of.
const mostBytes = 500_000

// written is the page as HTML.
func written(t testing.TB, s *Snapshot, q Query) string {
	t.Helper()
	var b bytes.Buffer
	if err := render(&b, s, q, answering(s, nil).explained(t.Context(), s, q.Ask), time.Local); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPageText(t *testing.T) {
	page := written(t, sample(8, 60), Query{})
	for _, want := range []string{
		"&lt;b&gt;&#34;d&amp;ve&#39;&lt;/b&gt;", "held by &lt;script&gt;", `href="./?user=alice#campaigns"`, `href="explain?job=2031_%5B0-63%254%5D#explain"`,
		"Running now: 60 of 64 processors busy", "60 pending jobs", "18 campaigns", "Access/permission denied", "adminlevel=operator",
		"through sitefactor, mode strict", "these checks fail: writes", ">never<",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	for what, form := range map[string]string{
		"an element from a name": `<b>|<script>`, "an inline style": `\sstyle=|<style`, "an inline handler": `\son[a-z]+=`,
		"an address that is not relative": `(href|src|action)="(/|[a-z]+://)`, "an unsafe value": `ZgotmplZ`, "a number gone wrong": `NaN|[+-]Inf|%!`,
	} {
		if found := regexp.MustCompile(form).FindString(page); found != "" {
			t.Errorf("the page has %s: %s", what, found)
		}
	}
	if again := written(t, sample(8, 60), Query{}); again != page {
		t.Error("the same snapshot gives another page")
	}
}

func TestPageWithoutCycle(t *testing.T) {
	s := New(nil, nil).With(&Daemon{Health: Health{Cluster: "testbed", Mode: "observe", LastError: "database: refused", Failures: 2}, Unready: ErrNoCycle}, time.Unix(int64(sampleNow), 0))
	page := written(t, s, Query{Ask: "17"})
	for _, want := range []string{"No cycle has succeeded yet: database: refused", "nothing is written", "no cycle has succeeded yet</p>", "No user has been seen", "No such job is pending"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestPageNarrowed(t *testing.T) {
	s := sample(8, 60)
	page := written(t, s, Query{User: "grace", Job: "2031", All: true})
	for _, want := range []string{
		`value="grace"`, `value="2031"`, "1 pending job of user grace by the name of 2031, of 60 pending jobs in all",
		`<a href="./?all=1#queue">Show all jobs</a>`, `<a href="./?all=1&amp;job=2031&amp;user=grace">Refresh</a>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	table := page[strings.Index(page, `id="campaigns-t"`):strings.Index(page, `<section id="queue"`)]
	if strings.Contains(table, "heidi") {
		t.Error("campaigns of others are listed")
	}
	page = written(t, s, Query{User: "nobody", Ask: "<17>"})
	for _, want := range []string{"0 pending jobs of user nobody", "No such job is pending", "No campaign is unfinished", `value="&lt;17&gt;"`, "not a job id"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestPageSize(t *testing.T) {
	for name, s := range map[string]*Snapshot{"made up": sample(300, 20_000), "of a cycle": taken(t, 300, 20_000)} {
		page := written(t, s, Query{})
		t.Logf("%s: %d bytes", name, len(page))
		if len(page) > mostBytes {
			t.Errorf("%s: the page has %d bytes", name, len(page))
		}
		for what, want := range map[string]int{`class="lane u`: laneRows, `id="share%2F`: shareRows, `id="campaign%2F`: campaignRows, `id="job%2F`: queueRows} {
			if got := strings.Count(page, what); got != want {
				t.Errorf("%s: %d times %s, want %d", name, got, what, want)
			}
		}
		for _, want := range []string{"Shown are the 40 users", "of 300", "The first 100 of 20\u202f000 pending jobs", `href="./?all=1#schedule"`, `href="./?all=1#shares"`, `href="./?all=1#campaigns"`, `href="./?all=1#queue"`} {
			if !strings.Contains(page, want) {
				t.Errorf("%s: the page lacks %q", name, want)
			}
		}
		all := written(t, s, Query{All: true})
		for what, want := range map[string]int{`class="lane u`: 300, `id="share%2F`: 300, `id="campaign%2F`: len(s.Campaigns), `id="job%2F`: MostQueued} {
			if got := strings.Count(all, what); got != want {
				t.Errorf("%s, all of it: %d times %s, want %d", name, got, what, want)
			}
		}
		if !strings.Contains(all, `href="v1/plan"`) {
			t.Errorf("%s, all of it: nothing leads to the rest of the queue", name)
		}
	}
}

// TestPageOdd renders what should not happen.
func TestPageOdd(t *testing.T) {
	s := sample(3, 5)
	inf, past := math.Inf(1), float64(sampleNow-1e6)
	s.Pools = append(s.Pools, Pool{Pool: "gpu"}) // all its nodes are gone
	s.Lanes = append(s.Lanes,
		Lane{Pool: "gpu", User: "alice", Account: "physics", Blocks: []Block{{Campaign: 7}, {Campaign: 8, Start: &past, End: &inf}, {Campaign: 9, Start: &past, End: &past}}, More: 3},
		Lane{Pool: "gpu", User: "alice", Account: "chemistry"})
	s.Running = append(s.Running, Running{Pool: "gpu", User: "alice", Procs: 12, Jobs: 1}, Running{Pool: "gpu", User: "bob", Procs: 0, Jobs: 1})
	s.Left = Left{Lanes: 2, Blocks: 7}
	page := written(t, s, Query{})
	for _, want := range []string{"Pool gpu: ", "Running now in pool gpu: 0 of 0 processors busy", "3 later campaigns of users with many", "2 further users with 7 campaigns", "never, as the pool has no processors"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if found := regexp.MustCompile(`(x|width)="(-[^"]*|[^"]*(NaN|Inf)[^"]*|1\d\d\.[^"]*)%"`).FindString(page); found != "" {
		t.Errorf("a block out of its lane: %s", found)
	}
}

func TestMoments(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no time zones on this machine:", err)
	}
	c := clock{time.Date(2026, 10, 24, 14, 5, 0, 0, berlin)}
	at := func(d time.Duration) float64 { return float64(c.now.Add(d).Unix()) }
	for _, test := range []struct {
		at   float64
		want moment
	}{
		{0, moment{"", "–", ""}},
		{math.Inf(1), moment{"", "never", ""}},
		{math.NaN(), moment{"", "never", ""}},
		{at(0), moment{"2026-10-24T14:05:00+02:00", "14:05:00", "now"}},
		{at(-89 * time.Second), moment{"2026-10-24T14:03:31+02:00", "14:03:31", "89 s ago"}},
		{at(90 * time.Second), moment{"2026-10-24T14:06:30+02:00", "14:06:30", "in 2 min"}},
		{at(3*time.Hour + 4*time.Minute), moment{"2026-10-24T17:09:00+02:00", "17:09:00", "in 3 h 4 min"}},
		{at(24 * time.Hour), moment{"2026-10-25T13:05:00+01:00", "25 Oct 13:05 CET", "in 24 h"}}, // the clocks have changed
		{at(-50 * time.Hour), moment{"2026-10-22T12:05:00+02:00", "22 Oct 12:05", "2 d 2 h ago"}},
		{at(100 * 24 * time.Hour), moment{"2027-02-01T13:05:00+01:00", "1 Feb 2027 13:05 CET", "in 100 d"}},
	} {
		if got := c.at(test.at); got != test.want {
			t.Errorf("at %v: %+v, want %+v", test.at, got, test.want)
		}
	}
	if c.zone() != "CEST" || c.offset() != "UTC+02:00" {
		t.Errorf("zone %s, %s", c.zone(), c.offset())
	}
}

func TestScale(t *testing.T) {
	c := clock{time.Unix(int64(sampleNow), 0).UTC()}
	at := func(hours ...float64) (ends []float64) {
		for _, h := range hours {
			ends = append(ends, float64(sampleNow)+h*3600)
		}
		return ends
	}
	for _, test := range []struct {
		name string
		ends []float64
		want time.Duration
	}{
		{"nothing", nil, time.Hour},
		{"never", []float64{math.Inf(1)}, time.Hour},
		{"past", at(-5), 10 * time.Minute},
		{"one", at(3), 4 * time.Hour},
		{"one of ten is far away", at(1, 1, 1, 1, 1, 1, 1, 1, 2, 5000), 2 * time.Hour},
		{"two of ten are", at(1, 1, 1, 1, 1, 1, 1, 1, 30, 30), 48 * time.Hour},
		{"months", at(24 * 60), 84 * 24 * time.Hour},
		{"beyond all reason", at(1e15), 28 * 24 * 12 * 200 * time.Hour},
	} {
		s := newScale(c, test.ends)
		if s.span != test.want {
			t.Errorf("%s: %v, want %v", test.name, s.span, test.want)
		}
		ticks := s.ticks()
		if len(ticks) < 3 && test.want > 10*time.Minute || len(ticks) > 2*mostTicks {
			t.Errorf("%s: %d ticks: %v", test.name, len(ticks), ticks)
		}
	}
}

func TestShare(t *testing.T) {
	for got, want := range map[string]string{share(0.0004): "below 0.1 %", share(0): "0.0 %", share(0.25): "25.0 %"} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// BenchmarkPage renders the page of a large queue.
func BenchmarkPage(b *testing.B) {
	for _, size := range []struct{ users, pending int }{{8, 60}, {300, 20_000}} {
		s := taken(b, size.users, size.pending)
		for _, all := range []bool{false, true} {
			b.Run(fmt.Sprintf("users-%d/pending-%d/all-%v", size.users, size.pending, all), func(b *testing.B) {
				b.ReportAllocs()
				var page bytes.Buffer
				for b.Loop() {
					page.Reset()
					if err := render(&page, s, Query{All: all}, nil, time.Local); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(page.Len())/1000, "kB")
			})
		}
	}
}

// Two lines of one user, who may have an association for each partition, are not
// one to a script.
func TestIDs(t *testing.T) {
	s := sample(3, 10)
	s.Lanes, s.Shares = append(s.Lanes, s.Lanes[0]), append(s.Shares, s.Shares[0])
	s.Campaigns = append(s.Campaigns, s.Campaigns[0])
	seen := make(map[string]bool)
	for _, found := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(written(t, s, Query{All: true}), -1) {
		if seen[found[1]] {
			t.Errorf("%s is there twice", found[1])
		}
		seen[found[1]] = true
	}
	if len(seen) < 20 {
		t.Errorf("only %d", len(seen))
	}
}
