package foresight

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/forecast"
	"slurm-ostrich/ostrich/lengths"
)

const began = ostrich.Time(1_700_000_000)

func submit(id ostrich.JobID, at ostrich.Time) ostrich.Event {
	return ostrich.Event{At: at, Kind: ostrich.Submit, Job: ostrich.Job{ID: id, User: 1, Procs: 1, Estimate: 3600, Submit: at}}
}

func start(id ostrich.JobID, at ostrich.Time) ostrich.Event {
	return ostrich.Event{At: at, Kind: ostrich.Start, Job: ostrich.Job{ID: id, User: 1, Procs: 1, Estimate: 3600, Start: at}}
}

func end(id ostrich.JobID, from, at ostrich.Time) ostrich.Event {
	return ostrich.Event{At: at, Kind: ostrich.End, Job: ostrich.Job{ID: id, User: 1, Procs: 1, Estimate: 3600, Start: from, End: at}}
}

// fixed answers that jobs start after so many seconds.
func fixed(now ostrich.Time, after ...ostrich.Time) func([]int) ([]forecast.Draws, error) {
	return func(places []int) ([]forecast.Draws, error) {
		all := make([]forecast.Draws, len(places))
		for i := range all {
			all[i] = forecast.Draws{Now: now}
			for _, a := range after {
				all[i].Starts = append(all[i].Starts, now+a)
			}
			all[i].Ends = all[i].Starts
		}
		return all, nil
	}
}

