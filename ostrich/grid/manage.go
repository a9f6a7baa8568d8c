package grid

import (
	"slices"

	"slurm-ostrich/ostrich"
)

// A manager is a resource manager: it has the tasks of a queue run on some
// clusters (section 2.2).
type manager interface {
	submit(t int32) error
	// idle says that a processor is idle.
	idle(p int32)
	// looks reports whether the manager of CSP waits until it looks before it knows
	// of an idle processor.
	looks() bool
	// stopped says that a copy of a task that ends now stops on a processor; ended is
	// the one that ended, the others are cancelled.
	stopped(t, p int32, ended bool) error
	// pass starts what can be started.
	pass() error
}

// queue is what all managers have: which tasks are eligible.
type queue struct {
	*engine
	*selector
	selection selection
	from, to  int // its clusters
	open      int // eligible tasks that have not ended
}

// done reports whether an eligible set in which nothing waits is finished, so that
// another can be drawn.
func (q *queue) done() bool {
	return !q.immediate && (q.anew || q.Redraw == Started || q.open == 0)
}

func (q *queue) stopped(t, p int32, ended bool) error {
	if ended {
		q.open--
	}
	return q.selection.stopped(t, q.procs[p].since, ended)
}

// run starts a copy of a task.
func (q *queue) run(t, p int32) (ostrich.Duration, error) {
	again := q.tasks[t].copies > 0
	length := q.start(t, p)
	return length, q.selection.started(t, again)
}

// intake is a queue with its eligible tasks that wait.
type intake[T TaskView[T]] struct {
	queue
	ready line[T]
}

func (m *intake[T]) submit(t int32) error {
	if m.immediate {
		m.admit(t)
		return nil
	}
	return m.selection.submit(t)
}

// admit makes a task eligible.
func (m *intake[T]) admit(t int32) {
	m.open++
	var view T
	m.ready.push(view.of(m.engine, t))
}

// lister is the manager of a List.
type lister[R ProcessorView[R], T TaskView[T]] struct {
	intake[T]
	List[R, T]
	free  line[R]
	again []line[UnknownTask] // running tasks that may be copied, by how many copies more they have

	front ranked            // the selection, if it ranks bags
	bag   int32             // that ready is of
	apart map[int32]line[T] // those of other bags
}

func (l List[R, T]) manage(q queue) manager {
	m := &lister[R, T]{intake: intake[T]{q, line[T]{first: l.First}}, List: l, free: line[R]{first: l.Best}, bag: none}
	m.again = make([]line[UnknownTask], l.Copies)
	if m.front, _ = q.selection.(ranked); m.front != nil {
		m.apart = make(map[int32]line[T])
	}
	return m
}

func (m *lister[R, T]) looks() bool { return true }

func (m *lister[R, T]) idle(p int32) {
	var view R
	m.free.push(view.of(m.engine, p))
}

// fill draws the next eligible set if it is time, and reports whether there is a
// task to start.
func (m *lister[R, T]) fill() (bool, error) {
	if m.front != nil {
		bag, err := m.front.front()
		if err != nil {
			return false, err
		}
		m.turn(bag)
		for _, t := range m.front.take(bag) {
			m.admit(t)
		}
		return m.ready.len() > 0, nil
	}
	if m.ready.len() > 0 || !m.done() {
		return m.ready.len() > 0, nil
	}
	set, err := m.selection.draw()
	for _, t := range set {
		m.admit(t)
	}
	return m.ready.len() > 0, err
}

// turn makes the eligible tasks those of a bag, of which some may have been
// eligible before.
func (m *lister[R, T]) turn(bag int32) {
	if bag == m.bag {
		return
	}
	if m.ready.len() > 0 {
		m.apart[m.bag] = m.ready
	}
	kept, there := m.apart[bag]
	if !there {
		kept = line[T]{first: m.First}
	}
	delete(m.apart, bag)
	m.ready, m.bag = kept, bag
}

func (m *lister[R, T]) pass() error {
	for m.free.len() > 0 {
		more, err := m.fill()
		if err != nil {
			return err
		}
		if !more {
			return m.copy()
		}
		t := m.ready.pop().number()
		if _, err := m.run(t, m.free.pop().number()); err != nil {
			return err
		}
		if m.Copies > 0 {
			m.again[0].push(UnknownTask{t})
		}
	}
	return nil
}

