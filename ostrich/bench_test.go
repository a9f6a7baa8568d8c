package ostrich

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/lengths"
)

// history is a log of jobs of many users: submitted in small campaigns, each
// starting and ending some time later.
func history(jobs, users int) []Event {
	random := rand.New(rand.NewPCG(1, 2))
	events := make([]Event, 0, 3*jobs)
	at := Time(1)
	for i := range jobs {
		if random.IntN(4) == 0 {
			at += Time(random.IntN(20))
		}
		j := Job{
			ID: JobID(i + 1), User: UserID(random.IntN(users)), Partition: "batch",
			Procs: 1 + random.IntN(16), Estimate: Duration(60 + random.IntN(7200)), Submit: at,
		}
		started := j
		started.Start = at + Time(random.IntN(3600))
		ended := started
		ended.End = started.Start + Time(1+random.IntN(int(j.Estimate)))
		events = append(events, Event{At: at, Kind: Submit, Job: j}, Event{At: started.Start, Kind: Start, Job: started},
			Event{At: ended.End, Kind: End, Job: ended})
	}
	slices.SortStableFunc(events, Compare)
	return events
}

var measured = Options{Procs: 4096, Rule: campaign.Rule{By: campaign.Max}, Machine: Parallel}

// daemon is what ostrichd does: see cmd/internal/sidecar.
var daemon = Options{
	Procs: 4096, Rule: campaign.Rule{By: campaign.Window, Threshold: 1800}, Machine: Parallel, Gate: Off, Inside: SPT, Predictor: lengths.Alike,
	Grace: 24 * 3600, Memory: 7 * 24 * 3600, Settle: true,
}

