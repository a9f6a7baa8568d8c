package live

import (
	"math"
	"slices"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
)

// Compare names the question for a Report.
const Compare = "compare"

// MostBytes is more than a comparison has.
const MostBytes = 16 << 20

// Report is what the comparison has found so far, as the daemon serves it. Times
// are Unix seconds on the database's clock.
type Report struct {
	Cluster string       `json:"cluster"`
	Time    ostrich.Time `json:"time"`              // of the latest cycle
	Since   ostrich.Time `json:"since"`             // of the first one: what came before is not known
	Mode    string       `json:"mode"`              // observe or enforce
	Classes []string     `json:"classes,omitempty"` // of jobs, the first first; none: all are of one
	Cycles  uint64       `json:"cycles"`
	Order   Order        `json:"order"`
	Starts  Starts       `json:"starts"`

	Campaigns Campaigns `json:"campaigns"`
	Nights    []Night   `json:"nights"` // the comparisons that "ostrich compare --nightly" made last

	Waits  Histogram `json:"-"` // of jobs at their first start, from the submission on, since the daemon began
	Trends []Point   `json:"-"` // of the last 24 hours, in the order of time; not to be changed
}

// Order compares the orders of the jobs that OStrich orders.
type Order struct {
	Tau     Average   `json:"kendall_tau"`
	Overlap []Overlap `json:"overlap"`
}

// Average is a figure of the latest cycle, and its mean over the cycles of the
// last hour and the last 24 hours.
type Average struct {
	Now  float64 `json:"now"`
	Hour float64 `json:"hour"`
	Day  float64 `json:"day"`
}

// Overlap is the part of the first jobs in OStrich's order that are among as
// many first ones of Slurm's.
type Overlap struct {
	Depth string `json:"depth"` // 10, 50, or slurm: as deep as Slurm looks
	First int    `json:"first"`
	Average
}

// Starts says which jobs started.
type Starts struct {
	Ranks []Ranks `json:"ranks"` // of the last hour and the last 24 hours
}

// Ranks says how far jobs that started stood from the head of OStrich's order.
type Ranks struct {
	Hours int `json:"hours"` // that it covers, up to now
	Jobs  int `json:"jobs"`  // that started and had a rank
	// First is the part of them that were among as many first jobs as started,
	// of those that fitted. Shift is the mean of rank less position. 1 and 0
	// without jobs.
	First float64 `json:"among_first"`
	Shift float64 `json:"mean_shift"`
}

// Campaigns is what became of campaigns, since the daemon began.
type Campaigns struct {
	Finished  uint64      `json:"finished"`
	Kept      uint64      `json:"kept"`      // ended by their bound
	Broken    uint64      `json:"broken"`    // ended after it
	Unbounded uint64      `json:"unbounded"` // had none: a job might take the whole machine
	Cancelled uint64      `json:"cancelled"` // none of their jobs ran; in none of the other figures
	Stretch   Histogram   `json:"stretch"`
	Flow      Histogram   `json:"flow_seconds"`
	BrokenBy  []BrokenBy  `json:"broken_by"` // all reasons, in their order
	Promise   Promise     `json:"promise"`
	Last      []*Finished `json:"last"` // the latest first
}

// Promise compares the campaigns that ended in the last 24 hours with an equally
// shared machine, by report.Rho. It counts those that were submitted since the
// daemon began and whose jobs waited for nothing but their turn.
type Promise struct {
	Campaigns   int           `json:"campaigns"`
	report.Rhos               // all 0, and le_1 1, without campaigns
	Users       []PromiseUser `json:"users"` // with a mean ρ above 1, the greatest first, at most mostPromised
}

// PromiseUser is a user for whom the promise was broken on average.
type PromiseUser struct {
	User      string  `json:"user"`
	Campaigns int     `json:"campaigns"`
	Le1       float64 `json:"le_1"`
	Mean      float64 `json:"mean"`
	Max       float64 `json:"max"`
	Account   string  `json:"account"` // with shares from the association tree; else empty
}

// BrokenBy counts broken bounds by a reason.
type BrokenBy struct {
	Reason  string `json:"reason"`
	Meaning string `json:"meaning"`
	First   uint64 `json:"first"` // bounds for which it is the first reason: they add up
	Any     uint64 `json:"any"`   // bounds for which it holds
}

// Finished is a campaign that has ended.
type Finished struct {
	Pool      string           `json:"pool"`
	Class     string           `json:"class"` // "": there are no classes
	User      string           `json:"user"`
	Campaign  ostrich.JobID    `json:"campaign"`
	Submitted ostrich.Time     `json:"submitted"`
	Ended     ostrich.Time     `json:"ended"`
	Flow      ostrich.Duration `json:"flow_seconds"`
	Stretch   float64          `json:"stretch"`
	Bound     *float64         `json:"bound"` // null: none
	Broken    bool             `json:"broken"`
	Reasons   []string         `json:"reasons"` // of a broken bound; empty otherwise
	Account   string           `json:"account"` // with shares from the association tree; else empty
}

// Seen returns the report as a viewer may see it.
func (r *Report) Seen(v *view.Viewer) *Report {
	seen := *r
	seen.Campaigns.Last = slices.DeleteFunc(slices.Clone(r.Campaigns.Last), func(f *Finished) bool { return !v.Job(f.User, f.Account) })
	seen.Campaigns.Promise.Users = slices.DeleteFunc(slices.Clone(r.Campaigns.Promise.Users), func(u PromiseUser) bool { return !v.Job(u.User, u.Account) })
	seen.Nights = Seen(r.Nights, v)
	return &seen
}

