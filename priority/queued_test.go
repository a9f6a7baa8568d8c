package priority

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
)

func TestRank(t *testing.T) {
	queue := []Queued{
		job(1, func(q *Queued) { q.Priority = 10 }),
		job(2, func(q *Queued) { q.Priority = 20 }),
		job(3, func(q *Queued) { q.Priority, q.Partition = 5, "main,fast" }),
		job(4, func(q *Queued) { q.Priority, q.Reservation = 1, "r" }),
		job(5, func(q *Queued) { q.Priority, q.Submit = 20, 1 }),
		job(6, func(q *Queued) { q.Priority = 10; q.Submit = 1001 }),
	}
	Rank(queue, []Partition{{Name: "main", PriorityTier: 1}, {Name: "fast", PriorityTier: 3}})
	var got []ostrich.JobID
	for _, q := range queue {
		got = append(got, q.Job)
	}
	if diff := cmp.Diff([]ostrich.JobID{4, 3, 5, 2, 1, 6}, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func TestHasTask(t *testing.T) {
	q := Queued{Tasks: "1-9:4,20%3"}
	for task, want := range map[int]bool{1: true, 5: true, 9: true, 20: true, 2: false, 13: false, 21: false} {
		if got := q.HasTask(task); got != want {
			t.Errorf("HasTask(%d) = %v", task, got)
		}
	}
}

func FuzzTasks(f *testing.F) {
	f.Add("1-10%2")
	f.Add("0-99:3,4,7-8")
	f.Fuzz(func(t *testing.T, text string) {
		ranges, err := ParseTasks(text)
		if err != nil {
			return
		}
		spec, ok := arraySpec(7, ranges, maxSpec)
		if !ok {
			return
		}
		if !validSpec(spec) {
			t.Fatalf("%q is no name for scontrol", spec)
		}
		again, err := ParseTasks(strings.TrimSuffix(strings.TrimPrefix(spec, "7_["), "]"))
		if err != nil || again.Count() != ranges.Count() {
			t.Errorf("%q became %q: %v", text, spec, err)
		}
	})
}

func FuzzFormatTasks(f *testing.F) {
	f.Add([]byte{1, 1, 1, 5})
	f.Add([]byte{0, 4, 4, 4, 4, 4})
	f.Fuzz(func(t *testing.T, gaps []byte) {
		var tasks []int
		next := 0
		for i, gap := range gaps {
			next += int(gap)
			if gap > 0 || i == 0 {
				tasks = append(tasks, next)
			}
		}
		if len(tasks) == 0 {
			return
		}
		text := FormatTasks(tasks)
		set, err := ParseTasks(text)
		if err != nil || set.Count() != len(tasks) {
			t.Fatalf("%v became %q: %v", tasks, text, err)
		}
		for _, task := range tasks {
			if !set.Has(task) {
				t.Errorf("%v became %q, without %d", tasks, text, task)
			}
		}
	})
}
