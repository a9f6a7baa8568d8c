package campaign

import (
	"fmt"
	"math"

	"slurm-ostrich/ostrich/scalar"
)

// Submission is a job of a finished log.
type Submission struct {
	ID       scalar.JobID
	User     scalar.UserID
	Group    scalar.JobID // that it was submitted in, as a job array; 0 for a single job
	Campaign string       // that the user declares it to belong to; "" leaves it to the rule
	Submit   scalar.Time
	Departs  scalar.Departure
}

// Splitter finds the campaigns of a finished log job by job: for each the index of
// its campaign, counted from 0 in the order in which the campaigns open. The log must
// be sorted by Submit. Max and Last use the logged ends.
//
// A schedule stepped through all events of a log sorted by submission and job
// id finds the same campaigns.
type Splitter struct {
	rule   Rule
	now    scalar.Time
	users  map[scalar.UserID]*user
	groups map[scalar.JobID]*group
	last   []scalar.Departure // by campaign
}

// user is what a Splitter knows of a user.
type user struct {
	found         int // the latest campaign that was not declared, -1 before the first
	first, latest scalar.Time
	previous      scalar.Departure // of the job submitted last to that campaign
	declared      Declared[int]
}

// group is what it knows of jobs submitted together.
type group struct {
	user     scalar.UserID
	campaign int
	last     scalar.Departure
}

// Splitter returns a Splitter at the beginning of a log.
func (r Rule) Splitter() (*Splitter, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	return &Splitter{
		rule: r, now: math.MinInt64, users: make(map[scalar.UserID]*user), groups: make(map[scalar.JobID]*group),
	}, nil
}

// Next returns the index of the campaign of the next job.
func (s *Splitter) Next(j Submission) (int, error) {
	if j.Submit < s.now {
		return 0, fmt.Errorf("campaigns of a log: job %d: not in the order of time", j.ID)
	}
	s.now = j.Submit
	u := s.users[j.User]
	if u == nil {
		u = &user{found: -1}
		s.users[j.User] = u
	}
	var g *group
	if j.Group != 0 {
		g = s.groups[j.Group]
	}
	if g != nil && !g.last.After(j.Submit) {
		g = nil // forgotten when its last record had ended
	}
	var n int
	switch {
	case g != nil && g.user == j.User:
		n = g.campaign
	case j.Campaign != "":
		n = u.declared.Find(j.Campaign, s.past, s.open)
	case u.found >= 0 && s.rule.Joins(Latest{
		First: u.first, Latest: u.latest,
		Unfinished: s.last[u.found].After(j.Submit), PreviousOpen: u.previous.After(j.Submit),
	}, j.Submit):
		n = u.found
	default:
		n = s.open()
		u.found, u.first = n, j.Submit
	}
	s.last[n] = max(s.last[n], j.Departs)
	if n == u.found {
		u.latest, u.previous = j.Submit, j.Departs
	}
	switch {
	case j.Group == 0:
	case g == nil:
		s.groups[j.Group] = &group{user: j.User, campaign: n, last: j.Departs}
	case g.campaign == n:
		g.last = max(g.last, j.Departs)
	}
	return n, nil
}

// open adds a campaign without jobs.
func (s *Splitter) open() int {
	s.last = append(s.last, math.MinInt64)
	return len(s.last) - 1
}

// past reports whether a declared campaign can no longer be joined.
func (s *Splitter) past(n int) bool {
	return !s.last[n].After(s.now) && Past(s.last[n].Second(), s.now)
}
