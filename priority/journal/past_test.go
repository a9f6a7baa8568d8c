package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// writesOf returns the writes of jobs in short: time, job, new value, result.
func writesOf(t *testing.T, path string, jobs ...ostrich.JobID) []string {
	t.Helper()
	list, err := Of(path, jobs)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, r := range list {
		all = append(all, fmt.Sprintf("%d %d %d %s", r.Time, r.Job, r.To, r.Result))
	}
	return all
}

// TestOf: each write counts once, with its result if that is known, in both files.
func TestOf(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	if got := writesOf(t, path, 1); got != nil {
		t.Errorf("without a file: %v", got)
	}
	j := openJournal(t, path)
	j.write(t, priority.Nice, priority.Applied, priority.Change{Job: 1, To: -1}, priority.Change{Job: 12, To: -2})
	j.write(t, priority.Nice, priority.Refused, priority.Change{Job: 1, From: -1, To: -3})
	if ok, err := j.Rotate(1, -1, func(ostrich.JobID) bool { return true }); !ok || err != nil {
		t.Fatal(ok, err)
	}
	j.write(t, priority.SiteFactor, priority.Applied, priority.Change{Job: 1, To: 7})
	j.write(t, priority.Nice, "", priority.Change{Job: 12, From: -2, To: -4}) // killed before the end
	at := fmt.Sprint(list(t, path, 1)[0].Time)
	want := []string{at + " 1 -1 applied", at + " 1 -3 refused", at + " 1 7 applied"}
	if d := cmp.Diff(want, writesOf(t, path, 1)); d != "" {
		t.Errorf("job 1 (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{at + " 12 -2 applied", "1 12 -4 intended"}, writesOf(t, path, 12, 2)); d != "" {
		t.Errorf("job 12 (-want +got):\n%s", d)
	}
	if got := writesOf(t, path, 1, 12); len(got) != 5 {
		t.Errorf("both: %v", got)
	}

	// A result without an intention, as older files have them, is a write of its own.
	result := `{"time":9,"job":1,"submit":1,"channel":"nice","from":-1,"to":5,"result":"applied"}` + "\n"
	put(t, path, content(t, path)+result)
	if want = append(want, "9 1 5 applied"); !cmp.Equal(want, writesOf(t, path, 1)) {
		t.Errorf("a result alone: %v, want %v", writesOf(t, path, 1), want)
	}

	// Lines that are none, one longer than any, and one that is being written.
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	for _, more := range []string{
		"rubbish\n", `{"time":9,"job":1,"channel":"none"}` + "\n", `{"job":99999999999999999999999}` + "\n",
		strings.Repeat("x", mostLine+9) + "\n", `{"time":9,"job":1,"channel":"nice","from":0,"to":5,"res`,
	} {
		if _, err := file.WriteString(more); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, writesOf(t, path, 1)); d != "" {
			t.Errorf("after %.40q (-want +got):\n%s", more, d)
		}
	}
}

func list(t *testing.T, path string, jobs ...ostrich.JobID) []Record {
	t.Helper()
	all, err := Of(path, jobs)
	if err != nil || len(all) == 0 {
		t.Fatal(all, err)
	}
	return all
}

// TestOfRefuses: what Read does not open, Of does not open either.
func TestOfRefuses(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	put(t, filepath.Join(dir, "target"), goodLine)
	if err := os.Symlink("target", link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, dir} {
		if all, err := Of(path, []ostrich.JobID{1}); err == nil || !strings.HasPrefix(err.Error(), "journal: ") {
			t.Errorf("%s: %v, %v", path, all, err)
		}
	}
}

// BenchmarkOf reads the writes of a job from a journal of 64 MiB.
func BenchmarkOf(b *testing.B) {
	path := filepath.Join(b.TempDir(), "journal")
	var text strings.Builder
	for i := 0; text.Len() < 64<<20; i++ {
		fmt.Fprintf(&text, `{"time":%d,"job":%d,"submit":1700000000,"channel":"sitefactor","from":0,"to":1073700000,"why":"campaign order","result":"applied"}`+"\n", i, 1+i%5000)
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if all, err := Of(path, []ostrich.JobID{7}); err != nil || len(all) == 0 {
			b.Fatal(len(all), err)
		}
	}
}

