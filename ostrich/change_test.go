package ostrich

import (
	"errors"
	"testing"

	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/lengths"
)

// story is a schedule on one processor that gets what happens to jobs.
type story struct {
	*testing.T
	*Schedule
	jobs map[JobID]Job
}

func newStory(t *testing.T, o Options) *story {
	return &story{t, mustNew(t, o), make(map[JobID]Job)}
}

// submit submits a job of one processor.
func (s *story) submit(at Time, id JobID, u UserID, length Duration) {
	s.Helper()
	s.tell(at, Submit, Job{ID: id, User: u, Procs: 1, Estimate: length, Submit: at})
}

func (s *story) tell(at Time, k Kind, j Job) {
	s.Helper()
	s.jobs[j.ID] = j
	mustStep(s.T, s.Schedule, Event{At: at, Kind: k, Job: j})
}

func (s *story) start(at Time, id JobID) {
	s.Helper()
	j := s.jobs[id]
	j.Start = at
	s.tell(at, Start, j)
}

func (s *story) end(at Time, id JobID) {
	s.Helper()
	j := s.jobs[id]
	j.End = at
	s.tell(at, End, j)
}

// want compares s~ and C~ of all campaigns at a moment.
func (s *story) want(at Time, want string) {
	s.Helper()
	mustAdvance(s.T, s.Schedule, at)
	if got := times(s.Schedule, 0); got != want {
		s.Errorf("t = %d:\n%swant\n%s%s", at, got, want, s.Describe())
	}
}

var apart = Options{Procs: 1, Rule: campaign.Rule{By: campaign.Arrival, Threshold: 1}}

// TestTrueLength: a job counts for its estimate while it is pending, for
// max(elapsed, estimate) while it runs, and for its true length when it ends.
func TestTrueLength(t *testing.T) {
	s := newStory(t, apart)
	s.submit(10, 1, 1, 100)
	s.want(10, "1.1 10..110\n")
	s.start(20, 1)
	s.want(119, "1.1 10..110\n") // C~ is when it was completed
	s.want(121, "1.1 10..180\n") // at 120 it outlived its 100 s and counts for 160: 60 more from 120 on
	s.want(180, "1.1 10..180\n")
	s.want(181, "1.1 10..240\n")
	s.submit(190, 2, 1, 10)
	s.want(190, "1.1 10..240\n1.2 240..250\n")
	s.end(200, 1) // ran for 180 instead of 220: 40 less
	s.want(200, "1.2 200..210\n")
}

// TestShorter: service beyond the true length goes to the same user's next
// campaign as far as that had arrived, and is lost without one.
func TestShorter(t *testing.T) {
	s := newStory(t, apart)
	s.submit(10, 1, 1, 100)
	s.start(10, 1)
	s.submit(20, 2, 1, 30)
	s.want(20, "1.1 10..110\n1.2 110..140\n")
	s.end(40, 1) // ran for 30; it had been served 30 as well
	s.want(40, "1.2 40..70\n")

	s = newStory(t, apart)
	s.submit(10, 1, 1, 100)
	s.start(15, 1)
	s.submit(30, 2, 1, 30)
	s.end(40, 1) // ran for 25 and was served 30; the last 5 s go to the next
	s.want(40, "1.2 40..65\n")

	s = newStory(t, apart)
	s.submit(10, 1, 1, 100)
	s.submit(11, 2, 2, 50)
	s.start(12, 1)
	s.end(20, 1) // ran for 8; served 1 + 9/2
	s.want(20, "1.1 10..25\n2.1 11..111\n")
	s = newStory(t, apart)
	s.submit(10, 1, 1, 100)
	s.start(38, 1)
	s.end(40, 1) // served 30, needed 2: lost
	s.submit(50, 2, 1, 30)
	s.want(50, "1.2 50..80\n")
}

// TestStartOfCompleted: that a job starts changes nothing about its work, even
// if its campaign is completed virtually.
func TestStartOfCompleted(t *testing.T) {
	s := newStory(t, apart)
	s.submit(10, 1, 1, 100)
	s.submit(10, 2, 2, 400)
	s.want(300, "1.1 10..210\n2.1 10..510\n")
	s.start(300, 1)
	s.want(300, "1.1 10..210\n2.1 10..510\n")
	if s.Active() != 1 {
		t.Errorf("%d active users, want 1", s.Active())
	}
}

