package ostrich

import (
	"testing"

	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/lengths"
)

// ended tells of a job that ran and ended as its Outcome says, from its submission on.
func ended(t failer, s *Schedule, j Job, ran Duration) {
	t.Helper()
	j.Submit = s.now + 1
	mustStep(t, s, Event{At: j.Submit, Kind: Submit, Job: j})
	j.Start = j.Submit + 1
	mustStep(t, s, Event{At: j.Start, Kind: Start, Job: j})
	j.End = j.Start + Time(ran)
	mustStep(t, s, Event{At: j.End, Kind: End, Job: j})
}

// TestAlikeShared: what one copy of a schedule learns no other one knows.
func TestAlikeShared(t *testing.T) {
	for _, outcome := range []lengths.Outcome{lengths.Done, lengths.Stopped} {
		s := mustNew(t, Options{Procs: 4, Predictor: lengths.Alike})
		job := func(id JobID) Job {
			return Job{ID: id, User: 1, Procs: 1, Estimate: 1000, Class: 3, Outcome: outcome}
		}
		ended(t, s, job(1), 100)
		first, second := s.Clone(), s.Clone()
		ended(t, first, job(2), 300)
		ended(t, first, job(3), 300)
		ended(t, s, job(2), 20)
		ended(t, s, job(3), 20)
		for _, one := range []struct {
			what string
			s    *Schedule
			want Duration
		}{{"the original", s, 20}, {"the copy that learned", first, 300}, {"the copy that did not", second, 100}} {
			j := job(9)
			j.Submit = one.s.now + 1
			mustStep(t, one.s, Event{At: j.Submit, Kind: Submit, Job: j})
			if got, _ := one.s.Expected(9); got != one.want {
				t.Errorf("%s expects %d, want %d", one.what, got, one.want)
			}
		}
	}
}

// TestSeriesShared: a copy of a schedule learns by itself.
func TestSeriesShared(t *testing.T) {
	for _, p := range []lengths.Predictor{lengths.ByAdaptive, lengths.ByRegression, lengths.ByMeanTen, lengths.ByMean} {
		s := mustNew(t, Options{Procs: 4, Predictor: p})
		job := func(id JobID) Job { return Job{ID: id, User: 1, Procs: 1, Estimate: 1000} }
		ended(t, s, job(1), 100)
		other := s.Clone()
		for id := JobID(2); id < 9; id++ {
			ended(t, other, job(id), 300)
		}
		for one, want := range map[*Schedule][2]Duration{s: {100, 100}, other: {200, 300}} {
			j := job(9)
			j.Submit = one.now + 1
			mustStep(t, one, Event{At: j.Submit, Kind: Submit, Job: j})
			if got, _ := one.Expected(9); got < want[0] || got > want[1] {
				t.Errorf("%v: expects %d, want %d to %d", p, got, want[0], want[1])
			}
		}
	}
}

// waitingCampaign is a campaign of n pending jobs of a user of whom nothing is known.
func waitingCampaign(t failer, n int) (*Schedule, func(i int, ran Duration)) {
	s := mustNew(t, Options{Procs: 4, Predictor: lengths.Alike, Rule: campaign.Rule{By: campaign.Window, Threshold: 1800}})
	job := func(i int) Job {
		return Job{ID: JobID(i), User: 1, Procs: 1, Estimate: 6000, Submit: 1, Class: 3}
	}
	for i := range n {
		mustStep(t, s, Event{At: 1, Kind: Submit, Job: job(i + 1)})
	}
	return s, func(i int, ran Duration) {
		j := job(i)
		j.Start = s.now + 1
		mustStep(t, s, Event{At: j.Start, Kind: Start, Job: j})
		j.End = j.Start + Time(ran)
		mustStep(t, s, Event{At: j.End, Kind: End, Job: j})
	}
}

// TestWaitingJobsAreLearned: the lengths of a campaign's waiting jobs are predicted
// again when 1, 2, 4 and 8 of them have ended, and at no other.
func TestWaitingJobsAreLearned(t *testing.T) {
	s, run := waitingCampaign(t, 20)
	// A job longer than all before moves what is expected each time, but for the rounding.
	for i := 1; i <= 9; i++ {
		run(i, Duration(100*i))
		want := map[int]Duration{1: 100, 2: 200, 3: 200, 4: 300, 5: 300, 6: 300, 7: 300, 8: 600, 9: 600}[i]
		for id := JobID(i + 1); id <= 20; id++ {
			if got, _ := s.Expected(id); got != want {
				t.Fatalf("after %d jobs %d is expected to run %d, want %d", i, id, got, want)
			}
		}
	}
	if got, _ := s.WorkOf(20); got != 600 {
		t.Errorf("job 20 counts for %v", got)
	}
}

