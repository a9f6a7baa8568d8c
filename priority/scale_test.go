package priority

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
)

// threeClasses are told by the QOS alone, of several the last.
func threeClasses() ostrich.Classes {
	names := []string{"urgent", "normal", "scavenger"}
	return ostrich.Classes{Names: names, Of: func(_, qos string) int {
		last := 0
		for q := range strings.SplitSeq(qos, ",") {
			last = max(last, slices.Index(names, q))
		}
		return last
	}}
}

// poolNames are those of the tests: each has one partition of its name.
var poolNames = []string{"a", "b", "c"}

// site is a cluster of several pools and classes that tests play with.
type site struct {
	o     Options
	queue []Queued
	// places has the jobs in the order of each pool, whatever their classes.
	places [][]ostrich.Place
}

func newPools(pools int, o Options) *site {
	return &site{o: o, places: make([][]ostrich.Place, pools)}
}

// add adds a job to the end of the orders of its pools.
func (s *site) add(place ostrich.Place, partitions, qos string, change func(*Queued)) {
	q := job(place.Job, change)
	q.Partition, q.QOS = partitions, qos
	s.queue = append(s.queue, q)
	for name := range strings.SplitSeq(partitions, ",") {
		p := slices.Index(poolNames, name)
		s.places[p] = append(s.places[p], place)
	}
}

func (s *site) orders() []Order {
	var all []Order
	for p, places := range s.places {
		for class := range max(1, len(s.o.Classes.Names)) {
			one := Order{Pool: poolNames[p], Class: class, Procs: s.o.Procs}
			for _, place := range places {
				if i := slices.IndexFunc(s.queue, func(q Queued) bool { return q.Job == place.Job }); s.o.classOf(&s.queue[i]) == class {
					one.Places = append(one.Places, place)
				}
			}
			all = append(all, one)
		}
	}
	return all
}

