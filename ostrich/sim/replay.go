package sim

import "slurm-ostrich/ostrich"

// replay is the state of the machine.
type replay struct {
	machine Machine
	jobs    []Job
	start   []ostrich.Time
	slot    []int32 // in the queue; nil for the order of arrival

	now     ostrich.Time
	free    int
	waiting *queue
	next    int     // of the jobs, the first not submitted
	ends    endHeap // of running jobs, by when they really end
	running expects // if anybody asks for them
	expects bool    // somebody does
	events  int     // so far

	// settled tells that no waiting job can start before another one ends, and
	// none that comes goes in front of the head: all that may start are new jobs
	// that fit in the room beside the head, if there is a head.
	settled bool
	room    room
	shadow  ostrich.Time // of the room
}

func newReplay(m Machine, jobs []Job) *replay {
	r := &replay{
		machine: m, jobs: jobs, start: make([]ostrich.Time, len(jobs)), slot: m.slots(jobs), free: m.Procs,
		expects: m.Backfill == EASY || m.Backfill == Conservative || m.EventOrder == PerEvent,
	}
	if r.slot == nil {
		r.waiting = newQueue(sliding)
	} else {
		r.waiting = newQueue(len(jobs))
	}
	return r
}

// batched takes all events of an instant before it does a pass.
func (r *replay) batched() {
	for r.advance() {
		// Those that should have ended by the shadow time have not.
		r.settled = r.settled && (r.now < r.shadow || r.waiting.count == 0 || r.machine.Backfill != EASY)
		for len(r.ends) > 0 && r.ends[0].at == r.now {
			r.end()
			r.settled = false
		}
		for r.next < len(r.jobs) && r.jobs[r.next].Submit == r.now {
			r.submit()
		}
		if !r.settled {
			r.pass(r.free)
			r.settled = r.slot == nil
		}
	}
}

// perEvent does a pass after every event.
func (r *replay) perEvent() {
	for r.advance() {
		for r.next < len(r.jobs) && r.jobs[r.next].Submit == r.now {
			r.submit()
			r.pass(r.free + r.ending())
		}
		for len(r.ends) > 0 && r.ends[0].at == r.now {
			r.end()
			r.pass(r.free + r.ending())
		}
	}
}

// advance moves the clock to the next event, if there is one.
func (r *replay) advance() bool {
	switch {
	case r.next < len(r.jobs) && (len(r.ends) == 0 || r.jobs[r.next].Submit <= r.ends[0].at):
		r.now = r.jobs[r.next].Submit
	case len(r.ends) > 0:
		r.now = r.ends[0].at
	default:
		return false
	}
	r.tick()
	return true
}

// tick counts an event and tells of the progress now and then.
func (r *replay) tick() {
	if r.machine.Progress == nil {
		return
	}
	if r.events++; r.events%(1<<15) == 0 {
		r.machine.Progress(r.next-r.waiting.count-len(r.ends), len(r.jobs))
	}
}

func (r *replay) submit() {
	i := int32(r.next)
	j := &r.jobs[i]
	r.next++
	if r.settled {
		switch {
		case r.waiting.count == 0 && j.Procs <= r.free:
			r.begin(i)
			return
		case r.waiting.count > 0:
			r.room.short = ostrich.Duration(r.shadow - r.now)
			if r.room.fits(j) {
				r.room.take(j)
				r.begin(i)
				return
			}
		}
	}
	r.queue(i)
	if r.settled && r.waiting.count == 1 {
		r.block(j, r.free)
	}
}

// queue lets a job wait.
func (r *replay) queue(i int32) {
	j := &r.jobs[i]
	r.waiting.add(r.place(i), i, int32(j.Procs), int32(j.Estimate))
}

// place is the slot of a job in the queue.
func (r *replay) place(i int32) int {
	if r.slot == nil {
		return int(i)
	}
	return int(r.slot[i])
}

// end ends the running job that is the next to end.
func (r *replay) end() (i int32) {
	i = r.ends.pop()
	j := &r.jobs[i]
	r.free += j.Procs
	if r.expects {
		r.running.remove(expect{at: r.start[i] + ostrich.Time(j.Estimate), job: i})
	}
	return i
}

// ending counts the processors of jobs that still run and are known to end now.
func (r *replay) ending() int {
	n := 0
	for _, e := range r.running[r.running.search(expect{at: r.now}):] {
		if e.at > r.now {
			break
		}
		if j := &r.jobs[e.job]; r.machine.Length(j) <= j.Estimate {
			n += int(e.procs)
		}
	}
	return n
}

// pass starts what may start on the available processors.
func (r *replay) pass(available int) {
	for r.waiting.count > 0 {
		head := r.waiting.first
		i := r.waiting.at(head)
		j := &r.jobs[i]
		if j.Procs > available {
			r.block(j, available)
			r.backfill(head)
			return
		}
		r.waiting.remove(head)
		r.begin(i)
		available -= j.Procs
	}
}

// begin starts a job that does not wait, or no longer.
func (r *replay) begin(i int32) {
	j := &r.jobs[i]
	r.start[i] = r.now
	r.free -= j.Procs
	r.ends.push(end{at: r.now + ostrich.Time(r.machine.Length(j)), job: i})
	if r.expects {
		r.running.add(expect{at: r.now + ostrich.Time(j.Estimate), procs: int32(j.Procs), job: i})
	}
}

// block finds the room beside a head that does not fit in the available processors.
func (r *replay) block(head *Job, available int) {
	switch r.machine.Backfill {
	case EASY:
		r.room = r.running.reserve(r.now, r.free, head.Procs)
		r.room.free = available
		r.shadow = r.now + ostrich.Time(r.room.short)
	case Greedy:
		r.room = room{free: available, extra: available}
	default:
		r.room = room{}
	}
}

// backfill lets jobs pass the head, in the room beside it.
func (r *replay) backfill(head int) {
	for slot := head; r.room.free > 0; {
		if slot = r.room.next(r.waiting, slot+1); slot < 0 {
			return
		}
		i := r.waiting.at(slot)
		r.room.take(&r.jobs[i])
		r.waiting.remove(slot)
		r.begin(i)
	}
}
