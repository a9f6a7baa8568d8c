package ostrich

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestExpected: two thirds of the latest nine lengths are no longer, and it is the
// shortest such one.
func TestExpected(t *testing.T) {
	for _, tt := range []struct {
		ran  []Duration
		want Duration
	}{
		{[]Duration{7}, 7},
		{[]Duration{9, 3}, 9},
		{[]Duration{9, 3, 5}, 5},
		{[]Duration{9, 3, 5, 4}, 5},
		{[]Duration{1, 2, 3, 4, 5, 6, 7, 8, 9}, 6},
		{[]Duration{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 8}, // 1 and 2 are forgotten
	} {
		var r recent
		for _, d := range tt.ran {
			r.add(d)
		}
		if got := r.expected(); got != tt.want {
			t.Errorf("expected after %v: %d, want %d", tt.ran, got, tt.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		ran := rapid.SliceOfN(rapid.Int64Range(0, 20), 1, 30).Draw(t, "ran")
		var r recent
		for _, d := range ran {
			r.add(Duration(d))
		}
		last := slices.Sorted(slices.Values(ran[max(0, len(ran)-9):]))
		if got, want := r.expected(), twoThirds(last); int64(got) != want {
			t.Fatalf("expected after %v: %d, want %d", ran, got, want)
		}
	})
}

// twoThirds is the first of sorted values that at least two thirds of them do not exceed.
func twoThirds[T cmp.Ordered](sorted []T) T {
	for i, v := range sorted {
		if 3*(i+1) >= 2*len(sorted) {
			return v
		}
	}
	panic("no values")
}

// TestAlikeFallsBack: class, then width and limit, then between the last two and how
// much of their limits the user's jobs used, then how much all users' did, then the limit.
func TestAlikeFallsBack(t *testing.T) {
	var l lengths
	var all spent
	ended := func(procs int, limit Duration, class uint64, ran ...Duration) {
		for _, d := range ran {
			Alike.learn(&l, &all, &Job{Procs: procs, Estimate: limit, Class: class}, d)
		}
	}
	expect := func(what string, procs int, limit Duration, class uint64, want Duration) {
		t.Helper()
		if got := Alike.predict(&l, &all, &Job{Procs: procs, Estimate: limit, Class: class}); got != want {
			t.Errorf("%s: %d, want %d", what, got, want)
		}
	}
	expect("nothing is known", 1, 600, 7, 600)
	ended(1, 600, 7, 100, 101, 102)
	ended(1, 600, 8, 20, 21)
	ended(2, 600, 7, 300)
	expect("its class", 1, 600, 7, 101)
	expect("its class, of two", 1, 600, 8, 21)
	expect("its class, of another width", 2, 600, 7, 300)
	expect("another class: its width and limit", 1, 600, 9, 101)
	expect("no class: its width and limit", 1, 600, 0, 101)
	// (100·101·102·20·21·300)^(1/6) / 600 = 0.1186, and the mean of the last two is 160.
	expect("another limit", 1, 500, 7, 97)
	expect("another width", 3, 600, 7, 106)
	expect("no longer than its limit", 3, 50, 7, 28)
	expect("no longer than its limit", 3, 2, 7, 2)
	ended(4, 60, 7, 0, 0, 0)
	expect("at least a second", 4, 60, 7, 1)

	l, all = lengths{}, spent{}
	ended(1, 600, 7, 150, 600, 2000)
	user := l
	l = lengths{}
	// (150·600·600)^(1/3) / 600 = 0.63, of three jobs beside five at their limits: a
	// length beyond the limit counts as the limit.
	expect("another user's fraction", 1, 600, 7, 504)
	ended(1, 100, 8, 25)
	expect("between the own fraction, 150, and the own last", 1, 600, 7, 61)
	l = user
	expect("who has it does not go by others", 2, 6000, 7, 2216) // 3779 and 1300
	for range 2 * latestSpent {
		ended(1, 100, 9, 25)
	}
	expect("old ones fade", 2, 600, 7, 62) // 156 and 25

	l, all = lengths{}, spent{}
	ended(1, 600, 0, 100, 200, 300)
	expect("without classes each length counts once", 1, 600, 0, 200)
}

// TestHints: a hint is taken at its word first, and then times how much longer the
// user's latest hinted jobs ran than said, never less.
func TestHints(t *testing.T) {
	for _, p := range []Predictor{ByLimit, ByLast, ByLastTwo, BySmoothing, Alike, ByAdaptive, ByRegression, ByMeanTen, ByMean} {
		var l lengths
		var all spent
		step := func(what string, hint, ran, want Duration) {
			t.Helper()
			j := &Job{Procs: 1, Estimate: 1000, Hint: hint}
			if got := p.predict(&l, &all, j); got != want {
				t.Errorf("%v, %s: %d, want %d", p, what, got, want)
			}
			p.learn(&l, &all, j, ran)
		}
		step("the first is believed", 100, 150, 100)
		step("half as long again", 100, 200, 150)
		step("the greater of two", 100, 300, 200)
		step("the second of three", 10, 20, 20)
		step("capped by the limit", 900, 100, 1000)
		for range recentLengths {
			step("", 50, 10, Alike.predict(&l, &all, &Job{Procs: 1, Estimate: 1000, Hint: 50}))
		}
		step("who says too long is believed", 50, 10, 50)
	}
}

// TestClassesForgotten: 64 classes of a user are remembered, those that had a length last.
func TestClassesForgotten(t *testing.T) {
	a := new(alike)
	of := func(n int) class { return class{limit: Duration(n), procs: 1} }
	for n := range mostClasses {
		a.add(of(n), Duration(n))
	}
	a.add(of(0), 5) // in front again
	a.add(of(100), 100)
	if len(a.classes) != mostClasses || len(a.recent) != mostClasses {
		t.Fatalf("%d classes with %d lengths, want %d", len(a.classes), len(a.recent), mostClasses)
	}
	for n, want := range map[int]int{0: 2, 1: 0, 2: 1, mostClasses - 1: 1, 100: 1} {
		r, got := a.of(of(n)), 0
		if r != nil {
			got = r.count
		}
		if got != want {
			t.Errorf("class %d: %d lengths, want %d", n, got, want)
		}
	}
	if got := a.of(of(0)).expected(); got != 5 {
		t.Errorf("expected after 0 and 5: %d", got)
	}
	a.add(of(1), 7)
	if r := a.of(of(1)); r.count != 1 || r.expected() != 7 {
		t.Errorf("a class that was forgotten begins anew, and has %+v", r)
	}
}

// TestAlikeModel: the classes are those of a list kept in the simplest way.
func TestAlikeModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type known struct {
			class class
			ran   []Duration
		}
		var list []known
		a := new(alike)
		for range rapid.IntRange(0, 300).Draw(t, "lengths") {
			c := class{procs: rapid.IntRange(1, 80).Draw(t, "class")}
			d := Duration(rapid.IntRange(0, 9).Draw(t, "ran"))
			a.add(c, d)
			one := known{class: c}
			if i := slices.IndexFunc(list, func(k known) bool { return k.class == c }); i >= 0 {
				one = list[i]
				list = slices.Delete(list, i, i+1)
			}
			one.ran = append(one.ran, d)
			list = slices.Insert(list, 0, one)
			list = list[:min(len(list), mostClasses)]
		}
		for i, k := range list {
			last := slices.Sorted(slices.Values(k.ran[max(0, len(k.ran)-recentLengths):]))
			if a.classes[i] != k.class || a.recent[i].count != len(k.ran) || a.recent[i].expected() != twoThirds(last) {
				t.Fatalf("place %d: %+v %+v, want %+v", i, a.classes[i], a.recent[i], k)
			}
		}
		if len(a.classes) != len(list) {
			t.Fatalf("%d classes, want %d", len(a.classes), len(list))
		}
	})
}

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
	t.Run("done", func(t *testing.T) { alikeShared(t, Done, func(p *past) *alike { return p.safe.alike }) })
	t.Run("failed", func(t *testing.T) { alikeShared(t, Stopped, func(p *past) *alike { return p.every.alike }) })
}

