package report

import "math"

// Unit is what a measure counts in: "s", "part" of a whole, "pairs" of users, "index"
// from 0 to 1, "count", "core-hours", or "" for a ratio.
type Unit string

// Cluster is what an interval resamples.
type Cluster uint8

// The clusters.
const (
	ByUser   Cluster = iota // users
	ByOwner                 // users, if enough of them own campaigns
	ByTime                  // parts of the window
	ByNobody                // nothing: no interval, because the bootstrap fails for extreme values
)

// The better directions.
const (
	less    = -1
	neither = 0
	more    = 1
)

// Measure describes a measure for all commands. Every table, page, JSON key and CSV
// column of a measure is printed from here, by the lists below: a new one is a row, and
// a place in the lists of the commands that are to print it.
type Measure struct {
	Key  string // of JSON and CSV, unless a list has another
	Name string // in words
	Unit Unit
	Good int // the better direction: −1 less, 1 more, 0 neither
	By   Cluster
	Of   func(*Sample) float64 // how it is computed; nil for what only summaries have
}

// Label returns the name in charts, with the direction unless less is better.
func (m *Measure) Label() string {
	if m.Good > 0 {
		return m.Name + " (more is better)"
	}
	return m.Name
}

// The measures of campaigns. Stretches have the floor of the campaigns.
var (
	StretchP50  = Measure{"campaign_stretch_p50", "median campaign stretch", "", less, ByOwner, func(s *Sample) float64 { return s.Stretch.P50 }}
	StretchP95  = Measure{"campaign_stretch_p95", "campaign stretch p95", "", less, ByOwner, func(s *Sample) float64 { return s.Stretch.P95 }}
	StretchP99  = Measure{"campaign_stretch_p99", "campaign stretch p99", "", less, ByOwner, func(s *Sample) float64 { return s.Stretch.P99 }}
	StretchMax  = Measure{"campaign_stretch_max", "greatest campaign stretch", "", less, ByNobody, func(s *Sample) float64 { return s.Stretch.Max }}
	StretchMean = Measure{"campaign_stretch_mean", "mean campaign stretch", "", less, ByOwner, func(s *Sample) float64 { return s.ofCampaigns(s.Sums.Stretch) }}
	Unbounded   = Measure{"unbounded_stretch_mean", "mean campaign stretch, unbounded", "", less, ByOwner, func(s *Sample) float64 { return s.ofCampaigns(s.Unbounded) }}

	RhoKept   = Measure{"rho_le_1", "share of campaigns with rho <= 1", "part", more, ByOwner, func(s *Sample) float64 { return s.ofCampaigns(s.Kept) }}
	rhoBroken = Measure{"rho_gt_1", "campaigns with ρ > 1", "part", less, ByOwner, func(s *Sample) float64 { return 1 - s.ofCampaigns(s.Kept) }}
	rhoMean   = Measure{"rho_mean", "mean rho", "", less, ByOwner, func(s *Sample) float64 { return s.ofCampaigns(s.Sums.Rho) }}
	rhoP95    = Measure{"rho_p95", "rho p95", "", less, ByOwner, func(s *Sample) float64 { return s.Rho.P95 }}

	// The lateness is against C~, the virtual completion.
	behind = Measure{"late_mean", "mean lateness", "s", less, ByTime, func(s *Sample) float64 { return s.ofCampaigns(s.Behind) }}

	campaignsInTime = Measure{
		"campaigns_in_time", "share of campaigns in time", "part", more, ByOwner,
		func(s *Sample) float64 { return s.ofCampaigns(s.CampaignsInTime) },
	}
	campaignsPastDue = Measure{
		"campaigns_past_due", "campaigns past due", "part", less, ByOwner,
		func(s *Sample) float64 { return s.ofCampaigns(s.Campaigns - s.CampaignsInTime) },
	}
)

