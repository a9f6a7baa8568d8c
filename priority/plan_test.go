package priority

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
)

func multifactor() Controller {
	return Controller{
		ClusterName: "lab", Version: "22.05.8", PriorityType: "priority/multifactor",
		Weights:           Weights{Age: 1000, Fairshare: 10000, TRES: []TRESWeight{{"cpu", 6.5}}},
		DefaultQueueDepth: 100, BackfillMaxJobTest: 500,
	}
}

func basic() Controller {
	return Controller{ClusterName: "lab", Version: "22.05.8", PriorityType: "priority/basic", DefaultQueueDepth: 100, BackfillMaxJobTest: 500}
}

// job is an ordinary pending job under priority/multifactor.
func job(id ostrich.JobID, change func(*Queued)) Queued {
	q := Queued{
		Job: id, Count: 1, User: "ann", Account: "lab", Partition: "main", QOS: "normal", Priority: 5000,
		Listed: true, SiteKnown: true, State: "PENDING", Reason: "Priority", Submit: 1000 + ostrich.Time(id),
	}
	if change != nil {
		change(&q)
	}
	return q
}

func ranked(ids ...ostrich.JobID) []ostrich.Place {
	order := make([]ostrich.Place, len(ids))
	for i, id := range ids {
		order[i] = ostrich.Place{Job: id, Campaign: int(id) / 10}
	}
	return order
}

// pins is a History that knows which pins are ours, and gives nothing back.
type pins struct {
	History
	ours func(job ostrich.JobID, value int64) bool
}

func (p pins) Ours(_ Channel, job ostrich.JobID, value int64) bool { return p.ours(job, value) }
func (pins) Stock(Channel, *Queued) (value, nice int64, ours bool) { return 0, 0, false }
func (pins) Restored(*Queued, int64) (nice int64, restored bool)   { return 0, false }
func (pins) Repeat(Channel, *Queued, ostrich.Time) bool            { return true }