func (s *site) plan(t interface{ Fatal(args ...any) }) Plan {
	Rank(s.queue, nil)
	p, err := s.o.PlanPools(s.orders(), s.queue)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// of returns the jobs of a plan that are managed, in its order.
func (p Plan) of() (jobs []ostrich.JobID) {
	for i := range p.Entries[:p.Managed] {
		jobs = append(jobs, p.Entries[i].Job)
	}
	return jobs
}

// Each class goes before the next, with those that wait for a limit in their own class, and
// what asks for the impossible behind all.
func TestClassesInTurn(t *testing.T) {
	s := newPools(1, Options{Channel: SiteFactor, Mode: Strict, Controller: multifactor(), Procs: 8, Classes: threeClasses()})
	for i, qos := range strings.Fields("scavenger normal urgent normal urgent scavenger urgent normal normal") {
		reason := map[int]string{1: "QOSMaxJobsPerUserLimit", 4: "QOSGrpCpuLimit", 6: "BadConstraints"}[i]
		s.add(ostrich.Place{Job: ostrich.JobID(i + 1), Procs: 1}, "a", qos, func(q *Queued) { q.Reason = cmp.Or(reason, q.Reason) })
	}
	p := s.plan(t)
	if diff := gocmp.Diff([]ostrich.JobID{3, 5, 4, 8, 9, 2, 1, 6, 7}, p.of()); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	for i := range p.Managed - 1 {
		if a, b := &p.Entries[i], &p.Entries[i+1]; a.To <= b.To {
			t.Errorf("job %d gets %d, and job %d behind it %d", a.Job, a.To, b.Job, b.To)
		}
	}
}

// A job whose owner changes its QOS goes behind those that were in its new class, whatever
// the order has it for.
func TestMovedToAnotherClass(t *testing.T) {
	o := Options{Channel: SiteFactor, Mode: Strict, Controller: multifactor(), Procs: 8, Classes: threeClasses()}
	s := newPools(1, o)
	for i, qos := range strings.Fields("urgent urgent normal normal scavenger") {
		s.add(ostrich.Place{Job: ostrich.JobID(i + 1), Procs: 1}, "a", qos, nil)
	}
	orders := s.orders()
	for i := range s.queue {
		switch q := &s.queue[i]; q.Job {
		case 1:
			q.QOS = "normal"
		case 5:
			q.QOS = "urgent"
		case 4:
			q.QOS = "urgent,scavenger"
		}
	}
	p, err := o.PlanPools(orders, s.queue)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff([]ostrich.JobID{2, 5, 3, 1, 4}, p.of()); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	if e := &p.Entries[1]; e.Class != 0 || e.Rank != 2 {
		t.Errorf("job 5 has class %d and rank %d", e.Class, e.Rank)
	}
}

// Beyond the depth each class keeps a band of values of its own, whatever its jobs had.
func TestBandsOfClasses(t *testing.T) {
	for _, tt := range []struct {
		name  string
		sum   int64 // of the weights
		bands int   // how many values the five jobs beyond the depth have
	}{{"wide", 10_000, 4}, {"two steps", limit/3 - 10, 2}, {"one step", limit/2 - 10, 1}} {
		s := newPools(1, Options{Channel: SiteFactor, Mode: Strict, Controller: multifactor(), Depth: 1, Procs: 8, Classes: threeClasses()})
		s.o.Controller.Weights = Weights{QOS: tt.sum}
		for i, qos := range strings.Fields("urgent urgent normal scavenger scavenger urgent") {
			s.add(ostrich.Place{Job: ostrich.JobID(i + 1), Procs: 1}, "a", qos, func(q *Queued) {
				q.Site = limit - int64(6-i)*1000 // above all bands
				if i == 5 {
					q.Reason = "BadConstraints"
				}
			})
		}
		p := s.plan(t)
		values := make(map[int64]bool)
		for i := 1; i < p.Managed; i++ {
			if p.Entries[i].To > p.Entries[i-1].To {
				t.Errorf("%s: job %d gets more than the one before it", tt.name, p.Entries[i].Job)
			}
			values[p.Entries[i].To] = true
		}
		if len(values) != tt.bands {
			t.Errorf("%s: %d bands of %v, want %d", tt.name, len(values), values, tt.bands)
		}
		apply(SiteFactor, s.queue, p.Changes())
		if again := s.plan(t).Changes(); len(again) > 0 {
			t.Errorf("%s: the second plan changes %+v", tt.name, again)
		}
	}
}

// Beyond the depth a job of the last class is written when it comes within it, and not before;
// those of the other classes are written so that they stand above it.
func TestLeftBelow(t *testing.T) {
	for _, ch := range []Channel{SiteFactor, Nice, Priority} {
		s := newPools(1, Options{Channel: ch, Mode: Strict, Controller: multifactor(), Depth: 2, Procs: 8, Classes: threeClasses()})
		for i, qos := range strings.Fields("urgent urgent urgent normal normal normal") {
			s.add(ostrich.Place{Job: ostrich.JobID(i + 1), Procs: 1}, "a", qos, func(q *Queued) {
				if i == 5 {
					q.Reason = "BadConstraints"
				}
			})
		}
		p := s.plan(t)
		var written []ostrich.JobID
		for _, c := range p.Changes() {
			written = append(written, c.Job)
		}
		if diff := gocmp.Diff([]ostrich.JobID{1, 2, 3}, written); diff != "" {
			t.Errorf("%v (-want +got):\n%s", ch, diff)
		}
		if e := &p.Entries[3]; e.Why.Code != BeyondDepth || e.To != e.From {
			t.Errorf("%v: job %d gets %d for %d: %v", ch, e.Job, e.To, e.From, e.Why)
		}
		// The first job starts, and the third one comes within the depth; then the last.
		apply(ch, s.queue, p.Changes())
		s.o.Depth = 6
		if p = s.plan(t); len(p.Changes()) < 2 {
			t.Errorf("%v: within the depth %+v", ch, p.Changes())
		}
	}
}

// Many jobs at a limit do not take the ranks of the class behind theirs.
func TestLimitedFlood(t *testing.T) {
	for _, depth := range []int{0, 10} {
		s := newPools(1, Options{Channel: SiteFactor, Mode: Strict, Controller: multifactor(), Procs: 8, Classes: threeClasses(), Depth: depth})
		s.o.Controller.Weights = Weights{QOS: limit / 3000} // 1500 ranks
		for i := range 5000 {
			s.add(ostrich.Place{Job: ostrich.JobID(i + 1), Procs: 1}, "a", "urgent", func(q *Queued) { q.Reason = "QOSGrpCpuLimit" })
		}
		for i := range 20 {
			s.add(ostrich.Place{Job: ostrich.JobID(5001 + i), Campaign: i, Procs: 1}, "a", "normal", nil)
		}
		s.places[0] = slices.Concat(s.places[0][5000:], s.places[0][:5000])
		p := s.plan(t)
		for i := 5000; i < 5008; i++ {
			if a, b := &p.Entries[i-1], &p.Entries[i]; a.To <= b.To || b.Job != ostrich.JobID(i+1) {
				t.Errorf("depth %d: place %d: job %d has %d, the one before it %d", depth, i, b.Job, b.To, a.To)
			}
		}
	}
}

// The scene of a pool whose jobs name a quiet pool's partition first: they pass nobody there.
func TestQuietPoolNamedFirst(t *testing.T) {
	s := newPools(2, Options{Channel: SiteFactor, Mode: Strict, Controller: multifactor(), Procs: 4})
	for i := range 8 {
		s.add(ostrich.Place{Job: ostrich.JobID(i + 1), User: 1, Procs: 4}, "a", "normal", nil)
	}
	for i := range 30 {
		s.add(ostrich.Place{Job: ostrich.JobID(i + 9), User: 2, Procs: 4}, "b,a", "normal", nil)
	}
	p := s.plan(t)
	for i := range 8 {
		if e := &p.Entries[i]; e.User == "" || e.Job != ostrich.JobID(i+1) || e.Rank != i+1 || e.Pool != "a" {
			t.Errorf("place %d: job %d, rank %d in pool %s", i, e.Job, e.Rank, e.Pool)
		}
	}
	// They count where they wait for others, and not where they could never start.
	for i := range p.Entries {
		if e := &p.Entries[i]; e.Rank != i+1 || e.Pool != "a" {
			t.Errorf("place %d: job %d, rank %d in pool %s", i, e.Job, e.Rank, e.Pool)
		}
	}
	if s := p.Summary(); s.Managed != 38 {
		t.Errorf("%+v", s)
	}
}

// The pools of a job are told apart also where only jobs of several pools are left.
func TestNeededInAnotherPool(t *testing.T) {
	for _, procs := range []int{0, 4} { // none of b can start at once
		s := newPools(2, Options{Channel: SiteFactor, Mode: Strict, Controller: multifactor(), Procs: 12})
		for i := range 8 {
			s.add(ostrich.Place{Job: ostrich.JobID(i + 1), User: 1, Procs: 1}, "a", "normal", nil)
		}
		for i := range 30 {
			s.add(ostrich.Place{Job: ostrich.JobID(i + 9), User: 2, Procs: 8}, "a,b", "normal", nil)
		}
		Rank(s.queue, nil)
		orders := s.orders()
		orders[1].Procs = procs
		p, err := s.o.PlanPools(orders, s.queue)
		if err != nil {
			t.Fatal(err)
		}
		for i := range p.Entries {
			if e := &p.Entries[i]; e.Job != ostrich.JobID(i+1) || e.Rank != i+1 || e.Pool != "a" {
				t.Errorf("%d processors in b: place %d: job %d, rank %d in pool %s", procs, i, e.Job, e.Rank, e.Pool)
			}
		}
	}
}

// However many jobs a pool has, the heads of the others stand where Slurm looks.
func TestFloodOfOnePool(t *testing.T) {
	s := newPools(3, Options{Channel: SiteFactor, Mode: Strict, Controller: multifactor(), Procs: 1000})
	for i := range 3000 {
		s.add(ostrich.Place{Job: ostrich.JobID(i + 1), Procs: 1}, "a", "normal", func(q *Queued) { q.Site = 1_000_000_000 - int64(i)*100_000 })
	}
	for i := range 30 {
		s.add(ostrich.Place{Job: ostrich.JobID(3001 + i), Procs: 1}, poolNames[1+i%2], "normal", nil)
	}
	p := s.plan(t)
	for i := range p.Managed {
		if e := &p.Entries[i]; e.Pool != "a" && i+1 > 2*3*e.Rank {
			t.Errorf("job %d, of rank %d in pool %s, stands at place %d", e.Job, e.Rank, e.Pool, i+1)
		}
	}
}

// play draws rounds of jobs that come, go and change places, QOS and partitions.
func play(t *rapid.T, s *site, round func()) {
	next := ostrich.JobID(1)
	for range rapid.IntRange(1, 4).Draw(t, "rounds") {
		for range rapid.IntRange(0, rapid.SampledFrom([]int{8, 8, 40}).Draw(t, "at once")).Draw(t, "new") {
			names := slices.Clone(poolNames[:len(s.places)])
			names = rapid.Permutation(names).Draw(t, "names")[:rapid.SampledFrom([]int{1, 1, 1, len(names)}).Draw(t, "how many")]
			reason := rapid.SampledFrom([]string{"Priority", "Priority", "Priority", "QOSGrpCpuLimit", "BadConstraints"}).Draw(t, "reason")
			s.add(ostrich.Place{
				Job: next, Campaign: rapid.IntRange(0, 4).Draw(t, "campaign"), Procs: rapid.IntRange(1, 4).Draw(t, "procs"),
			}, strings.Join(names, ","), rapid.SampledFrom([]string{"urgent", "normal", "scavenger", "normal,urgent"}).Draw(t, "qos"), func(q *Queued) {
				q.Reason, q.Priority = reason, uint32(1+next*7919%10000)
				if s.o.Controller.Basic() {
					q.Listed, q.SiteKnown, q.Priority = false, false, topPriority-uint32(next)
				}
			})
			next++
		}
		for i := range s.places {
			s.places[i] = rapid.Permutation(s.places[i]).Draw(t, "order")
			if s.o.Margin > 0 { // what is farther away comes later, and what is gated last
				distances := append(rapid.SliceOfN(rapid.Float64Range(1, 3), 4, 4).Draw(t, "distances"), 0)
				for k := range s.places[i] {
					s.places[i][k].Distance = distances[s.places[i][k].Campaign]
				}
				slices.SortStableFunc(s.places[i], func(a, b ostrich.Place) int {
					return cmp.Or(cmp.Compare(a.Campaign/4, b.Campaign/4), cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Campaign, b.Campaign))
				})
			}
		}
		if len(s.queue) > 0 && rapid.Bool().Draw(t, "starts") {
			gone := s.queue[rapid.IntRange(0, len(s.queue)-1).Draw(t, "which")].Job
			s.queue = slices.DeleteFunc(s.queue, func(q Queued) bool { return q.Job == gone })
			for i := range s.places {
				s.places[i] = slices.DeleteFunc(s.places[i], func(r ostrich.Place) bool { return r.Job == gone })
			}
		}
		for i := range s.queue {
			if rapid.IntRange(0, 9).Draw(t, "changes") == 0 {
				s.queue[i].QOS = rapid.SampledFrom([]string{"urgent", "normal", "scavenger"}).Draw(t, "other qos")
			}
		}
		round()
	}
}

