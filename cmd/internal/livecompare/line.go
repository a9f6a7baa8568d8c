package livecompare

import (
	"cmp"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
)

const (
	// mostEarly is how many started jobs the shadow machine keeps waiting, and
	// mostHung how many pending records it has started. Beyond that jobs are
	// not compared.
	mostEarly = 20_000
	mostHung  = 100_000
)

// step lets the shadow machine of a pool start what it would have started
// since the cycle before.
func (s *Shadow) step(i int) {
	p := &s.pools[i]
	idle := max(0, p.schedule.Procs()-p.schedule.Busy())
	// What has become idle since the cycle before is left to Slurm for now.
	left := max(0, idle-p.idle)
	s.again = s.again || left > 0
	p.idle = idle
	s.arrive(i)
	m := machine{now: s.now, procs: p.schedule.Procs(), left: left, running: s.holds(p)}
	free := m.procs - left
	for _, r := range m.running {
		free -= int(r.Procs)
	}
	m.room = sim.Room{Free: free, Extra: free}
	tried := 0
	for _, j := range p.line {
		if tried == s.depth || m.room.Free <= 0 && !j.just {
			break
		}
		if j.start == 0 && !j.startable {
			continue
		}
		tried++
		if n := m.start(j, s.expected(p, j)); n > 0 {
			s.begins(p, j, n)
		}
	}
	p.line = slices.DeleteFunc(p.line, func(j *job) bool {
		if j.just && j.virtual == 0 {
			s.countEarly(p, j)
		}
		return j.waiting() == 0
	})
}

// arrive updates the line: tasks that have left their arrays stand before these,
// new jobs at the end, and jobs that have left are removed.
func (s *Shadow) arrive(i int) {
	p := &s.pools[i]
	for _, j := range s.started {
		// Its pool is certain now that it has started.
		if j.pool == i && j.class == unseen && j.mark == 0 && j.start != 0 {
			p.newest = append(p.newest, j)
			j.mark = s.cycle
		}
	}
	slices.SortFunc(p.newest, func(a, b *job) int {
		return cmp.Or(cmp.Compare(a.submit, b.submit), cmp.Compare(a.id, b.id))
	})
	line := p.line
	if len(p.splits) > 0 || len(p.newest) > 0 {
		line = make([]*job, 0, len(p.line)+len(p.newest))
		put := func(j *job) {
			j.mark = s.cycle
			line = append(line, j)
		}
		for _, j := range p.line {
			for _, task := range p.splits[j] {
				put(task)
			}
			line = append(line, j)
		}
		for _, j := range p.newest {
			put(j)
		}
		p.newest = nil
		clear(p.splits)
	}
	p.line = slices.DeleteFunc(line, func(j *job) bool { return j.waiting() == 0 || j.pool != i })
}

// holds lists what takes processors on the shadow machine, each until its time
// limit, as Slurm would plan. It forgets what takes none any more.
func (s *Shadow) holds(p *pool) sim.Running {
	var all sim.Running
	seen := make(map[*job]bool, len(p.busy))
	p.busy = slices.DeleteFunc(p.busy, func(j *job) bool {
		if seen[j] || j.left {
			return true
		}
		seen[j] = true
		keeps := false
		length := s.expected(p, j)
		add := func(until ostrich.Time, tasks int) {
			if until > s.now {
				end := until + ostrich.Time(max(0, j.estimate-length))
				all = append(all, sim.Expected{End: end, Procs: int32(tasks * j.procs)})
				keeps = true
			}
		}
		switch {
		case j.start == 0:
			for _, r := range j.ahead {
				until := r.at + ostrich.Time(length)
				add(until, r.tasks)
				s.wake(until)
			}
		case j.virtual == 0: // back in the line, and not to be here
		case j.ended:
			until := j.virtual + ostrich.Time(j.ran)
			add(until, j.tasks)
			s.wake(until)
		case j.virtual < j.start: // what is not known yet is its expected end there
			until := j.virtual + ostrich.Time(length)
			add(until, j.tasks)
			s.wake(until)
		case j.paused != 0:
			keeps = true
		default:
			add(max(j.virtual+ostrich.Time(length+j.rested), s.now+1), j.tasks)
		}
		return !keeps
	})
	return all
}

