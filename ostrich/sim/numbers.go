package sim

import (
	"fmt"
	"math"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/campaign"
)

// Nobody owns the jobs of a log whose user is not known.
const Nobody = ostrich.UserID(math.MaxUint32)

// Numbers returns the campaign of each job of a log, numbered from 0
// in the order in which they open; -1 for a job of Nobody. The log must be
// sorted by Submit.
func Numbers(log []Job, rule campaign.Rule) ([]int, error) {
	return NumbersOf(len(log), func(i int) *Job { return &log[i] }, rule)
}

// NumbersOf is Numbers of n jobs that something else holds.
func NumbersOf(n int, at func(i int) *Job, rule campaign.Rule) ([]int, error) {
	s, err := rule.Splitter()
	if err != nil {
		return nil, fmt.Errorf("sim: %w", err)
	}
	numbers := make([]int, n)
	for i := range n {
		l := at(i)
		if l.User == Nobody {
			numbers[i] = -1
			continue
		}
		numbers[i], err = s.Next(l.accounted())
		if err != nil {
			return nil, fmt.Errorf("sim: %w", err)
		}
	}
	return numbers, nil
}
