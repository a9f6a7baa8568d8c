package ostrich

import (
	"fmt"
	"math"

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
	// Groups lets no job join: only jobs of one Job.Group are together. It is for
	// callers that know the campaigns. It is not in ByNames, as it detects none.
	Groups
)

// ByNames lists the detection rules in the order of their constants.
var ByNames = []string{"max", "last", "arrival", "window"}

func (b By) String() string { return scalar.NameOf(ByNames, uint8(b)) }

// Rule decides which submissions of a user belong to one campaign. The zero
// value is Max, which needs no threshold.
//
// Under every rule, records with the same Job.Group stay together: a job array is
// never split over campaigns. A job with a Job.Campaign needs no rule: it joins the
// user's campaign of that name while any job of it is unfinished, and for
// DeclaredGap after.
type Rule struct {
	By        By
	Threshold Duration // seconds; used by Arrival and Window
}

// Timed reports whether the rule goes by a threshold.
func (b By) Timed() bool { return b == Arrival || b == Window }

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

// submissions is what a rule looks at: the latest campaign of a user at the
// moment of a further submission.
type submissions struct {
	first, latest Time // submission of the campaign's first and latest job
	unfinished    bool // any job of the campaign has not ended
	previousOpen  bool // the job submitted just before has not ended
}

// joins reports whether a job submitted at the given time belongs to the campaign.
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

// Splitter finds the campaigns of a finished log job by job: for each the index of
// its campaign, counted from 0 in the order in which the campaigns open. The log must
// be sorted by Submit, and every job must have ended; Max and Last use the logged ends.
//
// A Schedule stepped through all events of a log sorted by submission and job
// id finds the same campaigns.
type Splitter struct {
	rule   Rule
	now    Time
	users  map[UserID]*line
	arrays map[JobID]*arrayLine
	named  map[declaration]int // the latest declared campaign of each name
	last   []scalar.Departure  // by campaign
}

// line is what a Splitter knows of a user.
type line struct {
	campaign      int
	first, latest Time
	previous      scalar.Departure // of the job submitted last to the campaign
}

// arrayLine is what it knows of a job array.
type arrayLine struct {
	user     UserID
	campaign int
	last     scalar.Departure
}

// Splitter returns a Splitter at the beginning of a log.
func (r Rule) Splitter() (*Splitter, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	return &Splitter{
		rule: r, now: math.MinInt64, users: make(map[UserID]*line), arrays: make(map[JobID]*arrayLine),
		named: make(map[declaration]int),
	}, nil
}

// Next returns the index of the campaign of the next job.
func (s *Splitter) Next(j Job) (int, error) {
	if j.Submit < s.now {
		return 0, fmt.Errorf("campaigns of a log: job %d: %w", j.ID, ErrOutOfOrder)
	}
	s.now = j.Submit
	u, gone := s.users[j.User], j.departs()
	var a *arrayLine
	if j.Group != 0 {
		a = s.arrays[j.Group]
	}
	if a != nil && !a.last.After(j.Submit) {
		a = nil // forgotten when its last record had ended
	}
	var campaign int
	switch {
	case a != nil && a.user == j.User:
		campaign = a.campaign
	case j.Campaign != "":
		campaign = s.declared(declaration{j.User, j.Campaign}, j.Submit, gone)
	case u != nil && s.rule.joins(submissions{
		first: u.first, latest: u.latest,
		unfinished: s.last[u.campaign].After(j.Submit), previousOpen: u.previous.After(j.Submit),
	}, j.Submit):
		campaign = u.campaign
	default:
		campaign = len(s.last)
		s.last = append(s.last, gone)
		if u == nil {
			u = &line{}
			s.users[j.User] = u
		}
		u.campaign, u.first = campaign, j.Submit
	}
	s.last[campaign] = max(s.last[campaign], gone)
	if u != nil && u.campaign == campaign {
		u.latest, u.previous = j.Submit, gone
	}
	switch {
	case j.Group == 0:
	case a == nil:
		s.arrays[j.Group] = &arrayLine{user: j.User, campaign: campaign, last: gone}
	case a.campaign == campaign:
		a.last = max(a.last, gone)
	}
	return campaign, nil
}

// declared returns the index of the campaign that a job declares; gone is when the job
// departs.
func (s *Splitter) declared(d declaration, submit Time, gone scalar.Departure) int {
	if i, ok := s.named[d]; ok && (s.last[i].After(submit) || Duration(submit-s.last[i].Second()) <= DeclaredGap) {
		return i
	}
	s.named[d] = len(s.last)
	s.last = append(s.last, gone)
	return s.named[d]
}
