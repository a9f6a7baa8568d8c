package ostrich

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/campaign"
)

// urgentFirst has jobs of QOS urgent before all others.
var urgentFirst = Classes{
	Names: []string{"urgent", "normal"},
	Of: func(_, qos string) int {
		if qos == "urgent" {
			return 0
		}
		return 1
	},
}

// TestClasses: each class of a pool has a schedule with all processors of the pool, and a
// job whose QOS changes counts in the new class as if submitted there, waiting or running.
func TestClasses(t *testing.T) {
	for _, pools := range [][]Pool{nil, {{Name: "a", Partitions: []string{"pa"}}, {Name: "b", Partitions: []string{"pb"}}}} {
		for _, delay := range []Duration{0, 1000} {
			p, err := NewPools(Options{Machine: Parallel}, delay, urgentFirst, pools...)
			if err != nil {
				t.Fatal(err)
			}
			name := ""
			if len(pools) > 0 {
				name = pools[0].Name
			}
			j := Job{ID: 1, User: 1, Partition: "pa", QOS: "normal", Procs: 2, Estimate: 100, Submit: 10}
			p.Add(Event{At: 1, Kind: Capacity, Pool: name, Procs: 8}, Event{At: 10, Kind: Submit, Job: j})
			check := func(now Time, order [2][]JobID, busy [2]int) {
				t.Helper()
				all, bad := p.At(now)
				if len(bad) > 0 || len(all) != 2*max(1, len(pools)) {
					t.Fatalf("%d schedules, %v", len(all), bad)
				}
				for class, in := range all[:2] {
					s := in.Schedule
					if got := ids(s.Order()); !slices.Equal(got, order[class]) || s.Busy() != busy[class] || s.Procs() != 8 || in.Class != class || in.Pool.Name != name {
						t.Errorf("t = %d, class %d of pool %q: order %v, %d of %d busy", now, in.Class, in.Pool.Name, got, s.Busy(), s.Procs())
					}
				}
			}
			check(20, [2][]JobID{1: {1}}, [2]int{})
			j.QOS = "urgent"
			p.Add(Event{At: 30, Kind: Change, Job: j})
			check(30, [2][]JobID{{1}}, [2]int{})
			j.Start = 40
			p.Add(Event{At: 40, Kind: Start, Job: j})
			check(40, [2][]JobID{}, [2]int{2, 0})
			j.QOS = "normal"
			p.Add(Event{At: 50, Kind: Change, Job: j})
			check(50, [2][]JobID{}, [2]int{0, 2})
			p.Add(Event{At: 60, Kind: Suspend, Job: j})
			check(60, [2][]JobID{}, [2]int{})
			j.QOS = "urgent"
			p.Add(Event{At: 70, Kind: Change, Job: j})
			check(70, [2][]JobID{}, [2]int{})
			p.Add(Event{At: 80, Kind: Resume, Job: j})
			check(80, [2][]JobID{}, [2]int{2, 0})
			j.End = 90
			p.Add(Event{At: 90, Kind: End, Job: j})
			check(90, [2][]JobID{}, [2]int{})
		}
	}
}

// TestRequeuedElsewhere: a job that is requeued counts where it may start then, in the class that it
// then has, and no longer where it ran.
func TestRequeuedElsewhere(t *testing.T) {
	for _, tt := range []struct {
		partition, qos string
		want           [4][]JobID // pool a urgent, normal, pool b urgent, normal
	}{
		{"pa", "normal", [4][]JobID{1: {1}}},
		{"pa", "urgent", [4][]JobID{{1}}},
		{"pa,pb", "normal", [4][]JobID{1: {1}, 3: {1}}},
		{"pb", "urgent", [4][]JobID{2: {1}}},
	} {
		p, err := NewPools(poolOptions, 10000, urgentFirst, poolA, poolB)
		if err != nil {
			t.Fatal(err)
		}
		j := Job{ID: 1, User: 1, Partition: "pa", QOS: "normal", Procs: 2, Estimate: 100, Submit: 10}
		p.Add(Event{At: 10, Kind: Submit, Job: j})
		j.Start = 20
		p.Add(Event{At: 20, Kind: Start, Job: j})
		j.Start, j.Partition, j.QOS = 0, tt.partition, tt.qos
		p.Add(Event{At: 30, Kind: Requeue, Job: j})
		all, bad := p.At(40)
		if len(bad) > 0 {
			t.Errorf("%s, %s: %v", tt.partition, tt.qos, bad)
		}
		for i, in := range all {
			if got := ids(in.Schedule.Order()); !slices.Equal(got, tt.want[i]) || in.Schedule.Busy() != 0 {
				t.Errorf("requeued in %s, %s: pool %s, class %d: order %v, %d busy", tt.partition, tt.qos, in.Pool.Name, in.Class, got, in.Schedule.Busy())
			}
		}
		j.Start, j.Partition = 50, j.Partition[:2]
		p.Add(Event{At: 50, Kind: Start, Job: j})
		if all, bad = p.At(60); len(bad) > 0 || all[0].Schedule.Busy()+all[1].Schedule.Busy()+all[2].Schedule.Busy()+all[3].Schedule.Busy() != 2 {
			t.Errorf("requeued in %s, %s, and started: %v", tt.partition, tt.qos, bad)
		}
	}
}

