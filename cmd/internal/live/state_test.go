package live

import (
	"encoding/json"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// full is a machine of 4 processors on which job 1 runs, as the comparison has seen.
func full(t *testing.T) *site {
	t.Helper()
	s := newSite(t, 4)
	s.submit(1, 1, 4, 3600)
	s.start(1)
	s.cycle()
	return s
}

// Tasks that leave the record of their array keep its rank.
func TestTasksHaveRanks(t *testing.T) {
	s := full(t)
	s.submit(2, 2, 4, 60)
	s.submit(3, 3, 1, 7200, func(j *ostrich.Job, q *priority.Queued) {
		j.Group, j.Tasks = 3, 3
		q.Array, q.Tasks, q.Count = 3, "1-3", 3
	})
	s.cycle()
	s.end(1)
	s.start(2)
	s.cycle()
	s.end(2)
	for i := range 2 { // two tasks leave the record of the array, and the third is the record
		s.task(3, ostrich.JobID(10+i), s.Records[3].Job.Submit)
		s.start(10 + i)
	}
	s.start(3)
	r := s.cycle()
	equal(t, "those with a rank", 4, r.Starts.Ranks[0].Jobs)
	equal(t, "each waited", uint64(4), r.Waits.Count)
}

// A cycle that begins anew forgets jobs, and keeps counts.
func TestAnew(t *testing.T) {
	s := full(t)
	s.submit(2, 2, 4, 7200)
	s.cycle()
	s.end(1)
	s.start(2)
	before := s.cycle()
	equal(t, "before", [2]uint64{1, 1}, [2]uint64{before.Waits.Count, before.Campaigns.Finished})
	s.open()
	s.capacity("", 4)
	for _, id := range sorted(s.Records) {
		s.tell(ostrich.Submit, id)
		if s.Records[id].Job.Start != 0 {
			s.tell(ostrich.Start, id)
		}
	}
	r := s.cycle()
	equal(t, "reloaded", [2]uint64{1, 1}, [2]uint64{r.Waits.Count, r.Campaigns.Finished})
	s.submit(3, 3, 4, 60)
	s.cycle()
	s.end(2)
	s.start(3)
	r = s.cycle()
	equal(t, "after it", [2]uint64{2, 2}, [2]uint64{r.Waits.Count, r.Campaigns.Finished})
}

// Another cluster has figures of its own.
func TestAnotherCluster(t *testing.T) {
	s := full(t)
	s.submit(2, 2, 4, 600)
	s.cycle()
	s.end(1)
	s.start(2)
	equal(t, "starts", uint64(1), s.cycle().Waits.Count)
	s.config.Cluster, s.Conf.ClusterName = "d", "d"
	s.open()
	r := s.cycle()
	equal(t, "of the other cluster", []any{"d", uint64(0), uint64(1), r.Time}, []any{r.Cluster, r.Waits.Count, r.Cycles, r.Since})
}

// A report stays as it is.
func TestReportStays(t *testing.T) {
	s := newSite(t, 8)
	s.cycle()
	for id := 1; id <= 5; id++ {
		s.submit(id, id, 1, 100)
		s.start(id)
	}
	s.cycle()
	var kept []*openCampaign
	for _, c := range s.state.campaigns {
		kept = append(kept, c)
	}
	var before *Report
	for id := 1; id <= 3; id++ {
		s.end(id)
		before = s.cycle()
	}
	tell := func() string {
		raw, err := json.Marshal(before)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	text := tell()
	s.end(4)
	s.cycle()
	s.end(5)
	for _, c := range kept {
		c.bound++
	}
	s.cycle()
	equal(t, "report", text, tell())
}

// Slurm uses an id again.
func TestIDUsedAgain(t *testing.T) {
	s := full(t)
	s.submit(2, 2, 4, 60)
	s.cycle()
	s.end(2)
	s.Now++
	s.submit(2, 3, 4, 60)
	s.cycle()
	if p := &s.state.pools[0]; len(p.order) != 1 || p.order[0] != s.state.jobs[2] || p.order[0].user != 3 {
		t.Errorf("the order still has the job that had the id before: %+v", p.order[0])
	}
}

// Whatever comes, ends early or is cancelled: each job that started has waited once, and
// each campaign that has ended is counted once.
func TestCountedOnce(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		procs := rapid.IntRange(2, 12).Draw(r, "procs")
		s := newSite(t, procs)
		s.cycle()
		next, started, users := 1, 0, map[ostrich.UserID]bool{}
		for range rapid.IntRange(1, 30).Draw(r, "cycles") {
			for _, id := range sorted(s.Records) {
				j := s.Records[id].Job
				switch does := rapid.IntRange(0, 9).Draw(r, fmt.Sprint("job ", id)); {
				case j.Start == 0 && does == 0, j.Start != 0 && does < 3:
					users[j.User] = true
					s.end(int(id))
				case j.Start == 0 && does < 4:
					started++
					s.start(int(id))
				}
			}
			s.Now += 3
			for range rapid.IntRange(0, 3).Draw(r, "submissions") {
				s.submit(next, next, rapid.IntRange(1, procs).Draw(r, "width"), 300) // a campaign each
				next++
			}
			s.cycle()
		}
		c := &s.state.Report().Campaigns
		if n := s.state.Report().Waits.Count; int(n) != started {
			r.Fatalf("%d jobs waited, %d started", n, started)
		}
		if n := c.Finished + c.Cancelled; int(n) != len(users) || c.Finished != c.Kept+c.Broken+c.Unbounded {
			r.Fatalf("%d campaigns ended: %+v", len(users), c)
		}
	})
}
