package sim

import (
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim/nodes"
)

// mainScheduler is a look of slurmctld's main scheduler at jobs that are placed on nodes
// (job_scheduler.c, _schedule). The first job of a partition that finds no nodes keeps all nodes of the
// partition from those behind it. One that is over a limit, or whose nodes are reserved, keeps none, one with a
// list of nodes only those.
type mainScheduler struct {
	*placed
	open     nodes.Set
	failed   []bool     // by partition
	looked   []int      // jobs, by partition
	tests    int        // jobs that may still be looked at, each in one partition; below 0 without a limit
	rejected rejections // their other tasks are not looked at, and do not count as such
}

// array is an array of jobs, in one of its partitions; the zero value is none.
type array struct {
	id          ostrich.JobID
	part        int
	reservation string
}

// array returns the array of a job in the partition of what it wants.
func (p *placed) array(i int32, w *nodes.Want) array {
	return array{p.jobs[i].Array, w.Part(), w.Reservation}
}

// rejections are the arrays of which a scheduler has rejected a task, and looks at no other one.
type rejections map[array]bool

// hold reports whether they hold an array, and adds it until it is deleted, as where the task starts. A job of no array is never held.
func (r rejections) hold(of array) bool {
	if of.id == 0 {
		return false
	}
	held := r[of]
	r[of] = true
	return held
}

func (p *placed) mainScheduler(tests int) *mainScheduler {
	return &mainScheduler{placed: p, open: p.ready(), failed: make([]bool, max(1, len(p.Cluster.Partitions))), looked: make([]int, max(1, len(p.Cluster.Partitions))), tests: tests, rejected: make(rejections)}
}

// done reports whether no other job can start.
func (m *mainScheduler) done() bool { return m.tests == 0 }

// fits looks at a job, in one of its partitions after the other.
func (m *mainScheduler) fits(i int32) bool {
	user := uint32(m.jobs[i].User)
	for _, w := range m.of(i) {
		part, reserved := w.Part(), w.Reservation != ""
		if w.Component {
			m.fail(part)
			continue
		}
		of := m.array(i, w)
		if m.rejected.hold(of) {
			continue
		}
		if m.looked[part]++; m.slurm.MainDepth > 0 && m.looked[part] > m.slurm.MainDepth {
			continue // it does not count in default_queue_depth
		}
		if m.tests == 0 {
			break
		}
		m.tests--
		if m.failed[part] && !reserved || !m.usage.Allows(w, user) {
			continue
		}
		have := m.open.Copy()
		if reserved { // such jobs come first in Slurm's queue (sort_job_queue2)
			have = m.ready()
		}
		have.And(m.Part(part))
		if have.Count() >= w.Nodes() {
			m.Unreserve(w, have, m.now-m.slurm.shift, m.now-m.slurm.shift+ostrich.Time(m.jobs[i].Estimate))
			if have.Count() < w.Nodes() {
				continue // the others are reserved
			}
			ok, limited := m.choose(i, w, have)
			if ok {
				delete(m.rejected, of)
				return true
			}
			if limited || reserved {
				continue
			}
			if len(w.NodeList) >= w.Nodes() {
				m.open.AndNot(nodes.SetOf(len(m.Cluster.Nodes), w.NodeList))
				continue
			}
			if m.passes(i) {
				continue
			}
		}
		if !m.usage.AllowsRequest(w, user) {
			continue
		}
		m.fail(part)
		if _, asked := m.asked[i]; asked {
			break // it is to start here
		}
	}
	return false
}

// fail keeps all nodes of a partition from the jobs behind.
func (m *mainScheduler) fail(part int) {
	m.failed[part] = true
	m.open.AndNot(m.Part(part))
}

// backfill is a look of slurmctld's backfill scheduler at jobs that are placed on nodes (backfill.c,
// _attempt_backfill). A job that cannot start now is kept the nodes on which it could start soonest, whole
// ones, from then on for its time limit: others get what is left of the cluster, now and at each moment to come.
type backfill struct {
	*placed
	space   []window // by time, without a gap
	running []nodes.Running
	able    nodes.Set // that take jobs now
	tests   int       // jobs that may still be looked at
	starts  int
	looked  map[bounded]int // jobs
	kept    []int           // reservations, by partition

	rejected rejections              // or which are kept as many nodes as may be
	first    map[ostrich.JobID]array // of which a task was kept nodes first, of the same array in several partitions
	tasks    map[array]int           // that are kept nodes
}

