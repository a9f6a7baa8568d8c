package policy

import (
	"cmp"
	"maps"
	"slices"

	"slurm-ostrich/ostrich"
)

// Placement says where on the machine a campaign may begin.
type Placement uint8

const (
	// Block starts a campaign when all processors are free, so that its
	// schedule ς stands as it was computed. It is the zero value, and what
	// the proofs of HiPC and thesis chapter 4 assume.
	Block Placement = iota
	// Packed starts a campaign as soon as one processor is free, and fills the
	// others as they become free: ρ with machine release times (HiPC III.B).
	Packed
)

// PlacementNames lists the placements in the order of their constants.
var PlacementNames = []string{"block", "packed"}

// Machine places campaigns on processors.
type Machine struct {
	Procs int       // m, at least 1
	Rho   Makespan  // ρ; nil is LPT
	Place Placement // of online algorithms; the offline ones are in blocks by definition
}

func (m Machine) rho() Makespan {
	if m.Rho == nil {
		return LPT
	}
	return m.Rho
}

// alone returns ς, the schedule of a campaign that has the machine for itself
// from time 0 on, and its length Δ(ς).
func (m Machine) alone(c *Campaign) (slots []Slot, length ostrich.Time) {
	slots = m.rho()(c.Tasks, make([]ostrich.Time, m.Procs))
	return slots, lastEnd(slots)
}

// Length returns Δ(ς), the time that ρ needs for the campaign on an empty
// machine.
func (m Machine) Length(c *Campaign) ostrich.Duration {
	_, length := m.alone(c)
	return ostrich.Duration(length)
}

func lastEnd(slots []Slot) ostrich.Time {
	end := ostrich.Time(0)
	for i := range slots {
		end = max(end, slots[i].End)
	}
	return end
}

// Placed is a campaign in a schedule.
type Placed struct {
	Campaign int          // its index in the input
	Number   int          // i, its number among the user's campaigns, from 1
	Submit   ostrich.Time // t
	Start    ostrich.Time // of its first task
	End      ostrich.Time // C
	Deadline ostrich.Time // d of FairCamp; 0 elsewhere
	Slots    []Slot       // of its tasks, in their order
}

// Flow returns Δ = C−t.
func (p *Placed) Flow() ostrich.Duration { return ostrich.Duration(p.End - p.Submit) }

// Schedule lists campaigns in the order in which they were placed.
type Schedule []Placed

// UserFlow is what a user got from a schedule.
type UserFlow struct {
	User  ostrich.UserID
	Flow  ostrich.Duration // ΣΔ
	Bound float64          // the smallest possible ΣΔ, by Campaign.Bound
}

// Stretch returns D = ΣΔ/Σl, the papers' measure of a user (HiPC VI.A). l is the
// lower bound of thesis 3.3, because the optimal length is NP-hard to find.
func (u *UserFlow) Stretch() float64 { return float64(u.Flow) / u.Bound }

// Users sums a schedule on m processors up by user, in the order of their ids.
func (s Schedule) Users(campaigns []Campaign, m int) []UserFlow {
	of := make(map[ostrich.UserID]UserFlow)
	for i := range s {
		c := &campaigns[s[i].Campaign]
		u := of[c.User]
		of[c.User] = UserFlow{User: c.User, Flow: u.Flow + s[i].Flow(), Bound: u.Bound + c.Bound(m)}
	}
	return slices.SortedFunc(maps.Values(of), func(a, b UserFlow) int { return cmp.Compare(a.User, b.User) })
}

// MaxStretch returns the largest stretch of a user; 0 without users.
func (s Schedule) MaxStretch(campaigns []Campaign, m int) float64 {
	worst := 0.0
	for _, u := range s.Users(campaigns, m) {
		worst = max(worst, u.Stretch())
	}
	return worst
}