// TestLearnedAtOnce: of two waiting jobs one turns out shorter and the other longer. What
// is left to be served does not depend on which comes first, as whoever asks for the order
// sorts them: what the one was served too much counts for the other.
func TestLearnedAtOnce(t *testing.T) {
	for _, asked := range []bool{false, true} {
		s := mustNew(t, Options{Procs: 4, Predictor: lengths.Alike, Rule: campaign.Rule{By: campaign.Window, Threshold: 1 << 30}})
		job := func(id JobID, class uint64) Job {
			return Job{ID: id, User: 1, Procs: 1, Estimate: 10_000, Class: class}
		}
		for i, one := range []struct {
			class uint64
			ran   Duration
		}{{1, 100}, {1, 100}, {1, 5000}, {2, 10}, {2, 1000}, {3, 50}} {
			ended(t, s, job(JobID(i+1), one.class), one.ran)
		}
		for class := range uint64(2) { // they are expected to run for 100 s and 1000 s
			j := job(JobID(11+class), 1+class)
			j.Submit = s.now
			mustStep(t, s, Event{At: s.now, Kind: Submit, Job: j})
		}
		ended(t, s, job(7, 2), 10)
		if asked {
			s.Order()
		}
		ended(t, s, job(8, 1), 5000) // the eighth teaches: 5000 s and 10 s
		if got, _ := owed(s); got != 5010-1100 {
			t.Errorf("asked %v: %v is left to be served, want %v", asked, got, 5010-1100)
		}
	}
}

// TestLearnWhileStagesLeave: what a campaign's jobs teach may complete its first stage,
// whose work has ended and is served to rounding: of a user with next to no share that
// is for a second. The stage then leaves the campaign while that learns.
func TestLearnWhileStagesLeave(t *testing.T) {
	s := mustNew(t, Options{Procs: 1, Predictor: lengths.Alike, Late: Append, Rule: campaign.Rule{By: campaign.Window, Threshold: 1 << 30}})
	mustStep(t, s, Event{At: 0, Kind: Reshare, Shares: &Shares{Users: []UserShare{{User: 1}, {User: 2, Weight: 1}}}})
	mustStep(t, s, Event{At: 1, Kind: Submit, Job: Job{ID: 1, User: 2, Procs: 1, Estimate: 1 << 40, Submit: 1}})
	job := func(id JobID, at Time, limit Duration) Job {
		j := Job{ID: id, User: 1, Procs: 1, Estimate: limit, Submit: at}
		mustStep(t, s, Event{At: at, Kind: Submit, Job: j})
		return j
	}
	run := func(j Job, start, end Time) {
		j.Start = start
		mustStep(t, s, Event{At: start, Kind: Start, Job: j})
		j.End = end
		mustStep(t, s, Event{At: end, Kind: End, Job: j})
	}
	run(job(2, 1, 1), 2, 3) // served after 1 000 001 s
	last := job(3, 4, 1000)
	for id := JobID(4); id < 9; id++ {
		job(id, Time(id)+1, 1000)
	}
	run(last, 999_001, 1_000_001)
	for id := JobID(4); id < 9; id++ {
		if got, _ := s.Expected(id); got != 1000 {
			t.Errorf("job %d is expected to run for %d s, want 1000", id, got)
		}
	}
}

// TestCancelledTeachNothing: jobs that never ran do not put off what the first
// that runs teaches.
func TestCancelledTeachNothing(t *testing.T) {
	s, run := waitingCampaign(t, 5)
	mustStep(t, s, Event{At: 2, Kind: End, Job: Job{ID: 5, User: 1, Submit: 1, End: 2}})
	if got, _ := s.Expected(4); got != 6000 {
		t.Errorf("after a cancelled job: %d", got)
	}
	run(1, 100)
	if got, _ := s.Expected(4); got != 100 {
		t.Errorf("after the first that ran: %d, want 100", got)
	}
}

