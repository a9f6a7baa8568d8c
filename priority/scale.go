package priority

import (
	"cmp"
	"math"
	"slices"

	"slurm-ostrich/ostrich"
)

// wanted are the jobs to be managed, by pool and class, in the orders wanted.
type wanted struct {
	o      *Options
	queue  []Queued
	at     index
	arrays recordCounts
	waits  []Wait
	pools  []pool
	in     []int32 // by place in the queue, in how many pools the job is
}

// pool has the jobs of one pool.
type pool struct {
	name    string
	procs   int
	classes [][]Entry // by class; behind them those that ask for the impossible
	needed  []int     // by class, how many are needed, see depth
}

// moved is a job that has another class in the queue than in its order: somebody has
// changed its QOS or its partitions.
type moved struct {
	place ostrich.Place
	at    int32
}

func (o *Options) classOf(q *Queued) int {
	if o.Classes.Of == nil {
		return 0
	}
	return o.Classes.Of(q.Partition, q.QOS)
}

// add fills the pools. In each class the jobs that can start come first, then those that
// wait for a limit, as they can start as soon as another job ends. Behind all classes are
// the jobs that ask for the impossible. A job that has changed its class goes behind those
// that were in it.
func (w *wanted) add(orders []Order) {
	classes := max(1, len(w.o.Classes.Names))
	seen := make([]int32, len(w.queue)) // the pool that had a job last, from 1
	var many []int                      // places of jobs at a limit behind many others
	room := 0                           // for the jobs of a class: only a single one has most of the queue
	if len(orders) == 1 {
		room = len(w.queue)
	}
	for len(orders) > 0 {
		n := 1
		for n < len(orders) && orders[n].Pool == orders[0].Pool {
			n++
		}
		one := pool{name: orders[0].Pool, procs: orders[0].Procs, classes: make([][]Entry, classes+1), needed: make([]int, classes)}
		w.pools = append(w.pools, one)
		limited := make([][]Entry, classes)
		put := func(place ostrich.Place, i int32, class int) {
			q := &w.queue[i]
			spec, named := w.arrays.spec(q, maxSpec)
			if !named || w.o.guard(q).Code != 0 {
				return // it is left alone
			}
			w.in[i]++
			list, wait := &one.classes[class], w.waits[i]
			switch {
			case wait == Impossible:
				list = &one.classes[classes]
			case wait == Limited, wait == Barred:
				list = &limited[class]
			case *list == nil:
				*list = make([]Entry, 0, room)
			}
			*list = append(*list, Entry{
				Queued: q, Place: place, Pool: one.name, Class: class, pool: int32(len(w.pools) - 1),
				Wait: wait, Why: whyWaits(wait, cmp.Or(q.Barred, q.Reason)), spec: spec,
				SlurmRank: int(i) + 1, From: w.o.Channel.Value(q),
			})
		}
		var others []moved
		for _, order := range orders[:n] {
			for _, place := range order.Places {
				i, ok := w.at.find(place.Job)
				if !ok || seen[i] == int32(len(w.pools)) {
					continue
				}
				seen[i] = int32(len(w.pools))
				if class := w.o.classOf(&w.queue[i]); class != order.Class {
					others = append(others, moved{place, i})
				} else {
					put(place, i, class)
				}
			}
		}
		for _, m := range others {
			put(m.place, m.at, w.o.classOf(&w.queue[m.at]))
		}
		for class, jobs := range limited {
			one.classes[class] = append(one.classes[class], jobs...)
			for k := w.o.depth(0); k < len(jobs); k++ {
				many = append(many, jobs[k].SlurmRank-1)
			}
		}
		orders = orders[n:]
	}
	w.mark(many)
}

// mark marks the jobs of several pools, and those at some places of the queue as many.
func (w *wanted) mark(many []int) {
	if len(many) == 0 && len(w.pools) < 2 {
		return
	}
	is := make([]bool, len(w.queue))
	for _, i := range many {
		is[i] = true
	}
	for _, one := range w.pools {
		for _, list := range one.classes {
			for i := range list {
				e := &list[i]
				e.many, e.several = is[e.SlurmRank-1], w.in[e.SlurmRank-1] > 1
			}
		}
	}
}

