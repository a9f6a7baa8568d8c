package journal

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/prioritytest"
)

func TestPause(t *testing.T) {
	var got []ostrich.Duration
	for times := range 9 {
		got = append(got, afterRefusal.pause(times))
	}
	if d := cmp.Diff([]ostrich.Duration{30, 30, 60, 120, 240, 480, 900, 900, 900}, got); d != "" {
		t.Error(d)
	}
	got = nil
	for times := range 6 {
		got = append(got, afterOther.pause(times))
	}
	if d := cmp.Diff([]ostrich.Duration{300, 300, 600, 1200, 2400, 3600}, got); d != "" {
		t.Error(d)
	}
	r := retry{}
	if r.next(afterRefusal, 0) != 0 {
		t.Error("nothing failed, and it waits")
	}
	r.fail(1000)
	for now, want := range map[ostrich.Time]ostrich.Time{1000: 1030, 1029: 1030, 1030: 0, 5000: 0, 100: 0, 999: 1030} {
		if got := r.next(afterRefusal, now); got != want {
			t.Errorf("at %d: %d, want %d", now, got, want)
		}
	}
}

// However often a try is in vain and however the clock goes, the next one comes
// within the longest pause.
func TestPauseEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SampledFrom([]backOff{afterRefusal, afterOther}).Draw(t, "pause")
		var r retry
		for range rapid.IntRange(1, 200).Draw(t, "times") {
			r.fail(ostrich.Time(rapid.Int64Range(0, 1<<40).Draw(t, "at")))
		}
		now := ostrich.Time(rapid.Int64Range(0, 1<<40).Draw(t, "now"))
		if at := r.next(b, now); at != 0 && (at <= now || at-now > ostrich.Time(b.longest)) {
			t.Fatalf("at %d the next try is at %d", now, at)
		}
		if at := r.next(b, r.since+ostrich.Time(b.longest)); at != 0 {
			t.Fatalf("still waiting until %d", at)
		}
	})
}

// A job that was refused is tried again after pauses that double.
func TestRefusalsAreTriedAgain(t *testing.T) {
	j := openJournal(t, filepath.Join(t.TempDir(), "journal"))
	now := ostrich.Time(1000)
	for _, pause := range []ostrich.Time{30, 60, 120} {
		if err := j.Conclude(now, priority.SiteFactor, []priority.Change{{Job: 1, To: 5, Status: priority.Refused, Words: "no"}}); err != nil {
			t.Fatal(err)
		}
		if words, again := j.Refused(priority.SiteFactor, 1, now+pause-1); words != "no" || again != now+pause {
			t.Errorf("after %d s: %q until %d, want until %d", pause-1, words, again, now+pause)
		}
		if words, _ := j.Refused(priority.SiteFactor, 1, now+pause); words != "" {
			t.Errorf("after %d s: still %q", pause, words)
		}
		now += pause
	}
	j.write(t, priority.SiteFactor, priority.Applied, priority.Change{Job: 1, To: 5})
	if err := j.Conclude(now, priority.SiteFactor, []priority.Change{{Job: 1, From: 5, To: 6, Status: priority.Refused, Words: "no"}}); err != nil {
		t.Fatal(err)
	}
	if _, again := j.Refused(priority.SiteFactor, 1, now); again != now+30 {
		t.Errorf("a change that was made does not end the row: until %d", again)
	}
}