// asked returns a foresight that has asked for jobs 1 to n at began+60.
func asked(t *testing.T, n ostrich.JobID) *Foresight {
	t.Helper()
	f := New()
	f.Begin("c", nil)
	if err := f.Look(began, []Queue{{Ask: fixed(began, 600)}}); err != nil {
		t.Fatal(err)
	}
	var queue []ostrich.JobID
	for id := ostrich.JobID(1); id <= n; id++ {
		f.Step(submit(id, began+30))
		queue = append(queue, id)
	}
	if f.Due(began+59) || !f.Due(began+60) {
		t.Error("not due once a minute")
	}
	if err := f.Look(began+60, []Queue{{Jobs: queue, Ask: fixed(began+60, 600)}}); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestQuestions: of the jobs that have come a few are asked for, and what becomes of them is counted.
func TestQuestions(t *testing.T) {
	f := asked(t, 3)
	p := f.of("")
	if len(p.answers[Starts].questions) != 3 {
		t.Fatalf("%d questions", len(p.answers[Starts].questions))
	}
	if n := len(asked(t, 9).of("").answers[Starts].questions); n != atSubmit {
		t.Errorf("of 9 jobs %d are asked for", n)
	}
	odds := p.answers[Starts].questions[0].Odds
	if odds[0] >= began+660 || odds[2] <= began+660 {
		t.Errorf("odds %v", odds)
	}
	f.Step(start(1, began+660))  // holds
	f.Step(start(2, odds[2]+1))  // is late
	f.Step(end(3, 0, began+700)) // was cancelled
	f.Step(start(4, began+700))  // nobody has asked
	if got, want := f.Record("", Starts, began+700), (Record{Of: 2, Held: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if len(p.answers[Starts].questions) != 0 || len(f.asked) != 0 {
		t.Errorf("left: %v %v", p.answers[Starts].questions, f.asked)
	}
	learned := p.answers[Starts].learned.Learned
	if learned.Count != 2 || learned.Above <= 0 {
		t.Errorf("learned %+v", learned)
	}
	if got := f.Record("", Starts, began+40*day); got.Of != 0 {
		t.Errorf("after 40 days: %+v", got)
	}
}

// TestGone: held jobs, and those that nobody knows any more, answer nothing. One that is unknown only to the
// queue has started.
func TestGone(t *testing.T) {
	f := asked(t, 4)
	f.Step(end(2, 0, began+70))
	for _, now := range []ostrich.Time{began + 120, began + 180} {
		if err := f.Look(now, []Queue{{Jobs: []ostrich.JobID{4}, Unable: []ostrich.JobID{1}, Ask: fixed(began, 1)}}); err != nil {
			t.Fatal(err)
		}
	}
	var left []ostrich.JobID
	for _, q := range f.of("").answers[Starts].questions {
		left = append(left, q.Job)
	}
	if len(left) != 2 || f.Record("", Starts, began+200).Of != 0 {
		t.Errorf("left: %v, %+v", left, f.Record("", Starts, began+200))
	}
	// That it had started before it was asked for says nothing.
	f.Step(start(3, began+50))
	if len(f.of("").answers[Starts].questions) != 1 || f.Record("", Starts, began+200).Of != 0 {
		t.Errorf("started earlier: %+v", f.Record("", Starts, began+200))
	}
}

// TestRequeuedAtLimit: a job that started and is back in the queue at a limit before accounting tells of its start
// answers its question. What starts later than it could not does not.
func TestRequeuedAtLimit(t *testing.T) {
	for _, byEvent := range []bool{true, false} {
		f := asked(t, 3)
		seen := began + 700
		if byEvent {
			for id := range ostrich.JobID(3) {
				f.Step(ostrich.Event{At: seen, Kind: ostrich.Hold, Job: ostrich.Job{ID: id + 1}})
			}
		} else if err := f.Look(seen, []Queue{{Unable: []ostrich.JobID{1, 2, 3}, Ask: fixed(began)}}); err != nil {
			t.Fatal(err)
		}
		f.Step(start(1, began+660))
		f.Step(start(2, seen+10))
		if got := f.Record("", Starts, seen); got != (Record{Of: 1, Held: 1}) || len(f.of("").answers[Starts].questions) != 1 {
			t.Errorf("%v: %+v, %d left", byEvent, got, len(f.of("").answers[Starts].questions))
		}
		if err := f.Look(seen+startHeard, []Queue{{Unable: []ostrich.JobID{3}, Ask: fixed(began)}}); err != nil || len(f.asked) != 0 {
			t.Errorf("%v: %v, left %v", byEvent, err, f.asked)
		}
	}
}

// TestLate: that a job waits beyond the moment of 90 % counts as soon as it is known, once, whatever becomes of it,
// and also if a restart comes in between.
func TestLate(t *testing.T) {
	path := Path(filepath.Join(t.TempDir(), "journal"))
	f := asked(t, 3)
	late := f.of("").answers[Starts].questions[2].Odds[2] + 1
	look := func(f *Foresight, now ostrich.Time, unable ...ostrich.JobID) {
		t.Helper()
		if err := f.Look(now, []Queue{{Jobs: []ostrich.JobID{1, 2, 3}, Unable: unable, Ask: fixed(now)}}); err != nil {
			t.Fatal(err)
		}
	}
	look(f, late)
	if got := f.Record("", Starts, late); got != (Record{Of: 3}) {
		t.Errorf("three wait for too long: %+v", got)
	}
	above := f.of("").answers[Starts].learned.Above
	if above <= 0 {
		t.Errorf("learned %+v", f.of("").answers[Starts].learned.Learned)
	}
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o007 != 0 {
		t.Errorf("everybody may read which jobs were asked for: %v, %v", info.Mode(), err)
	}
	again := New()
	if err := again.Load(path, "c"); err != nil {
		t.Fatal(err)
	}
	again.Begin("c", nil)
	for id := range ostrich.JobID(3) {
		again.Step(submit(id+1, began+30))
	}
	look(again, late+60)
	again.Step(start(1, late+70))
	again.Step(end(2, 0, late+80))
	look(again, late+120, 3)
	look(again, late+180, 3)
	if got := again.Record("", Starts, late); got != (Record{Of: 3}) || again.of("").answers[Starts].learned.Above > above {
		t.Errorf("counted again: %+v, %+v after %v", got, again.of("").answers[Starts].learned.Learned, above)
	}
	if n := len(again.of("").answers[Starts].questions); n != 0 {
		t.Errorf("%d questions are left", n)
	}
}

// TestClockBack: what was asked before the clock went back can be read again.
func TestClockBack(t *testing.T) {
	path := Path(filepath.Join(t.TempDir(), "journal"))
	f := asked(t, 2)
	f.Step(submit(5, began-3600))
	if err := f.Look(began-3540, []Queue{{Jobs: []ostrich.JobID{1, 2, 5}, Ask: fixed(began-3540, 600)}}); err != nil {
		t.Fatal(err)
	}
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	if err := New().Load(path, "c"); err != nil {
		t.Error(err)
	}
}

// TestOtherPools: that nothing can be said of one pool keeps no other from being asked for.
func TestOtherPools(t *testing.T) {
	f := New()
	f.Begin("c", []ostrich.Pool{{Name: "a", Partitions: []string{"x"}}, {Name: "b", Partitions: []string{"y"}}})
	if err := f.Look(began, nil); err != nil {
		t.Fatal(err)
	}
	for i, partition := range []string{"x", "y"} {
		e := submit(ostrich.JobID(i+1), began+30)
		e.Job.Partition = partition
		f.Step(e)
	}
	bad := errors.New("bad")
	err := f.Look(began+60, []Queue{
		{Pool: "a", Jobs: []ostrich.JobID{1}, Ask: func([]int) ([]forecast.Draws, error) { return nil, bad }},
		{Pool: "b", Jobs: []ostrich.JobID{2}, Ask: fixed(began+60, 600)},
	})
	if !errors.Is(err, bad) || len(f.of("b").answers[Starts].questions) != 1 {
		t.Errorf("%v, and %d questions", err, len(f.of("b").answers[Starts].questions))
	}
}

// TestLargeArray: the tasks beyond the most that an array counts for do not come once more as they start, and the
// components of a heterogeneous job are arrivals of their own.
func TestLargeArray(t *testing.T) {
	f := New()
	f.Begin("c", nil)
	look := func(at ostrich.Time) {
		t.Helper()
		if err := f.Look(at, []Queue{{}}); err != nil {
			t.Fatal(err)
		}
	}
	look(began)
	array := submit(10, began+30)
	array.Job.Tasks, array.Job.Group = 2*mostTasks, 10
	f.Step(array)
	look(began + 60)
	for i := range ostrich.JobID(2*mostTasks - 1) {
		task := submit(11+i, began+30)
		task.Job.Group = 10
		f.Step(task)
	}
	look(began + 120)
	if got := f.of("").habits.Len(); got != mostTasks {
		t.Errorf("%d arrivals of an array", got)
	}
	for id := range ostrich.JobID(3) {
		part := submit(9000+id, began+130)
		part.Job.Group = 9000
		f.Step(part)
	}
	look(began + 180)
	if got := f.of("").habits.Len(); got != mostTasks+3 {
		t.Errorf("%d arrivals of a heterogeneous job of 3", got-mostTasks)
	}
}

// TestArray: the first task answers for the array, and its tasks come once.
func TestArray(t *testing.T) {
	f := New()
	f.Begin("c", nil)
	if err := f.Look(began, []Queue{{Ask: fixed(began, 600)}}); err != nil {
		t.Fatal(err)
	}
	array := submit(10, began+30)
	array.Job.Tasks, array.Job.Group = 3, 10
	f.Step(array)
	if err := f.Look(began+60, []Queue{{Jobs: []ostrich.JobID{10}, Ask: fixed(began+60, 600)}}); err != nil {
		t.Fatal(err)
	}
	task := submit(11, began+30)
	task.Job.Group = 10
	f.Step(task)
	task = start(11, began+600)
	task.Job.Group = 10
	f.Step(task)
	if got := f.Record("", Starts, began+700); got != (Record{Of: 1, Held: 1}) {
		t.Errorf("%+v", got)
	}
	f.Step(end(11, began+600, began+900))
	if p := f.of(""); p.habits.Len() != 3 || len(f.fresh) != 0 {
		t.Errorf("%d arrivals, %d fresh", p.habits.Len(), len(f.fresh))
	}
}

// TestPools: each pool has its own, and what belongs to none is nowhere.
func TestPools(t *testing.T) {
	f := New()
	f.Begin("c", []ostrich.Pool{{Name: "a", Partitions: []string{"x", "y"}}, {Name: "b", Partitions: []string{"z"}}})
	for i, partition := range []string{"y", "q,z", "q"} {
		e := submit(ostrich.JobID(i+1), began)
		e.Job.Partition = partition
		f.Step(e)
	}
	if f.of("a").habits.Len() != 1 || f.of("b").habits.Len() != 1 || len(f.jobs) != 2 {
		t.Errorf("%d and %d arrivals, %d jobs", f.of("a").habits.Len(), f.of("b").habits.Len(), len(f.jobs))
	}
}

// TestFile: what was learned survives, and open questions are answered after a restart.
func TestFile(t *testing.T) {
	path := Path(filepath.Join(t.TempDir(), "journal"))
	f := asked(t, 3)
	f.Step(start(1, began+660))
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	again := New()
	if err := again.Load(path, "c"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(f.of("").answers[Starts].learned.Learned, again.of("").answers[Starts].learned.Learned); diff != "" {
		t.Errorf("learned (-want +got):\n%s", diff)
	}
	again.Begin("c", nil)
	again.Step(submit(2, began+30))
	again.Step(start(2, began+670))
	if got := again.Record("", Starts, began+700); got != (Record{Of: 2, Held: 2}) {
		t.Errorf("%+v", got)
	}
	if text, err := New().text(); text != nil || err != nil {
		t.Errorf("of nothing: %s, %v", text, err)
	}
	if got := New(); got.Load(Path(filepath.Join(t.TempDir(), "journal")), "c") != nil {
		t.Error("no file is an error")
	}
	other := New()
	if err := other.Load(path, "d"); !errors.Is(err, errContent) {
		t.Errorf("another cluster's: %v", err)
	}
	former := `{"version":1,"cluster":"c","pools":[{"name":"","learned":[{"below":0,"above":0,"count":0}],"questions":[],"days":[],"places":[]}]}`
	if err := os.WriteFile(path+".1", []byte(former), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := other.Load(path+".1", "c"); !errors.Is(err, errContent) || !strings.Contains(err.Error(), "version 1") {
		t.Errorf("a former version's: %v", err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{
		"", "{}", string(text[:len(text)/2]), "null", strings.Replace(string(text), `"version":2`, `"version":1`, 1),
		strings.Replace(string(text), `"held":1`, `"held":9`, 1), strings.Replace(string(text), `"below":`, `"below":1e9,"x":`, 1), strings.Replace(string(text), `"nearer":`, `"nearer":-1e9,"x":`, 1),
		strings.Replace(string(text), `"draws":[`, `"draws":[5,`, 1), strings.Replace(string(text), `"questions":[`, `"questions":[null,`, 1),
		strings.Replace(string(text), `"quiet":0`, `"quiet":1`, 1), strings.Replace(string(text), `"quiet":0`, `"quiet":9000000000000000000`, 1),
		strings.Replace(string(text), `"draws":[`, `"draws":[9000000000000000000,`, 1),
	} {
		if bytes.Equal([]byte(bad), text) {
			t.Fatal("nothing replaced")
		}
		if err = os.WriteFile(path, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if err = other.Load(path, "c"); !errors.Is(err, errContent) || !strings.Contains(err.Error(), path) {
			t.Errorf("%.40q: %v", bad, err)
		}
	}
	if err = other.Load(t.TempDir(), "c"); err == nil {
		t.Error("a folder is read")
	}
}

// TestDrawsDoNotStall: events are taken while futures are drawn.
func TestDrawsDoNotStall(t *testing.T) {
	f := asked(t, 3)
	drawing, drawn := make(chan struct{}), make(chan error)
	go func() {
		_, err := f.Draws("", func(spread SpreadOf) (*forecast.State, []int) {
			defer close(drawing)
			s := &forecast.State{Now: began + 60, Procs: 4, Draws: 200}
			for i := range ostrich.JobID(500) {
				s.Pending = append(s.Pending, forecast.Job{ID: i, Procs: 1, Limit: 60, Spread: spread(1, &lengths.Request{Limit: 60, Procs: 1})})
			}
			return s, []int{499}
		})
		drawn <- err
	}()
	<-drawing
	steps := 0
	for {
		select {
		case err := <-drawn:
			if err != nil || steps < 20 {
				t.Errorf("%d events meanwhile, %v", steps, err)
			}
			return
		default:
			f.Step(end(ostrich.JobID(1000+steps), began, began+60))
			steps++
		}
	}
}

// TestRecord says when the odds say something.
func TestRecord(t *testing.T) {
	for r, want := range map[Record]bool{{99, 0}: false, {100, 69}: true, {100, 70}: false} {
		if r.CannotTell() != want {
			t.Errorf("%+v", r)
		}
	}
	if _, enough := (Record{Enough - 1, 1}).Part(); enough {
		t.Error("too few are enough")
	}
}

// FuzzLoad: no text makes it panic.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"version":1,"cluster":"c","pools":[{"name":"","learned":[{},{},{},{},{}],"questions":[{"job":1,"at":5,"odds":[6,7,8],"draws":[6]}],"days":[]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		path := Path(filepath.Join(t.TempDir(), "journal"))
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		is := New()
		if is.Load(path, "c") == nil {
			is.Begin("c", nil)
			is.Step(start(1, 7))
		}
	})
}

// TestPlaces: where jobs came is kept, and stands for what accounting does not tell of the history.
func TestPlaces(t *testing.T) {
	path := Path(filepath.Join(t.TempDir(), "journal"))
	f := New()
	f.Begin("c", nil)
	f.Step(submit(1, began))
	if got := f.jobs[1].is.Place; got >= 0 {
		t.Errorf("%v before anything is known", got)
	}
	p := f.of("")
	for i := range mostPlaces + 2 {
		p.placed(float32(i%2) / 2) // 0 and 0.5
	}
	p.placed(1)
	f.changed = true
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	again := New()
	if err := again.Load(path, "c"); err != nil {
		t.Fatal(err)
	}
	again.Begin("c", nil)
	got := again.of("").places
	if len(got) != mostPlaces || got[mostPlaces-1] != 1 || got[0] != 0.5 {
		t.Errorf("%d places, from %v to %v", len(got), got[0], got[len(got)-1])
	}
	count := make(map[float32]int)
	for id := range ostrich.JobID(1000) {
		again.Step(submit(2+id, began+ostrich.Time(id)))
		count[again.jobs[2+id].is.Place]++
	}
	if count[0] < 400 || count[0.5] < 400 || count[0]+count[0.5]+count[1] != 1000 {
		t.Errorf("%v", count)
	}
}