// The measures of users, over those with campaigns.
var (
	UserMean = Measure{"user_mean_stretch", "mean stretch per user", "", less, ByOwner, func(s *Sample) float64 { return s.ofUsers(s.userMean) }}
	userGeo  = Measure{"user_geometric_stretch", "geometric mean over users", "", less, ByOwner, func(s *Sample) float64 { return math.Exp(s.ofUsers(s.userLog)) }}
	UserMax  = Measure{"user_max_stretch", "greatest stretch per user", "", less, ByOwner, func(s *Sample) float64 { return s.ofUsers(s.userMost) }}
	jain     = Measure{"jain", "Jain index", "index", more, ByOwner, func(s *Sample) float64 { return s.Jain }}
	gini     = Measure{"gini", "Gini coefficient", "index", less, ByOwner, func(s *Sample) float64 { return s.Gini }}
	envy     = Measure{"envy", "envy count", "pairs", less, ByOwner, func(s *Sample) float64 { return s.Envy }}
)

// The measures of jobs, and of the machine.
var (
	WaitMean = Measure{"wait_mean", "mean wait", "s", less, ByUser, func(s *Sample) float64 { return s.ofJobs(s.Sums.Wait) }}
	waitP50  = Measure{"wait_p50", "wait p50", "s", less, ByUser, func(s *Sample) float64 { return s.Wait.P50 }}
	waitP95  = Measure{"wait_p95", "wait p95", "s", less, ByUser, func(s *Sample) float64 { return s.Wait.P95 }}
	waitP99  = Measure{"wait_p99", "wait p99", "s", less, ByUser, func(s *Sample) float64 { return s.Wait.P99 }}
	waitMax  = Measure{"wait_max", "longest wait", "s", less, ByNobody, func(s *Sample) float64 { return s.Wait.Max }}

	Slowdown = Measure{"bounded_slowdown_mean", "mean bounded slowdown", "", less, ByUser, func(s *Sample) float64 { return s.ofJobs(s.Slowdown) }}
	// Of Goponenko and others (SBAC-PAD 2022): of processor-seconds in place of jobs, so that no order gains by
	// short or narrow ones alone. In the second, P²SF, each weighs as the square of its job's age.
	AreaResponse     = Measure{"area_response", "area-weighted response time", "s", less, ByUser, func(s *Sample) float64 { return s.over(s.Response, s.Area) }}
	PriorityResponse = Measure{"priority_response", "priority-weighted specific response time", "s", less, ByUser, func(s *Sample) float64 { return s.over(s.AgedResponse, s.Aged) }}
	jobsInTime       = Measure{"jobs_in_time", "share of jobs in time", "part", more, ByUser, func(s *Sample) float64 { return s.ofJobs(s.JobsInTime) }}
	jobsPastDue      = Measure{"jobs_past_due", "jobs past due", "part", less, ByUser, func(s *Sample) float64 { return s.ofJobs(s.Jobs - s.JobsInTime) }}
	lateness         = Measure{"lateness_mean", "mean lateness", "s", less, ByUser, func(s *Sample) float64 { return s.ofJobs(s.Lateness) }} // against the due date
	tardiness        = Measure{"tardiness_mean", "mean tardiness", "s", less, ByUser, func(s *Sample) float64 { return s.ofJobs(s.Tardiness) }}
	Busy             = Measure{"utilisation", "utilisation", "part", more, ByTime, func(s *Sample) float64 { return s.Busy }}
	makespan         = Measure{"makespan", "makespan", "s", less, ByNobody, func(s *Sample) float64 { return s.Makespan }}
)

// Place says where compare shows a measure besides its long table and its JSON.
type Place uint8

// The places.
const (
	Always   Place = iota
	Lead           // in the short table of the runs, too
	LongOnly       // nowhere
)

// Compared is a measure in a comparison of runs.
type Compared struct {
	*Measure
	Show Place
}

// Comparison lists the measures of compare.
var Comparison = []Compared{
	{&StretchP50, Lead},
	{&UserMean, Lead},
	{&StretchP95, Lead},
	{&StretchMean, Lead},
	{&StretchP99, Always},
	{&StretchMax, Always},
	{&UserMax, Always},
	{&Unbounded, LongOnly},
	{&RhoKept, Lead},
	{&rhoMean, Always},
	{&rhoP95, Always},
	{&WaitMean, Lead},
	{&waitP50, Always},
	{&waitP95, Always},
	{&waitP99, Always},
	{&Slowdown, Always},
	{&AreaResponse, LongOnly},
	{&PriorityResponse, LongOnly},
	{&jobsInTime, Lead},
	{&campaignsInTime, Always},
	{&lateness, Always},
	{&tardiness, Always},
	{&jain, Always},
	{&gini, Always},
	{&envy, Always},
	{&Busy, Lead},
	{&makespan, Always},
}

