package orders

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/multifactor"
	"slurm-ostrich/ostrich/sim"
)

// FairShare is the policy that ranks the jobs of users by Slurm's fair-share
// factor as thesis 2.4 simplifies it:
//
//	F = 2^(−U/S),  S = 1/k
//
// The factors are calculated every period, of at least a second, from the first
// submission on. U is the user's part of the processor-seconds that running jobs
// used in the period before, k the number of users with a job that has not ended.
// Users go by falling factor, and their jobs by submission, then by id. Equal
// users are taken at random in the thesis; here the one whose jobs ran least
// recently goes first, then the one whose waiting job was submitted first, then
// the smaller id. Until the next calculation that order stays; who comes after
// it has no factor yet and goes last, as in policy.FairShare.
func FairShare(period ostrich.Duration) sim.Policy {
	return func(int) (sim.Ranker, error) {
		if period < 1 {
			return nil, fmt.Errorf("fair-share factors every %d s: %w", period, sim.ErrWorkload)
		}
		return &fairShare{period: ostrich.Time(period), users: make(map[ostrich.UserID]*sharer)}, nil
	}
}

// fairShare ranks users by their use of the machine.
type fairShare struct {
	period ostrich.Time
	due    ostrich.Time // the next calculation, not before the latest event; 0 before the first
	latest ostrich.Time // event
	steady bool         // that calculations change nothing until the next event
	users  map[ostrich.UserID]*sharer
	order  []*sharer // by factor
	list   []ostrich.JobID
	stale  bool // that the list is to be made anew
	gone   int  // of the list, jobs that have started
}

// sharer is a user of fairShare.
type sharer struct {
	id      ostrich.UserID
	listed  bool // in the order
	waiting []ostrich.JobID
	submits []ostrich.Time // of those
	open    int            // jobs that have not ended
	busy    int            // processors
	used    ostrich.Work   // in this period, up to since
	since   ostrich.Time
	served  ostrich.Time // when a job of the user last ran; 0 for never
	factor  float64
}

// Step takes an event.
func (f *fairShare) Step(e ostrich.Event) error {
	f.due = cmp.Or(f.due, e.At)
	f.calculate(e.At - 1) // what is due now takes all events of this moment into account
	f.latest, f.steady = e.At, false
	u := f.users[e.Job.User]
	if u == nil {
		u = &sharer{id: e.Job.User}
		f.users[u.id] = u
	}
	switch e.Kind {
	case ostrich.Submit:
		if !u.listed {
			u.listed = true
			f.order = append(f.order, u)
		}
		u.open++
		u.waiting, u.submits = append(u.waiting, e.Job.ID), append(u.submits, e.At)
		if u == f.order[len(f.order)-1] {
			f.list = append(f.list, e.Job.ID)
		} else {
			f.stale = true
		}
	case ostrich.Start:
		u.drop(e.Job.ID)
		u.use(e.At)
		u.busy += e.Job.Procs
		if f.list[0] == e.Job.ID {
			f.list = f.list[1:]
		} else {
			f.gone++
		}
	case ostrich.Requeue:
		u.use(e.At)
		u.busy -= e.Job.Procs
		u.waiting, u.submits = append(u.waiting, e.Job.ID), append(u.submits, e.At)
		f.stale = true
	case ostrich.End:
		u.open--
		if e.Job.Start == 0 { // it was cancelled
			u.drop(e.Job.ID)
			f.stale = true
			break
		}
		u.use(e.At)
		u.busy -= e.Job.Procs
	default:
	}
	return nil
}

// drop removes a job from the waiting ones, most often the first.
func (u *sharer) drop(id ostrich.JobID) {
	i := slices.Index(u.waiting, id)
	if i == 0 {
		u.waiting, u.submits = u.waiting[1:], u.submits[1:]
		return
	}
	u.waiting, u.submits = slices.Delete(u.waiting, i, i+1), slices.Delete(u.submits, i, i+1)
}

// use counts the use of the machine up to a moment.
func (u *sharer) use(t ostrich.Time) {
	if u.busy > 0 {
		u.used += ostrich.Work(u.busy) * ostrich.Work(t-u.since)
		u.served = t
	}
	u.since = t
}

// calculate does the calculations that are due up to a moment, before which
// nothing has happened since the latest event. So only the last one counts.
func (f *fairShare) calculate(until ostrich.Time) {
	if f.due == 0 || f.due > until {
		return
	}
	now := f.due + (until-f.due)/f.period*f.period
	total, k := ostrich.Work(0), 0
	for _, u := range f.order {
		if now > f.due { // the period before has begun after the latest event
			u.used, u.since = 0, now-f.period
		}
		u.use(now)
		total += u.used
		if u.open > 0 {
			k++
		}
	}
	f.order = slices.DeleteFunc(f.order, func(u *sharer) bool {
		if u.listed = u.open > 0; u.listed {
			u.factor = multifactor.Simplified(u.used, total, 1/float64(k))
		}
		u.used = 0
		return !u.listed
	})
	if !slices.IsSortedFunc(f.order, compareSharers) {
		slices.SortFunc(f.order, compareSharers)
		f.stale = true
	}
	// Until something happens, each further period is as one in which nothing
	// did: the same factors, and all whose jobs run last served at its end. Only
	// those whose jobs do not run have a factor of 1, and they stay as they are.
	f.steady = f.latest <= now-f.period
	f.due = now + f.period
}

// compareSharers puts the user in front whose jobs go first.
func compareSharers(a, b *sharer) int {
	return cmp.Or(
		cmp.Compare(b.factor, a.factor), cmp.Compare(a.served, b.served), cmp.Compare(a.first(), b.first()), cmp.Compare(a.id, b.id),
	)
}

// first is when the first waiting job was submitted.
func (u *sharer) first() ostrich.Time {
	if len(u.submits) == 0 {
		return math.MaxInt64
	}
	return u.submits[0]
}

// Jobs lists the waiting jobs, user by user. Those that have started leave the
// list at its front, and elsewhere when they are too many.
func (f *fairShare) Jobs() []ostrich.JobID {
	if f.stale || f.gone > len(f.list)/2 {
		f.list = f.list[:0]
		for _, u := range f.order {
			f.list = append(f.list, u.waiting...)
		}
		f.stale, f.gone = false, 0
	}
	return f.list
}

// Wake is the next calculation if it may put others in front.
func (f *fairShare) Wake(waiting bool) ostrich.Time {
	if !waiting || f.steady {
		return 0
	}
	return f.due
}

// AdvanceTo lets time pass up to t.
func (f *fairShare) AdvanceTo(t ostrich.Time) error {
	f.calculate(t)
	return nil
}