// soonOf returns how many of n jobs would start if their machine had so many free
// processors, and those before them that cannot start now, and what is left of the processors.
func soonOf(procs, n int, job func(i int) *Entry) (soon, left int) {
	for i := range n {
		e := job(i)
		if e.Wait != Able {
			continue
		}
		if e.Place.Procs > procs {
			return soon, 0
		}
		procs -= e.Place.Procs
		soon = i + 1
	}
	return soon, procs
}

// need finds how many jobs of each class are needed, and returns how many that are in all.
// Where a class is needed, all those before it are too.
func (w *wanted) need() int {
	all := 0
	for p := range w.pools {
		one := &w.pools[p]
		procs := one.procs
		for class := range one.needed {
			jobs := one.classes[class]
			one.needed[class], procs = soonOf(procs, len(jobs), func(i int) *Entry { return &jobs[i] })
			if one.needed[class] > 0 {
				for before := range class {
					one.needed[before] = len(one.classes[before])
				}
			}
		}
		for _, n := range one.needed {
			all += n
		}
	}
	return all
}

// keep lets jobs stay before others, in each pool and class for itself, see Options.keep. Where
// jobs share values, these do not show what stands before what, and none stays.
func (w *wanted) keep() (kept bool) {
	if w.o.Margin == 0 || w.crowded() {
		return false
	}
	for _, one := range w.pools {
		procs := one.procs
		for _, list := range one.classes[:len(one.needed)] {
			if len(list) == 0 {
				continue
			}
			kept = w.keepOf(list, procs) || kept
			_, procs = soonOf(procs, len(list), func(i int) *Entry { return &list[i] })
		}
	}
	return kept
}

// keepOf lets jobs of one pool and class stay before others. The values of jobs of several
// pools do not show where they stand in this one: each comes as soon as all have come that
// are wanted before it.
func (w *wanted) keepOf(list []Entry, procs int) (kept bool) {
	alone := list
	if slices.ContainsFunc(list, func(e Entry) bool { return e.several }) {
		alone = slices.DeleteFunc(slices.Clone(list), func(e Entry) bool { return e.several })
	}
	managed := make([]bool, len(w.queue))
	for i := range alone {
		managed[alone[i].SlurmRank-1] = true
	}
	if kept = w.o.keep(alone, procs, managed); !kept || len(alone) == len(list) {
		return kept
	}
	places := make([]int, len(w.queue))
	for i := range alone {
		places[alone[i].SlurmRank-1] = i + 1
	}
	all, last, done := make([]Entry, 0, len(list)), 0, 0
	for i := range list {
		if e := &list[i]; e.several {
			all = append(append(all, alone[done:last]...), *e)
			done = last
		} else {
			last = max(last, places[e.SlurmRank-1])
		}
	}
	copy(list, append(all, alone[done:]...))
	return kept
}

// crowded reports whether some of the jobs have to share values, in mode Strict some of
// those down to the depth.
func (w *wanted) crowded() bool {
	jobs, limited := 0, 0
	for i, in := range w.in {
		if in > 0 {
			jobs++
			if w.waits[i] == Limited || w.waits[i] == Barred {
				limited++
			}
		}
	}
	if w.o.Mode == Weight {
		return w.o.Weight < int64(jobs)
	}
	depth := w.o.depth(w.need())
	if w.o.Depth > 0 {
		depth += limited // see depthOf
	}
	room, err := w.o.window(w.o.base(w.queue), 0)
	return err != nil || int64(min(depth, jobs)) > room.ranks()/2
}

// depthOf is how many of the jobs at the head have an order. With Options.Depth, jobs at a
// limit do not count before those that can start.
func (o *Options) depthOf(jobs []Entry, needed int) int {
	if o.Depth == 0 {
		return o.depth(needed)
	}
	able := len(jobs)
	for able > 0 && jobs[able-1].Wait != Able {
		able--
	}
	counted := 0
	for i := range jobs {
		if i >= able || jobs[i].Wait == Able {
			if counted++; counted == o.Depth {
				return i + 1
			}
		}
	}
	return len(jobs)
}