// periodLoad is the utilisation of a period, which is neither good nor bad.
var periodLoad = Measure{Busy.Key, Busy.Name, Busy.Unit, neither, Busy.By, Busy.Of}

// Periods lists the measures of compare --before. The verdict goes by the first.
var Periods = []*Measure{
	&UserMean, &StretchP50, &StretchMean, &StretchP95, &WaitMean, &waitP95, &behind, &RhoKept, &rhoMean, &jobsInTime, &campaignsInTime, &periodLoad,
}

// Groups lists the measures of compare of the jobs of a group, such as an account.
var Groups = []*Measure{&WaitMean, &waitP50, &waitP95, &Slowdown, &jobsInTime}

// Benched is a measure of bench, of which it tells ratios.
type Benched struct {
	*Measure
	Head  string  // of the column
	Key   string  // in JSON
	Name  string  // in words
	Least float64 // smaller values count as this: two waits of 0 s are alike
}

// Bench lists the measures of bench. Due dates count by what missed them, not by what
// kept them: where 98 of 100 jobs are in time, no order can be much above 1 by the latter.
var Bench = []Benched{
	{&StretchMean, "MEAN", "mean", StretchMean.Name, 0},
	{&UserMean, "USERS", "users_mean", "mean over users", 0},
	{&userGeo, "USERS-GEO", "users_geometric", userGeo.Name, 0},
	{&StretchP95, "P95", "p95", "95th percentile", 0},
	{&StretchP99, "P99", "p99", "99th percentile", 0},
	{&StretchMax, "MAX", "max", "greatest stretch", 0},
	{&WaitMean, "WAIT", "wait", WaitMean.Name, 1},
	{&waitMax, "MAX-WAIT", "max_wait", waitMax.Name, 1},
	{&behind, "LATE", "late", behind.Name, 1},
	{&rhoMean, "RHO", "rho", "mean ρ", 0},
	{&rhoBroken, "RHO>1", "rho_above", rhoBroken.Name, 0.001},
	{&Busy, "UTIL", "utilisation", Busy.Label(), 0},
	{&jobsPastDue, "JOBS-PAST-DUE", "jobs_past_due", jobsPastDue.Name, 0.001},
	{&campaignsPastDue, "CAMP-PAST-DUE", "campaigns_past_due", campaignsPastDue.Name, 0.001},
}

// What only summaries have: of campaigns, and of the jobs and campaigns of a user or a class.
var (
	jobCount      = Measure{Key: "jobs", Name: "jobs", Unit: "count"}
	userCount     = Measure{Key: "users", Name: "users", Unit: "count"}
	campaignCount = Measure{Key: "campaigns", Name: "campaigns", Unit: "count"}

	stretchOptimal = Measure{Key: "stretch_optimal", Name: "campaigns with a stretch of 1", Unit: "part", Good: more}
	stretchLe115   = Measure{Key: "stretch_le_1_15", Name: "campaigns with a stretch of at most 1.15", Unit: "part", Good: more}
	stretchLt15    = Measure{Key: "stretch_lt_1_5", Name: "campaigns with a stretch below 1.5", Unit: "part", Good: more}
	stretchLt2     = Measure{Key: "stretch_lt_2", Name: "campaigns with a stretch below 2", Unit: "part", Good: more}
	stretchGt20    = Measure{Key: "stretch_gt_20", Name: "campaigns with a stretch above 20", Unit: "part", Good: less}

	campaignLateness  = Measure{Key: "campaigns_lateness_mean", Name: "mean lateness", Unit: "s", Good: less}
	campaignTardiness = Measure{Key: "campaigns_tardiness_mean", Name: "mean tardiness", Unit: "s", Good: less}

	userWork    = Measure{Key: "work", Name: "work", Unit: "core-hours"}
	userFlow    = Measure{Key: "flow", Name: "flow time of the campaigns", Unit: "s", Good: less}
	userStretch = Measure{Key: "stretch", Name: "stretch", Good: less}
	classCount  = Measure{Key: "count", Name: "number", Unit: "count"}
	classInTime = Measure{Key: "in_time", Name: "in time", Unit: "part", Good: more}
)

