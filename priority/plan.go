package priority

import (
	"fmt"
	"slices"

	"slurm-ostrich/ostrich"
)

// Entry is what the plan says of one pending job.
type Entry struct {
	*Queued                 // in the queue that was planned
	Place     ostrich.Place // of a managed job, as the order wanted has it
	Pool      string        // of a managed job: Order.Pool of the order that has its place
	Rank      int           // place in the order of its pool, from 1; 0 for a job that is left alone
	SlurmRank int           // place in Slurm's present order of all pending jobs, from 1
	From, To  int64         // the channel's value, as scontrol takes it
	Why       Why
	spec      string
	nice      int64 // given back with a pin that is taken back
	Class     int   // place in Options.Classes.Names, 0 without classes
	pool      int32 // place of its pool
	Wait      Wait  // why it cannot start, from Queued.Wait
	Write     bool  // To is to be written
	Undone    bool  // an earlier write of ours is not in force, see Controller.undone
	several   bool  // it is in several pools
	below     bool  // it is beyond the depth, and was never written to
	many      bool  // it waits for a limit, as do more jobs before it in its class than Slurm looks at
}

// Plan is the outcome of planning: every pending job of the queue, first those
// that are managed in the one order of all pools, then those left alone in Slurm's.
type Plan struct {
	Channel Channel
	Entries []Entry
	Managed int // number of entries with a rank

	// Step is the gap between two ranks; 1 in mode Weight.
	Step int64
	// Exact is how many jobs at the head have a rank of their own: fewer than the depth
	// asks for where the step times the ranks does not fit the channel.
	Exact int
	// Kept reports whether a campaign stands before one that is a little nearer, see
	// Options.Margin: as time passes, the plan may change without an event.
	Kept bool

	pools int // how many there are
}

// Order is what is wanted of one pool's jobs of one class. Its head comes first.
type Order struct {
	Pool   string
	Class  int // place in Options.Classes.Names, 0 without classes
	Procs  int // processors of the pool
	Places []ostrich.Place
}

// Plan is PlanPools for one pool and class, with Options.Procs.
func (o Options) Plan(order []ostrich.Place, queue []Queued) (Plan, error) {
	return o.PlanPools([]Order{{Procs: o.Procs, Places: order}}, queue)
}

// PlanPools computes the fewest changes that put the jobs of the queue into the
// orders, which stand pool by pool, and for each pool class by class. It changes
// nothing: not an order, not the queue, not Slurm. The plan points into the queue. Jobs of the orders that are not in the
// queue are passed over. A job counts in the class that its record in the queue has.
//
// Slurm compares the values of all jobs, whatever their pools, so all orders become one,
// see merge. Applying the changes and planning again gives a plan without changes, and no
// plan with fewer changes gives that order, unless values have to be spread anew.
func (o Options) PlanPools(orders []Order, queue []Queued) (Plan, error) {
	if err := Check(o); err != nil {
		return Plan{}, err
	}
	p := Plan{Channel: o.Channel, Step: 1}
	at, twice := indexOf(queue)
	if twice != 0 {
		return Plan{}, fmt.Errorf("queue: job %d is there twice", twice)
	}
	arrays := recordsPerArray(queue)
	waits := make([]Wait, len(queue))
	for i := range queue {
		waits[i] = queue[i].Wait()
	}
	w := wanted{o: &o, queue: queue, at: at, arrays: arrays, waits: waits, in: make([]int32, len(queue))}
	w.add(orders)
	p.Kept = w.keep()
	var needed int
	p.Entries, needed = w.merge()
	p.pools = len(w.pools)
	ranks := make([]int, p.pools)
	for i := range p.Entries {
		e := &p.Entries[i]
		ranks[e.pool]++
		e.Rank = ranks[e.pool]
	}
	p.Managed = len(p.Entries)
	var alone []Entry
	for i := range queue {
		if w.in[i] > 0 {
			continue
		}
		q := &queue[i]
		why := o.guard(q)
		if why == (Why{}) {
			why.Code = Unheard
			if _, named := arrays.spec(q, maxSpec); !named {
				why.Code = Scattered
			}
		}
		from := o.Channel.Value(q)
		e := Entry{Queued: q, Class: o.classOf(q), Wait: waits[i], SlurmRank: i + 1, From: from, To: from, Why: why}
		o.takeBack(&e, arrays)
		alone = append(alone, e)
	}
	var err error
	if o.Mode == Weight {
		o.weigh(&p)
	} else {
		err = o.strict(&p, o.depthOf(p.Entries, needed), queue, alone)
	}
	if err != nil {
		return Plan{}, err
	}
	for i := range p.Entries {
		o.repeat(&p.Entries[i])
	}
	p.Entries = append(p.Entries, alone...)
	return p, nil
}

// Value returns the job's value in the channel.
func (ch Channel) Value(q *Queued) int64 {
	switch ch {
	case SiteFactor:
		return q.Site
	case Nice:
		return q.Nice
	default:
		return int64(q.Priority)
	}
}

