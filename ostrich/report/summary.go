package report

import "slurm-ostrich/ostrich"

// Summary describes the campaigns of a run or of a log in a few numbers.
type Summary struct {
	Jobs      int     `json:"jobs"`
	Users     int     `json:"users"` // that own campaigns
	Campaigns int     `json:"campaigns"`
	Stretch   Stretch `json:"stretch"`
}

// Summarise summarises campaigns on m processors. jobs are all jobs of the run,
// also those in no campaign.
func Summarise(jobs []Job, campaigns []Campaign, m int) Summary {
	users := make(map[ostrich.UserID]struct{})
	for i := range campaigns {
		users[campaigns[i].User] = struct{}{}
	}
	return Summary{Jobs: len(jobs), Users: len(users), Campaigns: len(campaigns), Stretch: Stretches(campaigns, m)}
}

// Run is the summary of a run with what happened to its jobs.
type Run struct {
	Summary
	Wait             Wait             `json:"wait"`
	BoundedSlowdown  float64          `json:"bounded_slowdown_mean"`
	AreaResponse     float64          `json:"area_response"`
	PriorityResponse float64          `json:"priority_response"`
	Utilisation      float64          `json:"utilisation"`
	Makespan         ostrich.Duration `json:"makespan"` // from the first submission to the last end, in seconds
	Seconds          float64          `json:"seconds"`  // that the simulation took
	JobsPerSecond    float64          `json:"jobs_per_second"`
}

// sampled returns a sample of jobs without campaigns, whose waits nobody judges.
func sampled(jobs []Job) *Sample {
	s := new(Sample)
	for i := range jobs {
		s.AddJob(&jobs[i], 0)
	}
	return s
}

// SummariseRun summarises a run on m processors. seconds is how long its
// simulation took.
func SummariseRun(jobs []Job, campaigns []Campaign, m int, seconds float64) Run {
	first, last := Span(jobs)
	all := sampled(jobs)
	r := Run{
		Summary: Summarise(jobs, campaigns, m), Wait: Waits(jobs),
		BoundedSlowdown: Slowdown.Of(all), AreaResponse: AreaResponse.Of(all), PriorityResponse: PriorityResponse.Of(all),
		Utilisation: Utilisation(jobs, m), Makespan: ostrich.Duration(last - first), Seconds: seconds,
	}
	if seconds > 0 {
		r.JobsPerSecond = float64(len(jobs)) / seconds
	}
	return r
}
