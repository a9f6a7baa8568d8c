package foresight

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/forecast"
)

// askedEnds returns a foresight that has asked at began+60 for the ends of the campaigns of jobs 1 and 2, which are in one, and of the
// array 10 of three tasks.
func askedEnds(t *testing.T) *Foresight {
	t.Helper()
	f := New()
	f.Begin("c", nil)
	if err := f.Look(began, []Queue{{Ask: fixed(began, 600)}}); err != nil {
		t.Fatal(err)
	}
	f.Step(submit(1, began+30))
	f.Step(submit(2, began+30))
	array := submit(10, began+30)
	array.Job.Tasks, array.Job.Group = 3, 10
	f.Step(array)
	err := f.Look(began+60, []Queue{{Jobs: []ostrich.JobID{1, 2, 10}, Ask: fixed(began+60, 600), Campaign: func(place int) ([]ostrich.JobID, *forecast.Draws) {
		return [][]ostrich.JobID{{2, 1}, {1, 2}, {10}}[place], &forecast.Draws{Now: began + 60, Starts: []ostrich.Time{began + 2060}}
	}}})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// lookAt looks at an empty queue, and checks what is known of ends then.
func lookAt(t *testing.T, f *Foresight, now ostrich.Time, left int, want Record, unable ...ostrich.JobID) {
	t.Helper()
	if err := f.Look(now, []Queue{{Unable: unable, Ask: fixed(now)}}); err != nil {
		t.Fatal(err)
	}
	if got, open := f.Record("", Ends, now), f.of("").answers[Ends].questions; got != want || len(open) != left {
		t.Errorf("%+v, want %+v; %d open questions, want %d", got, want, len(open), left)
	}
}

// TestEnds: a campaign is asked for once, and has ended with the last of its jobs, be it a task of an array.
func TestEnds(t *testing.T) {
	f := askedEnds(t)
	f.Step(start(1, began+70))
	f.Step(end(1, began+70, began+90)) // not the last one
	lookAt(t, f, began+120, 2, Record{})
	f.Step(end(2, began+70, began+2000))
	lookAt(t, f, began+2010, 1, Record{Of: 1, Held: 1})
	// Of the array a task with a record of its own is the last one, and too late, which is not known before accounting can have told.
	for id, at := range map[ostrich.JobID]ostrich.Time{11: 70, 12: 80} {
		task := submit(id, began+at)
		task.Job.Group = 10
		f.Step(task)
	}
	f.Step(end(10, began+70, began+100))
	high := f.of("").answers[Ends].questions[0].Odds[2]
	lookAt(t, f, high+startHeard, 1, Record{Of: 1, Held: 1})
	lookAt(t, f, high+startHeard+1, 1, Record{Of: 2, Held: 1})
	for _, id := range []ostrich.JobID{11, 12} {
		last := end(id, began+70, high+100)
		last.Job.Group = 10
		f.Step(last)
	}
	lookAt(t, f, high+200, 0, Record{Of: 2, Held: 1})
	if learned := f.of("").answers[Ends].learned; learned.Count != 2 || learned.Above <= 0 {
		t.Errorf("learned %+v", learned)
	}
}

// TestEndsUnknown: a campaign answers nothing if one of its jobs is cancelled or cannot start, nor if nobody knows its jobs.
func TestEndsUnknown(t *testing.T) {
	f := askedEnds(t)
	f.Step(end(1, 0, began+100))
	lookAt(t, f, began+120, 1, Record{})
	lookAt(t, f, began+180, 1, Record{}, 10)
	lookAt(t, f, began+240, 0, Record{}, 10)
	f = askedEnds(t)
	f.jobs = make(map[ostrich.JobID]*job)
	lookAt(t, f, began+120, 0, Record{})
	many := make([]ostrich.JobID, mostJobs+1)
	q := &Queue{Campaign: func(int) ([]ostrich.JobID, *forecast.Draws) { return many, &forecast.Draws{} }}
	if all := q.campaigns([]int{0}); len(all) != 0 {
		t.Errorf("%d questions for a campaign of too many jobs", len(all))
	}
}

// TestEndsKept: open questions for ends and what was learned outlive a restart, and earlier ends are told again.
func TestEndsKept(t *testing.T) {
	path := Path(filepath.Join(t.TempDir(), "journal"))
	f := askedEnds(t)
	f.Step(end(1, began+70, began+90))
	f.Step(end(2, began+70, began+2000))
	lookAt(t, f, began+2010, 1, Record{Of: 1, Held: 1})
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	again := New()
	if err := again.Load(path, "c"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(f.of("").answers[Ends].learned.Learned, again.of("").answers[Ends].learned.Learned); diff != "" || again.asked[10] != 2 {
		t.Errorf("asked %v, learned (-want +got):\n%s", again.asked, diff)
	}
	again.Begin("c", nil)
	again.Step(submit(10, began+30))
	again.Step(end(10, began+40, began+50)) // told too late, and no end to be asked for
	lookAt(t, again, began+2070, 0, Record{Of: 1, Held: 1})
	again = New()
	if err := again.Load(path, "c"); err != nil {
		t.Fatal(err)
	}
	again.Begin("c", nil)
	again.Step(submit(10, began+30))
	again.Step(end(10, began+70, began+2060))
	lookAt(t, again, began+2070, 0, Record{Of: 2, Held: 2})
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{
		strings.Replace(string(text), `"jobs":[10],`, "", 1), strings.Replace(string(text), `"job":10,`, `"jobs":[10],`, 1),
		strings.Replace(string(text), `"jobs":[10],`, `"jobs":[10],"ended":5,`, 1), strings.Replace(string(text), `"jobs":[10],`, `"jobs":[10,9],`, 1),
	} {
		if bad == string(text) {
			t.Fatalf("nothing replaced in %s", text)
		}
		if err = os.WriteFile(path, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if err = New().Load(path, "c"); !errors.Is(err, errContent) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