// drawRecords draws jobs of two pools and two classes, with the events that tell of them
// as they happen, and those that the records tell which are left at the end.
func drawRecords(t *rapid.T) (happened, left []Event) {
	partitions := rapid.SampledFrom([]string{"pa", "pb", "pa,pb", "pb,pa", "pa,other"})
	qos := rapid.SampledFrom([]string{"urgent", "normal", ""})
	for id := JobID(1); id <= JobID(rapid.IntRange(1, 8).Draw(t, "jobs")); id++ {
		j := Job{
			ID: id, User: UserID(rapid.IntRange(1, 3).Draw(t, "user")), Partition: partitions.Draw(t, "partitions"), QOS: qos.Draw(t, "QOS"),
			Procs: rapid.IntRange(1, 3).Draw(t, "processors"), Estimate: Duration(rapid.IntRange(10, 90).Draw(t, "estimate")),
			Submit: Time(rapid.IntRange(10, 100).Draw(t, "submit")),
		}
		at := j.Submit
		tell := func(kind Kind) { happened = append(happened, Event{At: at, Kind: kind, Job: j}) }
		later := func() { at += Time(rapid.IntRange(1, 30).Draw(t, "later")) }
		tell(Submit)
		for range rapid.IntRange(0, 2).Draw(t, "changes") {
			later()
			j.Partition, j.QOS = partitions.Draw(t, "partitions"), qos.Draw(t, "QOS")
			tell(Change)
		}
		submit := len(left)
		left = append(left, Event{At: j.Submit, Kind: Submit, Job: j})
		if !rapid.Bool().Draw(t, "starts") {
			continue
		}
		later()
		j.Partition, j.Start = rapid.SampledFrom([]string{"pa", "pb"}).Draw(t, "runs in"), at
		tell(Start)
		if rapid.Bool().Draw(t, "changes while it runs") {
			later()
			j.QOS = qos.Draw(t, "QOS")
			tell(Change)
		}
		left[submit].Job.Partition, left[submit].Job.QOS = j.Partition, j.QOS
		left = append(left, Event{At: j.Start, Kind: Start, Job: j})
		if rapid.Bool().Draw(t, "ends") {
			later()
			j.End = at
			tell(End)
			left = append(left, Event{At: at, Kind: End, Job: j})
		}
	}
	return inOrder(happened), left
}

var (
	poolA, poolB = Pool{Name: "a", Partitions: []string{"pa"}}, Pool{Name: "b", Partitions: []string{"pb"}}
	poolOptions  = Options{Procs: 4, Machine: Parallel, Grace: 50, Rule: campaign.Rule{By: campaign.Arrival, Threshold: 20}}
)

// TestPoolsRebuilt: schedules that heard of everything as it happened are those that the
// records give that are left, whatever moved between classes and pools.
func TestPoolsRebuilt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		happened, left := drawRecords(t)
		steadily, err := NewPools(poolOptions, 10000, urgentFirst, poolA, poolB)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range happened {
			steadily.Add(e)
			steadily.At(e.At)
		}
		rebuilt, err := NewPools(poolOptions, 10000, urgentFirst, poolA, poolB)
		if err != nil {
			t.Fatal(err)
		}
		rebuilt.Add(left...)
		got, bad := steadily.At(400)
		want, wrong := rebuilt.At(400)
		if len(bad)+len(wrong) > 0 {
			t.Fatal(bad, wrong)
		}
		for i := range got {
			if diff := cmp.Diff(snapshotOf(want[i].Schedule), snapshotOf(got[i].Schedule), nearly); diff != "" {
				t.Fatalf("pool %s, class %d: rebuilt - steadily +\n%s", got[i].Pool.Name, got[i].Class, diff)
			}
		}
	})
}