func TestGuards(t *testing.T) {
	exclude := Selection{Users: []string{"bob"}, Accounts: []string{"chem"}, QOS: []string{"urgent"}, Partitions: []string{"debug"}}
	alone := func(q *Queued) Why {
		if q.Job == 13 {
			return Why{Code: WasRefused, About: "Slurm's words"}
		}
		return Why{}
	}
	ours := func(_ ostrich.JobID, value int64) bool { return value == 90000 }
	tests := []struct {
		why     string
		channel Channel
		basic   bool
		change  func(*Queued)
	}{
		{"held", SiteFactor, false, func(q *Queued) { q.Priority, q.Listed, q.SiteKnown = 0, false, false }},
		{"held", Nice, false, func(q *Queued) { q.Priority = 0 }},
		{"held", Priority, true, func(q *Queued) { q.Priority = 0 }},
		{"held", Priority, true, func(q *Queued) { q.Reason = "JobHeldUser" }},
		{"pinned by an administrator", SiteFactor, false, func(q *Queued) { q.Pinned, q.SiteKnown = true, false }},
		{"pinned by an administrator", Priority, false, func(q *Queued) { q.Pinned = true }},
		{"pinned by an administrator", SiteFactor, false, func(q *Queued) { q.Pinned, q.Priority = true, 90000 }},
		{"pinned by an administrator", Priority, true, func(q *Queued) { q.Priority = topPriority + 5 }},
		{"campaign order", Priority, false, func(q *Queued) { q.Pinned, q.Priority = true, 90000 }},
		{"campaign order", Priority, true, func(q *Queued) { q.Priority = topPriority - 5 }},
		{"in reservation maint", SiteFactor, false, func(q *Queued) { q.Reservation = "maint" }},
		{"excluded user bob", SiteFactor, false, func(q *Queued) { q.User = "bob" }},
		{"excluded account chem", SiteFactor, false, func(q *Queued) { q.Account = "chem" }},
		{"excluded QOS urgent", SiteFactor, false, func(q *Queued) { q.QOS = "urgent" }},
		{"excluded partition debug", SiteFactor, false, func(q *Queued) { q.Partition = "main,debug" }},
		{"Slurm has not computed its priority yet", SiteFactor, false, func(q *Queued) { q.Listed, q.SiteKnown, q.Reason = false, false, "Resources" }},
		{"not eligible (Dependency)", SiteFactor, false, func(q *Queued) { q.Listed, q.SiteKnown, q.Reason = false, false, "Dependency" }},
		{"not eligible (BeginTime)", Priority, true, func(q *Queued) { q.Listed, q.Reason = false, "BeginTime" }},
		{"not eligible (Dependency)", Priority, true, func(q *Queued) { q.Reason, q.Dependency = "None", "afterok:9(unfulfilled)" }},
		{"not eligible (JobArrayTaskLimit)", Nice, false, func(q *Queued) { q.Listed, q.Reason = false, "JobArrayTaskLimit" }},
		{"nice value of the owner's own", Nice, false, func(q *Queued) { q.Nice = 1 }},
		{"campaign order", SiteFactor, false, func(q *Queued) { q.Nice = 1 }},
		{"campaign order", Nice, false, func(q *Queued) { q.Nice = -1 }},
		{"refused by Slurm: Slurm's words", SiteFactor, false, func(q *Queued) { q.Job = 13 }},
		{"not yet in accounting", SiteFactor, false, func(q *Queued) { q.Job = 14 }},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s %s %v", tt.why, tt.channel, tt.basic), func(t *testing.T) {
			o := Options{Channel: tt.channel, Mode: Strict, Controller: multifactor(), Exclude: exclude, Alone: alone, Journal: pins{ours: ours}}
			if tt.basic {
				o.Controller = basic()
			}
			q := job(7, tt.change)
			p, err := o.Plan(ranked(7, 13, 99), []Queued{q})
			if err != nil {
				t.Fatal(err)
			}
			e := p.Entries[0]
			if e.Why.String() != tt.why {
				t.Errorf("why = %q, want %q", e.Why, tt.why)
			}
			if touched := tt.why == "campaign order"; len(p.Changes()) > 0 != touched && q.Priority != 90000 || e.Rank > 0 != touched {
				t.Errorf("%d changes, rank %d, for a job that is %s", len(p.Changes()), e.Rank, tt.why)
			}
			if !e.Write && e.From != e.To {
				t.Errorf("a job that is left alone goes from %d to %d", e.From, e.To)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	with := func(c Controller, change func(*Controller)) Controller { change(&c); return c }
	tests := []struct {
		name string
		o    Options
		want string // part of the error; "" for none
	}{
		{"sitefactor", Options{Channel: SiteFactor, Mode: Strict, Controller: multifactor()}, ""},
		{"nice", Options{Channel: Nice, Mode: Weight, Weight: 100, Controller: multifactor()}, ""},
		{"priority", Options{Channel: Priority, Mode: Strict, Controller: multifactor()}, ""},
		{"priority under basic", Options{Channel: Priority, Mode: Strict, Controller: basic()}, ""},
		{"sitefactor under basic", Options{Channel: SiteFactor, Mode: Strict, Controller: basic()}, "ignores it; set priority.channel: priority"},
		{"nice under basic", Options{Channel: Nice, Mode: Strict, Controller: basic()}, "releases held jobs; set priority.channel: priority"},
		{"weight under basic", Options{Channel: Priority, Mode: Weight, Weight: 5, Controller: basic()}, "; set priority.mode: strict"},
		{"weight of a pin", Options{Channel: Priority, Mode: Weight, Weight: 5, Controller: multifactor()}, "; set priority.mode: strict"},
		{"weight 0", Options{Channel: SiteFactor, Mode: Weight, Controller: multifactor()}, "weight 0: must be in"},
		{"weight too large", Options{Channel: SiteFactor, Mode: Weight, Weight: limit + 1, Controller: multifactor()}, "must be in"},
		{"other plugin", Options{Channel: SiteFactor, Mode: Strict, Controller: with(multifactor(), func(c *Controller) { c.PriorityType = "priority/own" })}, `"priority/own"`},
		{"site plugin", Options{Channel: SiteFactor, Mode: Strict, Controller: with(multifactor(), func(c *Controller) { c.SiteFactorPlugin = "site_factor/x" })}, "set priority.channel: nice"},
		{"nice beside a site plugin", Options{Channel: Nice, Mode: Strict, Controller: with(multifactor(), func(c *Controller) { c.SiteFactorPlugin = "site_factor/x" })}, ""},
		{"incr only", Options{Channel: SiteFactor, Mode: Strict, Controller: with(multifactor(), func(c *Controller) { c.PriorityFlags = []string{"INCR_ONLY"} })}, "; remove INCR_ONLY from"},
		{"old Slurm", Options{Channel: SiteFactor, Mode: Strict, Controller: with(multifactor(), func(c *Controller) { c.Version = "18.08.9" })}, "19.05"},
		{"before 19.05", Options{Channel: SiteFactor, Mode: Strict, Controller: with(multifactor(), func(c *Controller) { c.Version = "19.02.1" })}, "19.05"},
		{"19.05", Options{Channel: SiteFactor, Mode: Strict, Controller: with(multifactor(), func(c *Controller) { c.Version = "19.05.0" })}, ""},
		{"20.02", Options{Channel: SiteFactor, Mode: Strict, Controller: with(multifactor(), func(c *Controller) { c.Version = "20.02.7" })}, ""},
		{"huge weights", Options{Channel: SiteFactor, Mode: Strict, Controller: with(multifactor(), func(c *Controller) { c.Weights.QOS = 2_000_000_000 })}, "strict; divide all PriorityWeight* of slurm.conf by 5, or set priority.mode: weight"},
		{"huge weights weighed", Options{Channel: SiteFactor, Mode: Weight, Weight: 100, Controller: with(multifactor(), func(c *Controller) { c.Weights.QOS = 2_000_000_000 })}, ""},
		{"no channel", Options{Mode: Strict, Controller: multifactor()}, "must be sitefactor, nice or priority"},
		{"no mode", Options{Channel: Nice, Controller: multifactor()}, "must be strict or weight"},
		{"negative depth", Options{Channel: Nice, Mode: Strict, Depth: -1, Controller: multifactor()}, "depth -1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := Check(tt.o)
			if tt.want == "" {
				if err != nil {
					t.Errorf("Check: %v, want nil", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Check: %v, want %q in it", err, tt.want)
			}
			if _, planErr := tt.o.Plan(nil, nil); (planErr == nil) != (err == nil) {
				t.Errorf("Check says %v and Plan %v", err, planErr)
			}
		})
	}
	if err := Check(tests[4].o); !errors.Is(err, ErrImpossible) {
		t.Errorf("%v is not ErrImpossible", err)
	}
}

// apply does to the queue what Slurm does with the changes.
func apply(ch Channel, queue []Queued, changes []Change) {
	for _, c := range changes {
		i := slices.IndexFunc(queue, func(q Queued) bool { return q.Job == c.Job })
		q := &queue[i]
		switch ch {
		case SiteFactor:
			q.Priority = uint32(int64(q.Priority) + c.To - q.Site)
			q.Site = c.To
		case Nice:
			q.Priority = uint32(int64(q.Priority) + q.Nice - c.To)
			q.Nice = c.To
		case Priority:
			q.Priority, q.Pinned = uint32(c.To), true
		}
	}
	Rank(queue, nil)
}

// TestPlanProperties plays with a queue: plan, apply, plan again, then jobs
// come, go and change places, for every channel and mode.
func TestPlanProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ch := rapid.SampledFrom([]Channel{SiteFactor, Nice, Priority}).Draw(t, "channel")
		o := Options{Channel: ch, Mode: Strict, Controller: multifactor(), Depth: rapid.IntRange(0, 12).Draw(t, "depth")}
		if ch == Priority && rapid.Bool().Draw(t, "basic") {
			o.Controller = basic()
		}
		o.Margin, o.Procs = rapid.SampledFrom([]int{0, 10, 20, 100}).Draw(t, "margin"), rapid.SampledFrom([]int{1, 8, 100}).Draw(t, "machine")
		if ch != Priority && rapid.Bool().Draw(t, "weigh") {
			o.Mode, o.Weight = Weight, rapid.SampledFrom([]int64{1, 3, 100, 100000}).Draw(t, "weight")
		}
		if rapid.Bool().Draw(t, "large weights") {
			o.Controller.Weights.QOS = rapid.SampledFrom([]int64{1 << 20, 1 << 27, 1 << 29}).Draw(t, "qos")
		}
		written := make(map[ostrich.JobID]int64)
		o.Journal = pins{ours: func(id ostrich.JobID, value int64) bool { v, ok := written[id]; return ok && v == value }}

		var queue []Queued
		var order []ostrich.Place
		next := ostrich.JobID(1)
		for range rapid.IntRange(1, 5).Draw(t, "rounds") {
			for range rapid.IntRange(0, rapid.SampledFrom([]int{8, 8, 40}).Draw(t, "at once")).Draw(t, "new") {
				q := job(next, func(q *Queued) { q.Priority = uint32(1 + next*7919%10000) })
				if o.Controller.Basic() {
					q.Listed, q.SiteKnown, q.Priority = false, false, topPriority-uint32(next)
				}
				queue = append(queue, q)
				order = append(order, ostrich.Place{
					Job: next, Campaign: rapid.IntRange(0, 4).Draw(t, "campaign"), Procs: rapid.IntRange(1, 4).Draw(t, "procs"),
				})
				next++
			}
			Rank(queue, nil)
			order = rapid.Permutation(order).Draw(t, "order")
			if cut := rapid.IntRange(0, len(order)).Draw(t, "gone"); cut < len(order)/3 {
				for _, r := range order[:cut] {
					queue = slices.DeleteFunc(queue, func(q Queued) bool { return q.Job == r.Job })
				}
				order = order[cut:]
			}
			if o.Margin > 0 { // what is farther away comes later, and what is gated last
				distances := rapid.SliceOfN(rapid.Float64Range(0, 3), 5, 5).Draw(t, "distances")
				for i := range order {
					r := &order[i]
					if r.Distance = distances[r.Campaign]; r.Campaign == 4 {
						r.Distance = 0
					}
				}
				slices.SortStableFunc(order, func(a, b ostrich.Place) int {
					gated := func(r ostrich.Place) float64 {
						if r.Campaign == 4 {
							return 4
						}
						return r.Distance
					}
					return cmp.Or(cmp.Compare(gated(a), gated(b)), cmp.Compare(a.Campaign, b.Campaign))
				})
			}
			p, err := o.Plan(order, queue)
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Entries) != len(queue) || p.Managed != len(order) {
				t.Fatalf("%d entries and %d managed, want %d and %d", len(p.Entries), p.Managed, len(queue), len(order))
			}
			for _, c := range p.Changes() {
				written[c.Job] = c.To
				if err = c.Check(ch); err != nil {
					t.Fatal(err)
				}
			}
			apply(ch, queue, p.Changes())
			again, err := o.Plan(order, queue)
			if err != nil {
				t.Fatal(err)
			}
			if c := again.Changes(); len(c) > 0 {
				t.Fatalf("the second plan changes %+v", c)
			}
			if o.Mode == Strict {
				checkOrder(t, &again, queue)
			}
			checkMargin(t, order, &again, o)
			if s := again.Summary(); o.Mode == Strict && again.Exact >= len(order)-1 && s.KendallTau != 1 {
				t.Fatalf("correlation %v after applying", s.KendallTau)
			}
		}
	})
}

