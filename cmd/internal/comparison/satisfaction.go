package comparison

import (
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/satisfaction"
)

// measureLateness compares the jobs and campaigns of each run with the waits that
// users accept.
func (s *studied) measureLateness() {
	for r := range s.runs {
		run, jobs, n := &s.runs[r], s.in.Runs[r].Jobs, len(s.users)
		run.jobsInTime, run.campaignsInTime = make([]float64, n), make([]float64, n)
		run.late, run.tardy = make([]float64, n), make([]float64, n)
		run.lateJobs, run.lateCampaigns = report.Late(jobs, run.campaigns, s.in.Procs, s.in.Accept)
		for i, late := range run.lateJobs {
			u := s.owner[i]
			run.jobsInTime[u] += float64(1 - satisfaction.Unified(late))
			run.late[u] += float64(late)
			run.tardy[u] += float64(satisfaction.Tardiness(late))
		}
		for i, late := range run.lateCampaigns {
			run.campaignsInTime[s.campaign[i]] += float64(1 - satisfaction.Unified(late))
		}
	}
}

// satisfactionTable has a row for the jobs, and for the campaigns, of each length in
// each run.
func (c *Comparison) satisfactionTable() format.Table {
	t := format.Table{
		Title: "Within the accepted wait (" + c.Runs[0].Satisfaction.Accepted + "), by length", Names: 3,
		Header: []string{"run", "of", "length", "number", "in time", "mean lateness", "mean tardiness"},
	}
	for i := range c.Runs {
		for _, r := range c.Runs[i].Satisfaction.Rows() {
			t.Add(c.Runs[i].Run, r.Of, r.Size, r.Count, format.Percent(r.Share), length(r.Lateness), format.Length(r.Tardiness))
		}
	}
	return t
}