// ahead turns a channel's value into a number, where the greater goes first, and back.
func (o *Options) ahead(value int64) int64 {
	if o.Channel == Nice {
		return -value
	}
	return value
}

// weigh gives the values of mode Weight: N times a factor that falls evenly
// from 1 to almost 0 along the order. A value within 5 % of N of its target is
// kept as long as the order holds.
func (o *Options) weigh(p *Plan) {
	jobs := p.Entries
	n := int64(len(jobs))
	p.Exact = len(jobs)
	if n == 0 {
		return
	}
	// With n jobs of at most 2^31 the product stays far below 2^63.
	target := func(i int) int64 { return max(1, (o.Weight*(n-int64(i))+n-1)/n) }
	slack := o.Weight / 20
	v, gap := make([]int64, n), make([]int64, n)
	x, fits := make([]int64, n), make([]bool, n)
	var total, sum int64
	for i := range jobs[1:] {
		gap[i] = min(1, target(i)-target(i+1))
		total += gap[i]
	}
	for i := range jobs {
		v[i] = o.ahead(jobs[i].From)
		t := target(i)
		fits[i] = v[i] >= max(1+total-sum, t-slack) && v[i] <= min(o.Weight-sum, t+slack)
		x[i] = v[i] + sum
		sum += gap[i]
	}
	ends, before := runs(x, fits)
	keep := run(len(x), ends, before)
	// A new value is as close to its target as its kept neighbours allow.
	bound := make([]int64, n) // the least that the kept jobs below leave to a job
	below := int64(1)
	for i := len(jobs) - 1; i >= 0; i-- {
		if i+1 < len(jobs) {
			below += gap[i]
		}
		if keep[i] {
			below = v[i]
		}
		bound[i] = below
	}
	above := o.Weight
	for i := range jobs {
		if i > 0 {
			above -= gap[i-1]
		}
		if !keep[i] {
			v[i] = min(above, max(bound[i], target(i)))
		}
		above = v[i]
	}
	o.settle(jobs, v, keep)
}

// strict gives the values of mode Strict.
func (o *Options) strict(p *Plan, depth int, queue []Queued, alone []Entry) error {
	w, err := o.window(o.base(queue), highest(alone))
	if err != nil {
		return err
	}
	p.Step = w.step
	jobs := p.Entries
	head, gap := o.gaps(p, depth, w)
	for p.Exact > 0 && jobs[p.Exact-1].Wait != Able {
		p.Exact--
	}
	v, usable := make([]int64, len(jobs)), make([]bool, len(jobs))
	for i := range jobs {
		v[i] = o.ahead(jobs[i].From)
		// A priority that Slurm computed is no place in the order, even where
		// it happens to fit.
		usable[i] = o.Channel != Priority || o.inForce(jobs[i].Queued)
	}
	keep := repair(v, gap, head, usable, w.lo, w.hi, o.extra(w), o.bands(jobs, head, gap, w))
	o.leaveBelow(jobs, v, keep, head, w)
	o.settle(jobs, v, keep)
	return nil
}

// settle writes the values into the entries.
func (o *Options) settle(jobs []Entry, v []int64, keep []bool) {
	for i := range jobs {
		jobs[i].To = o.ahead(v[i])
		jobs[i].Write = !keep[i]
	}
}

// extra is how much is left free between two ranks for jobs to come, where
// there is room: seven steps, or fifteen of the single ones of pins.
func (o *Options) extra(w window) int64 {
	if w.step == 1 {
		return 15
	}
	return 7 * w.step
}

// base is the most that the other factors of a job add up to: the sum of the
// weights, and more only if PriorityFlags lets factors exceed 1 and the queue
// has such jobs. It grows in powers of two, so that it hardly ever moves.
func (o *Options) base(queue []Queued) int64 {
	sum := o.Controller.Weights.Sum()
	var seen int64
	for i := range queue {
		seen = max(seen, queue[i].Factors.Sum())
	}
	if seen > sum {
		return ceilPow2(seen)
	}
	return sum
}

// highest is the highest priority that Slurm computed for a job left alone.
func highest(alone []Entry) int64 {
	var most int64
	for i := range alone {
		if alone[i].SiteKnown {
			most = max(most, int64(alone[i].Priority))
		}
	}
	return most
}

