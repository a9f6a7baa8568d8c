package statuspage

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"slurm-ostrich/cmd/internal/api"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// file is one file of the API; docs/api.md describes each.
type file struct {
	takes  []string // names of arguments; not nil
	always bool     // before the first cycle too
	answer func(s *Snapshot, q url.Values) (any, error)
}

// files are the files by name, without ".json".
var files = map[string]file{
	"status":    {[]string{}, true, func(s *Snapshot, _ url.Values) (any, error) { return HealthAnswer{s.Health, s.Resource, s.Pools}, nil }},
	"schedule":  {[]string{}, false, schedule},
	"shares":    {[]string{"user"}, false, shares},
	"campaigns": {[]string{"user"}, false, campaigns},
	"queue":     {[]string{"user", "job", "limit"}, false, queue},
	"explain":   {[]string{"job"}, false, explain},
	"trends": {[]string{}, false, func(s *Snapshot, _ url.Values) (any, error) {
		return TrendsAnswer{s.Health.Cluster, s.Health.Time, s.Trends}, nil
	}},
	"writes": {[]string{}, true, func(s *Snapshot, _ url.Values) (any, error) { return WritesAnswer{s.Health.Cluster, s.Writes}, nil }},
	"checks": {[]string{}, true, checks},
}

// HealthAnswer is status.json.
type HealthAnswer struct {
	Health
	Resource string `json:"resource"` // by which work is counted: a TRES of Slurm's; "" before the first cycle
	Pools    []Pool `json:"pools"`
}

// ScheduleAnswer is schedule.json.
type ScheduleAnswer struct {
	Cluster  string       `json:"cluster"`
	Time     ostrich.Time `json:"time"`
	Resource string       `json:"resource"`
	Lanes    []Lane       `json:"lanes"`
	Left     Left         `json:"left_out"`
	Running  []Running    `json:"running"`
}

func schedule(s *Snapshot, _ url.Values) (any, error) {
	return ScheduleAnswer{s.Health.Cluster, s.Health.Time, s.Resource, s.Lanes, s.Left, s.Running}, nil
}

// SharesAnswer is shares.json.
type SharesAnswer struct {
	Cluster  string       `json:"cluster"`
	Time     ostrich.Time `json:"time"`
	Resource string       `json:"resource"`
	Shares   []Share      `json:"shares"`
}

func shares(s *Snapshot, q url.Values) (any, error) {
	list := rowsOf(q.Get("user"), s.Shares, func(one *Share) string { return one.User.User })
	return SharesAnswer{s.Health.Cluster, s.Health.Time, s.Resource, list}, nil
}

// CampaignsAnswer is campaigns.json.
type CampaignsAnswer struct {
	Cluster   string       `json:"cluster"`
	Time      ostrich.Time `json:"time"`
	Resource  string       `json:"resource"`
	Campaigns []Campaign   `json:"campaigns"`
	Finished  []Finished   `json:"finished"`
	Promise   Promise      `json:"promise"`
}

func campaigns(s *Snapshot, q url.Values) (any, error) {
	promise := s.Promise
	promise.Users = rowsOf(q.Get("user"), promise.Users, func(one *Promised) string { return one.User })
	return CampaignsAnswer{
		s.Health.Cluster, s.Health.Time, s.Resource, rowsOf(q.Get("user"), s.Campaigns, func(one *Campaign) string { return one.User }),
		rowsOf(q.Get("user"), s.Finished, func(one *Finished) string { return one.User }), promise,
	}, nil
}

// rowsOf returns the rows of a user, or all rows if none is named.
func rowsOf[Row any](name string, rows []Row, user func(*Row) string) []Row {
	if name == "" {
		return rows
	}
	list := []Row{}
	for i := range rows {
		if user(&rows[i]) == name {
			list = append(list, rows[i])
		}
	}
	return list
}

// QueueAnswer is queue.json.
type QueueAnswer struct {
	Cluster string           `json:"cluster"`
	Time    ostrich.Time     `json:"time"`
	Channel priority.Channel `json:"channel"`
	Mode    priority.Mode    `json:"mode"`
	Summary view.Summary     `json:"summary"`
	Queue
}

func queue(s *Snapshot, q url.Values) (any, error) {
	most := 0
	if q.Has("limit") {
		n, err := strconv.ParseUint(q.Get("limit"), 10, 31)
		if err != nil || n == 0 {
			return nil, fmt.Errorf("limit %q: not a whole number above 0", api.Shortened(q.Get("limit")))
		}
		most = int(n)
	}
	job := q.Get("job")
	if job != "" {
		if _, err := view.ParseJob(job); err != nil {
			return nil, err
		}
	}
	return QueueAnswer{
		s.cycle.Cluster, s.cycle.Time, s.cycle.Channel, s.cycle.Mode, view.Summary(s.cycle.Plan.Summary),
		s.Queue(Query{User: q.Get("user"), Job: job}, most),
	}, nil
}

// ExplainAnswer is explain.json.
type ExplainAnswer struct {
	*view.Explanation
	Words string `json:"words"` // what "ostrich explain" writes
}

func explain(s *Snapshot, q url.Values) (any, error) {
	if q.Get("job") == "" {
		return nil, errors.New("name one job: explain.json?job=17")
	}
	e, err := s.Explain(q.Get("job"))
	if err != nil {
		return nil, err
	}
	return ExplainAnswer{e, e.String()}, nil
}

// TrendsAnswer is trends.json.
type TrendsAnswer struct {
	Cluster string       `json:"cluster"`
	Time    ostrich.Time `json:"time"`
	Trends
}

// WritesAnswer is writes.json.
type WritesAnswer struct {
	Cluster string  `json:"cluster"`
	Writes  []Write `json:"writes"`
}

// ChecksAnswer is checks.json.
type ChecksAnswer struct {
	Cluster string  `json:"cluster"`
	OK      bool    `json:"ok"` // all of them
	Checks  []Check `json:"checks"`
}

func checks(s *Snapshot, _ url.Values) (any, error) {
	ok := !slices.ContainsFunc(s.Checks, func(c Check) bool { return !c.OK })
	return ChecksAnswer{s.Health.Cluster, ok, s.Checks}, nil
}
