package priority

import (
	"cmp"
	"math"
	"slices"
)

// block is a run of jobs of one campaign, with one distance and one Wait, in the order wanted.
type block struct {
	from, to int   // its jobs are from up to, not including, to
	value    int64 // the greatest that one of them has, see Options.ahead; 0 for none
	distance float64
	wait     Wait // why its jobs cannot start
	stays    bool // before one that was wanted before it
}

// placed is a job with the place that it gets.
type placed struct {
	at    int   // where it was wanted
	value int64 // decides which others it stands before, see level
	stays bool  // before one that was wanted before it
	near  bool  // which is of another block, and farther away
}

// deepMargin is the margin of jobs behind the head, in multiples of Options.Margin.
// It was chosen by measurement, see docs/adr/0015.
const deepMargin = 5

// keep lets jobs stay before others whose virtual completion is nearer, as far as
// that does little harm. Without it, campaigns of similar size change places again and
// again as they are served and as their jobs turn out shorter than expected, and each
// change writes to all their jobs.
//
// The present values show what stands before what, so that the plan is a function of
// what was read and a restart forgets nothing. A job that has its place for another reason,
// such as an overdue one, neither stays before others nor lets others stay before it.
//
// At the head are the jobs that may start before the next cycle. There a campaign stays
// before others that are nearer by no more than the margin. The jobs behind come to the
// head before they start, and stay before others up to the deep margin, and before those of
// their own campaign with the same nice value. So a new next campaign costs a write for each
// job of the head, not for all its jobs, and so does one whose jobs are expected to have
// other lengths.
//
// kept reports whether any job stays before one of another block that is nearer. Which may stay
// changes with time.
//
// The jobs are those of one pool and class. procs is what the classes before leave of the
// pool's processors; managed says which places of Slurm's order, from 0, the jobs have.
func (o *Options) keep(jobs []Entry, procs int, managed []bool) (kept bool) {
	start, _ := soonOf(procs, len(jobs), func(i int) *Entry { return &jobs[i] })
	limit := min(2*o.depth(start), len(jobs)) // what is deeper has no order
	if o.Mode == Strict {
		jobs = jobs[:reach(jobs, limit, managed)]
	} else {
		jobs = jobs[:limit]
	}
	values := make([]int64, len(jobs))
	var wanted []block
	for i := range jobs {
		e := &jobs[i]
		if i == 0 || !together(e, &jobs[i-1]) || e.Place.Distance != jobs[i-1].Place.Distance || e.Wait != jobs[i-1].Wait {
			wanted = append(wanted, block{from: i, distance: e.Place.Distance, wait: e.Wait})
		}
		b := &wanted[len(wanted)-1]
		b.to = i + 1
		values[i] = o.value(e)
		b.value = max(b.value, values[i])
	}
	var order []placed
	for _, b := range o.settled(wanted) {
		for i := b.from; i < b.to; i++ {
			order = append(order, placed{at: i, stays: b.stays, near: b.stays})
		}
	}
	head := len(order)
	if o.Mode == Strict {
		// One more than fits: of an array it may be that some tasks start.
		start, _ := soonOf(procs, head, func(i int) *Entry { return &jobs[order[i].at] })
		head = min(head, 1+start)
	}
	taken := make([]bool, len(jobs))
	for _, p := range order[:head] {
		taken[p.at] = true
	}
	order = append(order[:head], o.behind(jobs, wanted, values, taken)...)[:max(limit, head)]
	moved := false
	for _, p := range order {
		taken[p.at] = true
		kept, moved = kept || p.near, moved || p.stays
	}
	if !moved {
		return false
	}
	list := make([]Entry, 0, len(jobs))
	for _, p := range order {
		e := jobs[p.at]
		if p.stays && e.Wait == Able {
			e.Why = Why{Code: WithinMargin}
		}
		list = append(list, e)
	}
	for i := range jobs {
		if !taken[i] {
			list = append(list, jobs[i])
		}
	}
	copy(jobs, list)
	return kept
}

// value is what a job has now, see Options.ahead, or 0 if that says nothing of its place in
// its pool.
func (o *Options) value(e *Entry) int64 {
	if e.several || o.Channel == Priority && !o.inForce(e.Queued) {
		return 0
	}
	return max(0, o.ahead(e.From))
}

