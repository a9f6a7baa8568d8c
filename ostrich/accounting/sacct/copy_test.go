package sacct_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/sacct"
)

// TestCopy: a copy is read as what it was made of, whether that was text or JSON, and the copy of a
// copy is the same.
func TestCopy(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		jobs := drawRecords(rt)
		for i := range jobs {
			j := &jobs[i]
			j.name, j.folder, j.line = strings.ReplaceAll(j.name, "\t", ""), strings.ReplaceAll(j.folder, "\t", ""), strings.ReplaceAll(j.line, "\t", "")
		}
		for _, text := range []string{asText(jobs), string(r2205.asJSON(t, jobs)), string(r2311.asJSON(t, jobs))} {
			read := func(text string) (*accounting.History, string) {
				var copied bytes.Buffer
				h, err := sacct.Read(strings.NewReader(text), "dump", sacct.Options{Copy: &sacct.Copy{To: &copied}})
				if err != nil {
					rt.Fatal(err)
				}
				return h, copied.String()
			}
			want, first := read(text)
			got, second := read(first)
			if diff := cmp.Diff(want, got); diff != "" {
				rt.Fatalf("(-dump +copy):\n%s\nof\n%s", diff, first)
			}
			if first != second {
				rt.Fatalf("a copy of a copy:\n%s", cmp.Diff(first, second))
			}
		}
	})
}

func copyOf(t *testing.T, text string, o sacct.Options, anonymous bool) string {
	t.Helper()
	var copied bytes.Buffer
	o.Copy = &sacct.Copy{To: &copied, Anonymous: anonymous}
	if _, err := sacct.Read(strings.NewReader(text), "dump", o); err != nil {
		t.Fatal(err)
	}
	return copied.String()
}

// TestCopyClock: times are in UTC, and the clock tells no hour twice.
func TestCopyClock(t *testing.T) {
	const dump = "JobID|User|Account|Submit|Start|End|Elapsed|State|NCPUS\n" +
		"5|ada|phys|2024-10-27T01:00:00|2024-10-27T02:30:00|2024-10-27T02:40:00|01:10:00|COMPLETED|1\n"
	want := "JobID\tAccount\tUser\tSubmit\tStart\tEnd\tElapsed\tState\tNCPUS\n" +
		"5\tphys\tada\t2024-10-26T23:00:00Z\t2024-10-27T00:30:00Z\t2024-10-27T01:40:00Z\t01:10:00\tCOMPLETED\t1\n"
	if got := copyOf(t, dump, sacct.Options{Location: zoned(t, "Europe/Warsaw")}, false); got != want {
		t.Error(cmp.Diff(want, got))
	}
}

// TestCopyTrace: a trace without times keeps what it has.
func TestCopyTrace(t *testing.T) {
	o := sacct.Options{Columns: strings.Split("user,gpus,interval,elapsedraw,state", ","), Delimiter: ","}
	want := "Interval\tUser\tElapsedRaw\tState\tGPUs\n5\tu1\t60\tPass\t2\n0\tu2\t10\tKilled\t1\n"
	if got := copyOf(t, "u1,2,5,60,Pass\nu2,1,0,10,Killed\n", o, false); got != want {
		t.Error(cmp.Diff(want, got))
	}
}

// TestCopyTasks: tasks that have not been split stand in a copy of JSON as in sacct's text. The pairs are what
// sacct 22.05.8 printed of one array; a copy lists the tasks of a long one all the same.
func TestCopyTasks(t *testing.T) {
	for _, tt := range []tasks{
		{"0-4", "0x1F", 0},
		{"1,3,5,7%3", "0xAA", 3},
		{"1-13:2", "0x2AAA", 0},
		{"2-3,20", "0x10000C", 0},
		{"0-40:4%2", "0x11111111111", 2},
		{"5", "0x20", 0},
		{"0-1,4", "0x13", 0},
		{"0-399:3", "0x9" + strings.Repeat("249", 33), 0},
		{"0,20", "0x00100001", 0},
		{"0,3,6,9,12", "0x1249", 0},
		{"0-15:3", "0x9249", 0},
		{"0,2,4,6,8,10", "0x555", 0},
		{"0-12:2", "0x1555", 0},
		{"0-4,...", "0x1F...", 0},
		{"5,14,23,32,41", "0x20100804020", 0},
	} {
		dump := fmt.Sprintf(`[{"job_id": 7, "array": {"job_id": 7, "limits": {"max": {"running": {"tasks": %d}}}, "task": %q, "task_id": null}, "user": "ada", "required": {"CPUs": 1},
			"state": {"current": "PENDING"}, "time": {"submission": 1700000000}}]`, tt.most, tt.mask)
		first := copyOf(t, dump, sacct.Options{}, false)
		if !strings.Contains(first, "7\t7_["+tt.list+"]\t") {
			t.Errorf("%s with %d at once, want %s:\n%s", tt.mask, tt.most, tt.list, first)
		}
		if second := copyOf(t, first, sacct.Options{}, false); second != first {
			t.Error(cmp.Diff(first, second))
		}
	}
}

// TestCopyTexts: a text cannot end a column or a line.
func TestCopyTexts(t *testing.T) {
	const dump = `[{"job_id": 5, "user": "ada", "name": "a\tb\nc\rd|e", "state": {"current": "COMPLETED"}, "required": {"CPUs": 1},
		"time": {"submission": 1700000000, "start": 1700000001, "end": 1700000002}}]`
	if got := copyOf(t, dump, sacct.Options{}, false); !strings.Contains(got, "\ta b c d|e\t") || strings.Count(got, "\n") != 2 {
		t.Errorf("%q", got)
	}
}

// TestCopyAnonymous: no name is left, and jobs of one name still have one.
func TestCopyAnonymous(t *testing.T) {
	const dump = "JobID|User|UID|Account|Submit|Start|End|State|NCPUS|JobName|WorkDir\n" +
		"5|ada|1001|phys|2024-03-01T10:00:00|2024-03-01T10:00:01|2024-03-01T10:00:09|COMPLETED|1|align-7|/home/ada\n" +
		"6|bob|1002|phys|2024-03-01T10:00:00|2024-03-01T10:00:01|2024-03-01T10:00:09|COMPLETED|1|align-8|/home/bob\n" +
		"7|ada|1001|bio|2024-03-01T10:00:00|2024-03-01T10:00:01|2024-03-01T10:00:09|COMPLETED|1||/home/ada\n"
	want := "JobID\tAccount\tUser\tSubmit\tStart\tEnd\tState\tNCPUS\tJobName\n" +
		"5\taccount1\tuser1\t2024-03-01T10:00:00Z\t2024-03-01T10:00:01Z\t2024-03-01T10:00:09Z\tCOMPLETED\t1\tjob-a\n" +
		"6\taccount1\tuser2\t2024-03-01T10:00:00Z\t2024-03-01T10:00:01Z\t2024-03-01T10:00:09Z\tCOMPLETED\t1\tjob-a\n" +
		"7\taccount2\tuser1\t2024-03-01T10:00:00Z\t2024-03-01T10:00:01Z\t2024-03-01T10:00:09Z\tCOMPLETED\t1\t\n"
	if got := copyOf(t, dump, sacct.Options{}, true); got != want {
		t.Error(cmp.Diff(want, got))
	}
}
