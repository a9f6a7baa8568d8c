package slurm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

func byJob(a, b priority.Queued) int { return int(a.Job) - int(b.Job) }

// recordsOf is the queue that the two lists of a release make.
func recordsOf(t *testing.T, release string) []priority.Queued {
	t.Helper()
	grouped, err := parseSqueue(captured(t, release+"/grouped.txt"), mark)
	if err != nil {
		t.Fatal(err)
	}
	records, apart := listed(t, captured(t, release+"/tasks.txt"))
	queue := separate(grouped, records, apart)
	slices.SortFunc(queue, byJob)
	return queue
}

// listed makes of the output of "squeue --array" in squeueFormat what separate reads: the
// same in taskFormat, and what squeue says of one task of each record of an array in parts.
func listed(t testing.TB, byTask string) (records []record, apart []priority.Queued) {
	t.Helper()
	all, err := parseSqueue(byTask, mark)
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for _, q := range all {
		fmt.Fprintf(&lines, "%d %d %s\n", q.Job, cmp.Or(q.Array, q.Job), cmp.Or(q.Tasks, "N/A"))
	}
	// The first task of each record whose array has another.
	seen := make(map[ostrich.JobID]bool)
	for i, q := range all {
		another := slices.ContainsFunc(all, func(o priority.Queued) bool { return q.Array != 0 && o.Array == q.Array && o.Job != q.Job })
		if another && !seen[q.Job] {
			seen[q.Job] = true
			apart = append(apart, all[i])
		}
	}
	if records, err = parseRecords(lines.String()); err != nil {
		t.Fatal(err)
	}
	return records, apart
}

// recordsPerArray counts the records of each array.
func recordsPerArray(queue []priority.Queued) map[ostrich.JobID]int {
	n := make(map[ostrich.JobID]int)
	for _, q := range queue {
		if q.Array != 0 {
			n[q.Array]++
		}
	}
	return n
}

// TestSeparateIsArrayUnique finds in the two lists of 22.05 what that release
// says itself with --array-unique, but for the limit of tasks at a time where
// squeue drops it, as it does with a set that took others in.
func TestSeparateIsArrayUnique(t *testing.T) {
	want, err := parseSqueue(captured(t, "22.05/unique.txt"), mark)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(want, byJob)
	apart := recordsPerArray(want)
	for i := range want {
		if q := &want[i]; isSet(q) && apart[q.Array] > 1 {
			_, limit, _ := strings.Cut(q.Tasks, "%")
			q.Tasks = strings.TrimSuffix(q.Tasks, "%"+limit)
			q.Full = strings.Replace(q.Full, "%"+limit+"]", "]", 1)
		}
	}
	if diff := gocmp.Diff(want, recordsOf(t, "22.05")); diff != "" {
		t.Errorf("records (-array-unique +joined):\n%s", diff)
	}
}

// TestSeparate says what 24.11 shows of arrays.
func TestSeparate(t *testing.T) {
	type row struct {
		Full, Reason string
		Count        int
		Held, Listed bool
		Pinned       bool
		Nice         int64
	}
	got := make(map[string][]row)
	queue := recordsOf(t, "24.11")
	factors, err := parseSprio(captured(t, "24.11/sprio.txt"))
	if err != nil {
		t.Fatal(err)
	}
	join(queue, factors)
	for i := range queue {
		q := &queue[i]
		if q.Array != 0 {
			// The id of the array is that of its first record.
			full := "A" + strings.TrimPrefix(q.Full, fmt.Sprint(q.Array))
			got[q.Name] = append(got[q.Name], row{full, q.Reason, q.Count, q.Held(), q.Listed, q.Pinned, q.Nice})
		}
	}
	waits := func(full string, count int) row { return row{full, "Resources", count, false, true, false, 0} }
	held := func(full string) row { return row{full, "JobHeldAdmin", 1, true, false, false, 0} }
	want := map[string][]row{
		"arr":  {waits("A_[1-10]", 10)},
		"arr2": {waits("A_[0-99:3%4]", 34)},
		"six":  {waits("A_[0-20:4]", 6)},
		"five": {waits("A_[0,4,8,12,16]", 5)},
		"split": {
			waits("A_[1-2,4,6,8-10]", 7), held("A_3"),
			{"A_5", "None", 1, false, true, true, 0},
			{"A_7", "None", 1, false, true, false, 30},
		},
		"stridelast":   {waits("A_[0-95:5]", 20), held("A_100")},
		"stridemiddle": {waits("A_[0,5,10,15,20,25,30,35,40,45,55,60,65,70,75,80,85,90,95,100]", 20), held("A_50")},
		"renamed":      {waits("A_[1,3]", 2)},
		"other":        {{"A_2", "None", 1, false, true, false, 0}},
		"allapart":     {waits("A_2", 1), held("A_1")},
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("arrays (-want +got):\n%s", diff)
	}
	known := make(map[ostrich.JobID]bool)
	for _, q := range queue {
		if known[q.Job] {
			t.Errorf("job %d is there twice", q.Job)
		}
		known[q.Job] = true
	}
}