// TestAskedFor: Slurm may allocate more processors than a job asks for, as whole
// cores. What is learned is known by what was asked for in the end.
func TestAskedFor(t *testing.T) {
	s := mustNew(t, Options{Procs: 8, Predictor: lengths.Alike})
	run := func(id JobID, asked, changed int, ran Time) Duration {
		at := s.now + 1
		j := Job{ID: id, User: 1, Procs: asked, Estimate: 6000, Submit: at}
		mustStep(t, s, Event{At: at, Kind: Submit, Job: j})
		if changed != asked {
			j.Procs = changed
			mustStep(t, s, Event{At: at, Kind: Change, Job: j})
		}
		expected, _ := s.Expected(id)
		j.Start, j.Procs = at+1, 2*changed
		mustStep(t, s, Event{At: j.Start, Kind: Start, Job: j})
		j.End = j.Start + ran
		mustStep(t, s, Event{At: j.End, Kind: End, Job: j})
		return expected
	}
	for i, tt := range []struct {
		asked, changed int
		ran            Time
		want           Duration
	}{
		{1, 1, 100, 6000}, {2, 2, 700, 100}, {4, 4, 700, 324}, {1, 1, 100, 100}, {2, 2, 700, 700}, {3, 1, 100, 100}, {1, 1, 100, 100},
	} {
		if got := run(JobID(i+1), tt.asked, tt.changed, tt.ran); got != tt.want {
			t.Errorf("job %d is expected to run %d, want %d", i+1, got, tt.want)
		}
	}
}

// TestStillAskedFor: what a job asked for tells its length also when it becomes another
// one once it has been allocated more, and counts again when it waits again. Here jobs that
// ask for one processor run for 100 s, those that ask for two for 500 s, and each gets two.
func TestStillAskedFor(t *testing.T) {
	for _, tt := range []struct {
		what      string
		submitted func(j *Job) // what it is at first
		kind      Kind         // what happens after its start, if anything
		then      func(j *Job)
	}{
		{"its limit is set at its start", func(j *Job) { j.Estimate = 6000 }, Start, nil},
		{"its name is set at its start", func(j *Job) { j.Class = 4 }, Start, nil},
		{"its limit changes while it runs", func(j *Job) { j.Estimate = 6000 }, Change, func(j *Job) { j.Estimate = 600 }},
		{"it is declared to belong elsewhere", func(*Job) {}, Change, func(j *Job) { j.Campaign = "a" }},
		{"it is requeued", func(*Job) {}, Requeue, func(j *Job) { j.Start, j.Procs = 0, 1 }},
	} {
		s := mustNew(t, Options{Procs: 8, Predictor: lengths.Alike})
		ended(t, s, Job{ID: 1, User: 1, Procs: 1, Estimate: 600, Class: 3}, 100)
		ended(t, s, Job{ID: 2, User: 1, Procs: 1, Estimate: 600, Class: 4}, 300)
		ended(t, s, Job{ID: 3, User: 1, Procs: 2, Estimate: 600, Class: 3}, 500)
		j := Job{ID: 10, User: 1, Procs: 1, Estimate: 600, Class: 3, Submit: s.now + 1}
		first := j
		tt.submitted(&first)
		mustStep(t, s, Event{At: j.Submit, Kind: Submit, Job: first})
		j.Start, j.Procs = j.Submit+1, 2
		if tt.kind == Change {
			j.Estimate = first.Estimate
		}
		mustStep(t, s, Event{At: j.Start, Kind: Start, Job: j})
		if tt.then != nil {
			tt.then(&j)
			mustStep(t, s, Event{At: s.now + 1, Kind: tt.kind, Job: j})
		}
		if got, _ := s.Expected(10); got != 100 {
			t.Errorf("%s: expected to run for %d s, want 100", tt.what, got)
		}
		if got, _ := s.WorkOf(10); got != 100*Work(j.Procs) {
			t.Errorf("%s: counts for %v, want %v", tt.what, got, 100*j.Procs)
		}
	}
}