func drawn(t *rapid.T) (*site, map[ostrich.JobID]int64) {
	ch := rapid.SampledFrom([]Channel{SiteFactor, Nice, Priority}).Draw(t, "channel")
	o := Options{Channel: ch, Mode: Strict, Controller: multifactor(), Depth: rapid.IntRange(0, 12).Draw(t, "depth")}
	if ch == Priority && rapid.Bool().Draw(t, "basic") {
		o.Controller = basic()
	}
	o.Controller.DefaultQueueDepth, o.Controller.BackfillMaxJobTest = 3, rapid.SampledFrom([]int{4, 500}).Draw(t, "slurm's depth")
	o.Margin, o.Procs = rapid.SampledFrom([]int{0, 20, 100}).Draw(t, "margin"), rapid.SampledFrom([]int{1, 8, 100}).Draw(t, "machine")
	if rapid.Bool().Draw(t, "large weights") {
		o.Controller.Weights.QOS = rapid.SampledFrom([]int64{1 << 20, 1 << 27, 1 << 29}).Draw(t, "qos weight")
	}
	if rapid.Bool().Draw(t, "classes") {
		o.Classes = threeClasses()
	} else if ch != Priority && rapid.Bool().Draw(t, "weigh") {
		o.Mode, o.Weight = Weight, rapid.SampledFrom([]int64{1, 3, 100, 100000}).Draw(t, "weight")
	}
	written := make(map[ostrich.JobID]int64)
	o.Journal = pins{ours: func(id ostrich.JobID, value int64) bool { v, ok := written[id]; return ok && v == value }}
	return newPools(rapid.IntRange(1, 3).Draw(t, "pools"), o), written
}