// squeueLine is a line of squeue's for a record: "7 1-10" is the set of an
// array, "9 7_3" a task with a record of its own, "5" a job.
func squeueLine(text string) string {
	id, tasks, _ := strings.Cut(text, " ")
	array, task, apart := strings.Cut(tasks, "_")
	if !apart {
		array, task = id, tasks
	}
	full := id
	if task == "" {
		task = "N/A"
	} else {
		full = array + "_" + task
	}
	f := []string{id, array, task, full, "ann", "1000", "main", "normal", "10", "0", "PENDING", "1700000000", "(null)", "(null)", "None", "2", "1:30:00", "(null)", "(null)", "(null)", "(null)", "lab", "(null)", "(null)", "name"}
	return mark + strings.Join(f, fieldSep) + "\n"
}

// TestSeparateAcrossTime joins lists between which the queue changed.
func TestSeparateAcrossTime(t *testing.T) {
	tests := []struct {
		name, grouped, byTask string
		want                  []string
	}{
		{"the same", "7 1-3; 5", "7 1; 7 2; 7 3; 5", []string{"5", "7_[1-3]"}},
		{"a task is held meanwhile", "7 1-3", "7 1; 7 3; 9 7_2", []string{"7_[1,3]", "7_2"}},
		{"a task starts meanwhile", "7 1-3", "7 2; 7 3", []string{"7_[2-3]"}},
		{"all but one start meanwhile", "7 1-3", "7 3", []string{"7_3"}},
		{"the array ends meanwhile", "7 1-3; 5", "5", []string{"5"}},
		{"a job comes meanwhile", "7 1-3", "7 1; 7 2; 7 3; 8", []string{"7_[1-3]"}},
		{"an array comes meanwhile", "7 1-3", "7 1; 7 2; 7 3; 8 1; 8 2", []string{"7_[1-3]"}},
		{"a task comes back", "7 2-3", "7 2; 7 3; 9 7_1", []string{"7_[2-3]", "7_1"}},
		{"the last of a stride is forgotten", "7 0-20:4%2", "7 0; 7 4; 7 8; 7 12; 7 16", []string{"7_[0-20:4%2]"}},
		{"the last of a stride is apart", "7 0,4,8,12,16,20", "7 0; 7 4; 7 8; 7 12; 7 16; 9 7_20", []string{"7_[0,4,8,12,16]", "7_20"}},
		{"the last of a stride is not known", "7 0,4,8,12,16", "7 0; 7 4; 7 8; 7 12; 7 16", []string{"7_[0,4,8,12,16]"}},
		{"too few for a stride", "7 0,4,8,12,16", "7 0; 7 4; 7 8; 7 12", []string{"7_[0,4,8,12]"}},
		{"lines out of order", "7 1-3; 5", "7 3; 5; 7 1; 7 2", []string{"5", "7_[1-3]"}},
		{"a set of one", "7 4%2", "7 4", []string{"7_4"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var lists [2]strings.Builder
			for i, list := range []string{tt.grouped, tt.byTask} {
				for line := range strings.SplitSeq(list, "; ") {
					lists[i].WriteString(squeueLine(line))
				}
			}
			grouped, err := parseSqueue(lists[0].String(), mark)
			if err != nil {
				t.Fatal(err)
			}
			records, apart := listed(t, lists[1].String())
			queue := separate(grouped, records, apart)
			slices.SortFunc(queue, byJob)
			var got []string
			for _, q := range queue {
				got = append(got, q.Full)
			}
			if diff := gocmp.Diff(tt.want, got); diff != "" {
				t.Errorf("records (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSeparateErrors(t *testing.T) {
	for tasks, want := range map[string]string{
		"squeue: something\n":        "unexpected output",
		"squeue\n":                   "unexpected output",
		"5 5 N/A\n5 5 N/A\n":         "listed twice",
		"7 7 1\n7 7 2-3\n":           `task "2-3"`,
		"7 7 1\n7 7 1700000000\n":    "not a task number",
		"7 7 1\n7 7":                 "cut off",
		"0 7 1\n":                    "not the ids",
		"7 x 1\n":                    "not the ids",
		"7 7 1\n7 7 2\n9 7 3 more\n": `task "3 more"`,
	} {
		if records, err := parseRecords(tasks); err == nil || !strings.Contains(err.Error(), want) || records != nil {
			t.Errorf("%q: error %v, want %q in it", tasks, err, want)
		}
	}
}

// TestQueueOnEveryRelease reads one queue as old and as new commands show it.
func TestQueueOnEveryRelease(t *testing.T) {
	queue := []string{
		"id=5", "id=7 array=7 tasks=0,5,15-16", "id=9 array=7 task=3 held=yes reason=JobHeldUser", "id=20 array=20 tasks=0-20:4", "id=30 array=30 task=8",
	}
	var want []priority.Queued
	for _, grouping := range []bool{false, true} {
		f := newFake(t, queue...)
		if grouping {
			f.Set("config", "SLURM_VERSION = 23.02.7")
		}
		got, err := f.Queue(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(got, byJob)
		if !grouping {
			want = got
		}
		if diff := gocmp.Diff(want, got); diff != "" || len(got) != len(queue) {
			t.Errorf("grouping %t (-want +got):\n%s", grouping, diff)
		}
		if ran := f.Ran("squeue"); grouping && ran != 4 || !grouping && ran != 1 {
			t.Errorf("grouping %t: squeue ran %d times", grouping, ran)
		}
	}
	// Without a set of tasks the second list says all.
	f := newFake(t, queue[0])
	f.Set("config", "SLURM_VERSION = 23.02.7")
	if got, err := f.Queue(t.Context()); err != nil || len(got) != 1 || f.Ran("squeue") != 2 {
		t.Errorf("%+v, %v after %d runs", got, err, f.Ran("squeue"))
	}
}

func FuzzSeparate(f *testing.F) {
	f.Add(squeueLine("7 1-3%2"), "7 7 1\n7 7 2\n", "")
	f.Add(squeueLine("7 1-3"), "7 7 1\n7 7 1700000000\n", "")
	f.Add(squeueLine("7 0-16:4"), "7 7 0\n7 7 4\n7 7 8\n7 7 12\n", "")
	f.Add(squeueLine("7 1-3")+squeueLine("5"), "7 7 1\n7 7 2\n9 7 3\n5 5 N/A\n", squeueLine("7 1")+squeueLine("9 7_3"))
	f.Fuzz(func(t *testing.T, first, tasks, third string) {
		grouped, err := parseSqueue(first, mark)
		if err != nil {
			return
		}
		apart, err := parseSqueue(third, mark)
		if err != nil {
			return
		}
		records, err := parseRecords(tasks)
		if err != nil {
			return
		}
		queue := separate(grouped, records, apart)
		for i := range queue {
			q := &queue[i]
			if q.Job == 0 || q.Count < 1 {
				t.Errorf("%+v", q)
			}
			if ranges, err := parseTasks(q.Tasks); q.Array != 0 && (err != nil || ranges.Count() != q.Count) {
				t.Errorf("%q: not %d tasks: %v", q.Tasks, q.Count, err)
			}
		}
	})
}

// BenchmarkSeparate joins the lists of 100 000 tasks in 10 arrays.
func BenchmarkSeparate(b *testing.B) {
	var first, tasks strings.Builder
	for array := 10; array < 20; array++ {
		first.WriteString(squeueLine(fmt.Sprintf("%d 1-10000", array)))
		for task := range 10000 {
			fmt.Fprintf(&tasks, "%d %d %d\n", array, array, task+1)
		}
	}
	grouped, err := parseSqueue(first.String(), mark)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		records, err := parseRecords(tasks.String())
		if queue := separate(grouped, records, nil); err != nil || len(queue) != 10 {
			b.Fatal(len(queue), err)
		}
	}
}
