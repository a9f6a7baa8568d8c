package ostrich

import (
	"fmt"
	"slices"
)

// By names a way to tell where one campaign ends and the next begins
// (thesis 5.4.1, after Zakay and Feitelson).
type By uint8

const (
	// Max: a job joins while any job of the campaign is unfinished. It is the
	// choice of the thesis and the zero value.
	Max By = iota
	// Last: a job joins if the job submitted just before it is unfinished.
	Last
	// Arrival: a job joins if it comes less than the threshold after the
	// campaign's latest submission.
	Arrival
	// Window: a job joins if it comes no later than the threshold after the
	// campaign's first submission.
	Window
)

// ByNames lists the detection rules in the order of their constants.
var ByNames = []string{"max", "last", "arrival", "window"}

func (b By) String() string { return nameOf(ByNames, uint8(b)) }

// Rule decides which submissions of a user belong to one campaign. The zero
// value is Max, which needs no threshold.
//
// Whatever the rule, records with the same Job.Group stay together: a job
// array is never split over campaigns.
type Rule struct {
	By        By
	Threshold Duration // seconds; used by Arrival and Window
}

// Validate tells what is wrong with the rule.
func (r Rule) Validate() error {
	if int(r.By) >= len(ByNames) {
		return fmt.Errorf("campaign rule %d: unknown", r.By)
	}
	if (r.By == Arrival || r.By == Window) && r.Threshold <= 0 {
		return fmt.Errorf("campaign rule %v: threshold must be above 0 s, not %d", r.By, r.Threshold)
	}
	return nil
}

// submissions is what a rule looks at: the latest campaign of a user at the
// moment of a further submission.
type submissions struct {
	first, latest Time // submission of the campaign's first and latest job
	unfinished    bool // any job of the campaign has not ended
	previousOpen  bool // the job submitted just before has not ended
}

// joins tells whether a job submitted at the given time belongs to the campaign.
func (r Rule) joins(c submissions, at Time) bool {
	switch r.By {
	case Max:
		return c.unfinished
	case Last:
		return c.previousOpen
	case Arrival:
		return Duration(at-c.latest) < r.Threshold
	case Window:
		return Duration(at-c.first) <= r.Threshold
	default:
		return false
	}
}

// Split finds the campaigns of a finished log: for each job the index of its
// campaign, counted from 0 in the order in which the campaigns open. The log
// must be sorted by Submit, and every job have ended; Max and Last go by the
// logged ends, so "unfinished" means that the job ended after the submission
// in question.
//
// On the same log a Schedule stepped through all events finds the same
// campaigns.
func (r Rule) Split(log []Job) ([]int, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if !slices.IsSortedFunc(log, func(a, b Job) int { return int(a.Submit - b.Submit) }) {
		return nil, fmt.Errorf("campaigns of a log: %w", ErrOutOfOrder)
	}
	type open struct {
		campaign      int
		first, latest Time
		end           Time // of the campaign's last job to end
		previousEnd   Time
	}
	users := make(map[UserID]*open)
	groups := make(map[JobID]int)
	ends := make([]Time, 0, len(log)) // by campaign
	campaigns := make([]int, len(log))
	for i, j := range log {
		u := users[j.User]
		group, grouped := groups[j.Group]
		switch {
		case grouped:
			ends[group] = max(ends[group], j.End)
			campaigns[i] = group
			if u.campaign == group {
				u.latest, u.end, u.previousEnd = j.Submit, ends[group], j.End
			}
			continue
		case u != nil && r.joins(submissions{
			first: u.first, latest: u.latest,
			unfinished: u.end > j.Submit, previousOpen: u.previousEnd > j.Submit,
		}, j.Submit):
			u.latest, u.end, u.previousEnd = j.Submit, max(u.end, j.End), j.End
		default:
			u = &open{campaign: len(ends), first: j.Submit, latest: j.Submit, end: j.End, previousEnd: j.End}
			users[j.User] = u
			ends = append(ends, j.End)
		}
		ends[u.campaign] = u.end
		campaigns[i] = u.campaign
		if j.Group != 0 {
			groups[j.Group] = u.campaign
		}
	}
	return campaigns, nil
}

// nameOf returns the i-th name, or its number where there is none.
func nameOf(names []string, i uint8) string {
	if int(i) < len(names) {
		return names[i]
	}
	return fmt.Sprint(i)
}

// Named returns the value whose name is among names, for the names a person
// writes into a configuration.
func Named[T ~uint8](names []string, name string) (T, error) {
	i := slices.Index(names, name)
	if i < 0 {
		return 0, fmt.Errorf("%q is none of %v", name, names)
	}
	return T(i), nil
}