// checkOrder fails unless the first jobs of the plan are first in the queue.
func checkOrder(t *rapid.T, p *Plan, queue []Queued) {
	for i := range p.Exact {
		if queue[i].Job != p.Entries[i].Job {
			t.Fatalf("place %d: job %d, want %d", i, queue[i].Job, p.Entries[i].Job)
		}
	}
}

// checkMargin fails if a pair stands against the order wanted that differs by more
// than the margin, or of which one has its place for another reason. Behind the head it
// is the deep margin, and jobs of one campaign may stand so too; the head ends with the
// first job that does not fit any more.
func checkMargin(t *rapid.T, order []ostrich.Place, p *Plan, o Options) {
	margin, left, behind := o.Margin, o.Procs, false
	at := make(map[ostrich.JobID]int)
	for i := range order {
		at[order[i].Job] = i
	}
	for k := range p.Managed {
		if e := &p.Entries[k]; e.Place != order[at[e.Job]] {
			t.Fatalf("job %d has the place of %+v", e.Job, e.Place)
		}
		b := &p.Entries[k].Place
		for i := k + 1; i < p.Managed; i++ {
			a := &p.Entries[i].Place // b stands before a
			if at[b.Job] < at[a.Job] {
				continue
			}
			if far := a.Distance * (1 + float64(margin)/100); margin == 0 || a.Campaign == b.Campaign && !behind || a.Distance == 0 || b.Distance == 0 || b.Distance > far {
				t.Fatalf("place %d: job %d, %g away, stands before job %d, %g away, with a margin of %d", k, b.Job, b.Distance, a.Job, a.Distance, margin)
			}
		}
		if left -= b.Procs; left < 0 && o.Mode == Strict {
			margin, behind = deepMargin*o.Margin, true
		}
	}
}

