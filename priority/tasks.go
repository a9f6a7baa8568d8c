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

// maxLine is the longest line that is given to scontrol.
const maxLine = 4000

// maxTask bounds a task number: Slurm's MaxArraySize is at most 4 000 001.
const maxTask = 4_000_001

// taskRange is what one element of a set of tasks stands for.
type taskRange struct{ first, last, step int }

// parseTasks reads a set of array tasks as squeue prints it: "7", "1-10%2",
// "0-99:3", "1,4-6".
func parseTasks(s string) ([]taskRange, error) {
	set, _, _ := strings.Cut(s, "%")
	if strings.HasSuffix(set, "...") {
		return nil, fmt.Errorf("tasks %q: shortened; is SLURM_BITSTR_LEN=0 understood?", clip(s))
	}
	var ranges []taskRange
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
		if r.first < 0 || r.last < r.first || r.last > maxTask || r.step < 1 {
			return nil, fmt.Errorf("tasks %q: %q: not a range", s, elem)
		}
		ranges = append(ranges, r)
	}
	return ranges, nil
}

// countTasks is the number of tasks in the ranges.
func countTasks(ranges []taskRange) int {
	n := 0
	for _, r := range ranges {
		n += (r.last-r.first)/r.step + 1
	}
	return n
}

// formatTasks writes tasks, which ascend, as squeue does
// (slurm_protocol_defs.c, xlate_array_task_str).
func formatTasks(tasks []int) string {
	if len(tasks) == 0 {
		return ""
	}
	first, last := tasks[0], tasks[len(tasks)-1]
	if step := stride(tasks); step > 1 && isStride(len(tasks), last-first) {
		return fmt.Sprintf("%d-%d:%d", first, last, step)
	}
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

// stride is the distance between any two neighbours, 0 if it is not the same
// for all.
func stride(tasks []int) int {
	if len(tasks) < 2 {
		return 0
	}
	step := tasks[1] - tasks[0]
	for i := 1; i < len(tasks); i++ {
		if tasks[i]-tasks[i-1] != step {
			return 0
		}
	}
	return step
}

// isStride reports whether Slurm writes tasks at equal distances as a stride;
// span is the distance from the first to the last.
func isStride(count, span int) bool { return count > 5 && span > 10 }

// arraySpec names the tasks of an array for scontrol, which does not read the
// "0-99:3" that squeue prints. It returns false for a name longer than most
// bytes.
func arraySpec(array ostrich.JobID, ranges []taskRange, most int) (string, bool) {
	b := fmt.Appendf(nil, "%d_[", array)
	for _, r := range ranges {
		if r.step == 1 && r.last > r.first {
			b = strconv.AppendInt(b, int64(r.first), 10)
			b = append(b, '-')
			b = strconv.AppendInt(b, int64(r.last), 10)
			b = append(b, ',')
		} else {
			for t := r.first; t <= r.last; t += r.step {
				b = strconv.AppendInt(b, int64(t), 10)
				b = append(b, ',')
				if len(b) > most {
					return "", false
				}
			}
		}
		if len(b) > most {
			return "", false
		}
	}
	b[len(b)-1] = ']'
	return string(b), true
}

// HasTask reports whether a task of the array waits in this record.
func (q *Queued) HasTask(task int) bool { return hasTask(q.Tasks, task) }

func hasTask(tasks string, task int) bool {
	ranges, err := parseTasks(tasks)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(ranges, func(r taskRange) bool {
		return r.first <= task && task <= r.last && (task-r.first)%r.step == 0
	})
}