// TestCancel: a pending job that is cancelled counts for nothing.
func TestCancel(t *testing.T) {
	s := newStory(t, apart)
	s.submit(10, 1, 1, 100)
	s.submit(10, 2, 1, 50)
	s.want(10, "1.1 10..160\n")
	s.end(30, 1)
	s.want(30, "1.1 10..60\n")
	s.end(70, 2)
	s.want(70, "")
}

// TestReshapes: a change of size or limit changes the work at once.
func TestReshapes(t *testing.T) {
	s := newStory(t, apart)
	s.submit(10, 1, 1, 100)
	j := s.jobs[1]
	j.Procs = 2
	s.tell(20, Change, j)
	s.want(20, "1.1 10..210\n")
	j.Estimate = 50
	s.tell(30, Change, j)
	s.want(30, "1.1 10..110\n")
	s.start(40, 1)
	j = s.jobs[1]
	j.Procs, j.Estimate = 3, 60 // resized while it runs
	s.tell(50, Change, j)
	s.want(50, "1.1 10..190\n")
	if s.Busy() != 3 {
		t.Errorf("%d processors busy, want 3", s.Busy())
	}
}

// TestSuspend: a suspended job keeps its campaign and holds no processors; the
// time does not count for it.
func TestSuspend(t *testing.T) {
	o := apart
	o.Machine = Parallel
	s := newStory(t, o)
	s.submit(10, 1, 1, 100)
	s.start(10, 1)
	s.want(20, "1.1 10..110\n")
	s.tell(20, Suspend, s.jobs[1])
	s.want(50, "1.1 10..140\n") // nothing runs, so the virtual schedule stands still
	if s.Busy() != 0 {
		t.Errorf("%d processors busy, want 0", s.Busy())
	}
	s.tell(50, Resume, s.jobs[1])
	if s.Busy() != 1 {
		t.Errorf("%d processors busy, want 1", s.Busy())
	}
	s.want(139, "1.1 10..140\n")
	j := s.jobs[1]
	j.End, j.Suspended = 140, 30
	s.tell(140, End, j)
	s.want(140, "")
}

// TestRequeue: a requeued job stays in its campaign and counts for its
// estimate again.
func TestRequeue(t *testing.T) {
	s := newStory(t, apart)
	s.submit(10, 1, 1, 100)
	s.start(20, 1)
	s.submit(30, 2, 1, 7)
	j := s.jobs[1]
	j.Start = 0
	s.tell(200, Requeue, j)
	// 2 was served in 110..117. The job outlived its 100 s at 120 and then its
	// 160 s at 180; since 120 its campaign was served 80 more than it needs now.
	s.want(200, "1.1 10..200\n1.2 110..117\n")
	if _, n, _ := s.CampaignOf(1); n != 1 || s.Busy() != 0 {
		t.Errorf("campaign %d, %d processors busy", n, s.Busy())
	}
	if got := ids(s.Order()); len(got) != 2 {
		t.Errorf("pending %v", got)
	}
}

// TestRequeuedAsTold: a requeued job is what its requeue says, as after a limit that was
// changed together with it.
func TestRequeuedAsTold(t *testing.T) {
	s := newStory(t, apart)
	s.submit(10, 1, 1, 100)
	s.start(20, 1)
	j := s.jobs[1]
	j.Start, j.Estimate, j.Procs = 0, 500, 2
	s.tell(30, Requeue, j)
	if w, _ := s.WorkOf(1); w != 1000 {
		t.Errorf("counts for %v, want 1000", w)
	}
	s.start(35, 1)
	j.Estimate = 0
	if err := s.Step(Event{At: 40, Kind: Requeue, Job: j}); !errors.Is(err, ErrBadEvent) {
		t.Errorf("requeued without a limit: %v", err)
	}
}

// TestArray: the tasks of an array and the components of a heterogeneous job
// stay in one campaign, whatever the rule says.
func TestArray(t *testing.T) {
	s := newStory(t, apart)
	s.tell(10, Submit, Job{ID: 5, Group: 5, User: 1, Procs: 1, Tasks: 10, Estimate: 10, Submit: 10})
	s.submit(20, 6, 1, 1)
	s.tell(30, Submit, Job{ID: 7, Group: 5, User: 1, Procs: 1, Estimate: 10, Submit: 10})
	s.tell(30, Change, Job{ID: 5, Group: 5, User: 1, Procs: 1, Tasks: 9, Estimate: 10, Submit: 10})
	for id, want := range map[JobID]int{5: 1, 6: 2, 7: 1} {
		if _, n, _ := s.CampaignOf(id); n != want {
			t.Errorf("job %d is in campaign %d, want %d", id, n, want)
		}
	}
	s.want(30, "1.1 10..110\n1.2 110..111\n")
}

