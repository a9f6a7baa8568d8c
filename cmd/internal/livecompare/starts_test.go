package livecompare

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// full is a machine of 4 processors on which job 1 runs, and the shadow
// machine has seen it.
func full(t *testing.T, settings ...func(*sidecar.Config)) *site {
	t.Helper()
	s := newSite(t, 4, settings...)
	s.submit(1, 1, 4, 3600)
	s.start(1)
	s.cycle()
	return s
}

// counts are those of starts: same, earlier, later, not compared, still later, still early.
func counts(r *Report) [6]int {
	s := &r.Starts
	return [6]int{int(s.Same), int(s.Earlier), int(s.Later), int(s.NotCompared), s.WaitLater, s.RunEarlier}
}

// The small campaign of user 3 completes first in the virtual schedule, but
// Slurm takes the large one that came first.
func TestEarlierAndLater(t *testing.T) {
	s := full(t)
	s.submit(2, 2, 4, 7200)
	s.cycle()
	s.submit(3, 3, 4, 60)
	s.cycle()
	s.end(1)
	s.start(2)
	equal(t, "2 has started, 3 would have", [6]int{0, 1, 1, 0, 1, 1}, counts(s.cycle()))
	// After 60 s the shadow machine has done 3 and takes 2, which really runs.
	for range 5 {
		s.cycle()
	}
	r := s.cycle()
	equal(t, "2 has started there", [6]int{0, 1, 1, 0, 1, 0}, counts(r))
	equal(t, "how much earlier", 70.0, r.Starts.EarlierSeconds.Sum)
	s.end(2)
	s.start(3)
	r = s.cycle()
	equal(t, "3 has started", [6]int{0, 1, 1, 0, 0, 0}, counts(r))
	equal(t, "how much later", 60.0, r.Starts.LaterSeconds.Sum)
	equal(t, "of how many", [2]uint64{1, 1}, [2]uint64{r.Starts.EarlierSeconds.Count, r.Starts.LaterSeconds.Count})
}

// Started in OStrich's order, all is the same, also a task of an array at a time.
func TestSame(t *testing.T) {
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
	equal(t, "starts", [6]int{4, 0, 0, 0, 0, 0}, counts(r))
	equal(t, "those with a rank", 4, r.Starts.Ranks[0].Jobs)
	s.end(10, 11, 3)
	equal(t, "after their ends", [6]int{4, 0, 0, 0, 0, 0}, counts(s.cycle()))
}

// The waiting tasks of an array are started by the shadow machine while they
// wait, and each real start finds the time of its own.
func TestTasksLater(t *testing.T) {
	s := full(t)
	s.submit(3, 3, 1, 600, func(j *ostrich.Job, q *priority.Queued) {
		j.Group, j.Tasks = 3, 3
		q.Array, q.Tasks, q.Count = 3, "1-3", 3
	})
	s.cycle()
	s.end(1)
	s.cycle() // four processors have become idle: Slurm's turn,
	r := s.cycle()
	equal(t, "three would have started", [6]int{0, 0, 3, 0, 1, 0}, counts(r))
	s.task(3, 10, s.Now)
	s.start(10)
	r = s.cycle()
	equal(t, "one has", [6]int{0, 0, 3, 0, 1, 0}, counts(r))
	equal(t, "how much later", Histogram{Count: 1, Sum: 0}, Histogram{Count: r.Starts.LaterSeconds.Count, Sum: r.Starts.LaterSeconds.Sum})
	s.end(3)
	equal(t, "the rest was cancelled", [6]int{0, 0, 3, 0, 0, 0}, counts(s.cycle()))
}

// What Slurm gives as reason tells whether an order helps at all.
func TestWaitsForALimit(t *testing.T) {
	s := full(t)
	s.submit(2, 2, 2, 600, func(_ *ostrich.Job, q *priority.Queued) { q.Reason = "QOSMaxJobsPerUserLimit" })
	s.cycle()
	s.end(1)
	s.cycle()
	equal(t, "limited", [6]int{}, counts(s.cycle()))
	s.Find(2).Reason = "Resources"
	s.cycle()
	equal(t, "no longer", [6]int{0, 0, 1, 0, 1, 0}, counts(s.cycle()))
	s.end(2)
	equal(t, "cancelled", [6]int{0, 0, 1, 0, 0, 0}, counts(s.cycle()))
}

// A wide job gets a reservation: what would delay it waits, what does not may
// pass (EASY).
func TestReservation(t *testing.T) {
	for _, test := range []struct {
		limit ostrich.Duration // of the narrow job behind the wide one
		want  [6]int
	}{{60, [6]int{0, 0, 1, 0, 1, 0}}, {3600, [6]int{}}} {
		s := newSite(t, 4)
		s.submit(1, 1, 3, 600)
		s.start(1)
		s.cycle()
		s.submit(2, 2, 4, 10) // a small campaign, and so first
		s.cycle()
		s.submit(3, 3, 1, test.limit)
		s.cycle()
		equal(t, "narrow job behind a wide one", test.want, counts(s.cycle()))
	}
}