// The measures of bags of tasks.
var (
	taskCount   = Measure{Key: "tasks", Name: "tasks", Unit: "count"}
	bagCount    = Measure{Key: "bags", Name: "bags", Unit: "count"}
	bagsDone    = Measure{Key: "done_bags", Name: "bags that are done", Unit: "count", Good: more}
	tasksDone   = Measure{Key: "finished", Name: "share of tasks that are done", Unit: "part", Good: more}
	bagMakespan = Measure{Key: "ms", Name: "mean makespan of a bag", Unit: "s", Good: less}
	bagLength   = Measure{Key: "nsl", Name: "mean normalized schedule length", Unit: "index", Good: less}
	bagStretch  = Measure{Key: "stretch", Name: "mean stretch of a bag", Good: less}
	bagWorst    = Measure{Key: "worst_stretch", Name: "greatest stretch of a bag", Good: less}
)

// Column is a measure of some T in tables and CSV.
type Column[T any] struct {
	*Measure
	Head string // of tables; "" for CSV only
	Key  string // of CSV; "" for tables only
	From func(T) float64
}

// CampaignSummary lists the measures of a Summary.
var CampaignSummary = []Column[*Summary]{
	{&jobCount, "JOBS", jobCount.Key, func(s *Summary) float64 { return float64(s.Jobs) }},
	{&userCount, "USERS", userCount.Key, func(s *Summary) float64 { return float64(s.Users) }},
	{&campaignCount, "CAMPAIGNS", campaignCount.Key, func(s *Summary) float64 { return float64(s.Campaigns) }},
	{&stretchOptimal, "OPTIMAL", stretchOptimal.Key, func(s *Summary) float64 { return s.Stretch.Optimal }},
	{&stretchLe115, "<=1.15", stretchLe115.Key, func(s *Summary) float64 { return s.Stretch.Le115 }},
	{&stretchLt15, "<1.5", stretchLt15.Key, func(s *Summary) float64 { return s.Stretch.Lt15 }},
	{&stretchLt2, "<2", stretchLt2.Key, func(s *Summary) float64 { return s.Stretch.Lt2 }},
	{&stretchGt20, ">20", stretchGt20.Key, func(s *Summary) float64 { return s.Stretch.Gt20 }},
	{&StretchMean, "MEAN", "stretch_mean", func(s *Summary) float64 { return s.Stretch.Mean }},
	{&StretchP50, "P50", "stretch_p50", func(s *Summary) float64 { return s.Stretch.P50 }},
	{&StretchP99, "P99", "stretch_p99", func(s *Summary) float64 { return s.Stretch.P99 }},
	{&StretchMax, "MAX", "stretch_max", func(s *Summary) float64 { return s.Stretch.Max }},
}

// RunSummary lists the measures of a Run beside those of its Summary.
var RunSummary = []Column[*Run]{
	{&WaitMean, "WAIT", WaitMean.Key, func(r *Run) float64 { return r.Wait.Mean }},
	{&waitP50, "", waitP50.Key, func(r *Run) float64 { return r.Wait.P50 }},
	{&waitP95, "", waitP95.Key, func(r *Run) float64 { return r.Wait.P95 }},
	{&waitP99, "", waitP99.Key, func(r *Run) float64 { return r.Wait.P99 }},
	{&Slowdown, "BSLD", Slowdown.Key, func(r *Run) float64 { return r.BoundedSlowdown }},
	{&AreaResponse, "", AreaResponse.Key, func(r *Run) float64 { return r.AreaResponse }},
	{&PriorityResponse, "", PriorityResponse.Key, func(r *Run) float64 { return r.PriorityResponse }},
	{&Busy, "UTILISATION", Busy.Key, func(r *Run) float64 { return r.Utilisation }},
	{&makespan, "MAKESPAN", makespan.Key, func(r *Run) float64 { return float64(r.Makespan) }},
}

