package policy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"slurm-ostrich/ostrich"
)

// MultiCmax is MULTICMAX (Saule and Trystram 2009; thesis 2.3) for users with one
// campaign each, all submitted at time 0. ρ schedules each campaign alone, and
// these schedules follow one another by non-decreasing length; ties go by the id
// of the user. It is a (ρ, 2ρ, …, kρ)-approximation of the users' makespans. It
// ignores Submit and Think; a user with two campaigns is an error.
func (m Machine) MultiCmax(campaigns []Campaign) (Schedule, error) {
	users, _, err := m.check(campaigns)
	if err != nil {
		return nil, err
	}
	if users < len(campaigns) {
		return nil, fmt.Errorf("policy: %d campaigns of %d users, and one each at most: %w", len(campaigns), users, ErrInstance)
	}
	return m.blocks(campaigns), nil
}

// MultiCamp is MULTICAMP (HiPC V, thesis 3.5) for users whose campaigns are all
// known at time 0. The campaigns of a user follow one another in their order as
// one block, each as ρ schedules it alone. The blocks follow one another by
// non-decreasing length ΣΔ(ς); ties go by the id of the user. It is a (ρ, 2ρ, …,
// kρ)-approximation of the users' ΣΔ (thesis proposition 3.5).
//
// It ignores Submit and Think, because a campaign is submitted when the one
// before it ends, and a user's first one at time 0.
func (m Machine) MultiCamp(campaigns []Campaign) (Schedule, error) {
	if _, _, err := m.check(campaigns); err != nil {
		return nil, err
	}
	return m.blocks(campaigns), nil
}

// workload is the campaign-compact schedule of a user (thesis definition 3.1).
type workload struct {
	user   ostrich.UserID
	placed []Placed // as if the user were alone
	length ostrich.Time
}

// blocks lays the workloads of the users one after the other.
func (m Machine) blocks(campaigns []Campaign) Schedule {
	of := make(map[ostrich.UserID]*workload)
	for i := range campaigns {
		c := &campaigns[i]
		w := of[c.User]
		if w == nil {
			w = &workload{user: c.User}
			of[c.User] = w
		}
		slots, length := m.alone(c)
		shift(slots, w.length)
		w.placed = append(w.placed, Placed{
			Campaign: i, Number: len(w.placed) + 1, Submit: w.length, Start: w.length, End: w.length + length, Slots: slots,
		})
		w.length += length
	}
	schedule := make(Schedule, 0, len(campaigns))
	start := ostrich.Time(0)
	for _, w := range slices.SortedFunc(maps.Values(of), func(a, b *workload) int {
		return cmp.Or(cmp.Compare(a.length, b.length), cmp.Compare(a.user, b.user))
	}) {
		for _, p := range w.placed {
			p.Start += start
			p.End += start
			if p.Number > 1 { // the first one has waited since time 0
				p.Submit += start
			}
			shift(p.Slots, start)
			schedule = append(schedule, p)
		}
		start += w.length
	}
	return schedule
}