// last is the value that a job without one counts as having where it may stand behind
// others: it may have been left below the window, see leaveBelow, and is then behind them.
const last = 1

// reach returns how many jobs of the order wanted contain its first n and the first n of
// Slurm's present order, but no more than 4n, as their places are compared one by one.
func reach(jobs []Entry, n int, managed []bool) int {
	last := 0
	for seen := 0; seen < n; last++ {
		if managed[last] {
			seen++
		}
	}
	most := min(len(jobs), 4*n)
	for most > n && jobs[most-1].SlurmRank > last {
		most--
	}
	return most
}

// settled returns the blocks in the order in which they are to start: each stays before
// those that it stands before with its foremost job.
func (o *Options) settled(wanted []block) []block {
	order := newLineup(len(wanted))
	stays := make([]bool, len(wanted))
	for i := range wanted {
		s := wanted[i].standing(wanted[i].value)
		if s.value == 0 {
			s.value = math.MaxInt64 // it is not passed
		}
		stays[i] = order.put(i, wanted[i].value, s, o.Margin)
	}
	blocks := make([]block, 0, len(wanted))
	for _, i := range order.items() {
		blocks = append(blocks, wanted[i])
		blocks[len(blocks)-1].stays = stays[i]
	}
	return blocks
}

func (b *block) standing(value int64) standing { return standing{value, b.distance, b.wait, b.wait} }

// behind returns the jobs that are not taken. Each stays before those that it stands
// before itself, so that what is left of a campaign's earlier head can move, or stay,
// without the rest of the campaign; and before those of its campaign as it does now.
func (o *Options) behind(jobs []Entry, wanted []block, values []int64, taken []bool) []placed {
	order := newLineup(len(values))
	put := make([]placed, len(values)) // by where they were wanted
	before := int64(math.MaxInt64)     // the value of the last job in the order
	for i := range wanted {
		b := &wanted[i]
		var own []placed
		for at := b.from; at < b.to; at++ {
			if !taken[at] {
				own = append(own, placed{at: at, value: max(values[at], last)})
			}
		}
		if b.distance > 0 && o.Channel != Priority { // a pinned job's nice value is not known
			o.asTheyStand(own, jobs)
		}
		level(own, before)
		for _, p := range own {
			p.near = order.put(p.at, p.value, b.standing(p.value), deepMargin*o.Margin)
			if !p.near {
				before = p.value
			}
			p.stays = p.stays || p.near
			put[p.at] = p
		}
	}
	list := make([]placed, 0, len(values))
	for _, at := range order.items() {
		list = append(list, put[at])
	}
	return list
}

// asTheyStand puts a campaign's jobs in the order of their values, but none before another
// to which its user gave a smaller nice value.
func (o *Options) asTheyStand(own []placed, jobs []Entry) {
	for len(own) > 0 {
		n := 1
		for n < len(own) && (o.Channel == Nice || jobs[own[n].at].Nice == jobs[own[0].at].Nice) {
			n++
		}
		wanted := slices.Clone(own[:n])
		slices.SortStableFunc(own[:n], func(a, b placed) int { return cmp.Compare(b.value, a.value) })
		for i := range wanted {
			own[i].stays = own[i].at != wanted[i].at
		}
		own = own[n:]
	}
}

// level makes the values of a campaign's jobs non-increasing, and keeps as many as it can.
// The other jobs are new, or have changed places within the campaign. Each gets the value of
// the job before it, or its own if that is lower; the first ones that of the first kept job,
// or last, that of the last job before the campaign.
func level(jobs []placed, last int64) {
	x, fits := make([]int64, len(jobs)), make([]bool, len(jobs))
	for i := range jobs {
		x[i], fits[i] = jobs[i].value, jobs[i].value > 0
	}
	ends, earlier := runs(x, fits)
	keep := run(len(x), ends, earlier)
	value := last
	if first := slices.Index(keep, true); first >= 0 {
		value = x[first]
	}
	below := make([]int64, len(jobs)) // the next value that is kept
	for i, next := len(jobs)-1, int64(0); i >= 0; i-- {
		if below[i] = next; keep[i] {
			next = x[i]
		}
	}
	for i := range jobs {
		switch {
		case keep[i]:
			value = x[i]
		case fits[i] && x[i] < value: // it fell beyond the depth, and does not climb
			value = max(x[i], below[i])
		}
		jobs[i].value = value
	}
}