// PunctualSummary lists the measures of how all jobs and campaigns kept to the waits that
// users accept.
var PunctualSummary = []Column[*Punctual]{
	{&jobsInTime, "", jobsInTime.Key, func(p *Punctual) float64 { return p.Jobs.Share }},
	{&lateness, "", "jobs_lateness_mean", func(p *Punctual) float64 { return p.Jobs.Lateness }},
	{&tardiness, "", "jobs_tardiness_mean", func(p *Punctual) float64 { return p.Jobs.Tardiness }},
	{&campaignsInTime, "", campaignsInTime.Key, func(p *Punctual) float64 { return p.Campaigns.Share }},
	{&campaignLateness, "", campaignLateness.Key, func(p *Punctual) float64 { return p.Campaigns.Lateness }},
	{&campaignTardiness, "", campaignTardiness.Key, func(p *Punctual) float64 { return p.Campaigns.Tardiness }},
}

// UserColumns lists the measures of a user.
var UserColumns = []Column[*User]{
	{&jobCount, "JOBS", "", func(u *User) float64 { return float64(u.Jobs) }},
	{&campaignCount, "CAMPAIGNS", "", func(u *User) float64 { return float64(u.Campaigns) }},
	{&userWork, "WORK", "", func(u *User) float64 { return float64(u.Work) / 3600 }},
	{&userFlow, "FLOW", "", func(u *User) float64 { return u.Flow }},
	{&userStretch, "STRETCH", "", func(u *User) float64 { return u.Stretch }},
	{&UserMean, "MEAN", "", func(u *User) float64 { return u.MeanStretch }},
	{&UserMax, "MAX", "", func(u *User) float64 { return u.MaxStretch }},
}

// LatenessColumns lists the measures of a class of jobs or campaigns.
var LatenessColumns = []Column[*InTime]{
	{&classCount, "NUMBER", "", func(t *InTime) float64 { return float64(t.Count) }},
	{&classInTime, "IN-TIME", "", func(t *InTime) float64 { return t.Share }},
	{&lateness, "LATENESS", "", func(t *InTime) float64 { return t.Lateness }},
	{&tardiness, "TARDINESS", "", func(t *InTime) float64 { return t.Tardiness }},
}

// Bags are the measures of bags of tasks, or of those of a class of sizes (HPDC 2008, section
// 5.1); package grid has the formulas.
type Bags struct {
	Sizes        string  `json:"sizes"` // "all", or a class as "2-4"
	Bags         int     `json:"bags"`
	Tasks        int     `json:"tasks"`
	DoneBags     int     `json:"done_bags"`
	Finished     float64 `json:"finished"`      // part of the tasks
	MS           float64 `json:"ms"`            // mean makespan, in seconds
	NSL          float64 `json:"nsl"`           // mean normalized schedule length
	Stretch      float64 `json:"stretch"`       // mean
	WorstStretch float64 `json:"worst_stretch"` // the largest
}

// BagColumns lists the measures of bags. Tables have the tasks first, CSV the bags.
var BagColumns = []Column[*Bags]{
	{&taskCount, "TASKS", "", func(b *Bags) float64 { return float64(b.Tasks) }},
	{&bagCount, "BAGS", bagCount.Key, func(b *Bags) float64 { return float64(b.Bags) }},
	{&taskCount, "", taskCount.Key, func(b *Bags) float64 { return float64(b.Tasks) }},
	{&bagsDone, "", bagsDone.Key, func(b *Bags) float64 { return float64(b.DoneBags) }},
	{&tasksDone, "FINISHED", tasksDone.Key, func(b *Bags) float64 { return b.Finished }},
	{&bagMakespan, "MS", bagMakespan.Key, func(b *Bags) float64 { return b.MS }},
	{&bagLength, "NSL", bagLength.Key, func(b *Bags) float64 { return b.NSL }},
	{&bagStretch, "STRETCH", bagStretch.Key, func(b *Bags) float64 { return b.Stretch }},
	{&bagWorst, "MAX", bagWorst.Key, func(b *Bags) float64 { return b.WorstStretch }},
}
