package policy

import (
	"errors"
	"fmt"
	"math"

	"slurm-ostrich/ostrich"
)

// Task is a sequential job of a campaign.
type Task struct {
	ID  ostrich.JobID
	Run ostrich.Duration // p, at least 1
}

// Campaign is a set of independent tasks that a user submits at once. The
// user's next campaign is submitted when all of them have ended, and the
// think time has passed (thesis 3.3).
type Campaign struct {
	User ostrich.UserID

	// Submit is when it is submitted. It counts only for a user's first campaign;
	// the schedule decides the others.
	Submit ostrich.Time

	// Think is the time from the end of the user's campaign before to the
	// submission of this one; a user's first campaign ignores it. 0 is the
	// constrained scenario of HiPC and thesis chapter 4.
	Think ostrich.Duration

	Tasks []Task // at least one
}

// Work returns W, the sum of the lengths.
func (c *Campaign) Work() ostrich.Work {
	work := ostrich.Work(0)
	for i := range c.Tasks {
		work += ostrich.Work(c.Tasks[i].Run)
	}
	return work
}

// Bound returns the lower bound l on the length of the campaign on m processors, see
// ostrich.LeastFlow.
func (c *Campaign) Bound(m int) float64 {
	longest := ostrich.Duration(0)
	for i := range c.Tasks {
		longest = max(longest, c.Tasks[i].Run)
	}
	return ostrich.LeastFlow(c.Work(), longest, m)
}

// ErrInstance marks campaigns or a machine that cannot be scheduled.
var ErrInstance = errors.New("cannot be scheduled")

// check returns what is wrong with the machine or the campaigns, else the number of users
// and a time by which everything ends.
func (m Machine) check(campaigns []Campaign) (users int, total ostrich.Time, err error) {
	if m.Procs < 1 {
		return 0, 0, fmt.Errorf("policy: a machine of %d processors: %w", m.Procs, ErrInstance)
	}
	if int(m.Place) >= len(PlacementNames) {
		return 0, 0, fmt.Errorf("policy: placement %d: %w", m.Place, ErrInstance)
	}
	seen := make(map[ostrich.UserID]bool)
	for i := range campaigns {
		c := &campaigns[i]
		why := ""
		switch {
		case c.Submit < 0:
			why = fmt.Sprintf("submitted at %d", c.Submit)
		case c.Think < 0:
			why = fmt.Sprintf("a think time of %d s", c.Think)
		case len(c.Tasks) == 0:
			why = "no task"
		}
		if why != "" {
			return 0, 0, fmt.Errorf("policy: campaign %d of user %d: %s: %w", i, c.User, why, ErrInstance)
		}
		long := add(ostrich.Time(0), c.Submit, ostrich.Time(c.Think))
		for j := range c.Tasks {
			if c.Tasks[j].Run < 1 {
				return 0, 0, fmt.Errorf("policy: job %d of user %d runs for %d s: %w", c.Tasks[j].ID, c.User, c.Tasks[j].Run, ErrInstance)
			}
			long = add(long, ostrich.Time(c.Tasks[j].Run))
		}
		if total = add(total, long); total == math.MaxInt64 {
			return 0, 0, fmt.Errorf("policy: campaign %d of user %d: the times overflow: %w", i, c.User, ErrInstance)
		}
		seen[c.User] = true
	}
	return len(seen), total, nil
}

// add adds times that are not negative, and saturates at the largest time.
func add(a ostrich.Time, more ...ostrich.Time) ostrich.Time {
	for _, b := range more {
		if a > math.MaxInt64-b {
			return math.MaxInt64
		}
		a += b
	}
	return a
}
