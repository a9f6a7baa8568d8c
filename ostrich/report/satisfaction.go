package report

import (
	"math"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/satisfaction"
)

// Satisfaction says how a run kept to the waits that users accept.
type Satisfaction struct {
	Accepted string      `json:"accepted"` // which waits those are, as satisfaction.Parse reads it
	All      SizeClass   `json:"all"`
	Sizes    []SizeClass `json:"sizes"` // by length, the shortest first; classes without a job are there too
}

// SizeClass sums up the jobs of a class of lengths, and the campaigns of such a
// length on the empty machine.
type SizeClass struct {
	Size string           `json:"size"`  // its name in tables
	Over ostrich.Duration `json:"over"`  // longer than this, in seconds
	Up   ostrich.Duration `json:"up_to"` // and up to this; 0 is without end
	Punctual
}

// Punctual sums up jobs and campaigns.
type Punctual struct {
	Jobs      InTime `json:"jobs"`
	Campaigns InTime `json:"campaigns"`
}

// Mean turns the sums into means, see InTime.Add.
func (p *Punctual) Mean() {
	p.Jobs.Mean()
	p.Campaigns.Mean()
}

// InTime sums up lateness. Means are in seconds; without jobs or campaigns all fields are 0.
type InTime struct {
	Count     int     `json:"count"`
	Share     float64 `json:"in_time"` // part that was not late
	Lateness  float64 `json:"lateness_mean"`
	Tardiness float64 `json:"tardiness_mean"`
}

// Add adds n jobs or campaigns with a lateness, below 0 if they are early. After Mean
// nothing can be added.
func (t *InTime) Add(late ostrich.Duration, n int) {
	t.Count += n
	t.Share += float64(n * (1 - satisfaction.Unified(late)))
	t.Lateness += float64(n) * float64(late)
	t.Tardiness += float64(n) * float64(satisfaction.Tardiness(late))
}

// Mean turns the sums into means.
func (t *InTime) Mean() {
	n := float64(max(1, t.Count))
	t.Share, t.Lateness, t.Tardiness = t.Share/n, t.Lateness/n, t.Tardiness/n
}

// sizes are the classes of lengths, by where each ends. The survey asked for six, of which
// the paper names the shortest, up to ten minutes, and the longest, days.
var sizes = [...]struct {
	name string
	up   ostrich.Duration
}{{"<=10min", 600}, {"<=1h", 3600}, {"<=4h", 4 * 3600}, {"<=12h", 12 * 3600}, {"<=24h", 24 * 3600}, {">24h", 0}}

// Satisfy measures jobs, and the campaigns that Campaigns finds in them, on m
// processors.
func Satisfy(jobs []Job, m int, a satisfaction.Acceptance) Satisfaction {
	campaigns := Campaigns(jobs)
	s := Satisfaction{Accepted: a.String(), All: SizeClass{Size: "all"}, Sizes: make([]SizeClass, len(sizes))}
	for i, size := range sizes {
		s.Sizes[i].Size, s.Sizes[i].Up = size.name, size.up
		if i > 0 {
			s.Sizes[i].Over = sizes[i-1].up
		}
	}
	class := func(length ostrich.Duration) *SizeClass {
		i := 0
		for sizes[i].up > 0 && length > sizes[i].up {
			i++
		}
		return &s.Sizes[i]
	}
	for i := range jobs {
		late := jobs[i].Late(a)
		s.All.Jobs.Add(late, 1)
		class(ostrich.Duration(jobs[i].run())).Jobs.Add(late, 1)
	}
	for i, late := range Late(jobs, campaigns, m, a) {
		s.All.Campaigns.Add(late, 1)
		class(campaigns[i].length(m)).Campaigns.Add(late, 1)
	}
	s.All.Mean()
	for i := range s.Sizes {
		s.Sizes[i].Mean()
	}
	return s
}

// SatisfactionRow is a row of a table.
type SatisfactionRow struct {
	Of, Size string // "jobs" or "campaigns"; the class, or "all"
	InTime
}

// Rows returns a row for all jobs and for those of each size, then the same for
// campaigns. It leaves out rows of nothing.
func (s *Satisfaction) Rows() []SatisfactionRow {
	var jobs, campaigns []SatisfactionRow
	for _, p := range append([]SizeClass{s.All}, s.Sizes...) {
		if p.Jobs.Count > 0 {
			jobs = append(jobs, SatisfactionRow{"jobs", p.Size, p.Jobs})
		}
		if p.Campaigns.Count > 0 {
			campaigns = append(campaigns, SatisfactionRow{"campaigns", p.Size, p.Campaigns})
		}
	}
	return append(jobs, campaigns...)
}

// Late returns the lateness of the job: it is late if it starts after its due date.
func (j *Job) Late(a satisfaction.Acceptance) ostrich.Duration {
	return satisfaction.Lateness(j.Start, a.Due(j.Submit, j.Ran()))
}

// Late returns the lateness of campaigns on m processors, which are those that Campaigns
// finds in the jobs. One that ends after its due date is late, see Due.
func Late(jobs []Job, campaigns []Campaign, m int, a satisfaction.Acceptance) []ostrich.Duration {
	var last []ostrich.Time // due date of the last of the jobs of a campaign, by number
	for i := range jobs {
		j := &jobs[i]
		if j.Campaign < 0 {
			continue
		}
		for len(last) <= j.Campaign {
			last = append(last, math.MinInt64)
		}
		last[j.Campaign] = max(last[j.Campaign], a.Due(j.Submit, j.Ran())+ostrich.Time(j.Ran()))
	}
	late := make([]ostrich.Duration, 0, len(campaigns))
	for _, due := range last {
		if due == math.MinInt64 {
			continue // no job has this number
		}
		c := &campaigns[len(late)]
		late = append(late, satisfaction.Lateness(c.End, c.Due(m, due, a)))
	}
	return late
}

// Due returns until when users expect the result of the campaign on m processors. It
// counts as one job of the length that it needs on the empty machine, but is due no
// sooner than last, when the last of its jobs is to have ended, as nobody expects a
// result before that.
func (c *Campaign) Due(m int, last ostrich.Time, a satisfaction.Acceptance) ostrich.Time {
	length := c.length(m)
	return max(last, a.Due(c.Submit, length)+ostrich.Time(length))
}

// length returns how long the campaign needs on the empty machine, in whole seconds.
func (c *Campaign) length(m int) ostrich.Duration {
	return ostrich.Duration(math.Ceil(ostrich.LeastFlow(c.Work, c.Longest, m)))
}
