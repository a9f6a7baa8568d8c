package view

import (
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/priority"
)

// machine returns a cycle at 10 000 s on 8 processors: job 1 holds 6 of them for 900 s
// more by what is expected, and for 1800 s more by its limit.
func machine(entries ...*priority.Entry) *Cycle {
	s := &Cycle{
		Time: 10_000, Enforced: true, Plan: sidecar.Plan{Entries: entries}, Pools: []Pool{{Procs: 8}},
		known: known{lengths: map[ostrich.JobID]ostrich.Duration{1: 1000}, live: []*ledger.Record{
			{Job: ostrich.Job{ID: 1, Start: 9900, Procs: 6, Estimate: 1900}, State: accounting.Running},
			{Job: ostrich.Job{ID: 2, Start: 9900, Procs: 8, Estimate: 1900}, State: accounting.Suspended},
		}},
	}
	for i := range entries {
		e := entries[i]
		s.works = append(s.works, ostrich.Work(600*e.CPUs*max(e.Count, 1))) // of an hour by their limits
		s.dues = append(s.dues, due{})
	}
	return s
}

func wide(job ostrich.JobID, rank, procs int) *priority.Entry {
	e := pending(job, rank)
	e.CPUs = procs
	return e
}

// TestExpected: an hour of each limit, 600 s by what is expected.
func TestExpected(t *testing.T) {
	first, narrow, last := wide(10, 1, 4), wide(20, 2, 2), wide(30, 3, 8)
	tasks := wide(40, 2, 4)
	tasks.Count = 3
	held := wide(50, 1, 8)
	held.Reason = "Licenses"
	for _, test := range []struct {
		name     string
		s        *Cycle
		job      string
		from, to ostrich.Time
	}{
		{"the first waits for the end of what runs", machine(first, narrow, last), "10", 10_900, 11_800},
		{"a narrow one fills what would be idle", machine(wide(10, 1, 6), narrow), "20", 10_000, 10_000},
		{"a narrow one would delay the first", machine(wide(10, 1, 8), narrow), "20", 11_500, 15_400},
		{"the last waits for all", machine(first, last), "30", 11_500, 15_400},
		{"of an array, the first task", machine(first, tasks), "40", 10_900, 11_800},
		{"all tasks of an array go first", machine(tasks, wide(50, 3, 8)), "50", 12_100, 19_000},
		{"what cannot start keeps nobody", machine(held, narrow), "20", 10_000, 10_000},
	} {
		e := explainOne(t, test.s, test.job)
		if e.Expected == nil || *e.Expected != (Expected{From: test.from, To: test.to}) {
			t.Errorf("%s: %+v, want %d to %d", test.name, e.Expected, test.from, test.to)
		}
	}
	// What the virtual schedule does not know yet runs to its limit.
	s := machine(first)
	delete(s.lengths, 1)
	if e := explainOne(t, s, "10"); *e.Expected != (Expected{From: 11_800, To: 11_800}) {
		t.Errorf("just started: %+v", e.Expected)
	}
	// It has not run while it was suspended.
	s = machine(first)
	s.live[0].Job.Suspended = 60
	if e := explainOne(t, s, "10"); *e.Expected != (Expected{From: 10_960, To: 11_860}) {
		t.Errorf("after a suspension: %+v", e.Expected)
	}
	// The last of these starts earlier if jobs use their time limits, as they leave other gaps then.
	var jobs []*priority.Entry
	for i, limit := range []ostrich.Duration{4500, 1800, 4500, 900} {
		jobs = append(jobs, wide(ostrich.JobID(10*(i+1)), i+1, []int{2, 8, 5, 5}[i]))
		jobs[i].TimeLimit = limit
	}
	if e := explainOne(t, machine(jobs...), "40"); *e.Expected != (Expected{11_800, 12_100, true}) {
		t.Errorf("swapped: %+v", e.Expected)
	}
	// Where OStrich only watches, Slurm's order counts.
	s = machine(wide(10, 1, 8), wide(20, 2, 8))
	s.Plan.Entries[0].SlurmRank, s.Plan.Entries[1].SlurmRank = 2, 1
	s.Enforced = false
	if e := explainOne(t, s, "20"); e.Expected.From != 10_900 {
		t.Errorf("in Slurm's order: %+v", e.Expected)
	}
}