// TestSplitTask: a task that leaves the record of its array takes its work
// along, though the campaign was completed virtually long ago.
func TestSplitTask(t *testing.T) {
	s := newStory(t, apart)
	s.tell(10, Submit, Job{ID: 5, Group: 5, User: 1, Procs: 1, Tasks: 10, Estimate: 10, Submit: 10})
	s.want(500, "1.1 10..110\n")
	if !s.split(Job{ID: 7, Group: 5, User: 1, Procs: 1, Estimate: 10, Submit: 10}) {
		t.Fatal("no such array")
	}
	s.want(500, "1.1 10..110\n")
	s.tell(500, Change, Job{ID: 5, Group: 5, User: 1, Procs: 1, Tasks: 9, Estimate: 10, Submit: 10})
	s.want(500, "1.1 10..110\n")
	if w := s.Campaigns()[0].Work; w != 100 {
		t.Errorf("work %v, want 100", w)
	}
	if s.split(Job{ID: 8, Group: 4, User: 1, Procs: 1, Estimate: 10, Submit: 10}) {
		t.Error("split from an array that is not there")
	}
	s.tell(500, Change, Job{ID: 5, Group: 5, User: 1, Procs: 1, Tasks: 2, Estimate: 10, Submit: 10})
	for i, want := range []bool{true, false} { // the last task keeps the record
		if got := s.split(Job{ID: 8 + JobID(i), Group: 5, User: 1, Procs: 1, Estimate: 10, Submit: 10}); got != want {
			t.Errorf("task %d of two is split off: %t", i+1, got)
		}
	}
}

// TestReshare: shares change at once, and what was served stays served.
func TestReshare(t *testing.T) {
	s := newStory(t, apart)
	s.submit(10, 1, 1, 100)
	s.submit(10, 2, 2, 100)
	s.want(50, "1.1 10..210\n2.1 10..210\n") // 20 each
	mustStep(t, s.Schedule, Event{At: 50, Kind: Reshare, Shares: &Shares{
		Accounts: []Account{{Name: "a", Weight: 3}},
		Users:    []UserShare{{User: 1, Account: "a", Weight: 7}},
	}})
	s.want(50, "1.1 10..156.667\n2.1 10..370\n") // 3/4 and 1/4
	s.want(90, "1.1 10..156.667\n2.1 10..370\n")
	s.submit(90, 3, 3, 10) // 3/5, 1/5, 1/5
	s.want(90, "1.1 10..173.333\n2.1 10..440\n3.1 90..140\n")
}

// TestSiblingRests: where a user falls idle, what his account receives goes to the
// others below it, and the order changes in the moment for which it was asked before.
func TestSiblingRests(t *testing.T) {
	s := newStory(t, apart)
	mustStep(t, s.Schedule, Event{At: 10, Kind: Reshare, Shares: &Shares{
		Accounts: []Account{{Name: "a", Weight: 1}},
		Users:    []UserShare{{User: 2, Account: "a", Weight: 1}, {User: 3, Account: "a", Weight: 1}},
	}})
	s.submit(10, 1, 1, 100)
	s.submit(10, 2, 2, 80)
	s.submit(10, 3, 3, 100)
	s.start(45, 3)
	s.submit(50, 4, 1, 1)
	if got := s.Order()[0].Job; got != 1 {
		t.Errorf("with both active: job %d goes first, want 1", got)
	}
	s.end(50, 3)
	if got := s.Order()[0].Job; got != 2 {
		t.Errorf("with user 2 alone: job %d goes first, want 2", got)
	}
}

// TestReshareOfCompleted: a campaign that is completed and has left the line
// is completed after a change of shares as well. Its tag on the old clock,
// taken for one on the new, once sent what joined it to the end of time.
func TestReshareOfCompleted(t *testing.T) {
	for _, late := range []Late{Reopen, Grow, Append} {
		s := newStory(t, Options{Procs: 1, Late: late, Rule: campaign.Rule{By: campaign.Window, Threshold: 1000}})
		s.submit(10, 1, 1, 100)
		s.start(10, 1)
		s.end(110, 1)
		s.submit(150, 2, 2, 100)
		mustStep(t, s.Schedule, Event{At: 200, Kind: Reshare, Shares: &Shares{Accounts: []Account{{Name: "a", Weight: 3}}}})
		s.submit(210, 3, 1, 10)
		if got, want := times(s.Schedule, 0), "1.1 10..230\n2.1 150..290\n"; got != want {
			t.Errorf("%v: %s, want %s", late, got, want)
		}
	}
}