// TestNamingMorePools: a waiting job that may run in several pools stands in each of them as
// if it might run there alone. So a user who names further partitions gains nothing in any.
func TestNamingMorePools(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, records := drawRecords(t)
		at := func(alone string) []PoolSchedule {
			p, err := NewPools(poolOptions, 1000, urgentFirst, poolA, poolB)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range records {
				if e.Job.Partition == "pa,pb" || e.Job.Partition == "pb,pa" {
					e.Job.Partition = alone
				}
				p.Add(e)
			}
			all, bad := p.At(400)
			if len(bad) > 0 {
				t.Fatal(bad)
			}
			return all
		}
		several, onlyA, onlyB := at("pb,pa"), at("pa"), at("pb")
		for i, want := range []*Schedule{onlyA[0].Schedule, onlyA[1].Schedule, onlyB[2].Schedule, onlyB[3].Schedule} {
			if got := ids(several[i].Schedule.Order()); !slices.Equal(got, ids(want.Order())) {
				t.Fatalf("schedule %d: order %v, want %v", i, got, ids(want.Order()))
			}
		}
	})
}

// TestBoundsOfClasses follows the order of two classes strictly: no campaign ends after
// its bound, from the last submission on.
func TestBoundsOfClasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := poolOptions
		o.Machine = rapid.SampledFrom([]Machine{Parallel, Sequential}).Draw(t, "machine")
		o.Grace = rapid.SampledFrom([]Duration{0, 50}).Draw(t, "grace")
		p, err := NewPools(o, 10000, urgentFirst)
		if err != nil {
			t.Fatal(err)
		}
		type key struct {
			class  int
			user   UserID
			number int
		}
		waiting, running := map[JobID]Job{}, map[JobID]Job{}
		least := map[key]float64{}
		n, free, last := JobID(rapid.IntRange(2, 12).Draw(t, "jobs")), o.Procs, Time(0)
		var arrivals []Job
		for id := JobID(1); id <= n; id++ {
			arrivals = append(arrivals, Job{
				ID: id, User: UserID(rapid.IntRange(1, 3).Draw(t, "user")), QOS: rapid.SampledFrom(urgentFirst.Names).Draw(t, "QOS"),
				Procs: rapid.IntRange(1, 3).Draw(t, "processors"), Estimate: Duration(rapid.IntRange(1, 90).Draw(t, "estimate")),
				Submit: Time(rapid.IntRange(10, 100).Draw(t, "submit")),
			})
			last = max(last, arrivals[id-1].Submit)
		}
		for now := Time(10); len(arrivals)+len(waiting)+len(running) > 0; now++ {
			var events []Event
			for id := JobID(1); id <= n; id++ {
				if j, runs := running[id]; runs && j.Start+Time(j.Estimate) == now {
					j.End = now
					events = append(events, Event{At: now, Kind: End, Job: j})
					free += j.Procs
					delete(running, id)
				}
			}
			for _, j := range arrivals {
				if j.Submit == now {
					events, waiting[j.ID] = append(events, Event{At: now, Kind: Submit, Job: j}), j
				}
			}
			arrivals = slices.DeleteFunc(arrivals, func(j Job) bool { return j.Submit == now })
			p.Add(events...)
			all, bad := p.At(now)
			var starts []Event
		order:
			for _, in := range all {
				for _, place := range in.Schedule.Order() {
					j := waiting[place.Job]
					if j.Procs > free {
						break order
					}
					j.Start = now
					free -= j.Procs
					running[j.ID] = j
					delete(waiting, j.ID)
					starts = append(starts, Event{At: now, Kind: Start, Job: j})
				}
			}
			p.Add(starts...)
			all, more := p.At(now)
			if len(bad)+len(more) > 0 {
				t.Fatal(bad, more)
			}
			for _, in := range all {
				for _, c := range in.Schedule.Campaigns() {
					if c.Ended != 0 || now < last {
						continue
					}
					of := key{in.Class, c.User, c.Number}
					if b, seen := least[of]; !seen || c.Bound < b {
						least[of] = c.Bound
					}
					if len(c.Pending)+len(c.Running) > 0 && float64(now) > least[of]+1 {
						t.Fatalf("class %d, user %d, campaign %d goes on at %d, bound %v", of.class, of.user, of.number, now, least[of])
					}
				}
			}
		}
	})
}