func TestWeightIsFewest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 7).Draw(t, "n")
		o := Options{Channel: SiteFactor, Mode: Weight, Weight: rapid.Int64Range(1, 60).Draw(t, "weight"), Controller: multifactor()}
		slack := o.Weight / 20
		var queue []Queued
		var order []ostrich.Place
		target := make([]int64, n)
		for i := range n {
			site := rapid.Int64Range(0, o.Weight+2).Draw(t, "site")
			queue = append(queue, job(ostrich.JobID(i+1), func(q *Queued) { q.Site = site }))
			order = append(order, ostrich.Place{Job: ostrich.JobID(i + 1)})
			target[i] = (o.Weight*int64(n-i) + int64(n) - 1) / int64(n)
		}
		p, err := o.Plan(order, queue)
		if err != nil {
			t.Fatal(err)
		}
		gap := func(i int) int64 { return min(1, target[i]-target[i+1]) }
		for i, e := range p.Entries {
			if e.To < max(1, target[i]-slack) || e.To > min(o.Weight, target[i]+slack) {
				t.Fatalf("job %d of %d gets %d, target %d ± %d", i, n, e.To, target[i], slack)
			}
			if i > 0 && p.Entries[i-1].To-e.To < gap(i-1) {
				t.Fatalf("jobs %d and %d get %d and %d", i-1, i, p.Entries[i-1].To, e.To)
			}
		}
		if best := fewestWeighed(queue, target, slack, o.Weight, gap); len(p.Changes()) != best {
			t.Fatalf("%d changes, %d would do", len(p.Changes()), best)
		}
	})
}

