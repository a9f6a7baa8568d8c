package slurm

import (
	"fmt"
	"strconv"
	"strings"

	"slurm-ostrich/priority"
)

// parseTasks reads a set of array tasks in squeue's form.
func parseTasks(s string) (priority.TaskSet, error) {
	if set, _, _ := strings.Cut(s, "%"); strings.HasSuffix(set, "...") {
		return nil, fmt.Errorf("tasks %q: shortened; is SLURM_BITSTR_LEN=0 understood?", clip(s))
	}
	return priority.ParseTasks(s)
}

// formatTasks formats ascending tasks as squeue does (slurm_protocol_defs.c,
// xlate_array_task_str).
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

// stride returns the distance between neighbours, or 0 if the distances differ.
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

// isStride reports whether Slurm prints count tasks at equal distances as a
// stride; span is the distance from the first to the last.
func isStride(count, span int) bool { return count > 5 && span > 10 }
