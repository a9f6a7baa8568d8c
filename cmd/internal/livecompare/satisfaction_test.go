package livecompare

import (
	"testing"

	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/satisfaction"
	"slurm-ostrich/priority"
)

// accepts12 has users accept a wait of 12 s, accepts60 of a minute, whatever a job's
// length.
func accepts12(c *sidecar.Config) {
	c.Satisfaction = satisfaction.Acceptance{Slope: 1, Offset: 0.2}
}

func accepts60(c *sidecar.Config) { c.Satisfaction = satisfaction.Acceptance{Slope: 1, Offset: 1} }

// As in TestTrends. Job 1, which ran when the daemon began, counts for nothing. Job 2 could start at 10 010, starts at 10 030 and there at 10 100;
// job 3 at 10 020, 10 100 and 10 040. Each is a campaign.
func TestInTime(t *testing.T) {
	s := full(t, accepts60)
	s.submit(2, 2, 4, 7200)
	s.cycle()
	s.submit(3, 3, 4, 60)
	s.cycle()
	s.end(1)
	s.start(2)
	for range 7 {
		s.cycle()
	}
	s.end(2)
	s.start(3)
	s.cycle()
	s.Now += 230
	s.end(3)
	first := s.cycle()
	slurm := report.InTime{Count: 2, Share: 0.5, Lateness: (-40 + 20) / 2, Tardiness: 10}
	shadow := report.InTime{Count: 2, Share: 0.5, Lateness: (30 - 40) / 2, Tardiness: 15}
	equal(t, "in time", Satisfaction{"1,1", report.Punctual{Jobs: slurm, Campaigns: slurm}, report.Punctual{Jobs: shadow, Campaigns: shadow}}, first.Satisfaction)
	s.submit(4, 4, 1, 60)
	s.start(4)
	s.cycle()
	s.end(4)
	equal(t, "another job", 3, s.cycle().Satisfaction.Real.Jobs.Count)
	equal(t, "the first report", 2, first.Satisfaction.Real.Jobs.Count)

	accepts12(&s.config) // as a reload of the configuration would
	equal(t, "another wait is accepted", Satisfaction{Accepted: "1,0.2"}, s.cycle().Satisfaction)
}

// A job that ends before it starts on the shadow machine is counted then. Its true
// length decides: 2 ran for 20 s, and 5 for 200 s.
func TestInTimeOnceKnown(t *testing.T) {
	s := newSite(t, 4, func(c *sidecar.Config) { c.Satisfaction = satisfaction.Acceptance{Slope: 2} }) // a wait as long as the job
	s.submit(1, 1, 4, 3600)
	s.start(1)
	s.cycle()
	s.submit(2, 2, 4, 7200)
	s.cycle()
	s.submit(3, 3, 4, 60)
	s.cycle()
	s.end(1)
	s.start(2)
	s.cycle()
	s.Now += 10
	s.end(2)
	equal(t, "it waits there", Satisfaction{Accepted: "2,0"}, s.cycle().Satisfaction)
	for range 3 {
		s.cycle()
	}
	a := s.cycle().Satisfaction
	slurm := report.InTime{Count: 1, Share: 1}                     // a wait of 20 s
	shadow := report.InTime{Count: 1, Lateness: 70, Tardiness: 70} // of 90 s
	equal(t, "it has started there", Satisfaction{"2,0", report.Punctual{Jobs: slurm, Campaigns: slurm}, report.Punctual{Jobs: shadow, Campaigns: shadow}}, a)
}

// A wait counts from when accounting says that a job could start, and each task of an
// array. What was requeued does not count.
func TestInTimeSince(t *testing.T) {
	s := full(t, accepts60)
	s.end(1)
	s.cycle()
	s.submit(2, 2, 1, 600)
	s.tell(ostrich.Hold, 2)
	s.submit(3, 3, 1, 600, func(j *ostrich.Job, q *priority.Queued) {
		j.Group, j.Tasks = 3, 3
		q.Array, q.Tasks, q.Count = 3, "1-3", 3
	})
	s.start(3)
	s.cycle()
	s.Now += 90
	s.tell(ostrich.Release, 2)
	s.cycle()
	s.start(2)
	s.cycle()
	s.end(2, 3)
	a := s.cycle().Satisfaction
	equal(t, "jobs", report.InTime{Count: 4, Share: 1, Lateness: (-50 - 3*60) / 4.0}, a.Real.Jobs)
	equal(t, "campaigns", 2, a.Real.Campaigns.Count)
	s.submit(4, 4, 1, 600)
	s.start(4)
	s.cycle()
	s.requeue(4)
	s.cycle()
	s.start(4)
	s.cycle()
	s.end(4)
	r := s.cycle()
	equal(t, "requeued", a, r.Satisfaction)
	equal(t, "finished", uint64(4), r.Campaigns.Finished)
}

// A large campaign may take as long as a long job: it has 8 jobs of 40 s on 4 processors
// and thus a length of 80 s. The other four wait for 50 s, and are late each, but the
// campaign is not. It does not end with the job that is cancelled. The campaign of user
// 2 is due as its second job is, at 30 + 40 s after that came, and ends 10 s earlier.
func TestCampaignInTime(t *testing.T) {
	s := newSite(t, 4, func(c *sidecar.Config) { c.Satisfaction = satisfaction.Acceptance{Slope: 1, Offset: 0.5} })
	s.cycle()
	for id := 1; id <= 9; id++ {
		s.submit(id, 1, 1, 40)
	}
	s.start(1, 2, 3, 4)
	for range 4 {
		s.cycle()
	}
	s.end(1, 2, 3, 4)
	s.cycle()
	s.start(5, 6, 7, 8)
	for range 4 {
		s.cycle()
	}
	s.end(5, 6, 7, 8)
	s.Now += 500
	s.end(9)
	a := s.cycle().Satisfaction
	equal(t, "jobs", report.InTime{Count: 8, Share: 0.5, Lateness: (-30 + 20) / 2, Tardiness: 10}, a.Real.Jobs)
	equal(t, "campaign", report.InTime{Count: 1, Share: 1, Lateness: 90 - (80 + 30)}, a.Real.Campaigns)

	begun := s.Now
	s.submit(10, 2, 1, 100)
	s.start(10)
	s.Now = begun + 90
	s.submit(11, 2, 1, 40)
	s.cycle()
	s.end(10)
	s.Now = begun + 110
	s.start(11)
	s.cycle()
	s.Now = begun + 150
	s.end(11)
	b := s.cycle().Satisfaction.Real
	equal(t, "two campaigns", report.InTime{Count: 2, Share: 1, Lateness: (-20 - 10) / 2}, b.Campaigns)
}