// fewestWeighed tries every set of kept jobs: the others take the greatest
// value allowed, from the head on.
func fewestWeighed(queue []Queued, target []int64, slack, weight int64, gap func(int) int64) int {
	n := len(queue)
	best := n
	for set := range 1 << n {
		above, changes, ok := weight, 0, true
		for i := range n {
			if i > 0 {
				above -= gap(i - 1)
			}
			above = min(above, target[i]+slack)
			if set&(1<<i) != 0 {
				ok = ok && queue[i].Site <= above
				above = queue[i].Site
			} else {
				changes++
			}
			ok = ok && above >= max(1, target[i]-slack)
		}
		if ok {
			best = min(best, changes)
		}
	}
	return best
}

func TestCoarse(t *testing.T) {
	// Half of the window holds 15 steps: the three campaigns are told apart,
	// and twelve gaps are left for jobs at the head.
	c := multifactor()
	c.Weights = Weights{QOS: limit / 32}
	o := Options{Channel: SiteFactor, Mode: Strict, Controller: c}
	var queue []Queued
	var order []ostrich.Place
	for i := range 60 {
		queue = append(queue, job(ostrich.JobID(i+1), nil))
		order = append(order, ostrich.Place{Job: ostrich.JobID(i + 1), User: ostrich.UserID((i + 15) / 30), Campaign: i / 30})
	}
	p, err := o.Plan(order, queue)
	if err != nil {
		t.Fatal(err)
	}
	if p.Exact != 12 {
		t.Errorf("%d exact; want 12", p.Exact)
	}
	for i := 1; i < 60; i++ {
		apart := i <= 12 || i%15 == 0
		if got := p.Entries[i-1].To-p.Entries[i].To >= p.Step; got != apart {
			t.Errorf("jobs %d and %d apart: %v, want %v", i-1, i, got, apart)
		}
	}
	if why := p.Entries[20].Why; why.Code != SharesRank {
		t.Errorf("why = %q, want %q", why, SharesRank)
	}
}