// wake makes the cycle at a time be processed, even if accounting reports nothing
// in it.
func (s *Shadow) wake(at ostrich.Time) {
	if at > s.now && (s.due == 0 || at < s.due) {
		s.due = at
	}
}

// expected returns how long a task of a job runs, as far as is known.
func (s *Shadow) expected(p *pool, j *job) ostrich.Duration {
	if j.ended {
		return j.ran
	}
	if d, ok := p.schedule.Expected(j.id); ok {
		return d
	}
	return j.expect
}

// begins starts n tasks of a job on the shadow machine.
func (s *Shadow) begins(p *pool, j *job, n int) {
	r := &s.report.Starts
	switch {
	case j.start == 0:
		if len(j.ahead) == 0 {
			if s.hung >= mostHung {
				r.LeftOut++
				return
			}
			s.hung++
		}
		j.ahead = append(j.ahead, run{s.now, n})
		r.Later += uint64(n)
	case j.just:
		j.virtual = j.start
		s.waitedThere(j)
		r.Same++
	default:
		j.virtual, j.early = s.now, false
		s.early--
		r.EarlierSeconds.add(float64(max(0, s.now-j.start)))
		s.waitedThere(j)
		if j.ended {
			s.judge(j)
		}
		if j.owed {
			j.owed = false
			j.campaign.owed--
			s.endsThere(j)
		}
	}
	p.busy = append(p.busy, j)
	s.wake(s.now + ostrich.Time(s.expected(p, j)))
}

// countEarly counts a job that has started in reality and for which the shadow
// machine had no room.
func (s *Shadow) countEarly(p *pool, j *job) {
	s.report.Starts.Earlier++
	if s.early >= mostEarly {
		s.report.Starts.LeftOut++
		j.virtual = j.start // taken to run there too from now on
		p.busy = append(p.busy, j)
		return
	}
	j.early = true
	s.early++
}

// machine is the shadow machine within one step.
type machine struct {
	now     ostrich.Time
	procs   int
	left    int // idle beside the free ones, and left to Slurm for now
	running sim.Running
	blocked bool     // a job did not fit
	room    sim.Room // beside its reservation, or all that is free
}

// start tries to start the waiting tasks of a job, and returns how many it
// started. A job that is known to be over by now takes no processors.
func (m *machine) start(j *job, length ostrich.Duration) int {
	q, n := j.procs, j.waiting()
	if q > m.procs {
		return 0 // never: it does not keep others waiting
	}
	over := length <= 0 && !j.just
	length = max(length, j.estimate) // as Slurm plans
	until := m.now + ostrich.Time(length)
	if j.just {
		until = max(j.start+ostrich.Time(length), m.now+1)
	}
	k := min(n, max(0, m.room.Until(until))/q)
	if k > 0 && !over {
		m.room.Use(k*q, until)
		m.running = append(m.running, sim.Expected{End: until, Procs: int32(k * q)})
	}
	if k < n && !m.blocked {
		m.blocked = true
		slices.SortFunc(m.running, sim.Expected.Compare)
		free := m.room.Free
		m.room = m.running.Reserve(m.now, free+m.left, q)
		m.room.Free = free
	}
	return k
}

// follow puts the jobs of a new order into the line. A job that has started in
// reality stays behind the job that it stood behind.
func (s *Shadow) follow(p *pool) {
	for _, j := range p.order {
		j.mark = s.cycle
	}
	var head []*job
	after := make(map[*job][]*job)
	var last *job
	for _, j := range p.line {
		switch {
		case j.start != 0 && last == nil:
			head = append(head, j)
		case j.start != 0:
			after[last] = append(after[last], j)
		case j.mark == s.cycle:
			last = j
		}
	}
	line := make([]*job, 0, len(p.order)+len(head))
	line = append(line, head...)
	for _, j := range p.order {
		if j.waiting() > 0 {
			line = append(line, j)
		}
		if len(after) > 0 {
			line = append(line, after[j]...)
		}
	}
	p.line = line
}