// bounded is a partition, a user, both or an association, of whose jobs the backfill scheduler looks at so many; -1 and nil are any.
type bounded struct {
	part        int
	user        int64
	association *nodes.Association
}

// window is a span of time with the nodes that no waiting job is kept in it.
type window struct {
	from, to ostrich.Time
	open     nodes.Set
}

func (p *placed) backfill() *backfill {
	s := &p.slurm
	return &backfill{
		placed: p, running: p.runningOn(), tests: s.BackfillDepth, able: p.ready(), looked: make(map[bounded]int), kept: make([]int, max(1, len(p.Cluster.Partitions))),
		rejected: make(rejections), first: make(map[ostrich.JobID]array), tasks: make(map[array]int),
		space: []window{{from: s.floor(p.now), to: s.floor(p.now + ostrich.Time(s.BackfillWindow)), open: p.up.Copy()}},
	}
}

// floor is the last step of bf_resolution that is not after a moment.
func (s *slurm) floor(t ostrich.Time) ostrich.Time {
	r := ostrich.Time(s.Resolution)
	return t - (t%r+r)%r
}

// done reports whether no other job can start.
func (b *backfill) done() bool {
	return b.tests <= 0 || b.slurm.Starts > 0 && b.starts >= b.slurm.Starts
}

// fits looks at a job, in one of its partitions after the other.
func (b *backfill) fits(i int32) bool {
	if b.stale {
		b.stale, b.running = false, b.runningOn()
	}
	for _, w := range b.of(i) {
		if _, asked := b.asked[i]; asked {
			continue
		}
		of := b.array(i, w)
		if b.rejected.hold(of) {
			continue
		}
		if b.exceeds(i, w) {
			continue
		}
		if b.plan(i, w) {
			b.starts++
			delete(b.rejected, of)
			j := b.jobs[i]
			r := nodes.Running{End: b.now + ostrich.Time(j.Estimate), Allocation: b.chosen}
			at := len(b.running)
			for at > 0 && b.running[at-1].End > r.End {
				at--
			}
			b.running = slices.Insert(b.running, at, r)
			return true
		}
	}
	return false
}

// exceeds reports whether a job is not looked at: it is over a limit, or too many of its user, partition or association
// have been looked at (_job_exceeds_max_bf_param).
func (b *backfill) exceeds(i int32, w *nodes.Want) bool {
	user := b.jobs[i].User
	if !b.usage.Allows(w, uint32(user)) {
		return true
	}
	s, ofAssociation := &b.slurm, b.slurm.AssocDepth
	if w.Association == nil {
		ofAssociation = 0
	}
	counts := [...]struct {
		most int
		of   bounded
	}{{s.PartDepth, bounded{part: w.Part(), user: -1}}, {s.UserDepth, bounded{-1, int64(user), nil}}, {ofAssociation, bounded{-1, -1, w.Association}}, {s.BothDepth, bounded{part: w.Part(), user: int64(user)}}}
	for _, c := range counts {
		if c.most > 0 && b.looked[c.of] >= c.most {
			return true
		}
	}
	for _, c := range counts {
		if c.most > 0 {
			b.looked[c.of]++
		}
	}
	return false
}

