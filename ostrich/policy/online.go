package policy

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"slurm-ostrich/ostrich"
)

// FairCamp schedules campaigns by the deadlines of HiPC VI.C, equation 1
// (thesis 4.1, equation 4.1):
//
//	d_i = k·Δ(ς_i) + d_{i−1},  d_0 = 0
//
// and places the one with the earliest deadline first (EDF) whenever resources
// are available. Equal deadlines go in the order of submission, and campaigns
// submitted at one moment in the order in which they are given. k is the number
// of users of the machine, at least that of those in the campaigns, which is
// what 0 stands for.
//
// A campaign ends by its deadline (thesis proposition 4.1) with Block, no think
// time and all users there from time 0 on. With Packed it need not: a
// campaign of another user can take the processors that this user's present
// one leaves free, before the next one is submitted.
func (m Machine) FairCamp(campaigns []Campaign, k int) (Schedule, error) {
	users, total, err := m.check(campaigns)
	if err != nil {
		return nil, err
	}
	k = cmp.Or(k, users)
	switch {
	case k < users:
		return nil, fmt.Errorf("policy: campaigns of %d users where k is %d: %w", users, k, ErrInstance)
	case k > 0 && total > math.MaxInt64/ostrich.Time(k):
		return nil, fmt.Errorf("policy: deadlines of %d users overflow: %w", k, ErrInstance)
	}
	return m.online(campaigns, k), nil
}

// FCFS schedules campaigns in the order of their submission (thesis 3.6.2).
// Campaigns submitted at one moment go in the given order.
func (m Machine) FCFS(campaigns []Campaign) (Schedule, error) {
	if _, _, err := m.check(campaigns); err != nil {
		return nil, err
	}
	// Without users, all deadlines are 0, and the order of submission decides.
	return m.online(campaigns, 0), nil
}

// ready is the tuple T of thesis algorithm 1: a campaign that was submitted, or
// will be at a known time, with its schedule and its deadline.
type ready struct {
	campaign int
	number   int
	submit   ostrich.Time
	slots    []Slot // ς
	deadline ostrich.Time
	next     []int // the user's campaigns after this one
}

// compare orders campaigns, those in front that are placed first.
func (r *ready) compare(o *ready) int {
	return cmp.Or(cmp.Compare(r.deadline, o.deadline), cmp.Compare(r.submit, o.submit), cmp.Compare(r.campaign, o.campaign))
}

// online runs the two modules of FairCamp (thesis algorithms 1 and 2) in one
// loop. Each user has at most one campaign in the queue.
func (m Machine) online(campaigns []Campaign, k int) Schedule {
	queue := m.handleSubmissions(campaigns, k)
	free := make([]ostrich.Time, m.Procs)
	schedule := make(Schedule, 0, len(campaigns))
	for len(queue) > 0 {
		now := slices.Max(free)
		if m.Place == Packed {
			now = slices.Min(free)
		}
		submitted := slices.MinFunc(queue, func(a, b *ready) int { return cmp.Compare(a.submit, b.submit) })
		now = max(now, submitted.submit)

		// Module 2: the first campaign that has been submitted.
		next, at := submitted, 0
		for i, r := range queue {
			if r.submit <= now && r.compare(next) <= 0 {
				next, at = r, i
			}
		}
		placed := m.place(campaigns, next, now, free)
		schedule = append(schedule, placed)

		// Module 1: the user's next campaign.
		if len(next.next) == 0 {
			queue = slices.Delete(queue, at, at+1)
			continue
		}
		i := next.next[0]
		queue[at] = m.submit(campaigns, i, k, &ready{
			number: next.number + 1, submit: placed.End + ostrich.Time(campaigns[i].Think),
			deadline: next.deadline, next: next.next[1:],
		})
	}
	return schedule
}

// handleSubmissions puts the first campaign of each user into the queue.
func (m Machine) handleSubmissions(campaigns []Campaign, k int) []*ready {
	of := make(map[ostrich.UserID]*ready)
	var queue []*ready
	for i := range campaigns {
		u := campaigns[i].User
		if r := of[u]; r != nil {
			r.next = append(r.next, i)
			continue
		}
		of[u] = m.submit(campaigns, i, k, &ready{number: 1, submit: campaigns[i].Submit})
		queue = append(queue, of[u])
	}
	return queue
}

// submit computes the schedule and the deadline of a campaign. Before that, its
// deadline is that of the user's campaign before.
func (m Machine) submit(campaigns []Campaign, i, k int, r *ready) *ready {
	r.campaign = i
	if k == 0 && m.Place == Packed {
		return r // FCFS needs neither ς nor a deadline
	}
	slots, length := m.alone(&campaigns[i])
	r.slots = slots
	r.deadline += ostrich.Time(k) * length
	return r
}

// place puts a campaign on the processors and updates when they are free.
func (m Machine) place(campaigns []Campaign, r *ready, now ostrich.Time, free []ostrich.Time) Placed {
	slots := r.slots
	if m.Place == Packed {
		for q := range free {
			free[q] = max(free[q], now)
		}
		slots = m.rho()(campaigns[r.campaign].Tasks, free)
	} else {
		shift(slots, now)
	}
	for i := range slots {
		s := &slots[i]
		free[s.Proc] = max(free[s.Proc], s.End)
	}
	return Placed{
		Campaign: r.campaign, Number: r.number, Submit: r.submit, Start: firstStart(slots), End: lastEnd(slots),
		Deadline: r.deadline, Slots: slots,
	}
}

func shift(slots []Slot, by ostrich.Time) {
	for i := range slots {
		slots[i].Start += by
		slots[i].End += by
	}
}

func firstStart(slots []Slot) ostrich.Time {
	start := slots[0].Start
	for i := range slots {
		start = min(start, slots[i].Start)
	}
	return start
}