// TestHandOver: a job that changes hands goes on as it is, for somebody else.
func TestHandOver(t *testing.T) {
	s := newStory(t, apart)
	s.submit(10, 1, 1, 100)
	s.submit(10, 2, 1, 100)
	s.submit(10, 3, 1, 100)
	s.start(20, 1)
	s.start(20, 2)
	s.tell(30, Suspend, s.jobs[2])
	for id := range JobID(3) {
		j := s.jobs[id+1]
		j.User = 2
		s.tell(40, Change, j)
	}
	users := s.Users()
	if users[0].Held != 0 || users[1].Held != 1 || s.Busy() != 1 || users[1].Pending != 100 {
		t.Errorf("%+v, busy %d", users, s.Busy())
	}
	s.want(119, "2.1 40..340\n")
	if d, _ := s.Expected(1); d != 100 {
		t.Errorf("job 1 counts for %d s", d)
	}
	mustAdvance(t, s.Schedule, 121) // started at 20
	if d, _ := s.Expected(1); d != 160 {
		t.Errorf("job 1 counts for %d s after 101 s", d)
	}
}

// TestLate: what a job does that joins a campaign in service, and one that is
// completed virtually.
func TestLate(t *testing.T) {
	for _, tt := range []struct {
		late               Late
		serving, completed string
		order              []JobID
	}{
		{Reopen, "1.1 10..130\n", "1.1 10..310\n", []JobID{2, 1, 3, 9}},
		{Grow, "1.1 10..130\n", "1.1 10..310\n", []JobID{3, 2, 1, 9}},
		{Append, "1.1 10..130\n", "1.1 10..310\n", []JobID{1, 2, 3, 9}},
	} {
		s := newStory(t, Options{Procs: 1, Late: tt.late, Rule: campaign.Rule{By: campaign.Max}})
		s.submit(10, 1, 1, 50)
		s.submit(20, 2, 1, 70)
		s.want(20, tt.serving)
		s.submit(200, 3, 1, 110)
		s.want(200, tt.completed)
		s.submit(200, 9, 2, 500)
		got := ids(s.Order())
		for i := range tt.order {
			if got[i] != tt.order[i] {
				t.Errorf("%v: order %v, want %v", tt.late, got, tt.order)
				break
			}
		}
	}
}

// TestOverrun: a job that runs far beyond its estimate counts for what it has
// run, and little more, in few steps.
func TestOverrun(t *testing.T) {
	s := newStory(t, apart)
	s.submit(10, 1, 1, 60)
	s.start(10, 1)
	const year = 365 * 86400
	before := s.Version()
	mustAdvance(t, s.Schedule, 10+year)
	if length, _ := s.Expected(1); length < year || length > year+year/15 {
		t.Errorf("counts for %d s after %d", length, year)
	}
	if steps := s.Version() - before; steps > 1000 {
		t.Errorf("%d changes of the order in a year", steps)
	}
}

// TestOutlivesPrediction: a job that runs for longer than predicted is expected to
// run for as long again, but for no longer than its limit until that has passed.
func TestOutlivesPrediction(t *testing.T) {
	s := mustNew(t, Options{Procs: 4, Predictor: lengths.ByLast})
	run := func(id JobID, start, end Time) Job {
		j := Job{ID: id, User: 1, Procs: 1, Estimate: 1000, Submit: start}
		mustStep(t, s, Event{At: start, Kind: Submit, Job: j})
		j.Start = start
		mustStep(t, s, Event{At: start, Kind: Start, Job: j})
		if j.End = end; end != 0 {
			mustStep(t, s, Event{At: end, Kind: End, Job: j})
		}
		return j
	}
	run(1, 1, 201) // so 200 s are predicted
	j := run(2, 1000, 0)
	for _, tt := range []struct {
		at   Time
		want Duration
	}{{1000, 200}, {1200, 200}, {1201, 400}, {1401, 800}, {1801, 1000}, {2001, 1060}} {
		mustAdvance(t, s, tt.at)
		if got, _ := s.Expected(j.ID); got != tt.want {
			t.Errorf("after %d s: expected to run for %d s, want %d", tt.at-1000, got, tt.want)
		}
	}
}
