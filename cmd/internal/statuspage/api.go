package statuspage

import (
	"context"
	"slices"
	"time"

	"slurm-ostrich/cmd/internal/live"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/ostrich"
)

// State is what answers are made of: the latest cycle, and what the daemon knows besides.
// Nobody may change it.
type State struct {
	Cycle    *view.Cycle      // nil before the first
	Report   *live.Report     // of the comparison so far
	Ended    time.Time        // when the cycle did
	Snapshot func() *Snapshot // makes one of all this
}

// Question is what everybody may ask ostrichd, at the socket and on the web. What of the
// answer they may see, package access decides. docs/api.md describes each answer.
type Question struct {
	Name  string   // the path below api.Folder
	Takes []string // names of arguments
	Early bool     // is answered before the first cycle too

	// ended reports whether the answer may tell of jobs that have ended; nil: never.
	ended func(s *State, by *view.Selection) bool
	// rows returns about how many rows the answer has, without making it; nil: few.
	rows   func(s *view.Cycle, v *view.Viewer, by *view.Selection) int
	answer func(ctx context.Context, s *State, v *view.Viewer, by *view.Selection) (any, error)
}

// Questions lists what may be asked.
func Questions() []Question {
	return []Question{
		shown("status", true, func(s *Snapshot) any { return HealthAnswer{s.Health, s.Resource, s.Pools} }),
		shown("schedule", false, func(s *Snapshot) any {
			return ScheduleAnswer{s.Health.Cluster, s.Health.Time, s.Resource, s.Lanes, s.Left, s.Running}
		}),
		described(view.AskShares, shares, "user", "account", "partition"),
		described(view.AskCampaigns, campaigns, "user", "account", "partition", "job"),
		described(view.AskPlan, plan, "user", "account", "partition", "job", "limit"),
		explain(),
		described(view.AskForecast, func(is *view.Forecast, _ *State, _ *view.Viewer, _ *view.Selection) any {
			return ForecastAnswer{is, is.String()}
		}, "user", "partition", "cpus", "nodes", "mem", "gres", "time", "odds"),
		shown("trends", false, func(s *Snapshot) any { return TrendsAnswer{s.Health.Cluster, s.Health.Time, s.Trends} }),
		shown("writes", true, func(s *Snapshot) any { return WritesAnswer{s.Health.Cluster, s.Writes} }),
		shown("checks", true, func(s *Snapshot) any {
			return ChecksAnswer{s.Health.Cluster, !slices.ContainsFunc(s.Checks, func(c Check) bool { return !c.OK }), s.Checks}
		}),
		{
			Name: live.Compare, ended: func(s *State, _ *view.Selection) bool { return len(s.Report.Nights) > 0 },
			answer: func(_ context.Context, s *State, v *view.Viewer, _ *view.Selection) (any, error) {
				return s.Report.Seen(v), nil
			},
		},
	}
}

// shown is a question to a snapshot.
func shown(name string, early bool, of func(s *Snapshot) any) Question {
	return Question{Name: name, Early: early, answer: func(_ context.Context, s *State, v *view.Viewer, _ *view.Selection) (any, error) {
		return of(s.Snapshot().For(v)), nil
	}}
}

// described is a question to a described cycle, with what the daemon adds to the answer of a
// command that looks for itself.
func described[Answer any](q view.Query[Answer], with func(Answer, *State, *view.Viewer, *view.Selection) any, takes ...string) Question {
	return Question{Name: q.Name, Takes: takes, rows: q.Rows, answer: func(ctx context.Context, s *State, v *view.Viewer, by *view.Selection) (any, error) {
		is, err := q.Of(ctx, s.Cycle, v, by)
		if err != nil {
			return nil, err
		}
		return with(is, s, v, by), nil
	}}
}

func shares(is view.Shares, _ *State, _ *view.Viewer, _ *view.Selection) any {
	return SharesAnswer{is, each(is.Shares, func(u *view.User) Share { return Share{u, u.HeldShare} })}
}

func campaigns(is view.Campaigns, s *State, v *view.Viewer, by *view.Selection) any {
	all := s.Report.Seen(v).Campaigns
	all.Last = only(all.Last, func(f **live.Finished) bool { return by.Chooses((*f).User, (*f).Account) })
	all.Promise.Users = only(all.Promise.Users, func(u *live.PromiseUser) bool { return by.Chooses(u.User, u.Account) })
	return CampaignsAnswer{is, each(is.Campaigns, func(c *view.Campaign) Campaign { return Campaign{c, c.Done, c.Share} }), all.Last, all.Promise}
}