// Jobs that OStrich leaves alone run on the shadow machine as they really do.
func TestLeftAlone(t *testing.T) {
	s := full(t)
	s.submit(2, 2, 4, 600, func(_ *ostrich.Job, q *priority.Queued) { q.Pinned, q.SiteKnown = true, false })
	s.submit(3, 3, 4, 60)
	s.cycle()
	s.end(1)
	s.start(2)
	equal(t, "pinned", [6]int{0, 0, 0, 1, 0, 0}, counts(s.cycle()))
	s.end(2)
	s.start(3)
	equal(t, "after it", [6]int{1, 0, 0, 1, 0, 0}, counts(s.cycle()))
}

// A job that came and went between two cycles cannot be compared. One that came and runs
// was behind all that were in the order.
func TestBetweenCycles(t *testing.T) {
	s := full(t)
	s.submit(2, 2, 4, 600)
	s.cycle()
	s.end(1)
	s.submit(3, 3, 1, 60)
	s.start(3)
	s.Now += 2
	s.end(3)
	s.submit(4, 4, 2, 60)
	s.start(4)
	equal(t, "starts", [6]int{0, 0, 0, 1, 0, 0}, counts(full(t).afterFlash()))
	equal(t, "starts", [6]int{0, 1, 0, 1, 0, 1}, counts(s.cycle()))
}

// afterFlash is the report after a job that ran for a second between two cycles.
func (s *site) afterFlash() *Report {
	s.t.Helper()
	s.end(1)
	s.submit(2, 2, 1, 60)
	s.start(2)
	s.Now++
	s.end(2)
	return s.cycle()
}

// A requeued job begins anew.
func TestRequeuedStart(t *testing.T) {
	s := full(t)
	s.submit(2, 2, 4, 7200)
	s.submit(3, 3, 4, 60)
	s.cycle()
	s.end(1)
	s.start(2)
	s.cycle()
	s.requeue(2)
	s.cycle()
	equal(t, "requeued", [6]int{0, 1, 1, 0, 1, 0}, counts(s.cycle()))
	s.start(3)
	s.cycle()
	s.end(3)
	s.start(2)
	equal(t, "at last", [6]int{1, 1, 1, 0, 0, 0}, counts(s.cycle()))
}

// A cycle that begins anew forgets jobs, and keeps counts.
func TestAnew(t *testing.T) {
	s := full(t)
	s.submit(2, 2, 4, 7200)
	s.cycle()
	s.submit(3, 3, 4, 60)
	s.cycle()
	s.end(1)
	s.start(2)
	s.cycle()
	s.open()
	s.capacity("", 4)
	for _, id := range sorted(s.Records) {
		s.tell(ostrich.Submit, id)
		if s.Records[id].Job.Start != 0 {
			s.tell(ostrich.Start, id)
		}
	}
	r := s.cycle()
	equal(t, "reloaded", [6]int{0, 1, 1, 0, 0, 0}, counts(r))
	s.end(2)
	s.start(3)
	equal(t, "after it", [6]int{1, 1, 1, 0, 0, 0}, counts(s.cycle()))
}

// Another cluster has figures of its own.
func TestAnotherCluster(t *testing.T) {
	s := full(t)
	s.submit(2, 2, 4, 600)
	s.cycle()
	s.end(1)
	s.start(2)
	equal(t, "starts", uint64(1), s.cycle().Starts.Same)
	s.config.Cluster, s.Conf.ClusterName = "d", "d"
	s.open()
	r := s.cycle()
	equal(t, "of the other cluster", []any{"d", uint64(0), uint64(1), r.Time}, []any{r.Cluster, r.Starts.Same, r.Cycles, r.Since})
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
	var kept []*campaign
	for _, c := range s.shadow.campaigns {
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

// Pools have machines of their own.
func TestPoolsApart(t *testing.T) {
	s := newSite(t, 0, twoPools)
	gpu := func(j *ostrich.Job, _ *priority.Queued) { j.Partition = "gpu" }
	s.capacity("cpu", 4)
	s.capacity("gpu", 2)
	s.submit(1, 1, 4, 3600)
	s.submit(2, 1, 2, 3600, gpu)
	s.start(1, 2)
	s.submit(3, 2, 2, 7200, gpu)
	s.submit(4, 2, 4, 60)
	s.cycle()
	s.submit(5, 3, 2, 60, gpu)
	s.cycle()
	s.end(1, 2)
	s.start(4, 3)
	equal(t, "starts", [6]int{1, 1, 1, 0, 1, 1}, counts(s.cycle()))
}

// Tasks that are cancelled are not started any more, on the shadow machine neither.
func TestTasksCancelled(t *testing.T) {
	s := full(t)
	s.submit(3, 3, 1, 600, func(j *ostrich.Job, q *priority.Queued) {
		j.Group, j.Tasks = 3, 3
		q.Array, q.Tasks, q.Count = 3, "1-3", 3
	})
	s.cycle()
	s.end(1)
	s.cycle()
	s.cycle()
	s.Records[3].Job.Tasks = 1
	s.tell(ostrich.Change, 3)
	s.cycle()
	equal(t, "one is left", []run{{10_040, 1}}, s.shadow.jobs[3].ahead, cmp.AllowUnexported(run{}))
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
	if p := &s.shadow.pools[0]; len(p.order) != 1 || p.order[0] != s.shadow.jobs[2] || p.order[0].user != 3 {
		t.Errorf("the order still has the job that had the id before: %+v", p.order[0])
	}
}
