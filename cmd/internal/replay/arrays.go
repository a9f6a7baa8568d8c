package replay

import (
	"cmp"
	"math"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
)

// throttle is an array whose own limit of running tasks (%N) held some of them back.
type throttle struct {
	submit ostrich.Time // a task that was requeued comes later, and begins anew
	came   ostrich.Time // when the others were eligible
	most   int          // tasks that run at a time
}

// findThrottles finds these arrays, by id: before one of their tasks was eligible later than the others, as many ran at a time as ever. Where
// jobs are placed as Slurm does, replays hold tasks back themselves.
func (s *Study) findThrottles(h *accounting.History) map[ostrich.JobID]throttle {
	tasks := make(map[ostrich.JobID][]*accounting.Job)
	for i := range h.Jobs {
		if j := &h.Jobs[i]; j.Array != 0 && j.Start != 0 {
			tasks[j.Array] = append(tasks[j.Array], j)
		}
	}
	found := make(map[ostrich.JobID]throttle)
	for id, list := range tasks {
		first := slices.MinFunc(list, func(a, b *accounting.Job) int {
			return cmp.Or(cmp.Compare(a.Submit, b.Submit), cmp.Compare(a.Came(), b.Came()))
		})
		late := ostrich.Time(math.MaxInt64)
		for _, j := range list {
			if came := j.Came(); j.Submit == first.Submit && came > first.Came() {
				late = min(late, came)
			}
		}
		most := mostAtOnce(list, math.MaxInt64, 1)
		if late < math.MaxInt64 && mostAtOnce(list, late, -1) >= most { // one may end and another start within a second, in any order
			found[id] = throttle{first.Submit, first.Came(), most}
		}
	}
	if s.placement != nil {
		s.throttles = make(map[ostrich.JobID]int, len(found))
		for id, array := range found {
			s.throttles[id] = array.most
		}
	}
	return found
}

// mostAtOnce returns how many jobs ran at a time that started before a moment. Within a second those that end go before those that start if first is 1, and
// behind them if it is -1.
func mostAtOnce(jobs []*accounting.Job, before ostrich.Time, first int) (most int) {
	type event struct {
		at   ostrich.Time
		more int
	}
	var events []event
	for _, j := range jobs {
		if j.Start < before {
			events = append(events, event{j.Start, 1}, event{cmp.Or(j.End, math.MaxInt64), -1})
		}
	}
	slices.SortFunc(events, func(a, b event) int { return cmp.Or(cmp.Compare(a.at, b.at), first*cmp.Compare(a.more, b.more)) })
	running := 0
	for _, e := range events {
		running += e.more
		most = max(most, running)
	}
	return most
}

// came returns when a job comes in replays: a task that its array's %N held back comes with the others where replays hold it back themselves. Otherwise it
// has the age of the array's record, from which it is split when it starts (job_mgr.c, job_array_split).
func (s *Study) came(l *Job, j *accounting.Job, throttled map[ostrich.JobID]throttle) ostrich.Time {
	array, is := throttled[j.Array]
	switch held := ostrich.Duration(j.Came() - array.came); {
	case !is || j.Submit != array.submit || s.placement.pins(j):
	case s.throttles == nil:
		l.aged = held
	default:
		l.held = held
		return array.came
	}
	return j.Came()
}

// eligible is when a job could have started, as recorded.
func (j *Job) eligible() ostrich.Time { return j.Submit + ostrich.Time(j.held) }