// mostLast is how many finished campaigns are listed.
const mostLast = 50

func newReport() Report {
	r := Report{
		Nights: []Night{},
		Waits:  newHistogram(10, 60, 300, 900, 3600, 4*hour, 12*hour, day, 3*day, 7*day, 14*day, 28*day),
		Campaigns: Campaigns{
			Last:    []*Finished{},
			Promise: Promise{Rhos: report.Rhos{Le1: 1}, Users: []PromiseUser{}},
			Stretch: newHistogram(1, 1.15, 1.5, 2, 3, 5, 10, 20, 50, 100, 1000),
			Flow:    newHistogram(60, 300, 900, 3600, 4*hour, 12*hour, day, 3*day, 7*day, 30*day),
		},
	}
	for _, why := range Reasons() {
		r.Campaigns.BrokenBy = append(r.Campaigns.BrokenBy, BrokenBy{Reason: why.String(), Meaning: why.Words()})
	}
	return r
}

func (r *Report) cycle(c *sidecar.Cycle, config configuration.Config) {
	r.Cluster, r.Mode, r.Time, r.Classes = config.Cluster, config.Mode, c.Time, c.Plan.Classes
	if r.Cycles == 0 {
		r.Since = c.Time
	}
	r.Cycles++
}

// finished adds an ended campaign, and reports whether any of its jobs ran.
func (r *Report) finished(c *openCampaign, in *pool) bool {
	all := &r.Campaigns
	if c.work == 0 && c.longest == 0 {
		all.Cancelled++
		return false
	}
	all.Finished++
	account, user := configuration.Owner(c.name)
	f := &Finished{
		Pool: in.name, Class: in.class, User: user, Account: account, Campaign: c.lead, Submitted: c.first, Ended: c.ended,
		Flow: ostrich.Duration(c.ended - c.first), Stretch: c.stretch(), Reasons: []string{},
	}
	bound := c.bound // reports are shared, campaigns are not
	all.Stretch.add(f.Stretch)
	all.Flow.add(float64(f.Flow))
	switch {
	case math.IsInf(c.bound, 0):
		all.Unbounded++
	case float64(c.ended) <= math.Ceil(c.bound): // ends are whole seconds
		all.Kept++
		f.Bound = &bound
	default:
		all.Broken++
		f.Bound, f.Broken = &bound, true
		for i, why := range c.blame.list() {
			by := &all.BrokenBy[why]
			by.Any++
			if i == 0 {
				by.First++
			}
			f.Reasons = append(f.Reasons, why.String())
		}
	}
	// A list of its own, as reports share it.
	all.Last = append([]*Finished{f}, all.Last[:min(len(all.Last), mostLast-1)]...)
	return true
}

// Report returns what was found up to the latest cycle. Further cycles do not
// change it.
func (s *State) Report() *Report {
	r := s.report
	hours, days := s.window.over(s.now)
	mean := func(sum *[sums]float64, of, by int, none float64) float64 {
		if sum[by] == 0 {
			return none
		}
		return sum[of] / sum[by]
	}
	average := func(now float64, of int) Average {
		return Average{now, mean(&hours, of, sumCycles, now), mean(&days, of, sumCycles, now)}
	}
	r.Order.Tau = average(r.Order.Tau.Now, sumTau)
	r.Order.Overlap = slices.Clone(s.overlaps)
	for i := range r.Order.Overlap {
		o := &r.Order.Overlap[i]
		o.Average = average(o.Now, sumOverlap+i)
	}
	r.Starts.Ranks = nil
	for i, sum := range []*[sums]float64{&hours, &days} {
		r.Starts.Ranks = append(r.Starts.Ranks, Ranks{
			Hours: []int{1, 24}[i], Jobs: int(sum[sumStarts]),
			First: mean(sum, sumFirst, sumStarts, 1), Shift: mean(sum, sumShift, sumStarts, 0),
		})
	}
	r.Campaigns.Stretch, r.Campaigns.Flow = r.Campaigns.Stretch.clone(), r.Campaigns.Flow.clone()
	r.Waits = r.Waits.clone()
	r.Trends = s.trends.list()
	r.Campaigns.BrokenBy = slices.Clone(r.Campaigns.BrokenBy)
	return &r
}

// Histogram counts values by size, as Prometheus does.
type Histogram struct {
	Buckets []Bucket `json:"buckets"`
	Count   uint64   `json:"count"` // of all values
	Sum     float64  `json:"sum"`
}

// Bucket counts the values up to a limit, those of smaller buckets too.
type Bucket struct {
	Limit float64 `json:"le"`
	Count uint64  `json:"count"`
}

func newHistogram(limits ...float64) Histogram {
	h := Histogram{Buckets: make([]Bucket, len(limits))}
	for i, l := range limits {
		h.Buckets[i].Limit = l
	}
	return h
}

func (h *Histogram) add(v float64) { h.addMany(v, 1) }

// addMany adds a value n times.
func (h *Histogram) addMany(v float64, n int) {
	h.Count += uint64(n)
	h.Sum += v * float64(n)
	for i := range h.Buckets {
		if v <= h.Buckets[i].Limit {
			h.Buckets[i].Count += uint64(n)
		}
	}
}

func (h *Histogram) clone() Histogram {
	c := *h
	c.Buckets = slices.Clone(h.Buckets)
	return c
}