func TestWroteBy(t *testing.T) {
	j := openJournal(t, filepath.Join(t.TempDir(), "journal"))
	for _, ch := range []priority.Channel{priority.SiteFactor, priority.Nice, priority.Priority} {
		sign := map[priority.Channel]int64{priority.SiteFactor: 1, priority.Nice: -1, priority.Priority: 1}[ch]
		j.write(t, ch, priority.Applied, priority.Change{Job: 1, Submit: 9, From: sign * 7, To: sign * 100}, priority.Change{Job: 10, Submit: 9, To: sign * 50})
		j.write(t, ch, priority.Applied, priority.Change{Job: 1, Submit: 9, From: sign * 100, To: sign * 200})
		for _, c := range []struct {
			name       string
			job, array int
			submit     ostrich.Time
			value      int64
			want       Writer
		}{
			{"ours", 1, 0, 9, 200, Known},
			{"an earlier one of ours", 1, 0, 9, 100, Known},
			{"given back", 1, 0, 9, 0, Known},
			{"the former one", 1, 0, 9, 7, Foreign},
			{"another", 1, 0, 9, 300, Overwritten},
			{"the id is used again", 1, 0, 99, 300, Foreign},
			{"never written", 2, 0, 9, 300, Foreign},
			{"never written, stock", 2, 0, 9, 0, Known},
			{"task with the array's", 11, 10, 9, 50, Known},
			{"task with another", 11, 10, 9, 51, Overwritten},
		} {
			q := priority.Queued{Job: ostrich.JobID(c.job), Array: ostrich.JobID(c.array), Submit: c.submit, SiteKnown: true}
			switch ch {
			case priority.SiteFactor:
				q.Site = c.value
			case priority.Nice:
				q.Nice = -c.value
			default:
				q.Priority, c.want = uint32(c.value), Known
			}
			if got := j.WroteBy(ch, &q); got != c.want {
				t.Errorf("%s, %s: %d, want %d", ch, c.name, got, c.want)
			}
		}
	}
}

// A value that Slurm does not show is nobody's, and a nice value above 0 the owner's.
func TestWroteByNobody(t *testing.T) {
	j := openJournal(t, filepath.Join(t.TempDir(), "journal"))
	for ch, q := range map[priority.Channel]*priority.Queued{priority.SiteFactor: {Job: 1, Site: 300}, priority.Nice: {Job: 1, Nice: 300}} {
		j.write(t, ch, priority.Applied, priority.Change{Job: 1, To: -100})
		if whose := j.WroteBy(ch, q); whose != Known {
			t.Errorf("%s: %d, want known", ch, whose)
		}
	}
}

// Another writer is noted once, the job is left alone for a while, and then
// written again; each time the other one comes back the pause doubles. A restart
// knows it too.
func TestRivals(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := openJournal(t, path)
	j.write(t, priority.SiteFactor, priority.Applied, priority.Change{Job: 1, To: 100})
	q := []priority.Queued{{Job: 1, Site: 777, SiteKnown: true}}
	note := func(now ostrich.Time, want int) {
		t.Helper()
		j.others(t, q, now, want)
	}
	until := func(now, want ostrich.Time) {
		t.Helper()
		if value, got := j.OtherWriter(priority.SiteFactor, &q[0], now); got != want || value != 777 {
			t.Errorf("at %d: %d until %d, want until %d", now, value, got, want)
		}
	}
	note(1000, 1)
	note(1001, 0)
	until(1001, 1300)
	until(1300, 0)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	j = openJournal(t, path)
	until(1001, 1300)
	note(1299, 0)

	if err := j.Intend(1300, priority.SiteFactor, []priority.Change{{Job: 1, From: 777, To: 200}}); err != nil {
		t.Fatal(err)
	}
	if err := j.Conclude(1300, priority.SiteFactor, []priority.Change{{Job: 1, From: 777, To: 200, Status: priority.Applied}}); err != nil {
		t.Fatal(err)
	}
	note(1310, 1) // the very same value: it has been written again
	until(1310, 1910)
	q[0].Site = 200
	note(1311, 0)
	if value, got := j.OtherWriter(priority.SiteFactor, &q[0], 1311); value != 0 || got != 0 {
		t.Errorf("ours again, and left alone: %d until %d", value, got)
	}
	q[0].Site = 0
	note(1312, 0)
	if _, err := j.Rotate(1320, 1, func(ostrich.JobID) bool { return true }); err != nil {
		t.Fatal(err)
	}
	q[0].Site = 777
	note(1330, 0)
	until(1330, 1910)
}

