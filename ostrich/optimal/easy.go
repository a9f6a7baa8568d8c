package optimal

import "slurm-ostrich/ostrich"

// EASY returns the start of each job if the queue is served in its order with EASY
// backfilling, and no other job ever comes: when the first one does not fit, those
// behind it start if they do not delay it. The instance must be well-formed, see
// [Instance.Check].
//
// Lengths are known and nothing comes, so the first job starts at its shadow time
// whatever jumps.
func EASY(in *Instance) []ostrich.Duration {
	starts := make([]ostrich.Duration, len(in.Jobs))
	waiting := make([]int, len(in.Jobs))
	for i := range waiting {
		waiting[i] = i
	}
	busy := newProfile(in) // by jobs that have started
	for now := ostrich.Duration(0); len(waiting) > 0; {
		head := &in.Jobs[waiting[0]]
		shadow := busy.earliest(now, head.Procs, head.Length)
		if shadow == now {
			starts[waiting[0]] = now
			busy.use(now, head.Procs, head.Length)
			waiting = waiting[1:]
			continue
		}
		busy.use(shadow, head.Procs, head.Length) // the reservation
		rest, free := waiting[:1], busy[busy.find(now)].free
		for _, i := range waiting[1:] {
			j := &in.Jobs[i]
			if j.Procs <= free && busy.fits(now, j.Procs, j.Length) {
				starts[i] = now
				busy.use(now, j.Procs, j.Length)
				free -= j.Procs
				continue
			}
			rest = append(rest, i)
		}
		waiting = rest
		busy.use(shadow, -head.Procs, head.Length)
		now = busy.next(now)
	}
	return starts
}

// Conservative returns the start of each job if the queue is served in its order with
// conservative backfilling, and no other job ever comes: no job delays an earlier one. It
// is the baseline of HPCS 2016 ("EASY with conservative backfilling", section II), which
// lets jobs run earlier "in case they do not delay the execution of previously queued jobs".
// The instance must be well-formed, see [Instance.Check].
func Conservative(in *Instance) []ostrich.Duration {
	order := make([]int, len(in.Jobs))
	for i := range order {
		order[i] = i
	}
	return List(in, order)
}

// next returns when processors next become free or busy after a time.
func (p profile) next(now ostrich.Duration) ostrich.Duration {
	if i := p.find(now) + 1; i < len(p) {
		return p[i].at
	}
	return never
}

// List returns the start of each job if the jobs are taken in an order, given by
// their indices, and each starts as early as it can without moving those before it.
// In the order of a schedule's starts no job starts later than in that schedule.
func List(in *Instance, order []int) []ostrich.Duration {
	starts := make([]ostrich.Duration, len(in.Jobs))
	free := newProfile(in)
	for _, i := range order {
		j := &in.Jobs[i]
		starts[i] = free.earliest(0, j.Procs, j.Length)
		free.use(starts[i], j.Procs, j.Length)
	}
	return starts
}
