package slurm

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/priority"
	"slurm-ostrich/priority/slurm/slurmtest"
)

func TestMain(m *testing.M) { os.Exit(slurmtest.Main(m)) }

// fake is a Slurm of the test's own.
type fake struct {
	Commands
	*slurmtest.Slurm
}

func newFake(t *testing.T, queue ...string) *fake {
	t.Helper()
	s := slurmtest.New(t, queue...)
	return &fake{Commands{Dir: s.Folder, Timeout: 20 * time.Second}, s}
}

// TestFakeLists: the fake prints the lists that a real Slurm printed of the same
// jobs.
func TestFakeLists(t *testing.T) {
	rows := func(text string) (rows []string) {
		queue, err := parseSqueue(text, mark)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range queue {
			rows = append(rows, fmt.Sprintf("%d: tasks %s of %d, shown as %s, of %s, %d processors for %d s, %s", q.Job, q.Tasks, q.Array, q.Full, q.User, q.CPUs, q.TimeLimit, q.State))
		}
		slices.Sort(rows)
		return rows
	}
	unique, err := parseSqueue(captured(t, "22.05/unique.txt"), mark)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		release string
		records []priority.Queued
		lists   map[string][]string
	}{
		{"22.05", unique, map[string][]string{"unique": {"--array-unique"}, "grouped": nil, "tasks": {"--array"}}},
		{"24.11", recordsOf(t, "24.11"), map[string][]string{"grouped": nil, "tasks": {"--array"}}},
	} {
		var queue []string
		for _, q := range tt.records {
			job := fmt.Sprintf("id=%d full=%s user=%s cpus=%d", q.Job, q.Full, q.User, q.CPUs)
			if q.TimeLimit != priority.Unlimited {
				job += fmt.Sprintf(" limit=%d", q.TimeLimit/60)
			} else {
				job += " limit=UNLIMITED"
			}
			if isSet(&q) {
				job += fmt.Sprintf(" name=%s array=%d tasks=%s", q.Name, q.Array, q.Tasks)
			} else if q.Array != 0 {
				job += fmt.Sprintf(" name=%s array=%d task=%s", q.Name, q.Array, q.Tasks)
			}
			queue = append(queue, job)
		}
		f := newFake(t, queue...)
		for file, options := range tt.lists {
			text, err := f.squeue(t.Context(), squeueFormat(mark), append(options, "-t", waiting)...)
			if diff := cmp.Diff(rows(captured(t, tt.release+"/"+file+".txt")), rows(text)); diff != "" || err != nil {
				t.Errorf("%s of %s, %v (-Slurm +fake):\n%s", file, tt.release, err, diff)
			}
		}
	}
}

// TestFakeChanges: the fake's scontrol does what Slurm's does. A priority takes the
// nice value, a pinned job keeps its own without a word, and the id of an array
// stands for all of its records.
func TestFakeChanges(t *testing.T) {
	f := newFake(t, "id=1 nice=5", "id=2 nice=3 pinned=9", "id=7 array=7 tasks=1-2", "id=8 array=7 task=3", "id=9 held=yes", "id=10 refuse=no")
	for line, want := range map[string]string{
		"update jobid=1 priority=70": "", "update jobid=2 nice=4": "", "update jobid=7 sitefactor=5": "", "release 9": "",
		"update jobid=10 nice=1":           "scontrol: exit status 1: no",
		"update jobid=7_[1] sitefactor=6":  "scontrol: exit status 1: Invalid job id specified for job 7_[1]", // a real Slurm splits the array
		"update jobid=1 sitefactor=6 more": "invalid keyword: ",
	} {
		if _, err := f.output(t.Context(), "scontrol", strings.Fields(line)...); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
	want := "id=1 nice=0 pinned=70\nid=2 nice=3 pinned=9\narray=7 id=7 site=5 tasks=1-2\narray=7 id=8 site=5 task=3\nid=9\nid=10 refuse=no\n"
	if diff := cmp.Diff(want, f.Get("queue")); diff != "" {
		t.Errorf("queue (-want +got):\n%s", diff)
	}
}