// What was written before or after another writer's value does not depend on clocks: one
// that is set back neither hides the other writer nor finds it anew in every cycle.
func TestRivalsAfterTheClockWasSetBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := openJournal(t, path)
	write := func(now ostrich.Time, from, to int64) {
		t.Helper()
		c := priority.Change{Job: 1, From: from, To: to}
		if err := j.Intend(now, priority.SiteFactor, []priority.Change{c}); err != nil {
			t.Fatal(err)
		}
		if err := j.Conclude(now, priority.SiteFactor, []priority.Change{c.Outcome(priority.Applied, "")}); err != nil {
			t.Fatal(err)
		}
	}
	q := []priority.Queued{{Job: 1, Site: 777, SiteKnown: true}}
	note := func(now ostrich.Time, want int) {
		t.Helper()
		j.others(t, q, now, want)
		if !j.Lost(priority.SiteFactor, &q[0]) {
			t.Errorf("at %d: not lost", now)
		}
	}
	anew := func() {
		t.Helper()
		j = j.anew(t, 1)
	}
	write(100_000, 0, 100)
	note(1000, 1)
	note(1002, 0)
	anew()
	note(1004, 0)
	if _, until := j.OtherWriter(priority.SiteFactor, &q[0], 1300); until != 0 {
		t.Errorf("left alone until %d", until)
	}
	write(500, 777, 200)
	if j.Lost(priority.SiteFactor, &q[0]) {
		t.Error("written again, and lost")
	}
	anew()
	if j.Lost(priority.SiteFactor, &q[0]) {
		t.Error("written again, and lost in a new file")
	}
	note(600, 1)
}

// A job is not ours before a write to it has, or may have, taken effect: what somebody sets
// after a refused or unsent one is left alone, and given back.
func TestForeignAfterNoWrite(t *testing.T) {
	for status, want := range map[priority.Status]Writer{
		priority.Refused: Foreign, priority.Unsent: Foreign, priority.NotApplied: Foreign, priority.Applied: Overwritten, "": Overwritten,
	} {
		path := filepath.Join(t.TempDir(), "journal")
		j := openJournal(t, path)
		j.write(t, priority.SiteFactor, status, priority.Change{Job: 1, Submit: 1, To: 100})
		q := priority.Queued{Job: 1, Submit: 1, Site: 777, SiteKnown: true}
		if got := j.WroteBy(priority.SiteFactor, &q); got != want {
			t.Errorf("%s: %d, want %d", status, got, want)
		}
		if want != Foreign {
			continue
		}
		j.write(t, priority.SiteFactor, priority.Applied, priority.Change{Job: 1, Submit: 1, From: 777, To: 200})
		q.Site = 200
		reader, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, is := range []*Journal{j, reader} {
			if value, _, ours := is.Stock(priority.SiteFactor, &q); !ours || value != 777 {
				t.Errorf("%s: given back: %d, %v", status, value, ours)
			}
		}
	}
}

// What another daemon wrote is taken over if a plan could have given it.
func TestAdoptions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := openJournal(t, path)
	j.write(t, priority.SiteFactor, priority.Applied, priority.Change{Job: 1, To: 1 << 30}, priority.Change{Job: 2, To: 1<<30 + 1})
	queue := []priority.Queued{
		{Job: 1, Site: 1 << 29, SiteKnown: true},
		{Job: 2, Site: 1<<30 + 1, SiteKnown: true},
		{Job: 3, Site: 1 << 28, SiteKnown: true},
		{Job: 4, Site: 7, SiteKnown: true},
		{Job: 5, SiteKnown: true},
		{Job: 6, Site: -1 << 29, SiteKnown: true},
	}
	o := priority.Options{Channel: priority.SiteFactor, Mode: priority.Strict, Controller: prioritytest.Multifactor()}
	jobs := func(list []Record) (ids []ostrich.JobID) {
		for _, r := range list {
			ids = append(ids, r.Job)
		}
		return ids
	}
	if d := cmp.Diff([]ostrich.JobID{1}, jobs(j.Adoptions(o, queue, false, 5))); d != "" {
		t.Errorf("of known jobs: %s", d)
	}
	all := j.Adoptions(o, queue, true, 5)
	if d := cmp.Diff([]ostrich.JobID{1, 3}, jobs(all)); d != "" {
		t.Errorf("of all jobs: %s", d)
	}
	if err := j.Note(5, all); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if len(j.Adoptions(o, queue, true, 6)) != 0 || len(j.OtherWriters(priority.SiteFactor, queue, 6)) != 0 {
			t.Error("taken over, and not ours")
		}
		if to, _, ours := j.Stock(priority.SiteFactor, &queue[2]); !ours || to != 0 {
			t.Errorf("given back would be %d, %v", to, ours)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		j = openJournal(t, path)
	}
	o.Channel = priority.Priority
	if list := j.Adoptions(o, []priority.Queued{{Job: 9, Priority: 1 << 30, Pinned: true}}, true, 7); len(list) != 0 {
		t.Errorf("pins are taken over: %v", list)
	}
	o = priority.Options{Channel: priority.Nice, Mode: priority.Weight, Weight: 1000, Controller: prioritytest.Multifactor()}
	if list := j.Adoptions(o, []priority.Queued{{Job: 9, Nice: -1000}, {Job: 10, Nice: -1001}, {Job: 11, Nice: 5}}, true, 7); len(list) != 1 {
		t.Errorf("of nice values: %v", list)
	}
}