func TestDepth(t *testing.T) {
	o := Options{Channel: SiteFactor, Mode: Strict, Controller: multifactor(), Depth: 3}
	var queue []Queued
	var order []ostrich.Place
	for i := range ostrich.JobID(6) {
		queue = append(queue, job(i+1, nil))
		order = append(order, ostrich.Place{Job: i + 1})
	}
	p, err := o.Plan(order, queue)
	if err != nil {
		t.Fatal(err)
	}
	apply(SiteFactor, queue, p.Changes())
	if p.Exact != 3 || p.Entries[3].To != p.Entries[5].To || p.Entries[2].To <= p.Entries[3].To || p.Entries[5].Why.Code != BeyondDepth {
		t.Errorf("%d exact, values %d %d %d, %q", p.Exact, p.Entries[2].To, p.Entries[3].To, p.Entries[5].To, p.Entries[5].Why)
	}
	// The order of the deep ones is free, and the head's departure moves one
	// job across the depth.
	slices.Reverse(order[3:])
	p, err = o.Plan(order[1:], slices.DeleteFunc(queue, func(q Queued) bool { return q.Job == 1 }))
	if err != nil {
		t.Fatal(err)
	}
	if c := p.Changes(); len(c) != 1 || c[0].Job != 6 {
		t.Errorf("changes %+v, want job 6 alone", c)
	}
}

func TestStrictOutweighsFactors(t *testing.T) {
	// However the factors move between 0 and their weights, and with a nice
	// value of one job, the other jobs stay in order.
	rapid.Check(t, func(t *rapid.T) {
		o := Options{Channel: SiteFactor, Mode: Strict, Controller: multifactor()}
		var queue []Queued
		var order []ostrich.Place
		n := rapid.IntRange(2, 20).Draw(t, "n")
		for i := range n {
			queue = append(queue, job(ostrich.JobID(i+1), nil))
			order = append(order, ostrich.Place{Job: ostrich.JobID(i + 1)})
		}
		p, err := o.Plan(order, queue)
		if err != nil {
			t.Fatal(err)
		}
		before := int64(1 << 40)
		for _, e := range p.Entries {
			base := rapid.Int64Range(0, o.Controller.Weights.Sum()).Draw(t, "base")
			prio := base + e.To
			if prio >= before || prio < 1 || prio >= 1<<32-1 {
				t.Fatalf("priority %d after %d", prio, before)
			}
			if prio <= o.Controller.Weights.Sum() {
				t.Fatalf("priority %d is not above every unseen job", prio)
			}
			before = prio
		}
	})
}

func TestUnboundedFactors(t *testing.T) {
	c := multifactor()
	c.PriorityFlags = []string{"NO_NORMAL_PART"}
	o := Options{Channel: SiteFactor, Mode: Strict, Controller: c}
	queue := []Queued{job(1, func(q *Queued) { q.Factors.Partition = 70_000 }), job(2, nil)}
	p, err := o.Plan(ranked(2, 1), queue)
	if err != nil {
		t.Fatal(err)
	}
	if p.Step <= 70_000 {
		t.Errorf("the step is %d, less than the factor of 70000", p.Step)
	}
}