// TestScaleProperties plays with several pools and classes: the plan holds all jobs, each
// class stands before the next within a pool, and a second plan changes nothing, or a third.
func TestScaleProperties(t *testing.T) {
	plans, again := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		s, written := drawn(t)
		play(t, s, func() {
			p := s.plan(t)
			if p.Managed != len(s.queue) {
				t.Fatalf("%d of %d jobs are managed", p.Managed, len(s.queue))
			}
			ranks, last := make(map[string]int), make(map[string]*Entry)
			for i := range p.Managed {
				e := &p.Entries[i]
				if ranks[e.Pool]++; e.Rank != ranks[e.Pool] {
					t.Fatalf("job %d: rank %d, want %d", e.Job, e.Rank, ranks[e.Pool])
				}
				if b := last[e.Pool]; b != nil && e.Wait != Impossible && (b.Class > e.Class || b.Wait == Impossible) {
					t.Fatalf("job %d of class %d stands before job %d of class %d", b.Job, b.Class, e.Job, e.Class)
				}
				last[e.Pool] = e
				if i > 0 && s.o.ahead(e.To) > s.o.ahead(p.Entries[i-1].To) && (i < p.Exact || e.Wait != Impossible && p.Entries[i-1].Class != e.Class && e.Pool == p.Entries[i-1].Pool && s.room(&p)) {
					t.Fatalf("place %d: job %d gets %d, and the one before it %d", i, e.Job, e.To, p.Entries[i-1].To)
				}
			}
			for _, c := range p.Changes() {
				written[c.Job] = c.To
				if err := c.Check(s.o.Channel); err != nil {
					t.Fatal(err)
				}
			}
			apply(s.o.Channel, s.queue, p.Changes())
			second := s.plan(t)
			plans++
			if c := second.Changes(); len(c) > 0 {
				again++
				for i := range c {
					written[c[i].Job] = c[i].To
				}
				apply(s.o.Channel, s.queue, c)
				if second = s.plan(t); len(second.Changes()) > 0 {
					t.Fatalf("the second plan changes %+v, and the third %+v", c, second.Changes())
				}
			}
			if s.o.Mode == Strict {
				checkOrder(t, &second, s.queue)
			}
		})
	})
	if again > 1+plans/200 { // ADR 15: one of thousands
		t.Errorf("%d of %d second plans change something", again, plans)
	}
}