// merge makes one order of those of all pools. The jobs needed come first, class by class,
// then the others, class by class, and at last those that ask for the impossible. needed is
// how many the first ones are.
//
// A job of several pools comes when its turn has come in each of them. So nobody gets a
// place that he has not in all pools that he names, and those behind him in one pool do not
// wait for another.
func (w *wanted) merge() (jobs []Entry, needed int) {
	all := w.need()
	if len(w.pools) == 1 {
		lists := slices.DeleteFunc(w.pools[0].classes, func(list []Entry) bool { return len(list) == 0 })
		if len(lists) == 1 {
			return lists[0], all
		}
		return slices.Concat(lists...), all
	}
	left, crowded := slices.Clone(w.in), w.crowded()
	classes := max(1, len(w.o.Classes.Names))
	first, rest := make([][]line, classes), make([][]line, classes+1)
	for _, one := range w.pools {
		earlier := 0
		for class, list := range one.classes {
			n := 0
			var keys []int64
			if class < classes {
				if n = one.needed[class]; !crowded {
					keys = w.keys(list)
				}
				first[class] = append(first[class], line{jobs: list[:n], keys: keys[:min(n, len(keys))], earlier: earlier})
			}
			rest[class] = append(rest[class], line{jobs: list[n:], keys: keys[min(n, len(keys)):], earlier: earlier + n})
			earlier += len(list)
		}
	}
	jobs = make([]Entry, 0, len(w.queue))
	for _, lines := range first {
		jobs = join(jobs, lines, left)
	}
	needed = len(jobs)
	for _, lines := range rest {
		jobs = join(jobs, lines, left)
	}
	return jobs, needed
}

// keys returns the values by which a pool's jobs of one class are merged with those of other
// pools: their present ones, where these are in order, so that jobs of different pools keep
// their places and few have to be written. It is nil if they say nothing.
func (w *wanted) keys(list []Entry) []int64 {
	jobs, said := make([]placed, len(list)), false
	for i := range list {
		e := &list[i]
		jobs[i].value = w.o.value(e)
		said = said || jobs[i].value > 0
		if !e.several {
			jobs[i].value = max(jobs[i].value, last)
		}
	}
	if !said {
		return nil
	}
	level(jobs, math.MaxInt64)
	keys := make([]int64, len(jobs))
	for i := range jobs {
		keys[i] = jobs[i].value
	}
	return keys
}

// line is what a pool has of the jobs that are merged. Its first ones are passed.
type line struct {
	jobs    []Entry
	keys    []int64
	earlier int // jobs of the pool before them
	passed  int
}

// join appends the jobs of several lines: the one with the highest key next. But a line of
// which only a part of its share was passed comes first, so that the head of each pool stands
// where Slurm's schedulers look, however many jobs another pool has. A job of several lines
// is passed as soon as its turn has come in one, and comes when it has come in the last: left
// says of each place in the queue in how many lines its job is still to come. Where it comes in
// several at the same time, the last is the one with the most jobs before it: there it counts.
func join(jobs []Entry, lines []line, left []int32) []Entry {
	lines = slices.DeleteFunc(lines, func(l line) bool { return len(l.jobs) == 0 })
	passed := 0
	pass := func(l *line) {
		e := &l.jobs[l.passed]
		l.passed++
		passed++
		if left[e.SlurmRank-1]--; left[e.SlurmRank-1] == 0 {
			jobs = append(jobs, *e)
		}
	}
	for {
		for {
			var several *line
			for i := range lines {
				l := &lines[i]
				if l.passed < len(l.jobs) && l.jobs[l.passed].several && (several == nil || l.earlier+l.passed < several.earlier+several.passed) {
					several = l
				}
			}
			if several == nil {
				break
			}
			pass(several) // it has no key of its own
		}
		var next *line
		for i := range lines {
			l := &lines[i]
			if l.passed < len(l.jobs) && (next == nil || l.before(next, passed/(2*len(lines)))) {
				next = l
			}
		}
		if next == nil {
			return jobs
		}
		pass(next)
	}
}

// before reports whether the head of a line comes before that of an earlier one. share is
// half of what each line would have passed if all went in turn.
func (l *line) before(m *line, share int) bool {
	switch lags := l.passed < share; {
	case lags || m.passed < share, len(l.keys) == 0, len(m.keys) == 0, l.keys[l.passed] == m.keys[m.passed]:
		return l.passed < m.passed
	default:
		return l.keys[l.passed] > m.keys[m.passed]
	}
}