func plan(is view.Plan, _ *State, _ *view.Viewer, _ *view.Selection) any {
	return PlanAnswer{is, each(is.Jobs, func(j *view.Job) Queued { return Queued{j, j.State, j.Reason} }), is.Pending, is.Matched, is.More}
}

func explain() Question {
	q := described(view.AskExplain, func(is *view.Answer, _ *State, _ *view.Viewer, _ *view.Selection) any {
		return ExplainAnswer{is, each(is.Jobs, func(e **view.Explanation) Explained { return Explained{*e, (*e).String()} })}
	}, "job", "user")
	q.ended = func(_ *State, by *view.Selection) bool { return len(by.Jobs) > 0 }
	return q
}

// each returns what is made of each row. The rows have to stay as they are.
func each[Row, Made any](rows []Row, of func(*Row) Made) []Made {
	list := make([]Made, len(rows))
	for i := range rows {
		list[i] = of(&rows[i])
	}
	return list
}

// HealthAnswer answers status.
type HealthAnswer struct {
	Health
	Resource string `json:"resource"` // by which work is counted: a TRES of Slurm's; "" before the first cycle
	Pools    []Pool `json:"pools"`
}

// ScheduleAnswer answers schedule.
type ScheduleAnswer struct {
	Cluster  string       `json:"cluster"`
	Time     ostrich.Time `json:"time"`
	Resource string       `json:"resource"`
	Lanes    []Lane       `json:"lanes"`
	Left     Left         `json:"left_out"`
	Running  []Running    `json:"running"`
}

// SharesAnswer answers shares, with all that "ostrich shares --json" writes.
type SharesAnswer struct {
	view.Shares
	List []Share `json:"shares"`
}

// Share is what a user is entitled to and holds.
type Share struct {
	*view.User
	HeldAs float64 `json:"held_share"` // Held as part of the pool, 0 to 1
}

// CampaignsAnswer answers campaigns, with all that "ostrich campaigns --json" writes.
type CampaignsAnswer struct {
	view.Campaigns
	List     []Campaign       `json:"campaigns"`
	Finished []*live.Finished `json:"finished"`
	Promise  live.Promise     `json:"promise"`
}

// Campaign is an unfinished campaign, and how far it really is.
type Campaign struct {
	*view.Campaign
	Done  float64  `json:"done_core_hours"`
	Share *float64 `json:"share"` // of the pool, that its user gets, 0 to 1; null: hidden
}

// PlanAnswer answers plan, with all that "ostrich plan --json" writes.
type PlanAnswer struct {
	view.Plan
	List    []Queued `json:"jobs"`
	Pending int      `json:"pending"` // records in the whole queue
	Matched int      `json:"matched"` // of them, those that were asked for and may be seen
	More    int      `json:"more"`    // of those, the ones beyond the limit that was asked for
}

// Queued is a pending job.
type Queued struct {
	*view.Job
	State  string `json:"state"`
	Reason string `json:"reason"` // Slurm's own, why it does not start
}

// ExplainAnswer answers explain, with all that "ostrich explain --json" writes of several jobs.
type ExplainAnswer struct {
	*view.Answer
	List []Explained `json:"jobs"`
}

// Explained is an explained job.
type Explained struct {
	*view.Explanation
	Words string `json:"words"` // what "ostrich explain" writes
}

// ForecastAnswer answers forecast, with all that "ostrich forecast --json" writes.
type ForecastAnswer struct {
	*view.Forecast
	Words string `json:"words"` // what "ostrich forecast" writes
}

// TrendsAnswer answers trends.
type TrendsAnswer struct {
	Cluster string       `json:"cluster"`
	Time    ostrich.Time `json:"time"`
	Trends
}

// WritesAnswer answers writes.
type WritesAnswer struct {
	Cluster string  `json:"cluster"`
	Writes  []Write `json:"writes"`
}

// ChecksAnswer answers checks.
type ChecksAnswer struct {
	Cluster string  `json:"cluster"`
	OK      bool    `json:"ok"` // all of them
	Checks  []Check `json:"checks"`
}