// TestForecastOnce: each pool has a forecast of its own, made with the first question.
func TestForecastOnce(t *testing.T) {
	f := newByPool[map[ostrich.JobID]Expected]()
	made := 0
	for _, pool := range []string{"a", "b", "a", "b"} {
		got := f.of(pool, func() map[ostrich.JobID]Expected {
			made++
			return map[ostrich.JobID]Expected{ostrich.JobID(pool[0]): {}}
		})
		if _, own := got[ostrich.JobID(pool[0])]; !own {
			t.Errorf("pool %s: %v", pool, got)
		}
	}
	if made != 2 {
		t.Errorf("%d forecasts of 2 pools", made)
	}
}

// TestExpectedWords says what the range assumes.
func TestExpectedWords(t *testing.T) {
	const now = 1_700_000_000
	a, b := moment(now+60), moment(now+120)
	for x, want := range map[Expected]string{
		{From: now, To: now}:            "there are processors for it now; it may have to wait for nodes, memory or Slurm's next look at it",
		{From: now, To: now + 60}:       "now if jobs run as long as predicted, " + a + " if they use their time limits; jobs still to come may go first",
		{From: now + 60, To: now + 60}:  "about " + a + ", whether jobs run as long as predicted or use their time limits; jobs still to come may go first",
		{now + 60, now + 120, true}:     "between " + a + " and " + b + ", by how long jobs run; jobs still to come may go first",
		{now, now + 120, true}:          "between now and " + b + ", by how long jobs run; jobs still to come may go first",
		{From: now + 60, To: now + 120}: a + " if jobs run as long as predicted, " + b + " if they use their time limits; jobs still to come may go first",
	} {
		if got := x.words(now); got != want {
			t.Errorf("%+v: %s, want %s", x, got, want)
		}
	}
}

// Every job that waits for its turn gets a range that does not end before it begins, and
// the machine is never left idle for the first of the order.
func TestExpectedProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var entries []*priority.Entry
		for i := range rapid.IntRange(1, 12).Draw(t, "jobs") {
			e := wide(ostrich.JobID(10+i), i+1, rapid.IntRange(1, 9).Draw(t, "procs"))
			e.TimeLimit = ostrich.Duration(rapid.IntRange(600, 9000).Draw(t, "limit"))
			e.Count = rapid.IntRange(1, 3).Draw(t, "tasks")
			entries = append(entries, e)
		}
		s := machine(entries...)
		first := true
		for i := range s.Plan.Entries {
			e := s.waiting(i)
			switch p := s.Plan.Entries[i]; {
			case p.CPUs > 8:
				if e.Expected != nil {
					t.Fatalf("job %d asks for %d of 8 processors and starts: %+v", p.Job, p.CPUs, e.Expected)
				}
				continue
			case e.Expected == nil || e.Expected.From > e.Expected.To || e.Expected.From < s.Time:
				t.Fatalf("job %d: %+v", p.Job, e.Expected)
			case first && e.Expected.To > 11_800:
				t.Fatalf("job %d is first and does not start once the machine is empty: %+v", p.Job, e.Expected)
			}
			first = false
		}
	})
}

// BenchmarkForecast is the first question of a cycle with 100 000 pending jobs.
func BenchmarkForecast(b *testing.B) {
	var entries []*priority.Entry
	for i := range 100_000 {
		e := wide(ostrich.JobID(10+i), i+1, 1+i%7)
		e.TimeLimit = ostrich.Duration(600 + 60*(i%97))
		entries = append(entries, e)
	}
	s := machine(entries...)
	for b.Loop() {
		if s.expected(s.Plan.Entries[100]) == nil {
			b.Fatal("no start")
		}
	}
}
