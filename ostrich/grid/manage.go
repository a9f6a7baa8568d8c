package grid

import (
	"slices"

	"slurm-ostrich/ostrich"
)

// A manager is a resource manager: it has the tasks of a queue run on some
// clusters (section 2.2).
type manager interface {
	submit(t int32)
	// idle says that a processor is idle.
	idle(p int32)
	// stopped says that a copy of a task that ends now stops on a processor; ended is
	// the one that ended, the others are cancelled.
	stopped(t, p int32, ended bool)
	// pass starts what can be started.
	pass()
}

// queue is what all managers have: which tasks are eligible.
type queue struct {
	*engine
	selection selection
	from      int      // its first cluster
	part      Platform // its clusters
	open      int      // eligible tasks that have not ended
	calls     int      // of the selection that are due, with Called
	ready     line[float64]
}

// newReady returns an empty line of eligible tasks.
func (e *engine) newReady() line[float64] { return line[float64]{sorted: e.policy.order != initial} }

func (q *queue) submit(t int32) {
	if q.selector.immediate {
		q.admit(t)
		return
	}
	q.selection.submit(t)
	if q.Architecture == FCondor || t == q.first[q.tasks[t].bag] {
		q.calls++
	}
}

// called draws the sets for which the selection was called since the last time.
func (q *queue) called() {
	if q.Redraw != Called || q.selector.immediate || q.selector.anew || q.selector.waits {
		return
	}
	for ; q.calls > 0; q.calls-- {
		q.admit(q.selection.draw()...)
	}
}

func (q *queue) admit(tasks ...int32) {
	for _, t := range tasks {
		q.open++
		q.ready.push(entry[float64]{key: float64(q.policy.order) * float64(q.runOf(t)), number: t})
	}
}

// done reports whether an eligible set in which nothing waits is finished, so that
// another can be drawn.
func (q *queue) done() bool {
	return !q.selector.immediate && (q.selector.anew || q.Redraw != Ended || q.open == 0)
}

func (q *queue) stopped(t, p int32, ended bool) {
	if ended {
		q.open--
		q.calls++
	}
	q.selection.stopped(t, q.procs[p].since, ended)
}

// run starts a copy of a task.
func (q *queue) run(t, p int32) ostrich.Duration {
	again := q.tasks[t].copies > 0
	length := q.start(t, p)
	q.selection.started(t, again)
	return length
}

// lister is the manager of a list.
type lister struct {
	*queue
	free  line[float64]
	again []line[float64] // running tasks that may be copied, by how many copies more they have

	front ranked                  // the selection, if it ranks bags
	bag   int32                   // that ready is of
	apart map[int32]line[float64] // those of other bags
}

func newLister(q *queue) *lister {
	m := &lister{queue: q, free: line[float64]{sorted: q.policy.Processors != Unknown}, again: make([]line[float64], q.policy.copies), bag: none}
	if m.front, _ = q.selection.(ranked); m.front != nil {
		m.apart = make(map[int32]line[float64])
	}
	return m
}

func (m *lister) idle(p int32) { m.free.push(entry[float64]{key: -m.speedOf(p), number: p}) }

// fill draws the next eligible set if it is time, and reports whether there is a
// task to start.
func (m *lister) fill() bool {
	switch {
	case m.front != nil:
		bag := m.front.front()
		m.turn(bag)
		m.admit(m.front.take(bag)...)
	case m.ready.len() == 0 && m.done():
		m.admit(m.selection.draw()...)
	}
	return m.ready.len() > 0
}

// turn makes the eligible tasks those of a bag, of which some may have been
// eligible before.
func (m *lister) turn(bag int32) {
	if bag == m.bag {
		return
	}
	if m.ready.len() > 0 {
		m.apart[m.bag] = m.ready
	}
	kept, there := m.apart[bag]
	if !there {
		kept = m.newReady()
	}
	delete(m.apart, bag)
	m.ready, m.bag = kept, bag
}