// room reports whether the classes have bands of their own.
func (s *site) room(p *Plan) bool {
	w, err := s.o.window(s.o.base(s.queue), highest(nil))
	return err == nil && w.ranks() > int64(2*len(p.Entries)+10)
}

// TestNoGainFromNames: no job comes before another one of a pool because it names a further
// pool, and those of one pool alone keep their order.
func TestNoGainFromNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, written := drawn(t)
		s.o.Margin = 0 // a job stays before another with its present value
		play(t, s, func() {
			if len(s.queue) == 0 || len(s.places) == 1 {
				return
			}
			p := s.plan(t)
			q := &s.queue[rapid.IntRange(0, len(s.queue)-1).Draw(t, "job")]
			var others []string
			for i, name := range poolNames[:len(s.places)] {
				if !slices.Contains(strings.Split(q.Partition, ","), name) {
					others = append(others, name)
					// Even in the other pool's order it comes first.
					s.places[i] = slices.Concat([]ostrich.Place{{Job: q.Job, Procs: 1}}, s.places[i])
				}
			}
			if len(others) == 0 {
				return
			}
			id, named := q.Job, strings.Split(q.Partition, ",")
			q.Partition = strings.Join(append(others, q.Partition), ",")
			more := s.plan(t)
			passed := func(p *Plan) (before map[ostrich.JobID]bool) {
				before = make(map[ostrich.JobID]bool)
				for _, job := range p.of() {
					if job == id {
						break
					}
					before[job] = true
				}
				return before
			}
			was, is := passed(&p), passed(&more)
			for i := range s.queue {
				o := &s.queue[i]
				// Of jobs of one pool of its own, which alone compete with it there.
				if was[o.Job] && !is[o.Job] && slices.Contains(named, o.Partition) {
					t.Fatalf("job %d passes job %d of %s by naming %s too", id, o.Job, o.Partition, fmt.Sprint(others))
				}
			}
			for i := range s.queue {
				if s.queue[i].Job == id {
					s.queue[i].Partition = strings.Join(named, ",")
				}
			}
			for i, name := range poolNames[:len(s.places)] {
				if slices.Contains(others, name) {
					s.places[i] = s.places[i][1:]
				}
			}
			for _, c := range p.Changes() {
				written[c.Job] = c.To
			}
			apply(s.o.Channel, s.queue, p.Changes())
		})
	})
}