// TestBoundsUnderLoad: a class above has a burst of work, which the bound knows, and then gets more
// at a load ρ of the pool, which it does not. The campaign below ends within its bound, put off as
// by a machine of (1-ρ)·m processors (docs/theory.md), and not within half of that. With a grace the
// burst counts twice, before the campaign is completed virtually and after it, though it can only
// delay one of both.
func TestBoundsUnderLoad(t *testing.T) {
	const m, submitted, burst, work = 4, Time(10), 400, 40
	for _, tt := range []struct {
		grace Duration
		wide  int     // processors of an urgent job
		load  int     // urgent jobs that come each second, of a second and a processor
		loose float64 // the part of the bound that is too little
	}{
		{0, 1, 0, 0.5},
		{0, 1, 1, 0.5},
		{0, 1, 2, 0.5},
		{0, 1, 3, 0.5},
		{0, 3, 0, 0.5},
		{50, 1, 0, 0.4},
		{50, 1, 1, 0.4},
		{50, 1, 2, 0.4},
		{50, 1, 3, 0.4},
		{50, 3, 0, 0.3},
	} {
		for _, machine := range []Machine{Parallel, Sequential} {
			p, err := NewPools(Options{Procs: m, Machine: machine, Grace: tt.grace, Rule: campaign.Rule{By: campaign.Window, Threshold: 3600}}, 0, urgentFirst)
			if err != nil {
				t.Fatal(err)
			}
			waiting, next := map[JobID]Job{}, JobID(1)
			var events []Event
			submit := func(n int, user UserID, qos string, procs int, at Time) {
				for range n {
					j := Job{ID: next, User: user, QOS: qos, Procs: procs, Estimate: 1, Submit: at}
					waiting[next], next = j, next+1
					events = append(events, Event{At: at, Kind: Submit, Job: j})
				}
			}
			submit(burst/tt.wide, 1, "urgent", tt.wide, submitted)
			submit(work, 2, "normal", 1, submitted)
			var running []Job
			bound, left, now := 0.0, work, submitted
			for ; left > 0; now++ {
				for _, j := range running {
					j.End = now
					events = append(events, Event{At: now, Kind: End, Job: j})
					if j.User == 2 {
						left--
					}
				}
				if now > submitted {
					submit(tt.load, 1, "urgent", 1, now)
				}
				p.Add(events...)
				all, bad := p.At(now)
				if now == submitted {
					bound = all[1].Schedule.Campaigns()[0].Bound
				}
				events, running = nil, nil
				free := m
			order:
				for _, in := range all {
					for _, place := range in.Schedule.Order() {
						j := waiting[place.Job]
						if j.Procs > free {
							break order
						}
						delete(waiting, j.ID)
						j.Start = now
						free -= j.Procs
						running = append(running, j)
						events = append(events, Event{At: now, Kind: Start, Job: j})
					}
				}
				if len(bad) > 0 {
					t.Fatal(bad)
				}
			}
			ended, off := float64(now-1-submitted), (bound-float64(submitted))*m/float64(m-tt.load)
			if ended > off+1 || ended <= tt.loose*off {
				t.Errorf("grace %d, %v, urgent jobs of %d and %d more a second: ended after %v, bound %v", tt.grace, machine, tt.wide, tt.load, ended, off)
			}
		}
	}
}

// TestBoundBelow: the work of a class above counts, before a campaign is completed virtually
// or after it goes first, whichever is later; that of a class below only while it runs.
func TestBoundBelow(t *testing.T) {
	for grace, want := range map[Duration]float64{
		0:  10 + 2.5 + 250 + (10+4*100)/4.0 + 10, // now, C~, urgent work, A + m·p, p of the campaign
		50: 10 + 2.5 + 250 + (2.5 + 250) + (10+4*100)/4.0 + 10,
	} {
		p, err := NewPools(Options{Procs: 4, Machine: Parallel, Grace: grace}, 100, urgentFirst)
		if err != nil {
			t.Fatal(err)
		}
		for id := JobID(1); id <= 11; id++ {
			j := Job{ID: id, User: 1, QOS: "urgent", Procs: 1, Estimate: 100, Submit: 10}
			if id == 11 {
				j.QOS, j.Estimate = "normal", 10
			}
			p.Add(Event{At: 10, Kind: Submit, Job: j})
		}
		all, _ := p.At(10)
		normal := all[1].Schedule.Campaigns()[0]
		if !near(normal.Bound, want) || normal.Promise != normal.Bound {
			t.Errorf("grace %d: bound %v, promise %v, want %v", grace, normal.Bound, normal.Promise, want)
		}
		above := all[0].Schedule.Campaigns()[0].Bound
		running := Job{ID: 12, User: 2, QOS: "normal", Procs: 1, Estimate: 80, Submit: 10}
		p.Add(Event{At: 10, Kind: Submit, Job: running})
		all, _ = p.At(10)
		if got := all[0].Schedule.Campaigns()[0].Bound; got != above {
			t.Errorf("grace %d: bound %v with work that waits below, want %v", grace, got, above)
		}
		running.Start = 10
		p.Add(Event{At: 10, Kind: Start, Job: running})
		all, _ = p.At(10)
		if got := all[0].Schedule.Campaigns()[0].Bound; got < above+20 {
			t.Errorf("grace %d: bound %v with work that runs below, want 20 more than %v at least", grace, got, above)
		}
	}
}