func TestStep(t *testing.T) {
	o := Options{Channel: SiteFactor, Mode: Strict, Controller: multifactor()}
	p, err := o.Plan(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	// 1000 + 10000 + 6.5 rounded up, and one more.
	if p.Step != 11008 {
		t.Errorf("step %d, want 11008", p.Step)
	}
}

// TestComputedPriorityIsNoPin has a job whose nice value of an administrator's
// lifts its computed priority into the range of the pins.
func TestComputedPriorityIsNoPin(t *testing.T) {
	o := Options{Channel: Priority, Mode: Strict, Controller: multifactor()}
	queue := []Queued{job(1, func(q *Queued) { q.Priority, q.Nice = 2_000_000, -1_995_000 }), job(2, nil)}
	p, err := o.Plan(ranked(1, 2), queue)
	if err != nil {
		t.Fatal(err)
	}
	if p.Exact != 2 {
		t.Errorf("%d exact of 2 that fit", p.Exact)
	}
	if n := len(p.Changes()); n != 2 {
		t.Errorf("%d changes, want 2: no priority is pinned yet", n)
	}
}

// A nice value that scontrol refuses, as a job_submit plugin can give it, must not spoil the burst.
func TestPinOfJobWithOddNice(t *testing.T) {
	o := Options{Channel: Priority, Mode: Strict, Controller: multifactor()}
	p, err := o.Plan(ranked(1), []Queued{job(1, func(q *Queued) { q.Nice = math.MinInt32 })})
	if err != nil || len(p.Changes()) != 1 {
		t.Fatal(p.Changes(), err)
	}
	if err = p.Changes()[0].Check(Priority); err != nil {
		t.Error(err)
	}
}

// TestPinsBesideTheHighest has a job that is left alone with a priority above half of all
// that there are: pins cannot stand above it, and the others are ordered all the same.
func TestPinsBesideTheHighest(t *testing.T) {
	o := Options{Channel: Priority, Mode: Strict, Controller: multifactor()}
	o.Exclude.Users = []string{"bob"}
	for _, high := range []uint32{1 << 31, 1<<31 + 1, math.MaxUint32} {
		queue := []Queued{job(3, func(q *Queued) { q.User, q.Priority = "bob", high }), job(2, nil), job(1, nil)}
		p, err := o.Plan(ranked(1, 2), queue)
		if err != nil {
			t.Errorf("beside priority %d: %v", high, err)
			continue
		}
		if first, second := p.Entries[0], p.Entries[1]; first.Job != 1 || first.To <= second.To || second.To <= 1<<31 {
			t.Errorf("beside priority %d: %d and %d", high, first.To, second.To)
		}
	}
}

// TestWeightOfManyJobs has more jobs than targets 5 % apart, where bounds and
// neighbours meet.
func TestWeightOfManyJobs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(20, 120).Draw(t, "n")
		o := Options{Channel: SiteFactor, Mode: Weight, Weight: rapid.Int64Range(1, 400).Draw(t, "weight"), Controller: multifactor()}
		near := rapid.Int64Range(0, o.Weight/20+1).Draw(t, "near")
		var queue []Queued
		var order []ostrich.Place
		for i := range n {
			target := o.Weight * int64(n-i) / int64(n)
			site := target + rapid.Int64Range(-near, near).Draw(t, "off")
			queue = append(queue, job(ostrich.JobID(i+1), func(q *Queued) { q.Site = site }))
			order = append(order, ostrich.Place{Job: ostrich.JobID(i + 1)})
		}
		p, err := o.Plan(order, queue)
		if err != nil {
			t.Fatal(err)
		}
		for i, e := range p.Entries {
			if e.To < 1 || e.To > o.Weight {
				t.Fatalf("job %d gets %d of %d", i, e.To, o.Weight)
			}
			if i > 0 && (e.To > p.Entries[i-1].To || (o.Weight >= int64(n) && e.To == p.Entries[i-1].To)) {
				t.Fatalf("jobs %d and %d get %d and %d", i-1, i, p.Entries[i-1].To, e.To)
			}
		}
		apply(SiteFactor, queue, p.Changes())
		p, err = o.Plan(order, queue)
		if err != nil || len(p.Changes()) > 0 {
			t.Fatalf("the second plan changes %+v, %v", p.Changes(), err)
		}
	})
}

func TestPlanInput(t *testing.T) {
	o := Options{Channel: SiteFactor, Mode: Strict, Controller: multifactor()}
	if _, err := o.Plan(nil, []Queued{job(1, nil), job(1, nil)}); err == nil {
		t.Error("a job that is there twice is accepted")
	}
	p, err := o.Plan(ranked(3, 3, 8, 1), []Queued{job(1, nil), job(2, nil), job(3, nil)})
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		Job       ostrich.JobID
		Rank, Was int
	}
	var got []row
	for _, e := range p.Entries {
		got = append(got, row{e.Job, e.Rank, e.SlurmRank})
	}
	if diff := gocmp.Diff([]row{{3, 1, 3}, {1, 2, 1}, {2, 0, 2}}, got); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	want := Summary{Pending: 3, Managed: 2, Up: 1, Down: 1, KendallTau: -1, Writes: 2}
	if diff := gocmp.Diff(want, p.Summary()); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
}

