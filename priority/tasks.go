package priority

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich"
)

// maxSpec is the longest set of tasks that fits a line of scontrol's, which
// without readline ends at 4096 bytes.
const maxSpec = 3800

// MaxTask bounds a task number: Slurm's MaxArraySize is at most 4 000 001.
const MaxTask = 4_000_001

// TaskSet is a set of an array's tasks.
type TaskSet []taskRange

// taskRange is what one element of a set of tasks stands for.
type taskRange struct{ first, last, step int }

// ParseTasks reads a set of array tasks as squeue prints it: "7", "1-10%2",
// "0-99:3", "1,4-6".
func ParseTasks(s string) (TaskSet, error) {
	set, _, _ := strings.Cut(s, "%")
	var ranges TaskSet
	for elem := range strings.SplitSeq(set, ",") {
		span, by, stepped := strings.Cut(elem, ":")
		from, to, spans := strings.Cut(span, "-")
		r := taskRange{step: 1}
		var err error
		if r.first, err = strconv.Atoi(from); err != nil {
			return nil, fmt.Errorf("tasks %q: %q: not a number", s, from)
		}
		r.last = r.first
		if spans {
			if r.last, err = strconv.Atoi(to); err != nil {
				return nil, fmt.Errorf("tasks %q: %q: not a number", s, to)
			}
		}
		if stepped {
			if r.step, err = strconv.Atoi(by); err != nil {
				return nil, fmt.Errorf("tasks %q: %q: not a number", s, by)
			}
		}
		if r.first < 0 || r.last < r.first || r.last > MaxTask || r.step < 1 {
			return nil, fmt.Errorf("tasks %q: %q: not a range", s, elem)
		}
		ranges = append(ranges, r)
	}
	return ranges, nil
}

// Count returns the number of tasks in the set.
func (s TaskSet) Count() int {
	n := 0
	for _, r := range s {
		n += (r.last-r.first)/r.step + 1
	}
	return n
}

// Last returns the highest number of the set; -1 of none.
func (s TaskSet) Last() int {
	last := -1
	for _, r := range s {
		last = max(last, r.first+(r.last-r.first)/r.step*r.step)
	}
	return last
}

// FormatTasks formats ascending tasks as squeue does (slurm_protocol_defs.c,
// xlate_array_task_str): more than five at equal distances as a stride, "0-99:3".
func FormatTasks(tasks []int) string {
	if n := len(tasks); n > 5 && tasks[n-1]-tasks[0] > 10 {
		first, step, even := tasks[0], tasks[1]-tasks[0], 1
		for even < n && tasks[even] == first+even*step {
			even++
		}
		if even == n && step > 1 {
			return fmt.Sprintf("%d-%d:%d", first, tasks[n-1], step)
		}
	}
	return FormatRanges(tasks)
}

// FormatRanges formats ascending tasks as "1,4-6".
func FormatRanges(tasks []int) string {
	var b []byte
	for i := 0; i < len(tasks); i++ {
		from := tasks[i]
		for i+1 < len(tasks) && tasks[i+1] == tasks[i]+1 {
			i++
		}
		if len(b) > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(from), 10)
		if tasks[i] > from {
			b = append(b, '-')
			b = strconv.AppendInt(b, int64(tasks[i]), 10)
		}
	}
	return string(b)
}

// arraySpec returns scontrol's name of the tasks of an array. scontrol does not
// read the "0-99:3" that squeue prints. It returns false for a name longer than
// most bytes.
func arraySpec(array ostrich.JobID, ranges TaskSet, most int) (string, bool) {
	b := fmt.Appendf(nil, "%d_[", array)
	for _, r := range ranges {
		if r.step == 1 && r.last > r.first {
			b = strconv.AppendInt(b, int64(r.first), 10)
			b = append(b, '-')
			b = strconv.AppendInt(b, int64(r.last), 10)
			b = append(b, ',')
			continue
		}
		for t := r.first; t <= r.last && len(b) <= most; t += r.step {
			b = strconv.AppendInt(b, int64(t), 10)
			b = append(b, ',')
		}
	}
	if len(b) > most {
		return "", false
	}
	b[len(b)-1] = ']'
	return string(b), true
}

// HasTask reports whether a task of the array waits in this record.
func (q *Queued) HasTask(task int) bool {
	set, err := ParseTasks(q.Tasks)
	return err == nil && set.Has(task)
}

// Has reports whether a task is in the set.
func (s TaskSet) Has(task int) bool {
	return slices.ContainsFunc(s, func(r taskRange) bool {
		return r.first <= task && task <= r.last && (task-r.first)%r.step == 0
	})
}
