package slurm

import (
	"fmt"
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