func TestArraysApart(t *testing.T) {
	array := func(id, array ostrich.JobID, tasks string) Queued {
		return job(id, func(q *Queued) { q.Array, q.Tasks = array, tasks })
	}
	queue := []Queued{
		array(20, 20, "1-10%2"), array(30, 30, "0-8:4"), array(40, 40, "7"), array(41, 40, "3"),
		array(50, 50, "0-4000:2"), array(60, 60, "0-4000:2"), array(61, 60, "1"),
		job(70, func(q *Queued) { q.Full = "70+0" }),
	}
	o := Options{Channel: SiteFactor, Mode: Strict, Controller: multifactor()}
	p, err := o.Plan(ranked(20, 30, 40, 41, 50, 60, 61, 70), queue)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[ostrich.JobID]string)
	for _, c := range p.Changes() {
		got[c.Job] = c.Target()
	}
	want := map[ostrich.JobID]string{
		20: "20_[1-10]", 30: "30_[0,4,8]", 40: "40_[7]", 41: "41", 50: "50", 61: "61", 70: "70+0",
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

// BenchmarkTurned plans a queue of single jobs, each a campaign, that stand in the reverse of
// the order wanted, all of nearly the same distance, and looks at all of them.
func BenchmarkTurned(b *testing.B) {
	for _, n := range []int{5000, 20_000, 80_000} {
		queue, order := make([]Queued, n), make([]ostrich.Place, n)
		for i := range queue {
			queue[i] = job(ostrich.JobID(i+1), func(q *Queued) {
				q.Site = int64(i+1) * 20_000
				q.Priority += uint32(q.Site)
			})
			order[i] = ostrich.Place{Job: ostrich.JobID(i + 1), User: ostrich.UserID(i), Procs: 1, Distance: 1 + 0.15*float64(i)/float64(n)}
		}
		Rank(queue, nil)
		o := Options{Channel: SiteFactor, Mode: Strict, Controller: multifactor(), Margin: 20, Procs: n, Depth: n}
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				if _, err := o.Plan(order, queue); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkPlan(b *testing.B) {
	const n = 100_000
	queue := make([]Queued, n)
	order := make([]ostrich.Place, n)
	for i := range queue {
		queue[i] = job(ostrich.JobID(i+1), nil)
		at := (i*7919 + 13) % n
		order[at] = ostrich.Place{Job: ostrich.JobID(i + 1), Campaign: at / 50}
	}
	o := Options{Channel: SiteFactor, Mode: Strict, Controller: multifactor()}
	for _, depth := range []int{500, n} {
		o.Depth = depth
		if depth == n {
			o.Controller.Weights = Weights{Fairshare: 1000}
		}
		b.Run(fmt.Sprintf("first/depth=%d", depth), func(b *testing.B) {
			for b.Loop() {
				if _, err := o.Plan(order, queue); err != nil {
					b.Fatal(err)
				}
			}
		})
		p, err := o.Plan(order, queue)
		if err != nil {
			b.Fatal(err)
		}
		same := slices.Clone(queue)
		for i := range p.Entries {
			q := &same[p.Entries[i].Job-1]
			q.Site, q.Priority = p.Entries[i].To, q.Priority+uint32(p.Entries[i].To)
		}
		Rank(same, nil)
		b.Run(fmt.Sprintf("unchanged/depth=%d", depth), func(b *testing.B) {
			for b.Loop() {
				again, err := o.Plan(order, same)
				if err != nil || len(again.Changes()) > 0 {
					b.Fatal(err, len(again.Changes()))
				}
			}
		})
		b.Run(fmt.Sprintf("summary/depth=%d", depth), func(b *testing.B) {
			for b.Loop() {
				p.Summary()
			}
		})
	}
}
