package optimal

import (
	"cmp"
	"fmt"
	"slices"

	"slurm-ostrich/ostrich"
)

// Objective is what a schedule makes as small as it can. None gets smaller when a
// job starts later.
type Objective uint8

const (
	// SumU is the weighted number of jobs that start after their due date
	// (equation 23). It is the zero value.
	SumU Objective = iota
	// SumT is the weighted sum of what jobs start after their due dates, in
	// seconds (equation 24).
	SumT
	// Cmax is when the last job of the queue ends, in seconds.
	Cmax
	// SumStretch is the sum of the campaigns' stretches: flow time over
	// max(W/m, p_max).
	SumStretch
	// MaxStretch is the largest stretch of a campaign.
	MaxStretch
)

// ObjectiveNames lists the objectives in the order of their constants.
var ObjectiveNames = []string{"sum-u", "sum-t", "cmax", "sum-stretch", "max-stretch"}

func (o Objective) String() string {
	if int(o) < len(ObjectiveNames) {
		return ObjectiveNames[o]
	}
	return fmt.Sprintf("objective number %d", uint8(o))
}

// whole reports whether the objective has whole numbers only.
func (o Objective) whole() bool { return o <= Cmax }

// Stretches reports whether the objective is one of campaigns.
func (o Objective) Stretches() bool { return o == SumStretch || o == MaxStretch }

// Check returns why an instance cannot be solved for the objective.
func (o Objective) Check(in *Instance) error {
	if int(o) >= len(ObjectiveNames) {
		return fmt.Errorf("optimal: %v is not known: %w", o, ErrInstance)
	}
	if err := in.Check(); err != nil {
		return err
	}
	if o.Stretches() && len(in.Campaigns) == 0 && len(in.Jobs) > 0 {
		return fmt.Errorf("optimal: %v of jobs without campaigns: %w", o, ErrInstance)
	}
	return nil
}

// additive reports whether the objective is a sum over jobs. The others are of ends: those
// of the campaigns, or under Cmax the one of all jobs.
func (o Objective) additive() bool { return o <= SumT }

// newEnds returns the ends that decide an objective, before any job.
func (o Objective) newEnds(in *Instance) []ostrich.Duration {
	if o.Stretches() {
		return make([]ostrich.Duration, len(in.Campaigns))
	}
	return make([]ostrich.Duration, 1)
}

// group is the index of the end that a job of a campaign may move.
func (o Objective) group(campaign int) int {
	if o.Stretches() {
		return campaign
	}
	return 0
}

// Value returns the value of a schedule, given by the start of each job, in the
// order of the jobs. Campaigns without a job in the queue are left out.
func (o Objective) Value(in *Instance, starts []ostrich.Duration) float64 {
	var sum int64
	ends := o.newEnds(in)
	for i := range in.Jobs {
		j := &in.Jobs[i]
		late := int64(max(0, starts[i]-j.Due))
		switch o {
		case SumU:
			sum += j.weight() * min(1, late)
		case SumT:
			sum += j.weight() * late
		default:
			g := o.group(j.Campaign)
			ends[g] = max(ends[g], starts[i]+j.Length)
		}
	}
	if o.additive() {
		return float64(sum)
	}
	return o.ofEnds(in, ends)
}

// ofEnds is the value of an objective of ends. An end of 0 is that of no job.
func (o Objective) ofEnds(in *Instance, ends []ostrich.Duration) float64 {
	if o == Cmax {
		return float64(ends[0])
	}
	value := 0.0
	for i, end := range ends {
		if end == 0 {
			continue
		}
		if s := in.Campaigns[i].stretch(end); o == SumStretch {
			value += s
		} else {
			value = max(value, s)
		}
	}
	return value
}

// stretch is that of a campaign whose jobs of the queue have ended at a time.
func (c *Campaign) stretch(end ostrich.Duration) float64 {
	return float64(c.Age+max(end, c.Until)) / c.Least
}

func (j *Job) weight() int64 { return max(1, j.Weight) }

// inOrder returns the indices of jobs in the order of their starts; those that
// start at once in the order of the queue.
func inOrder[T cmp.Ordered](starts []T) []int {
	order := make([]int, len(starts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(starts[a], starts[b]) })
	return order
}
