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
		changes = append(changes, priority.Change{Job: ostrich.JobID(id + 1), To: 7, Why: strings.Repeat("because ", 10)})
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