// A value that another writer has overwritten is not ours to give back, also where
// Slurm does not show it. A job that lost its value to another writer was not dropped by Slurm.
func TestLostToARival(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := openJournal(t, path)
	j.write(t, priority.SiteFactor, priority.NotApplied, priority.Change{Job: 1, To: 100})
	j.write(t, priority.SiteFactor, priority.NotApplied, priority.Change{Job: 1, To: 100})
	j.write(t, priority.SiteFactor, priority.Applied, priority.Change{Job: 1, To: 100})
	if err := j.Note(1000, j.OtherWriters(priority.SiteFactor, []priority.Queued{{Job: 1, Site: 777, SiteKnown: true}}, 1000)); err != nil {
		t.Fatal(err)
	}
	reset := func() []priority.Change {
		list, err := priority.Options{Channel: priority.SiteFactor, Controller: prioritytest.Multifactor(), Journal: j}.Reset([]priority.Queued{{Job: 1}}, []ostrich.JobID{1}, false)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	anew := func() {
		t.Helper()
		j = j.anew(t, 3000)
	}
	for range 2 {
		if list := reset(); len(list) != 0 {
			t.Errorf("given back: %+v", list)
		}
		anew()
	}
	if w := j.jobs[subject{priority.SiteFactor, 1}]; w.dropped != 0 || w.words != "" {
		t.Errorf("counted as dropped: %+v", w)
	}
	if err := j.Intend(2000, priority.SiteFactor, []priority.Change{{Job: 1, From: 777, To: 300}}); err != nil {
		t.Fatal(err)
	}
	if err := j.Conclude(2000, priority.SiteFactor, []priority.Change{{Job: 1, From: 777, To: 300, Status: priority.Applied}}); err != nil {
		t.Fatal(err)
	}
	for what := range 3 {
		if list := reset(); len(list) != 2 {
			t.Errorf("written again, and not given back after %d new files: %+v", what, list)
		}
		anew()
	}
}

// A value that was given back is somebody else's again.
func TestGivenBackIsForeign(t *testing.T) {
	j := openJournal(t, filepath.Join(t.TempDir(), "journal"))
	j.write(t, priority.SiteFactor, priority.Applied, priority.Change{Job: 1, From: 7, To: 100})
	j.write(t, priority.SiteFactor, priority.Applied, priority.Change{Job: 1, From: 100, To: 7})
	if whose := j.WroteBy(priority.SiteFactor, &priority.Queued{Job: 1, Site: 7, SiteKnown: true}); whose != Foreign {
		t.Errorf("%d, want foreign", whose)
	}
	for _, value := range []int64{0, 7} {
		if to, _, ours := j.Stock(priority.SiteFactor, &priority.Queued{Job: 1, Site: value, SiteKnown: true}); ours && to != value {
			t.Errorf("%d is ours, and would become %d", value, to)
		}
	}
	// So does 0, which reset --all gives.
	j.write(t, priority.SiteFactor, priority.Applied, priority.Change{Job: 2, From: 7, To: 100})
	j.write(t, priority.SiteFactor, priority.Applied, priority.Change{Job: 2, From: 100, To: 0})
	if to, _, ours := j.Stock(priority.SiteFactor, &priority.Queued{Job: 2, SiteKnown: true}); !ours || to != 0 {
		t.Errorf("0 is ours: %v, and would become %d", ours, to)
	}
}

// What somebody else had set is given back, and nothing of others is; with all, every
// value becomes 0.
func TestResetGivesTheFormerValueBack(t *testing.T) {
	j := openJournal(t, filepath.Join(t.TempDir(), "journal"))
	j.write(t, priority.SiteFactor, priority.Applied, priority.Change{Job: 1, From: 7, To: 100}, priority.Change{Job: 2, To: 200}, priority.Change{Job: 10, From: 8, To: 50}, priority.Change{Job: 12, From: 5, To: 90})
	j.write(t, priority.SiteFactor, priority.Applied, priority.Change{Job: 11, From: 50, To: 60})
	site := func(id, array int, value int64) priority.Queued {
		return priority.Queued{Job: ostrich.JobID(id), Array: ostrich.JobID(array), Site: value, SiteKnown: true, Priority: 9, Listed: true}
	}
	queue := []priority.Queued{site(1, 0, 100), site(2, 0, 777), site(3, 0, 778), site(11, 10, 60), {Job: 12, Priority: 0}}
	for _, c := range []struct {
		all  bool
		want map[ostrich.JobID]int64
	}{
		{false, map[ostrich.JobID]int64{1: 7, 11: 8, 12: 5}},
		{true, map[ostrich.JobID]int64{1: 0, 2: 0, 3: 0, 11: 0, 12: 0}},
	} {
		list, err := priority.Options{Channel: priority.SiteFactor, Controller: prioritytest.Multifactor(), Journal: j}.Reset(queue, nil, c.all)
		if err != nil {
			t.Fatal(err)
		}
		got := make(map[ostrich.JobID]int64)
		for _, change := range list {
			got[change.Job] = change.To
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("all %v: %s", c.all, d)
		}
	}
}

// slurmrestd and job_submit plugins can give values that scontrol refuses. The nearest that it
// accepts is given back, as one refused change would keep all others from being made.
func TestResetOfWhatCannotBeSet(t *testing.T) {
	for _, former := range []int64{math.MinInt32, math.MinInt32 + 1, math.MaxInt32} {
		for _, ch := range []priority.Channel{priority.SiteFactor, priority.Nice} {
			j := openJournal(t, filepath.Join(t.TempDir(), "journal"))
			j.write(t, ch, priority.Applied, priority.Change{Job: 1, From: former, To: -500})
			q := prioritytest.Job(1, func(q *priority.Queued) { q.Site, q.Nice = -500, -500 })
			list, err := priority.Options{Channel: ch, Controller: prioritytest.Multifactor(), Journal: j}.Reset([]priority.Queued{q}, nil, false)
			if err != nil || len(list) != 1 {
				t.Fatalf("%s %d: %+v, %v", ch, former, list, err)
			}
			if err = list[0].Check(ch); err != nil || max(list[0].To-former, former-list[0].To) > 3 {
				t.Errorf("%s %d becomes %d: %v", ch, former, list[0].To, err)
			}
			j.write(t, ch, priority.Applied, list[0])
			q.Site, q.Nice = list[0].To, list[0].To
			if whose := j.WroteBy(ch, &q); whose == Overwritten {
				t.Errorf("%s %d: what was given back is another writer's", ch, former)
			}
			j = openJournal(t, filepath.Join(t.TempDir(), "journal"))
			j.write(t, ch, priority.Unknown, priority.Change{Job: 1, Submit: q.Submit, From: former, To: -500})
			q.Site, q.Nice = former, former // the write had no effect
			if whose := j.WroteBy(ch, &q); whose == Overwritten {
				t.Errorf("%s %d: what was there before is another writer's", ch, former)
			}
		}
	}
}