// copy starts further copies of running tasks on the processors that are left.
func (m *lister[R, T]) copy() error {
	for k := range m.again {
		for m.again[k].len() > 0 && m.free.len() > 0 {
			t := m.again[k].pop()
			if m.tasks[t.Number].on == none {
				continue // it has ended
			}
			if _, err := m.run(t.Number, m.free.pop().number()); err != nil {
				return err
			}
			if k+1 < len(m.again) {
				m.again[k+1].push(t)
			}
		}
	}
	return nil
}

// charter is the manager of a Chart.
type charter[T TaskView[T]] struct {
	intake[T]
	Chart[T]
	sites []site // by cluster, from the first one of the manager
	free  int    // idle processors
}

// site is a cluster with its queue.
type site struct {
	procs    int32 // its first processor
	speed    KnownProcessor
	free     line[UnknownProcessor]
	assigned line[assigned]

	chart   places
	charted ostrich.Time   // when it was made
	expect  []ostrich.Time // by processor, when its task is expected to end
	odd     int            // running tasks that take another time than expected
	off     bool           // such a one has ended since the chart was made
}

// assigned is a task in the queue of a cluster.
type assigned struct {
	task   int32
	length ostrich.Duration
}

func (a assigned) number() int32 { return a.task }

func (c Chart[T]) manage(q queue) manager {
	m := &charter[T]{intake: intake[T]{q, line[T]{first: c.First}}, Chart: c}
	first := int32(len(q.procs))
	for k := q.to - 1; k >= q.from; k-- {
		first -= int32(q.Platform.Clusters[k].Procs)
	}
	for _, k := range q.Platform.Clusters[q.from:q.to] {
		m.sites = append(m.sites, site{
			procs: first, speed: KnownProcessor{Number: first, Speed: k.Speed},
			chart: make(places, k.Procs), expect: make([]ostrich.Time, k.Procs),
		})
		first += int32(k.Procs)
	}
	return m
}

func (m *charter[T]) looks() bool { return false }

func (m *charter[T]) site(p int32) *site { return &m.sites[int(m.procs[p].cluster)-m.from] }

func (m *charter[T]) idle(p int32) {
	m.free++
	m.site(p).free.push(UnknownProcessor{p})
}

func (m *charter[T]) stopped(t, p int32, ended bool) error {
	s := m.site(p)
	if s.expect[p-s.procs] != m.now {
		s.off = true
		s.odd--
	}
	return m.queue.stopped(t, p, ended)
}

func (m *charter[T]) pass() error {
	for {
		for m.ready.len() > 0 {
			m.assign(m.ready.pop())
		}
		for k := range m.sites {
			s := &m.sites[k]
			for s.free.len() > 0 && s.assigned.len() > 0 {
				a, p := s.assigned.pop(), s.free.pop().number()
				m.free--
				length, err := m.run(a.task, p)
				if err != nil {
					return err
				}
				s.expect[p-s.procs] = m.now + ostrich.Time(a.length)
				if length != a.length {
					s.odd++
				}
			}
		}
		if m.free == 0 || !m.done() {
			return nil
		}
		set, err := m.selection.draw()
		if err != nil || len(set) == 0 {
			return err
		}
		for _, t := range set {
			m.admit(t)
		}
	}
}

// assign puts a task into the queue of the cluster where it is expected to end
// first.
func (m *charter[T]) assign(t T) {
	best, start := -1, ostrich.Time(0)
	var length ostrich.Duration
	for k := range m.sites {
		s := &m.sites[k]
		if s.off || s.odd > 0 && s.charted != m.now {
			m.chart(s)
		}
		from, takes := max(m.now, s.chart[0]), m.Length(s.speed, t)
		if best < 0 || from+ostrich.Time(takes) < start+ostrich.Time(length) {
			best, start, length = k, from, takes
		}
	}
	s := &m.sites[best]
	s.chart.replace(start + ostrich.Time(length))
	s.assigned.push(assigned{t.number(), length})
}

// chart makes the chart of a cluster anew: of the running tasks, those that have
// outlived what was expected end at any moment, and of those in the queue.
func (m *charter[T]) chart(s *site) {
	for i := range s.chart {
		s.chart[i] = m.now
		if m.procs[s.procs+int32(i)].task != none {
			s.chart[i] = max(m.now, s.expect[i])
		}
	}
	slices.Sort(s.chart)
	for _, a := range s.assigned.list[s.assigned.gone:] {
		s.chart.replace(s.chart[0] + ostrich.Time(a.length))
	}
	s.off, s.charted = false, m.now
}