func alikeShared(t *testing.T, outcome Outcome, of func(*past) *alike) {
	s := mustNew(t, Options{Procs: 4, Predictor: Alike})
	job := func(id JobID) Job {
		return Job{ID: id, User: 1, Procs: 1, Estimate: 1000, Class: 3, Outcome: outcome}
	}
	known := func(s *Schedule) *alike { return of(&s.users[1].past) }
	ended(t, s, job(1), 100)
	first, second := s.Clone(), s.Clone()
	if known(s) == nil || known(s) != known(first) || known(first) != known(second) {
		t.Error("a copy that has learned nothing has its own lengths")
	}
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

// waitingCampaign is a campaign of n pending jobs of a user of whom nothing is known.
func waitingCampaign(t failer, n int) (*Schedule, func(i int, ran Duration)) {
	s := mustNew(t, Options{Procs: 4, Predictor: Alike, Rule: Rule{By: Window, Threshold: 1800}})
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
		s := mustNew(t, Options{Procs: 4, Predictor: Alike, Rule: Rule{By: Window, Threshold: 1 << 30}})
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
	s := mustNew(t, Options{Procs: 1, Predictor: Alike, Late: Append, Rule: Rule{By: Window, Threshold: 1 << 30}})
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
	s := mustNew(t, Options{Procs: 8, Predictor: Alike})
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
		s := mustNew(t, Options{Procs: 8, Predictor: Alike})
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
	s := mustNew(t, Options{Procs: 8, Predictor: Alike})
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
	s := mustNew(t, Options{Procs: 10, Predictor: Alike, Rule: Rule{By: Window, Threshold: 1800}})
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
	s := mustNew(t, Options{Procs: 1, Predictor: Alike})
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
