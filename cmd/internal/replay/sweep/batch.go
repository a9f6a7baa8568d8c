package sweep

import (
	"fmt"
	"strconv"
	"strings"

	"slurm-ostrich/cmd/internal/format"
)

// Chunk returns the points of a task if the tasks in turn compute perTask of n
// points each: from first up to, but not including, end. A task beyond the last
// point has none.
func Chunk(n, perTask, task int) (first, end int) {
	first = min(n, task*perTask)
	return first, min(n, first+perTask)
}

// Indices formats ascending task numbers as sbatch's --array reads them: "0-3,7".
func Indices(tasks []int) string {
	var b strings.Builder
	for i := 0; i < len(tasks); {
		k := i
		for k+1 < len(tasks) && tasks[k+1] == tasks[k]+1 {
			k++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(tasks[i]))
		if k > i {
			b.WriteString("-" + strconv.Itoa(tasks[k]))
		}
		i = k + 1
	}
	return b.String()
}

// Script returns the batch script of an array whose tasks run the command with
// --task and their number.
func Script(command ...string) string {
	return fmt.Sprintf(`#!/bin/sh
# One task of a job array, written by "ostrich sweep --slurm".
export GOMAXPROCS="${SLURM_CPUS_PER_TASK:-1}"
exec %s --task "$SLURM_ARRAY_TASK_ID" --workers "$GOMAXPROCS"
`, strings.Join(format.Texts(command, quote), " "))
}

// quote returns a word in the shell's quotes.
func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