// BenchmarkStep reports events per second.
func BenchmarkStep(b *testing.B) {
	variants := map[string]Options{"daemon": daemon}
	for _, rule := range []campaign.Rule{{By: campaign.Max}, {By: campaign.Arrival, Threshold: 600}, {By: campaign.Window, Threshold: 1800}} {
		o := measured
		o.Rule = rule
		variants[rule.By.String()] = o
	}
	for _, name := range slices.Sorted(maps.Keys(variants)) {
		b.Run(name, func(b *testing.B) {
			events, o := history(200_000, 300), variants[name]
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				s := mustNew(b, o)
				for _, e := range events {
					if err := s.Step(e); err != nil {
						b.Fatal(err)
					}
				}
				n += len(events)
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// queue is a schedule with many pending jobs of 300 users, in campaigns of
// 20 jobs on average.
func queue(b *testing.B, jobs int) *Schedule {
	random := rand.New(rand.NewPCG(3, 4))
	o := measured
	o.Rule = campaign.Rule{By: campaign.Arrival, Threshold: 10}
	s := mustNew(b, o)
	at := Time(1)
	for i := range jobs {
		if random.IntN(300) == 0 {
			at++
		}
		mustStep(b, s, Event{At: at, Kind: Submit, Job: Job{
			ID: JobID(i + 1), User: UserID(random.IntN(300)), Procs: 1 + random.IntN(16),
			Estimate: Duration(60 + random.IntN(7200)), Submit: at,
		}})
	}
	return s
}

// BenchmarkOrder is the order of 100 000 pending jobs: unchanged since it was
// asked for last, and with all campaigns to be sorted.
func BenchmarkOrder(b *testing.B) {
	for _, unsorted := range []bool{false, true} {
		name := "sorted"
		if unsorted {
			name = "unsorted"
		}
		b.Run(name, func(b *testing.B) {
			s := queue(b, 100_000)
			s.Order()
			b.ReportAllocs()
			for b.Loop() {
				if unsorted {
					for _, u := range s.users {
						for _, of := range u.Stages() {
							g := stageOf(of)
							g.unsorted = true
							for i := range g.pending { // as if just submitted
								j := (i * 7919) % len(g.pending)
								g.pending[i], g.pending[j] = g.pending[j], g.pending[i]
							}
						}
					}
				}
				if n := len(s.Order()); n != 100_000 {
					b.Fatal(n)
				}
			}
		})
	}
}

func BenchmarkClone(b *testing.B) {
	s := queue(b, 100_000)
	b.ReportAllocs()
	for b.Loop() {
		s.Clone()
	}
}

func BenchmarkCampaigns(b *testing.B) {
	s := queue(b, 100_000)
	b.ReportAllocs()
	for b.Loop() {
		s.Campaigns()
	}
}

// BenchmarkCycle is a cycle of a daemon over 5 000 pending jobs: a few events,
// some of them late, and the order.
func BenchmarkCycle(b *testing.B) {
	for _, late := range []Time{0, 30} {
		name := "in order"
		if late > 0 {
			name = "late"
		}
		b.Run(name, func(b *testing.B) {
			t := NewTimeline(queue(b, 5_000), 300)
			now, id := Time(1000), JobID(1_000_000)
			t.At(now)
			b.ReportAllocs()
			for b.Loop() {
				now += 10
				for range 20 {
					id++
					j := Job{ID: id, User: UserID(id % 300), Procs: 4, Estimate: 600, Submit: now - late}
					t.Add(Event{At: now - late, Kind: Submit, Job: j}, Event{At: now, Kind: End, Job: j})
				}
				s, bad := t.At(now)
				if len(bad) > 0 {
					b.Fatal(bad)
				}
				s.Order()
			}
		})
	}
}

// BenchmarkColdStart steps a history of a million jobs through a timeline in
// batches, and reports what stays in memory.
func BenchmarkColdStart(b *testing.B) {
	events := history(1_000_000, 300)
	b.ReportMetric(float64(unsafe.Sizeof(Event{})), "B/event")
	for b.Loop() {
		t := NewTimeline(mustNew(b, measured), 3600)
		for i := 0; i < len(events); i += 10_000 {
			t.Add(events[i:min(i+10_000, len(events))]...)
		}
		if _, bad := t.At(events[len(events)-1].At); len(bad) > 0 {
			b.Fatal(bad[0])
		}
		runtime.KeepAlive(t)
	}
	b.ReportMetric(float64(3_000_000*b.N)/b.Elapsed().Seconds(), "events/s")
}

// TestMemory: what a schedule holds follows the live campaigns, not the past.
func TestMemory(t *testing.T) {
	for _, o := range []Options{
		{Procs: 64, Rule: campaign.Rule{By: campaign.Max}},
		{Procs: 64, Rule: campaign.Rule{By: campaign.Arrival, Threshold: 1000}, Late: Append},
		{Procs: 64, Rule: campaign.Rule{By: campaign.Window, Threshold: 5}, Late: Grow, Machine: Parallel},
	} {
		s := mustNew(t, o)
		held := func() uint64 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return m.HeapAlloc
		}
		id := JobID(0)
		round := func(from Time) {
			for at := from; at < from+20_000; at++ {
				id++
				j := Job{ID: id, User: UserID(id % 50), Procs: 1, Estimate: 500_000, Submit: at}
				if id%3 == 0 {
					j.Group = id
				}
				mustStep(t, s, Event{At: at, Kind: Submit, Job: j})
				j.Start = at
				mustStep(t, s, Event{At: at, Kind: Start, Job: j})
				if id > 20 {
					mustStep(t, s, Event{At: at, Kind: End, Job: Job{ID: id - 20, User: (UserID(id) - 20) % 50, Start: at - 20, End: at}})
				}
			}
		}
		round(1)
		before := held()
		for i := range Time(10) {
			round(20_001 + i*20_000)
		}
		after := held()
		if after > before+before/2 {
			t.Errorf("%v, %v: %d bytes after 20 000 jobs, %d after 220 000", o.Rule.By, o.Late, before, after)
		}
		runtime.KeepAlive(s)
	}
}

// BenchmarkLate orders 100 000 pending jobs in 1 000 campaigns that are late, once
// a job has come and once only time has passed.
func BenchmarkLate(b *testing.B) {
	o := daemon
	o.Machine = Sequential // which completes them although nothing runs
	s := mustNew(b, o)
	id := JobID(0)
	submit := func(at Time, u UserID) {
		id++
		mustStep(b, s, Event{At: at, Kind: Submit, Job: Job{ID: id, User: u, Procs: 1, Estimate: Duration(60 + id%3600), Submit: at}})
	}
	for c := range 1000 {
		for range 100 {
			submit(1, UserID(c))
		}
	}
	mustAdvance(b, s, 100_000)
	if s.Active() > 0 {
		b.Fatal("not all are late")
	}
	b.Run("submission", func(b *testing.B) {
		for b.Loop() {
			submit(s.now+1, 7)
			if len(s.Order()) != int(id) {
				b.Fatal("jobs are missing")
			}
		}
	})
	mustAdvance(b, s, s.now+50_000)
	b.Run("unchanged", func(b *testing.B) {
		for b.Loop() {
			version := s.Version()
			mustAdvance(b, s, s.now+1)
			if s.Version() != version {
				b.Fatal("the order has changed")
			}
		}
	})
}

// BenchmarkLine is an event of one user with many campaigns of a job each:
//
//   - change: a job that waits, anywhere in the line, has another time limit
//   - follow: the first job starts, ends early, and another one is submitted
//   - late: the same with a random job, when all campaigns are completed virtually
func BenchmarkLine(b *testing.B) {
	for _, campaigns := range []int{100, 1000, 8000} {
		for _, what := range []string{"change", "follow", "late"} {
			b.Run(fmt.Sprintf("%s/%d", what, campaigns), func(b *testing.B) {
				random := rand.New(rand.NewPCG(5, 6))
				o := daemon
				o.Rule = campaign.Rule{By: campaign.Groups}
				if what == "late" {
					o.Machine, o.Settle = Sequential, false // so that they are completed although nothing runs
				}
				s := mustNew(b, o)
				last := JobID(0)
				var waiting []Job
				submit := func() Job {
					last++
					j := Job{ID: last, User: 1, Procs: 1, Estimate: Duration(600 + random.IntN(600)), Submit: s.now}
					mustStep(b, s, Event{At: s.now, Kind: Submit, Job: j})
					return j
				}
				for range campaigns {
					waiting = append(waiting, submit())
				}
				if what == "late" {
					mustAdvance(b, s, 1_000_000)
				}
				for i := 0; b.Loop(); i++ {
					k := i % campaigns
					if what != "follow" {
						k = random.IntN(campaigns)
					}
					j := &waiting[k]
					if what == "change" {
						j.Estimate = Duration(600 + random.IntN(600))
						mustStep(b, s, Event{At: s.now, Kind: Change, Job: *j})
						continue
					}
					j.Start = s.now
					mustStep(b, s, Event{At: s.now, Kind: Start, Job: *j})
					j.End = s.now + 60
					mustStep(b, s, Event{At: j.End, Kind: End, Job: *j})
					*j = submit()
				}
			})
		}
	}
}

// BenchmarkManyClasses reads the schedules and the campaigns of 10 000 waiting jobs of 200 users, in
// classes that all have work.
func BenchmarkManyClasses(b *testing.B) {
	for _, n := range []int{1, 50, 500, 4000} {
		b.Run(fmt.Sprintf("classes=%d", n), func(b *testing.B) {
			classes := Classes{Names: make([]string, n), Of: func(_, qos string) int { return int(qos[0])<<8 | int(qos[1]) }}
			p, err := NewPools(Options{Machine: Parallel, Grace: 86400, Memory: 604800, Settle: true}, 3600, classes)
			if err != nil {
				b.Fatal(err)
			}
			p.Add(Event{At: 1, Kind: Capacity, Procs: 10000})
			for id := range 10000 {
				class := id * 7919 % n
				p.Add(Event{At: Time(10 + id), Kind: Submit, Job: Job{
					ID: JobID(id + 1), User: UserID(id%200 + 1), QOS: string([]byte{byte(class >> 8), byte(class)}), Procs: 1, Estimate: 3600, Submit: Time(10 + id),
				}})
			}
			now := Time(20000)
			for b.Loop() {
				now++
				all, bad := p.At(now)
				if len(bad) > 0 {
					b.Fatal(bad)
				}
				for _, in := range all {
					in.Schedule.Campaigns()
				}
			}
		})
	}
}
