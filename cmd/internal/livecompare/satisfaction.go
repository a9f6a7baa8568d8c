package livecompare

import (
	"fmt"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/satisfaction"
)

// Satisfaction says how far waits kept to what users accept, really and on the
// shadow machine, since the daemon began or the setting was changed. Both count the same
// jobs: those that have started since and ended, and have started on the shadow machine
// too. Both count the same campaigns: those submitted since with only such jobs. Jobs
// count by their true lengths, from when they could start. Requeued jobs do not count.
type Satisfaction struct {
	Accepted string          `json:"accepted"` // which waits those are, as satisfaction.Parse reads it
	Real     report.Punctual `json:"real"`
	Shadow   report.Punctual `json:"shadow"`
}

// accepts sets the wait that users accept. What was measured by another one is
// forgotten.
func (s *Shadow) accepts(a satisfaction.Acceptance) {
	if a != s.accept || s.report.Satisfaction.Accepted == "" {
		s.accept = a
		s.report.Satisfaction = Satisfaction{Accepted: a.String()}
	}
}

// judge counts a job that has ended and has started on the shadow machine.
func (s *Shadow) judge(j *job) {
	if j.again {
		return
	}
	due := s.accept.Due(j.able, j.ran)
	all := &s.report.Satisfaction
	all.Real.Jobs.Add(satisfaction.Lateness(j.start, due), j.tasks)
	all.Shadow.Jobs.Add(satisfaction.Lateness(j.virtual, due), j.tasks)
}

// awaited adds a job that ran and has ended to what judgeCampaign needs of its campaign.
func (s *Shadow) awaited(c *campaign, j *job) {
	if c.able == 0 || j.able < c.able {
		c.able = j.able
	}
	took := ostrich.Time(j.ran + j.rested)
	c.over, c.due = max(c.over, j.start+took), max(c.due, s.accept.Due(j.able, j.ran)+took)
}

// judgeCampaign counts a campaign that has ended, on the shadow machine too, unless it was
// submitted before the daemon began: then not all of its jobs are known.
func (s *Shadow) judgeCampaign(c *campaign) {
	if c.first < s.begun || c.able == 0 || c.blame.has(Requeued) {
		return
	}
	one := report.Campaign{Submit: c.able, Work: c.work, Longest: c.longest}
	due := one.Due(c.procs, c.due, s.accept)
	all := &s.report.Satisfaction
	all.Real.Campaigns.Add(satisfaction.Lateness(c.over, due), 1)
	all.Shadow.Campaigns.Add(satisfaction.Lateness(c.virtual, due), 1)
}

// table returns an empty table if the daemon does not measure this.
func (a *Satisfaction) table() format.Table {
	if a.Accepted == "" {
		return format.Table{}
	}
	t := format.Table{
		Title:  "Within the accepted wait (" + a.Accepted + ")",
		Header: []string{"BY", "OF", "NUMBER", "IN-TIME", "LATENESS", "TARDINESS"},
	}
	for _, row := range []struct {
		name, of string
		*report.InTime
	}{
		{"Slurm", "jobs", &a.Real.Jobs},
		{"OStrich", "jobs", &a.Shadow.Jobs},
		{"Slurm", "campaigns", &a.Real.Campaigns},
		{"OStrich", "campaigns", &a.Shadow.Campaigns},
	} {
		if row.Count == 0 {
			t.Add(row.name, row.of, 0, "", "", "")
			continue
		}
		t.Add(row.name, row.of, row.Count, format.PercentCell(row.Share, 1),
			format.Value(row.Lateness, fmt.Sprintf("%.0fs", row.Lateness)), format.Value(row.Tardiness, fmt.Sprintf("%.0fs", row.Tardiness)))
	}
	return t
}