// latest returns the latest writes in short: job, new value, result.
func latest(t *testing.T, path string, n int) []string {
	t.Helper()
	list, err := Tail(path, n)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, r := range list {
		all = append(all, fmt.Sprintf("%d %d %s", r.Job, r.To, r.Result))
	}
	return all
}

func TestTail(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	if got := latest(t, path, 50); got != nil {
		t.Errorf("without a file: %v", got)
	}
	j := openJournal(t, path)
	j.write(t, priority.Nice, priority.Applied, priority.Change{Job: 1, To: -1}, priority.Change{Job: 2, To: -2})
	j.write(t, priority.Nice, priority.Refused, priority.Change{Job: 1, From: -1, To: -3})
	j.write(t, priority.Nice, "", priority.Change{Job: 2, From: -2, To: -4}) // killed before the end
	want := []string{"2 -4 intended", "1 -3 refused", "2 -2 applied", "1 -1 applied"}
	if d := cmp.Diff(want, latest(t, path, 50)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if d := cmp.Diff(want[:2], latest(t, path, 2)); d != "" {
		t.Errorf("the latest two (-want +got):\n%s", d)
	}

	// A line that is being written, and an invalid one.
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	for _, more := range []string{"rubbish\n", `{"time":9,"job":7,"channel":"nice","from":0,"to":5,"res`} {
		if _, err := file.WriteString(more); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, latest(t, path, 50)); d != "" {
			t.Errorf("after %q (-want +got):\n%s", more, d)
		}
	}
}

// The end of a long journal is enough, and after it has begun a new file the
// one before is looked at too.
func TestTailLong(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := openJournal(t, path)
	var changes []priority.Change
	for id := range 5000 {
		changes = append(changes, priority.Change{Job: ostrich.JobID(id + 1), To: 7, Why: priority.Why{Code: priority.TakenBack, About: strings.Repeat("because ", 10)}})
	}
	j.write(t, priority.Nice, priority.Applied, changes...)
	if info, err := os.Stat(path); err != nil || info.Size() < 4*tailBytes {
		t.Fatalf("the journal is too short: %v", err)
	}
	want := []string{"5000 7 applied", "4999 7 applied", "4998 7 applied"}
	if d := cmp.Diff(want, latest(t, path, 3)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if n := len(latest(t, path, 100_000)); n < 100 || n > 5000 {
		t.Errorf("%d of all", n)
	}
	if done, err := j.Rotate(9, 0, func(id ostrich.JobID) bool { return id == 3 }); !done || err != nil {
		t.Fatal(done, err)
	}
	j.write(t, priority.Nice, priority.Applied, priority.Change{Job: 3, From: 7, To: 8})
	if d := cmp.Diff(append([]string{"3 8 applied"}, want...), latest(t, path, 4)); d != "" {
		t.Errorf("after a new file has begun (-want +got):\n%s", d)
	}
}

// What a new file carries over was not written when it began: a refusal and an
// intention are those of the file before, once.
func TestTailCarriedOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := openJournal(t, path)
	j.write(t, priority.Nice, priority.Applied, priority.Change{Job: 1, To: -1})
	j.write(t, priority.Nice, priority.Refused, priority.Change{Job: 2, To: -2})
	j.write(t, priority.Nice, "", priority.Change{Job: 3, To: -3})
	want := []string{"3 -3 intended", "2 -2 refused", "1 -1 applied"}
	if d := cmp.Diff(want, latest(t, path, 50)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if done, err := j.Rotate(99, 0, func(ostrich.JobID) bool { return true }); !done || err != nil {
		t.Fatal(done, err)
	}
	if d := cmp.Diff(want, latest(t, path, 50)); d != "" {
		t.Errorf("after a new file has begun (-want +got):\n%s", d)
	}
	j.write(t, priority.Nice, priority.Applied, priority.Change{Job: 3, From: -3, To: -4})
	if d := cmp.Diff(append([]string{"3 -4 applied"}, want...), latest(t, path, 50)); d != "" {
		t.Errorf("after another write (-want +got):\n%s", d)
	}
}

func TestTailUnreadable(t *testing.T) {
	if _, err := Tail(t.TempDir(), 50); err == nil {
		t.Error("a folder was read")
	}
}