// TestLearnedAsEnded: what a job is in the end tells what its length is that of, also
// where its end is the first that is heard of it.
func TestLearnedAsEnded(t *testing.T) {
	s := mustNew(t, Options{Procs: 8, Predictor: lengths.Alike})
	j := Job{ID: 1, User: 1, Procs: 1, Estimate: 600, Class: 3, Hint: 50, Submit: 1}
	mustStep(t, s, Event{At: 1, Kind: Submit, Job: j})
	j.Start = 2
	mustStep(t, s, Event{At: 2, Kind: Start, Job: j})
	j.End, j.Estimate, j.Class, j.Hint = 102, 1200, 4, 0
	mustStep(t, s, Event{At: 102, Kind: End, Job: j})
	ended(t, s, Job{ID: 2, User: 1, Procs: 1, Estimate: 600, Class: 3}, 500)
	for i, tt := range []struct {
		job  Job
		want Duration
	}{
		{Job{Estimate: 1200, Class: 4}, 100},
		{Job{Estimate: 600, Class: 3}, 500},
		{Job{Estimate: 600, Hint: 70}, 140}, // the first was said to take half as long as it did
	} {
		tt.job.ID, tt.job.User, tt.job.Procs, tt.job.Submit = JobID(10+i), 1, 1, s.now
		mustStep(t, s, Event{At: s.now, Kind: Submit, Job: tt.job})
		if got, _ := s.Expected(tt.job.ID); got != tt.want {
			t.Errorf("%+v: %d, want %d", tt.job, got, tt.want)
		}
	}
}

// TestArrayIsLearned: an array of 400 is one record until its tasks start, and the
// rest of it learns from the first ten.
func TestArrayIsLearned(t *testing.T) {
	s := mustNew(t, Options{Procs: 10, Predictor: lengths.Alike, Rule: campaign.Rule{By: campaign.Window, Threshold: 1800}})
	record := Job{ID: 1, User: 1, Group: 1, Procs: 1, Estimate: 6000, Submit: 1, Tasks: 400, Class: 3}
	mustStep(t, s, Event{At: 1, Kind: Submit, Job: record})
	var started []Job
	for i := range 10 {
		j := record
		j.ID, j.Tasks, j.Start = JobID(i+2), 1, 2
		if !s.split(j) {
			t.Fatalf("task %d is not split off", i)
		}
		mustStep(t, s, Event{At: 2, Kind: Start, Job: j})
		started = append(started, j)
	}
	if got, _ := s.WorkOf(1); got != 390*6000 {
		t.Fatalf("the rest counts for %v", got)
	}
	for i, j := range started {
		j.End = Time(100 + 20*i)
		mustStep(t, s, Event{At: j.End, Kind: End, Job: j})
		// After four 138 is expected, which is too near to count.
		if got, _ := s.WorkOf(1); i < 7 && got != 390*98 {
			t.Errorf("after %d tasks the rest counts for %v", i+1, got)
		}
	}
	// Of 98, 118, ... 238, the lengths of the first eight, the sixth.
	if got, _ := s.WorkOf(1); got != 390*198 {
		t.Errorf("after ten tasks the rest counts for %v, want %v", got, 390*198)
	}
	if got, _ := owed(s); got > 400*278 {
		t.Errorf("the user is owed %v", got)
	}
}

// TestNewcomersAreTaught: what is expected of the waiting jobs of a user none of
// whose jobs have ended follows those of the others, at each doubling of these.
func TestNewcomersAreTaught(t *testing.T) {
	s := mustNew(t, Options{Procs: 1, Predictor: lengths.Alike})
	mustStep(t, s, Event{Kind: Submit, Job: Job{ID: 100, User: 2, Procs: 1, Estimate: 6000}})
	run := func(id JobID, ran Time) {
		t.Helper()
		j := Job{ID: id, User: 1, Procs: 1, Estimate: 600, Submit: s.now + 1}
		mustStep(t, s, Event{At: j.Submit, Kind: Submit, Job: j})
		j.Start = j.Submit + 1
		mustStep(t, s, Event{At: j.Start, Kind: Start, Job: j})
		j.End = j.Start + ran
		mustStep(t, s, Event{At: j.End, Kind: End, Job: j})
	}
	expect := func(what string, want Duration) {
		t.Helper()
		if got, _ := s.Expected(100); got != want {
			t.Errorf("%s: %d, want %d", what, got, want)
		}
	}
	expect("nothing is known", 6000)
	run(1, 60)
	expect("a tenth of one job, too little to change it", 6000)
	run(2, 240)
	expect("a tenth and four", 3788) // 6000·(0.1·0.4)^(1/7)
	for id := JobID(3); id < 8; id++ {
		run(id, 60)
	}
	expect("four of them, and not at each", 2515) // 6000·(0.1^3·0.4)^(1/9)
	run(8, 60)
	expect("eight of them", 1618) // 6000·(0.1^7·0.4)^(1/13)
}
