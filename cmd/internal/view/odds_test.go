package view

import (
	"strings"
	"testing"
	"time"

	"slurm-ostrich/cmd/internal/foresight"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// foreseen gives a cycle a foresight that has heard of jobs of 600 s with limits of an hour, one an hour for ten days.
func foreseen(s *Cycle) *Cycle {
	f := foresight.New()
	f.Begin("c", nil)
	from := s.Time - 10*86400
	for i := range ostrich.JobID(240) {
		at := from + 3600*ostrich.Time(i)
		j := ostrich.Job{ID: 1000 + i, User: 7, Procs: 1, Estimate: 3600, Submit: at}
		f.Step(ostrich.Event{At: at, Kind: ostrich.Submit, Job: j})
		j.Start = at + 1
		f.Step(ostrich.Event{At: j.Start, Kind: ostrich.Start, Job: j})
		j.End = j.Start + 600
		f.Step(ostrich.Event{At: j.End, Kind: ostrich.End, Job: j})
	}
	s.Foresight = f
	return s
}

// later is a machine at a moment at which days have passed.
func later(entries ...*priority.Entry) *Cycle {
	s := machine(entries...)
	s.Time += 1_700_000_000
	for i := range s.live {
		s.live[i].Job.Start += 1_700_000_000
	}
	return s
}

// TestOdds: odds are ascending, the same for the same cycle, and of nothing that cannot start.
func TestOdds(t *testing.T) {
	held := wide(30, 3, 4)
	held.Wait = priority.Limited
	tasks := wide(40, 4, 4)
	tasks.Count = 3
	build := func() *Cycle { return foreseen(later(wide(10, 1, 4), wide(20, 2, 8), held, tasks)) }
	s := build()
	first, last, array := explainOne(t, s, "10").Odds, explainOne(t, s, "20").Odds, explainOne(t, s, "40").Odds
	for _, o := range []*Odds{first, last, array} {
		if o == nil || o.P10 < s.Time || o.P10 > o.P50 || o.P50 > o.P90 || o.Held != nil || o.Of != 0 {
			t.Fatalf("%+v", o)
		}
	}
	if first.P50 > last.P50 || first.P90 > s.Time+86400 {
		t.Errorf("the first: %+v, the last: %+v", first, last)
	}
	if e := explainOne(t, s, "30"); e.Odds != nil || e.Expected != nil {
		t.Errorf("a held job: %+v", e.Odds)
	}
	if again := explainOne(t, build(), "20").Odds; *again != *last {
		t.Errorf("%+v, and then %+v", last, again)
	}
	if e := explainOne(t, later(wide(10, 1, 4)), "10"); e.Odds != nil {
		t.Errorf("without a foresight: %+v", e.Odds)
	}
}

// TestOddsBehind: a job behind the front has odds too, later than those of the front, and so has a campaign that reaches behind it. Who asks
// for the front draws no others.
func TestOddsBehind(t *testing.T) {
	var entries []*priority.Entry
	for i := range nearFront + 50 {
		e := wide(ostrich.JobID(10+i), i+1, 8)
		e.TimeLimit = 600
		entries = append(entries, e)
	}
	s := foreseen(later(entries...))
	s.near, s.drawn = newByPool[*drawn](), newByPool[*drawn]()
	pool, last := &s.Pools[0], entries[nearFront+49].Job
	front := s.odds(entries[nearFront-1].Job, pool)
	if front == nil || len(s.drawn.made) > 0 {
		t.Fatalf("the front: %+v, and all are drawn", front)
	}
	if behind := s.odds(last, pool); behind == nil || behind.P50 < front.P50 || len(s.drawn.made) != 1 {
		t.Errorf("behind it %+v, at its end %+v", behind, front)
	}
	for _, test := range []struct {
		jobs  []ostrich.JobID
		drawn int
	}{{[]ostrich.JobID{10, 11}, 0}, {[]ostrich.JobID{10, last}, 1}} {
		s.near, s.drawn = newByPool[*drawn](), newByPool[*drawn]()
		c := &Campaign{Pending: test.jobs}
		if end := s.endOdds(c); end == nil || len(s.drawn.made) != test.drawn {
			t.Errorf("%v end at %+v, and %d of all are drawn", test.jobs, end, len(s.drawn.made))
		}
	}
}

// TestOddsWords says how sure the odds are.
func TestOddsWords(t *testing.T) {
	const now = 1_700_000_000
	expected := &Expected{From: now + 60, To: now + 120}
	two := expected.words(now)
	part := func(x float64) *float64 { return &x }
	for _, test := range []struct {
		odds *Odds
		want string
	}{
		{nil, two},
		{&Odds{P10: now, P50: now + 60, P90: now + 600, Of: 3}, two + " (no odds yet: 3 answers of the last 30 days are known, and odds are shown from 20 on)"},
		{
			&Odds{P10: now + 60, P50: now + 120, P90: now + 600, Held: part(0.81), Of: 5200},
			"between " + moment(now+60) + " and " + moment(now+600) + ", four times out of five; as likely before " + moment(now+120) + " as after; such answers held 81 % of 5 200 times in 30 days",
		},
		{&Odds{P10: now, P50: now, P90: now + 600, Held: part(0.9), Of: 30}, "between now and " + moment(now+600) + ", four times out of five; such answers held 90 % of 30 times in 30 days"},
		{&Odds{P10: now, P50: now, P90: now, Held: part(0.9), Of: 30}, "now, four times out of five; such answers held 90 % of 30 times in 30 days"},
		{&Odds{P10: now, P50: now + 60, P90: now + 600, Held: part(0.6), Of: 200}, "OStrich cannot tell here, as only 60 % of 200 answers in 30 days held; " + two},
		{&Odds{P10: now, P50: now + 60, P90: now + 600, Held: part(0.6), Of: 90}, "between now and " + moment(now+600) + ", four times out of five; as likely before " + moment(now+60) + " as after; such answers held 60 % of 90 times in 30 days"},
	} {
		e := Explanation{Time: now, Expected: expected, Odds: test.odds, Slurm: new(int)}
		if got := e.line("start"); got != test.want {
			t.Errorf("%s\nwant %s", got, test.want)
		}
	}
}

// TestOddsInterval writes odds as in ISO 8601, where earlier ones held.
func TestOddsInterval(t *testing.T) {
	now := ostrich.Time(time.Date(2026, 11, 29, 14, 10, 0, 0, time.Local).Unix())
	held, not := 0.81, 0.5
	for _, test := range []struct {
		odds *Odds
		want string
	}{
		{nil, ""},
		{&Odds{P10: now, P90: now + 60, Of: 3}, ""},
		{&Odds{P10: now, P90: now + 60, Held: &not, Of: 200}, ""},
		{&Odds{P10: now - 60, P90: now, Held: &held, Of: 200}, "now"},
		{&Odds{P10: now - 60, P90: now + 4800, Held: &held, Of: 200}, "2026-11-29T14:10/15:30"},
		{&Odds{P10: now + 5, P90: now + 30, Held: &held, Of: 200}, "2026-11-29T14:10/14:11"},
		{&Odds{P10: now + 60, P90: now + 12*3600, Held: &held, Of: 200}, "2026-11-29T14:11/2026-11-30T02:10"},
	} {
		if got := test.odds.Interval(now); got != test.want {
			t.Errorf("%+v: %q, want %q", test.odds, got, test.want)
		}
	}
}

// TestEndOdds: a campaign ends when its last job does, and nothing is said if one cannot start.
func TestEndOdds(t *testing.T) {
	s := foreseen(later(wide(10, 1, 4), wide(20, 2, 8)))
	c := ostrich.Campaign{User: 1, Lead: 10, First: s.Time, Pending: []ostrich.JobID{10, 20}, Running: []ostrich.JobID{1}, Work: 3600}
	s.describePool(&s.Pools[0], []ostrich.User{{User: 1}}, []ostrich.Campaign{c}, func(ostrich.UserID) string { return "user" })
	e := explainOne(t, s, "20")
	if end := e.Campaign.EndOdds; end == nil || end.P50 <= e.Odds.P50 || end.P90 < end.P50 {
		t.Fatalf("end %+v, start %+v", e.Campaign.EndOdds, e.Odds)
	}
	if list := s.Unfinished(Everything(), &Selection{}).Campaigns; *list[0].EndOdds != *e.Campaign.EndOdds {
		t.Errorf("listed: %+v", list[0].EndOdds)
	}
	held := 0.8
	e.Campaign.EndOdds.Held, e.Campaign.EndOdds.Of = &held, 50
	if text := e.String(); !strings.Contains(text, "its last job ends between ") || !strings.Contains(text, ", four times out of five; such answers held 80 % of 50 times in 30 days") {
		t.Error(text)
	}
	// One that only runs ends in each future when what waits for it starts.
	s.Campaigns[0].Pending = nil
	if end, start := s.endOdds(&s.Campaigns[0]), explainOne(t, s, "10").Odds; end == nil || *end != *start {
		t.Errorf("what runs ends at %+v, what waits for it starts at %+v", end, start)
	}
	s.Campaigns[0].Blocked = 1
	if end := s.endOdds(&s.Campaigns[0]); end != nil {
		t.Errorf("with a job that cannot start: %+v", end)
	}
}

// TestLook: the cycle asks for jobs that have come and for their campaigns, and its answers are counted.
func TestLook(t *testing.T) {
	s := foreseen(later(wide(10, 1, 4), wide(20, 2, 8)))
	c := ostrich.Campaign{User: 1, Lead: 10, First: s.Time, Pending: []ostrich.JobID{10, 20}, Work: 3600}
	s.describePool(&s.Pools[0], []ostrich.User{{User: 1}}, []ostrich.Campaign{c}, func(ostrich.UserID) string { return "user" })
	if err := s.Look(); err != nil {
		t.Fatal(err)
	}
	for _, id := range []ostrich.JobID{10, 20} {
		s.Foresight.Step(ostrich.Event{At: s.Time + 1, Kind: ostrich.Submit, Job: ostrich.Job{ID: id, User: 7, Procs: 4, Estimate: 3600, Submit: s.Time + 1}})
	}
	s.Time += 60
	if err := s.Look(); err != nil {
		t.Fatal(err)
	}
	o, last := explainOne(t, s, "10").Odds, explainOne(t, s, "10").Campaign.EndOdds
	s.Foresight.Step(ostrich.Event{At: o.P50 + 1, Kind: ostrich.Start, Job: ostrich.Job{ID: 10}})
	if got := s.Foresight.Record("", foresight.Starts, o.P50+1); got != (foresight.Record{Of: 1, Held: 1}) {
		t.Errorf("%+v", got)
	}
	if e := explainOne(t, s, "20"); e.Odds.Of != 1 || e.Campaign.EndOdds.Of != 0 {
		t.Errorf("known of starts: %+v, of ends: %+v", e.Odds, e.Campaign.EndOdds)
	}
	for _, id := range []ostrich.JobID{10, 20} {
		s.Foresight.Step(ostrich.Event{At: last.P50, Kind: ostrich.End, Job: ostrich.Job{ID: id, Start: o.P50 + 1, End: last.P50}})
	}
	if err := s.Foresight.Look(last.P50+60, []foresight.Queue{{}}); err != nil {
		t.Fatal(err)
	}
	if got := s.Foresight.Record("", foresight.Ends, last.P50); got != (foresight.Record{Of: 1, Held: 1}) {
		t.Errorf("ends: %+v", got)
	}
}

// BenchmarkForecastOdds is the first question for odds with 20 000 pending jobs.
func BenchmarkForecastOdds(b *testing.B) {
	var entries []*priority.Entry
	for i := range 20_000 {
		e := wide(ostrich.JobID(10_000+i), i+1, 1+i%7)
		e.UID = uint32(i % 50)
		e.TimeLimit = ostrich.Duration(600 + 60*(i%97))
		entries = append(entries, e)
	}
	s := foreseen(later(entries...))
	for b.Loop() {
		if s.odds(entries[100].Job, &s.Pools[0]) == nil {
			b.Fatal("no start")
		}
	}
}

// TestPlanOdds: the plan tells the odds that explain tells, of what can start, and none in answers too large for that.
func TestPlanOdds(t *testing.T) {
	held := wide(30, 2, 4)
	held.Wait = priority.Limited
	s := foreseen(later(wide(10, 1, 4), held))
	s.moved = make([]int, 2+mostOdds)
	plan := s.Chosen(Everything(), &Selection{})
	if first := plan.Jobs[0].Odds; first == nil || *first != *explainOne(t, s, "10").Odds {
		t.Errorf("%+v, and explain says %+v", first, explainOne(t, s, "10").Odds)
	}
	if plan.Jobs[1].Odds != nil {
		t.Errorf("of a held job: %+v", plan.Jobs[1].Odds)
	}
	for i := range mostOdds {
		s.Plan.Entries = append(s.Plan.Entries, wide(ostrich.JobID(100+i), 3+i, 4))
	}
	s.works, s.dues = make([]ostrich.Work, 2+mostOdds), make([]due, 2+mostOdds)
	if all := s.Chosen(Everything(), &Selection{}); all.Jobs[0].Odds != nil {
		t.Errorf("of %d jobs: %+v", len(all.Jobs), all.Jobs[0].Odds)
	}
	if few := s.Chosen(Everything(), &Selection{Limit: 1}); few.Jobs[0].Odds == nil {
		t.Error("none of one job")
	}
}