// plan finds when a job can start. If that is now, it chooses its nodes and returns true; otherwise it keeps
// the job the nodes that it found.
func (b *backfill) plan(i int32, w *nodes.Want) bool {
	s, j := &b.slurm, b.jobs[i]
	onlyNow := b.passes(i) || s.PartKept > 0 && b.kept[w.Part()] >= s.PartKept
	length := ostrich.Time(j.Estimate)
	if b.Fleeting(w) {
		length = min(length, 60)
	}
	counted := false
	for later := b.now; ; {
		begin := later
		var open nodes.Set
		end := max(begin, b.now) + length
		open, later = b.openFrom(begin, end, b.Part(w.Part()))
		if r := b.Unreserve(w, open, begin-s.shift, max(begin, b.now)+ostrich.Time(j.Estimate)-s.shift) + s.shift; r > s.shift && (later == 0 || r < later) && r < b.space[0].from+ostrich.Time(s.BackfillWindow) {
			later = max(r, begin+1)
		}
		again := later != 0 && !onlyNow
		if !w.Could(open) {
			if again {
				continue
			}
			return false
		}
		if !counted {
			b.tests--
			counted = true
		}
		at, a, ok := b.chooser.WillRun(w, uint32(j.User), open, b.load, nodes.Moment{Now: b.now, Running: b.running, OnlyNow: onlyNow, KillWait: ostrich.Time(s.KillWait + s.OverTime), Victims: b.victims(w)})
		if !ok {
			if again {
				continue
			}
			return false
		}
		at = max(at, begin)
		if kept := a.Set(len(b.Cluster.Nodes)); at <= b.now && !kept.Within(b.able) {
			at, later = b.now+1, 0 // it waits for nodes of jobs that have just ended
		}
		if at <= b.now {
			now := open.Copy()
			now.And(b.able)
			ok, limited := b.choose(i, w, now)
			if ok || limited {
				return ok
			}
			later = 0 // it is kept what it was found
		}
		switch kept := a.Set(len(b.Cluster.Nodes)); {
		case at > b.now && onlyNow || w.QOS != nil && w.QOS.NoReserve:
			return false
		case later != 0 && at > later:
			continue
		case at > b.now+ostrich.Time(s.BackfillWindow):
			return false
		case at > b.now && b.taken(kept, s.floor(at), s.floor(at+length)):
			later = at
			continue
		case b.usage.AllowsAllocation(w, uint32(j.User), a):
			b.keep(kept, s.floor(at), s.floor(at+length))
			b.count(b.array(i, w))
		}
		return false
	}
}

// count counts a job that is kept nodes. Slurm looks at an array in one partition after the other, and counts on: where it is full in
// the first one, it is kept nodes for one task in each of the others.
func (b *backfill) count(of array) {
	b.kept[of.part]++
	if of.id == 0 {
		return
	}
	if _, is := b.first[of.id]; !is {
		b.first[of.id] = of
	}
	b.tasks[of]++
	b.rejected[of] = of != b.first[of.id] || b.tasks[of] >= b.slurm.ArrayKept
}

// openFrom returns the nodes of a partition that no other job is kept from one moment to another, and when
// it may be worth to look again: when the first of the windows that it looks at ends, if the next one has
// other nodes; 0 for never.
func (b *backfill) openFrom(from, to ostrich.Time, part nodes.Set) (open nodes.Set, later ostrich.Time) {
	open = part.Copy()
	for k := range b.space {
		s := &b.space[k]
		if s.to > from && k+1 < len(b.space) && later == 0 {
			next, now := part.Copy(), open.Copy()
			next.And(b.space[k+1].open)
			now.And(s.open)
			if !next.Within(now) {
				later = s.to
			}
		}
		switch {
		case s.to <= from:
		case s.from <= to:
			open.And(s.open)
		default:
			return open, later
		}
	}
	return open, later
}

// taken reports whether other jobs are kept some of the nodes in a span of time (_test_resv_overlap).
func (b *backfill) taken(set nodes.Set, from, to ostrich.Time) bool {
	return slices.ContainsFunc(b.space, func(s window) bool { return s.to > from && s.from < to && !set.Within(s.open) })
}

// keep keeps a job some nodes for a span of time (_add_reservation): for a step of bf_resolution at least.
func (b *backfill) keep(set nodes.Set, from, to ostrich.Time) {
	from = max(from, b.space[0].from)
	to = max(to, from+ostrich.Time(b.slurm.Resolution))
	b.split(from)
	b.split(to)
	for k := range b.space {
		if s := &b.space[k]; s.from >= from && s.to <= to {
			s.open.AndNot(set)
		}
	}
}

// split lets a window begin at a moment.
func (b *backfill) split(t ostrich.Time) {
	for k := range b.space {
		if s := &b.space[k]; s.from < t && t < s.to {
			rest := window{from: t, to: s.to, open: s.open.Copy()}
			s.to = t
			b.space = slices.Insert(b.space, k+1, rest)
			return
		}
	}
}
