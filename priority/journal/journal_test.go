package journal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

func openJournal(t *testing.T, path string) *Journal {
	t.Helper()
	j, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

// anew lets the journal begin a new file that carries all jobs over, and opens it again.
func (j *Journal) anew(t *testing.T, now ostrich.Time) *Journal {
	t.Helper()
	if _, err := j.Rotate(now, -1, func(ostrich.JobID) bool { return true }); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return openJournal(t, j.path)
}

// others notes the other writers that are new in the queue, of which there must be so many.
func (j *Journal) others(t *testing.T, queue []priority.Queued, now ostrich.Time, want int) {
	t.Helper()
	list := j.OtherWriters(priority.SiteFactor, queue, now)
	if len(list) != want {
		t.Errorf("at %d: %d others are new, want %d", now, len(list), want)
	}
	if err := j.Note(now, list); err != nil {
		t.Fatal(err)
	}
}

// write notes changes that took effect.
func (j *Journal) write(t *testing.T, ch priority.Channel, status priority.Status, changes ...priority.Change) {
	t.Helper()
	if err := j.Intend(1, ch, changes); err != nil {
		t.Fatal(err)
	}
	if status == "" {
		return // killed
	}
	list := make([]priority.Change, len(changes))
	for i, c := range changes {
		list[i] = c.Outcome(status, map[bool]string{true: "no"}[status == priority.Refused])
	}
	if err := j.Conclude(2, ch, list); err != nil {
		t.Fatal(err)
	}
}

type known struct {
	First, Last int64
	OK          bool
}

func (j *Journal) knows(ch priority.Channel, id ostrich.JobID) known {
	first, last, ok := j.Written(ch, id)
	return known{first, last, ok}
}

func TestJournalRemembers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := openJournal(t, path)
	j.write(t, priority.Nice, priority.Applied, priority.Change{Job: 1, Submit: 10, From: 5, To: -100})
	j.write(t, priority.Nice, priority.Applied, priority.Change{Job: 1, Submit: 10, From: -100, To: -200})
	j.write(t, priority.Nice, priority.NotApplied, priority.Change{Job: 1, Submit: 10, From: -200, To: -300})
	// Requeued: a later submission, but the nice value is still ours.
	j.write(t, priority.Nice, priority.Applied, priority.Change{Job: 2, Submit: 10, From: 0, To: -7}, priority.Change{Job: 3, Submit: 10, From: 0, To: -7})
	j.write(t, priority.Nice, priority.Applied, priority.Change{Job: 2, Submit: 99, From: -7, To: -8})
	// The id of job 3 was used again for another job.
	j.write(t, priority.Nice, priority.Applied, priority.Change{Job: 3, Submit: 99, From: 30, To: -9})
	j.write(t, priority.Nice, priority.Refused, priority.Change{Job: 4, Submit: 10, From: 0, To: -5})
	j.write(t, priority.Nice, priority.Unsent, priority.Change{Job: 5, Submit: 10, From: 0, To: -5})
	j.write(t, priority.Nice, "", priority.Change{Job: 6, Submit: 10, From: 0, To: -5})
	j.write(t, priority.Nice, priority.Applied, priority.Change{Job: 7, Submit: 10, From: 4, To: -5})
	j.write(t, priority.Nice, priority.Applied, priority.Change{Job: 7, Submit: 10, From: -5, To: 4})
	j.write(t, priority.Priority, priority.Applied, priority.Change{Job: 8, Submit: 10, From: 500, To: 9000})
	j.write(t, priority.Priority, priority.Applied, priority.Change{Job: 9, Submit: 10, From: 500, To: 9000})
	j.write(t, priority.Priority, priority.Applied, priority.Change{Job: 9, Submit: 10, From: 9000, To: 0})

	check := func(t *testing.T, j *Journal) {
		t.Helper()
		want := map[ostrich.JobID]known{
			1: {5, -200, true}, 2: {0, -8, true}, 3: {30, -9, true}, 4: {0, 0, false}, 5: {0, 0, false}, 6: {0, -5, true}, 7: {4, 4, true},
		}
		got := make(map[ostrich.JobID]known)
		for id := range want {
			got[id] = j.knows(priority.Nice, id)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("written (-want +got):\n%s", diff)
		}
		if !j.Ours(priority.Priority, 8, 9000) || j.Ours(priority.Priority, 8, 500) || j.Ours(priority.Priority, 9, 9000) || j.Ours(priority.Nice, 8, 9000) {
			t.Error("ours is wrong")
		}
	}
	check(t, j)
	if words, _ := j.Refused(priority.Nice, 4, 2); words != "no" {
		t.Errorf("refused: %q", words)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	reader, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	check(t, reader)
	if words, _ := reader.Refused(priority.Nice, 4, 2); words != "no" {
		t.Errorf("a reader does not see the refusal: %q", words)
	}
	if err = reader.Intend(1, priority.Nice, []priority.Change{{Job: 1}}); err == nil {
		t.Error("a reader may write")
	}
	again := openJournal(t, path)
	check(t, again)
	if words, _ := again.Refused(priority.Nice, 4, 2); words != "" {
		t.Errorf("still refused after a new start: %q", words)
	}

	version := again.Version()
	rotated, err := again.Rotate(3, 10, func(id ostrich.JobID) bool { return id != 99 })
	if err != nil || !rotated || again.Version() == version {
		t.Fatalf("rotate: %v, %v, version %d", rotated, err, again.Version())
	}
	check(t, again)
	version = again.Version()
	if err = again.Note(3, nil); err != nil || again.Version() != version {
		t.Errorf("another version without a record: %v", err)
	}
	again.write(t, priority.Nice, priority.Applied, priority.Change{Job: 20, Submit: 10, From: 0, To: -1})
	if again.Version() == version {
		t.Error("the same version after a write")
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	last := openJournal(t, path)
	check(t, last)
	if last.knows(priority.Nice, 20) != (known{0, -1, true}) {
		t.Error("what is written after a rotation is lost")
	}
	if _, err := os.Stat(path + ".1"); err != nil {
		t.Error(err)
	}
}

func TestJournalKilledWriter(t *testing.T) {
	// A writer that was killed in a burst leaves jobs of either value. Both
	// are ours.
	j := openJournal(t, filepath.Join(t.TempDir(), "journal"))
	j.write(t, priority.Priority, priority.Applied, priority.Change{Job: 1, Submit: 10, From: 500, To: 9000})
	j.write(t, priority.Priority, "", priority.Change{Job: 1, Submit: 10, From: 9000, To: 9500})
	if !j.Ours(priority.Priority, 1, 9000) || !j.Ours(priority.Priority, 1, 9500) || j.Ours(priority.Priority, 1, 9100) {
		t.Error("ours is wrong")
	}
}

// A write whose result nobody knows has taken effect if the next one finds its value,
// whatever becomes of that one.
func TestJournalFindsUnknownWrite(t *testing.T) {
	for _, then := range []priority.Status{priority.Unsent, priority.Refused, priority.NotApplied} {
		j := openJournal(t, filepath.Join(t.TempDir(), "journal"))
		j.write(t, priority.SiteFactor, priority.Unknown, priority.Change{Job: 1, Submit: 10, From: 3, To: 500})
		j.write(t, priority.SiteFactor, then, priority.Change{Job: 1, Submit: 10, From: 500, To: 600})
		if got := j.knows(priority.SiteFactor, 1); got != (known{3, 500, true}) {
			t.Errorf("%s: %+v", then, got)
		}
	}
}

// scontrol may be ahead of its words: a change that counts as not sent has taken effect all
// the same if the next one finds its value.
func TestJournalFindsUnsentWrite(t *testing.T) {
	j := openJournal(t, filepath.Join(t.TempDir(), "journal"))
	j.write(t, priority.SiteFactor, priority.Unsent, priority.Change{Job: 1, Submit: 10, From: 3, To: 500})
	j.write(t, priority.SiteFactor, priority.Refused, priority.Change{Job: 1, Submit: 10, From: 500, To: 600})
	if got := j.knows(priority.SiteFactor, 1); got != (known{3, 500, true}) {
		t.Errorf("%+v", got)
	}
}

// A lost right says nothing about the jobs. A job that is denied alone is left alone.
func TestJournalRefusalOfRight(t *testing.T) {
	j := openJournal(t, filepath.Join(t.TempDir(), "journal"))
	c := priority.Change{Job: 1, Submit: 10, To: 5}
	denied := func(at ostrich.Time, status priority.Status) {
		t.Helper()
		if err := j.Conclude(at, priority.SiteFactor, []priority.Change{c.Outcome(status, "Access/permission denied for job 1")}); err != nil {
			t.Fatal(err)
		}
	}
	denied(1, priority.Unsent)
	if words, _ := j.Refused(priority.SiteFactor, 1, 2); words != "" {
		t.Errorf("a missing right counts against the job: %q", words)
	}
	denied(3, priority.Refused)
	if words, again := j.Refused(priority.SiteFactor, 1, 4); words != "Access/permission denied for job 1" || again != 33 {
		t.Errorf("%q until %d, want a pause until 33", words, again)
	}
}

func TestJournalDroppedValues(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := openJournal(t, path)
	c := priority.Change{Job: 1, Submit: 10, To: 5}
	other := priority.Change{Job: 1, Submit: 10, To: 6}
	steps := []struct {
		change priority.Change
		status priority.Status
		want   string
	}{
		{c, priority.NotApplied, ""},
		{c, priority.NotApplied, ""},
		{other, priority.NotApplied, ""},
		{c, priority.NotApplied, ""},
		{c, priority.NotApplied, ""},
		{c, priority.Applied, ""},
		{c, priority.NotApplied, ""},
		{c, priority.NotApplied, ""},
		{c, priority.NotApplied, droppedWords},
	}
	for i, s := range steps {
		j.write(t, priority.SiteFactor, s.status, s.change)
		if words, _ := j.Refused(priority.SiteFactor, 1, 2); words != s.want {
			t.Errorf("after %d: refused %q, want %q", i+1, words, s.want)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	again := openJournal(t, path)
	for i, want := range []string{"", "", droppedWords} {
		again.write(t, priority.SiteFactor, priority.NotApplied, c)
		if words, _ := again.Refused(priority.SiteFactor, 1, 2); words != want {
			t.Errorf("after a new start and %d: refused %q, want %q", i+1, words, want)
		}
	}
}

func TestJournalTornLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := openJournal(t, path)
	j.write(t, priority.SiteFactor, priority.Applied, priority.Change{Job: 1, Submit: 10, To: 5})
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range whole {
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		j, err := Open(path)
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		j.write(t, priority.SiteFactor, priority.Applied, priority.Change{Job: 2, Submit: 10, To: 6})
		if err = j.Close(); err != nil {
			t.Fatal(err)
		}
		reader, err := Read(path)
		if err != nil {
			t.Fatalf("cut at %d, then written: %v", cut, err)
		}
		if reader.knows(priority.SiteFactor, 2) != (known{0, 6, true}) {
			t.Fatalf("cut at %d: job 2 is lost", cut)
		}
	}
}

// Nothing is left of a torn line that is longer than what is written next. Behind a record it
// is what a crash leaves, and nobody is told.
func TestJournalLongTornLine(t *testing.T) {
	for _, before := range []string{"", goodLine} {
		path := filepath.Join(t.TempDir(), "journal")
		put(t, path, before+`{"words":"`+strings.Repeat("x", 5000))
		j := openJournal(t, path)
		j.write(t, priority.SiteFactor, priority.Applied, priority.Change{Job: 2, Submit: 10, To: 6})
		if err := j.Repaired(); (err == nil) != (before != "") {
			t.Errorf("after %q: %v", before, err)
		}
		reader, err := Read(path)
		if err != nil || reader.Repaired() != nil || reader.knows(priority.SiteFactor, 2) != (known{0, 6, true}) {
			t.Errorf("after %q: job 2 is lost: %v", before, err)
		}
		if text := content(t, path); strings.Contains(text, "xxx") {
			t.Errorf("after %q: the torn line is still there", before)
		}
	}
}

// A slurmctld that cannot answer says nothing about the job.
func TestJournalNoAnswer(t *testing.T) {
	j := openJournal(t, filepath.Join(t.TempDir(), "journal"))
	for _, words := range []string{"Unable to contact slurm controller (connect failure)", "slurm_update error: Slurm backup controller in standby mode", "Protocol authentication error"} {
		c := priority.Change{Job: 1, Submit: 10, To: 5}
		if err := j.Conclude(1, priority.SiteFactor, []priority.Change{c.Outcome(priority.Refused, words)}); err != nil {
			t.Fatal(err)
		}
		if refused, _ := j.Refused(priority.SiteFactor, 1, 2); refused != "" {
			t.Errorf("%q counts against the job", words)
		}
	}
}

func TestJournalEmpty(t *testing.T) {
	j := openJournal(t, filepath.Join(t.TempDir(), "journal"))
	if !j.Empty() {
		t.Error("a new journal knows of a write")
	}
	j.write(t, priority.SiteFactor, priority.Applied, priority.Change{Job: 1, Submit: 10, From: 7, To: 7})
	if j.Empty() {
		t.Error("a journal knows of no write")
	}
}

func TestJournalErrors(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "journal")
	for _, bad := range []string{"nonsense\n", `{"job":0,"channel":"nice"}` + "\n", `{"job":1,"channel":"colour"}` + "\n"} {
		if err := os.WriteFile(path, []byte(goodLine+bad), 0o600); err != nil {
			t.Fatal(err)
		}
		j, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		if err = j.Repaired(); err == nil || !strings.Contains(err.Error(), path+":2: ") || j.knows(priority.Nice, 1) != (known{0, 1, true}) {
			t.Errorf("%q: %v, want %s:2, and the job of line 1", bad, err, path)
		}
	}
	j := openJournal(t, filepath.Join(dir, "new"))
	if err := j.Intend(1, priority.Nice, []priority.Change{{Job: 1}, {}}); err == nil || j.size != 0 {
		t.Errorf("a record without a job: %v, %d bytes written", err, j.size)
	}
	if j, err := Read(filepath.Join(dir, "none")); err != nil || !j.Empty() {
		t.Errorf("a journal that does not exist: %v", err)
	}
	if _, err := Open(filepath.Join(dir, "no", "folder")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func TestJournalOneWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := openJournal(t, path)
	if _, err := Open(path); !errors.Is(err, ErrLocked) {
		t.Errorf("second writer: %v, want ErrLocked", err)
	}
	if _, err := Read(path); err != nil {
		t.Errorf("reader: %v", err)
	}
	if _, err := j.Rotate(1, -1, func(ostrich.JobID) bool { return true }); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); !errors.Is(err, ErrLocked) {
		t.Errorf("second writer after a rotation: %v, want ErrLocked", err)
	}
	if err := errors.Join(j.Close(), j.Close()); err != nil {
		t.Fatal(err)
	}
	openJournal(t, path)
}

func FuzzJournal(f *testing.F) {
	f.Add(goodLine)
	f.Add(goodLine + "torn")
	f.Add("nonsense\n" + goodLine)
	f.Fuzz(func(t *testing.T, text string) {
		is, err := load(strings.NewReader(text), "journal")
		if err != nil {
			t.Fatal(err)
		}
		if is.size > int64(len(text)) || (is.size > 0 && text[is.size-1] != '\n') {
			t.Errorf("size %d of %d", is.size, len(text))
		}
		if len(is.jobs) == 0 && is.bad == nil && text != "" {
			t.Error("no record and nothing bad")
		}
		again, err := load(strings.NewReader(text[:is.size]), "journal")
		if err != nil || len(again.jobs) != len(is.jobs) {
			t.Errorf("the whole lines alone: %d jobs, want %d: %v", len(again.jobs), len(is.jobs), err)
		}
	})
}