func (m *lister) pass() {
	m.called()
	for m.free.len() > 0 {
		if !m.fill() {
			m.copy()
			return
		}
		t := m.ready.pop()
		m.run(t.number, m.free.pop().number)
		if len(m.again) > 0 {
			m.again[0].push(t)
		}
	}
}

// copy starts further copies of running tasks on the processors that are left.
func (m *lister) copy() {
	for k := range m.again {
		for m.again[k].len() > 0 && m.free.len() > 0 {
			t := m.again[k].pop()
			if m.tasks[t.number].on == none {
				continue // it has ended
			}
			m.run(t.number, m.free.pop().number)
			if k+1 < len(m.again) {
				m.again[k+1].push(t)
			}
		}
	}
}

// charter is the manager of a chart.
type charter struct {
	*queue
	sites []site // by cluster, from the first one of the manager
	free  int    // idle processors
}

// site is a cluster with its queue.
type site struct {
	procs    int32 // its first processor
	speed    float64
	free     line[float64]
	assigned line[ostrich.Duration] // tasks in its queue, with the lengths expected

	chart   places
	charted ostrich.Time   // when it was made
	expect  []ostrich.Time // by processor, when its task is expected to end
	odd     int            // running tasks that take another time than expected
	off     bool           // such a one has ended since the chart was made
}

func newCharter(q *queue) *charter {
	m := &charter{queue: q}
	first := int32(len(q.procs) - q.part.Procs())
	for _, k := range q.part.Clusters {
		m.sites = append(m.sites, site{
			procs: first, speed: k.Speed, chart: make(places, k.Procs), expect: make([]ostrich.Time, k.Procs),
		})
		first += int32(k.Procs)
	}
	return m
}

func (m *charter) site(p int32) *site { return &m.sites[int(m.procs[p].cluster)-m.from] }

func (m *charter) idle(p int32) {
	m.free++
	m.site(p).free.push(entry[float64]{number: p})
}

func (m *charter) stopped(t, p int32, ended bool) {
	s := m.site(p)
	if s.expect[p-s.procs] != m.now {
		s.off = true
		s.odd--
	}
	m.queue.stopped(t, p, ended)
}

func (m *charter) pass() {
	m.called()
	for {
		for m.ready.len() > 0 {
			m.assign(m.ready.pop().number)
		}
		for k := range m.sites {
			s := &m.sites[k]
			for s.free.len() > 0 && s.assigned.len() > 0 {
				a, p := s.assigned.pop(), s.free.pop().number
				m.free--
				s.expect[p-s.procs] = m.now + ostrich.Time(a.key)
				if m.run(a.number, p) != a.key {
					s.odd++
				}
			}
		}
		if m.free == 0 || !m.done() {
			return
		}
		set := m.selection.draw()
		if len(set) == 0 {
			return
		}
		m.admit(set...)
	}
}

// assign puts a task into the queue of the cluster where it is expected to end
// first.
func (m *charter) assign(t int32) {
	best, start := -1, ostrich.Time(0)
	run, length := m.runOf(t), ostrich.Duration(0)
	for k := range m.sites {
		s := &m.sites[k]
		if s.off || (s.odd > 0 || m.Monitor > 0) && s.charted != m.now {
			m.chart(s)
		}
		from, takes := max(m.now, s.chart[0]), RunTime(run, s.speed)
		if best < 0 || from+ostrich.Time(takes) < start+ostrich.Time(length) {
			best, start, length = k, from, takes
		}
	}
	s := &m.sites[best]
	s.chart.replace(start + ostrich.Time(length))
	s.assigned.push(entry[ostrich.Duration]{key: length, number: t})
}

// chart makes the chart of a cluster anew, from the tasks that run and those in its queue.
// A running task that has outlived its expected end may end at any moment.
func (m *charter) chart(s *site) {
	for i, end := range s.expect {
		s.chart[i] = m.now
		if m.procs[s.procs+int32(i)].task != none {
			s.chart[i] = max(m.now, end)
		}
	}
	slices.Sort(s.chart)
	for _, a := range s.assigned.list[s.assigned.gone:] {
		s.chart.replace(s.chart[0] + ostrich.Time(a.key))
	}
	s.off, s.charted = false, m.now
}