// gaps returns how many jobs have an order, which are those down to the depth but for what asks
// for the impossible, and what must lie between each of them and the next: a step each. If so
// many do not fit, classes are told apart first, from the head, then campaigns, and then the jobs
// inside them. At most half of the window is taken, so that there is room for insertions.
func (o *Options) gaps(p *Plan, depth int, w window) (head int, gap []int64) {
	jobs := p.Entries
	p.Exact = len(jobs)
	head = len(jobs)
	for head > 0 && jobs[head-1].Wait == Impossible {
		head--
	}
	head = min(head, depth)
	if len(jobs) < 2 {
		return head, nil
	}
	gap = make([]int64, min(head, len(jobs)-1))
	budget := max(1, w.ranks()/2)
	if int64(len(gap)) <= budget {
		for i := range gap {
			if a, b := &jobs[i], &jobs[i+1]; !crowd(a, b) || a.Class != b.Class {
				gap[i] = w.step
			}
		}
	} else {
		for _, apart := range []func(a, b *Entry) bool{
			func(a, b *Entry) bool { return a.Class != b.Class },
			func(a, b *Entry) bool { return !together(a, b) && !crowd(a, b) },
			func(a, b *Entry) bool { return !crowd(a, b) },
		} {
			for i := 0; i < len(gap) && budget > 0; i++ {
				if gap[i] == 0 && apart(&jobs[i], &jobs[i+1]) {
					gap[i] = w.step
					budget--
				}
			}
		}
	}
	last := len(jobs) - 1
	if p.Exact = slices.Index(gap, 0); p.Exact < 0 {
		p.Exact = len(gap)
	}
	for i := p.Exact; i <= last; i++ {
		switch {
		case jobs[i].Wait != Able: // that says more
		case i >= head:
			jobs[i].Why = Why{Code: BeyondDepth}
		case (i == last || gap[i] > 0) && gap[i-1] > 0: // nobody shares its value
		default:
			jobs[i].Why = Why{Code: SharesRank}
		}
	}
	if p.Exact == last && head > last {
		p.Exact++
	}
	return head, gap
}

// crowd reports whether two jobs wait for a limit behind more than Slurm looks at.
func crowd(a, b *Entry) bool { return a.many && b.many }

// together reports whether two jobs are of one campaign.
func together(a, b *Entry) bool {
	return a.Place.User == b.Place.User && a.Place.Campaign == b.Place.Campaign && a.Class == b.Class && a.pool == b.pool
}

// depth is how many jobs at the head have an order: those that would start if all
// machines became free before the next cycle, which are the first ones needed, and beyond
// them as many as Slurm looks at.
func (o *Options) depth(needed int) int {
	if o.Depth > 0 {
		return o.Depth
	}
	return needed + max(o.Controller.Depth(), 1)
}

// ours reports whether a job's priority is a pin of ours or stands in the place
// of one.
func (o *Options) ours(q *Queued) bool {
	_, restored := o.restored(q)
	return restored || o.written(q)
}

// inForce reports whether a job's priority is a pin of ours by which slurmctld
// schedules, also after it computes priorities anew.
func (o *Options) inForce(q *Queued) bool {
	return o.written(q) && (q.Pinned || !o.Controller.undone(q))
}

// written reports whether a job's priority is a pin of ours, made when it had a
// record of its own or before.
func (o *Options) written(q *Queued) bool {
	pin := int64(q.Priority)
	return o.Journal != nil && pin > 0 && (o.Journal.Ours(o.Channel, q.Job, pin) || q.Array != 0 && o.Journal.Ours(o.Channel, q.Array, pin))
}

// Changes returns what is to be written: first what is taken back, as it stands
// before everybody, then the head of the order.
func (p Plan) Changes() []Change {
	var all []Change
	for i := range p.Entries {
		e := &p.Entries[(p.Managed+i)%len(p.Entries)]
		if !e.Write {
			continue
		}
		c := Change{Job: e.Job, Submit: e.Submit, From: e.From, To: e.To, Spec: e.spec, Nice: e.nice, Why: e.Why, Undone: e.Undone}
		switch {
		case e.Rank == 0:
			c.Why = Why{Code: TakenBack, About: e.Why.String()}
			if e.Undone {
				c.Why.About += "; " + codes[WasUndone].sentence + " before"
			}
		case p.Channel == Priority:
			c.Nice = Nice.Settable(e.Nice)
		}
		all = append(all, c)
	}
	return all
}

// Could returns a function that reports whether a plan for the queue can give a
// value.
func (o Options) Could(queue []Queued) func(value int64) bool {
	lo, hi := int64(1), o.Weight
	if o.Mode != Weight {
		w, err := o.window(o.base(queue), 0)
		if err != nil {
			return func(int64) bool { return false }
		}
		lo, hi = w.lo, w.hi
	}
	return func(value int64) bool { return o.ahead(value) >= lo && o.ahead(value) <= hi }
}

// OnlyOurs reports whether values that nobody remembers can only be from a plan: mode strict
// puts the head of the queue where no plugin and no administrator puts a job, far above the
// bottom of a window of 2^31. Then the values of the others in the window are a plan's too.
// In mode weight a plan's values are as small as anybody's.
func (o Options) OnlyOurs(queue []Queued, values []int64) bool {
	if o.Mode == Weight || o.Channel == Priority {
		return false
	}
	w, err := o.window(o.base(queue), 0)
	return err == nil && slices.ContainsFunc(values, func(value int64) bool { return o.ahead(value) > w.lo+(w.hi-w.lo)/64 })
}
