package policy

import (
	"fmt"
	"math"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/multifactor"
)

// Divisible is the work of a user that any number of processors can do, as in
// the figures of thesis 2.4.
type Divisible struct {
	User   ostrich.UserID
	Arrive ostrich.Time
	Work   ostrich.Work // whole processor-seconds, at least 1
}

// maxDivisible is the largest time and work of Divisible: beyond it floating
// point would lose parts of a second.
const maxDivisible = 1 << 40

// maxProcs is the largest machine for Divisible.
const maxProcs = 1 << 20

func checkDivisible(m int, loads []Divisible) error {
	if m < 1 || m > maxProcs {
		return fmt.Errorf("policy: a machine of %d processors: %w", m, ErrInstance)
	}
	for i, l := range loads {
		why := ""
		switch {
		case l.Arrive < 0 || l.Arrive > maxDivisible:
			why = fmt.Sprintf("arrives at %d", l.Arrive)
		case l.Work < 1 || l.Work > maxDivisible || l.Work != ostrich.Work(math.Trunc(float64(l.Work))):
			why = fmt.Sprintf("a work of %v", l.Work)
		case slices.ContainsFunc(loads[:i], func(o Divisible) bool { return o.User == l.User }):
			why = "named twice"
		}
		if why != "" {
			return fmt.Errorf("policy: user %d: %s: %w", l.User, why, ErrInstance)
		}
	}
	return nil
}

// SpaceShare divides m processors evenly among the users that have work, as
// Hadoop's fair scheduler does with pools of equal weight (thesis 2.4, figure
// 2.13). It returns when the work of each user is done, in seconds and in the
// order of the loads. If the division leaves a rest, users share a processor.
func SpaceShare(m int, loads []Divisible) ([]float64, error) {
	if err := checkDivisible(m, loads); err != nil {
		return nil, err
	}
	ends := make([]float64, len(loads))
	left := make([]float64, len(loads))
	for i, l := range loads {
		left[i] = float64(l.Work)
	}
	for now, open := 0.0, len(loads); open > 0; {
		var active []int
		least, next := math.Inf(1), math.Inf(1) // work left of an active user; arrival
		for i, l := range loads {
			switch {
			case left[i] <= 0:
			case float64(l.Arrive) > now:
				next = min(next, float64(l.Arrive))
			default:
				active = append(active, i)
				least = min(least, left[i])
			}
		}
		pool := float64(m) / float64(len(active)) // infinite without users
		leaves := now + least/pool
		if len(active) > 0 && leaves <= next {
			now = leaves
		} else {
			least = pool * (next - now)
			now = next
		}
		for _, i := range active {
			if left[i] -= least; left[i] <= 0 {
				ends[i] = now
				open--
			}
		}
	}
	return ends, nil
}

// Turn is a part of a schedule in which one user has the whole machine.
type Turn struct {
	User       ostrich.UserID
	Start, End float64 // seconds
}

// FairShare gives the whole machine to one user at a time, by multifactor.Simplified
// (thesis 2.4, figure 2.14). It computes the factors at every multiple of the
// period, from the usage in the period before and with S = 1/k, where k counts
// the users that have work then. Users go by falling factor. The thesis breaks
// ties at random; here the user who had the machine least recently goes first,
// then the one named first. A user that arrives between two computations has no
// factor yet and goes last.
func FairShare(m int, period ostrich.Duration, loads []Divisible) ([]Turn, error) {
	if err := checkDivisible(m, loads); err != nil {
		return nil, err
	}
	if period < 1 || period > maxDivisible {
		return nil, fmt.Errorf("policy: factors every %d s: %w", period, ErrInstance)
	}
	// All times are whole numbers in units of 1/m seconds, in which the machine
	// does one processor-second.
	unit := int64(m)
	every := int64(period) * unit
	state := make([]fairUser, len(loads))
	for i, l := range loads {
		state[i] = fairUser{arrive: int64(l.Arrive) * unit, left: int64(l.Work), served: -1}
	}
	var turns []Turn
	for now, calculate, open := int64(0), int64(0), len(loads); open > 0; {
		if now >= calculate {
			factors(state, now)
			calculate += every
		}
		next, until := choose(state, now)
		if next < 0 { // nobody has work
			if until > calculate {
				factors(state, now) // the period without usage is over
				calculate = (until + every - 1) / every * every
			}
			now = until
			continue
		}
		u := &state[next]
		end := min(until, calculate, now+u.left)
		seconds := float64(end) / float64(unit)
		if n := len(turns); n > 0 && turns[n-1].User == loads[next].User && u.served == now {
			turns[n-1].End = seconds
		} else {
			turns = append(turns, Turn{User: loads[next].User, Start: float64(now) / float64(unit), End: seconds})
		}
		u.left -= end - now
		if u.left == 0 {
			open--
		}
		u.used += end - now
		u.served = end
		now = end
	}
	return turns, nil
}

// fairUser is a user of FairShare, in units of 1/m seconds.
type fairUser struct {
	arrive int64
	left   int64 // work
	used   int64 // in this period
	served int64 // when the user last had the machine; −1 for never
	factor float64
}

func (u *fairUser) there(now int64) bool { return u.left > 0 && u.arrive <= now }

// choose returns the next user, −1 for none, and when another user arrives.
func choose(state []fairUser, now int64) (next int, arrival int64) {
	next, arrival = -1, math.MaxInt64
	for i := range state {
		u := &state[i]
		switch {
		case u.left == 0:
		case !u.there(now):
			arrival = min(arrival, u.arrive)
		case next < 0 || u.factor > state[next].factor || (u.factor == state[next].factor && u.served < state[next].served):
			next = i
		}
	}
	return next, arrival
}

// factors computes the factors of the users that have work, and begins a period.
func factors(state []fairUser, now int64) {
	total, k := int64(0), 0
	for i := range state {
		total += state[i].used
		if state[i].there(now) {
			k++
		}
	}
	for i := range state {
		u := &state[i]
		u.factor = 0
		if u.there(now) {
			u.factor = multifactor.Simplified(ostrich.Work(u.used), ostrich.Work(total), 1/float64(k))
		}
		u.used = 0
	}
}
