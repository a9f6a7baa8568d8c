package campaign

import (
	"fmt"

	"slurm-ostrich/ostrich/scalar"
)

// By names a rule that decides where one campaign ends and the next begins
// (thesis 5.4.1, after Zakay and Feitelson).
type By uint8

const (
	// Max lets a job join while any job of the campaign is unfinished. It is the
	// choice of the thesis and the zero value.
	Max By = iota
	// Last lets a job join if the job submitted just before it is unfinished.
	Last
	// Arrival lets a job join if it comes less than the threshold after the
	// campaign's latest submission.
	Arrival
	// Window lets a job join if it comes no later than the threshold after the
	// campaign's first submission.
	Window
	// Groups lets no job join: only jobs of one group are together. It is for
	// callers that know the campaigns. It is not in ByNames, as it detects none.
	Groups
)

// ByNames lists the detection rules in the order of their constants.
var ByNames = []string{"max", "last", "arrival", "window"}

func (b By) String() string { return scalar.NameOf(ByNames, uint8(b)) }

// Timed reports whether the rule goes by a threshold.
func (b By) Timed() bool { return b == Arrival || b == Window }

// Rule decides which submissions of a user belong to one campaign. The zero
// value is Max, which needs no threshold.
type Rule struct {
	By        By
	Threshold scalar.Duration // used by Arrival and Window
}

// Validate returns what is wrong with the rule.
func (r Rule) Validate() error {
	if r.By > Groups {
		return fmt.Errorf("campaign rule %d: unknown", r.By)
	}
	if r.By.Timed() && r.Threshold <= 0 {
		return fmt.Errorf("campaign rule %v: threshold must be above 0 s, not %d", r.By, r.Threshold)
	}
	return nil
}

// Latest is what a rule looks at: the latest campaign of a user at the moment of a
// further submission.
type Latest struct {
	First, Latest scalar.Time // submission of the campaign's first and latest job
	Unfinished    bool        // any job of the campaign has not ended
	PreviousOpen  bool        // the job submitted to it just before has not ended
}

// Joins reports whether a job submitted at the given time belongs to the campaign.
func (r Rule) Joins(c Latest, at scalar.Time) bool {
	switch r.By {
	case Max:
		return c.Unfinished
	case Last:
		return c.PreviousOpen
	case Arrival:
		return scalar.Duration(at-c.Latest) < r.Threshold
	case Window:
		return scalar.Duration(at-c.First) <= r.Threshold
	default:
		return false
	}
}
