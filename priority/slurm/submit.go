package slurm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// Submit passes a batch script to sbatch, with options for it, and returns the
// number of the job, or of the job array if an option makes it one. sbatch has
// read the script when Submit returns.
func (s Commands) Submit(ctx context.Context, script string, options ...string) (ostrich.JobID, error) {
	return parsed(ctx, s, parseSubmitted, "sbatch", slices.Concat([]string{"--parsable"}, options, []string{script})...)
}

// parseSubmitted reads the output of "sbatch --parsable": the number of the job
// and, for another cluster, its name.
func parseSubmitted(out string) (ostrich.JobID, error) {
	number, _, _ := strings.Cut(strings.TrimSpace(out), ";")
	id, err := strconv.ParseUint(number, 10, 32)
	if err != nil || id == 0 {
		return 0, fmt.Errorf("sbatch --parsable: %q: not the number of a job", clip(out))
	}
	return ostrich.JobID(id), nil
}

// ArrayTasks is one or several tasks of a job array that are in the same state.
type ArrayTasks struct {
	// Tasks are their numbers as squeue prints them: one, as "7", for tasks that
	// run or have ended; several, as "8-15%4", possibly for those that wait.
	Tasks string
	State string // JobState in Slurm's long form: "PENDING", "OUT_OF_MEMORY"
}

// ended are the final states of a job in Slurm's long form
// (slurm_protocol_defs.c, job_state_string).
var ended = []string{
	"BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "LAUNCH_FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED",
	"REVOKED", "TIMEOUT",
}

// Ended reports whether the tasks have ended in any way.
func (a ArrayTasks) Ended() bool { return slices.Contains(ended, a.State) }

// Has reports whether a task is among them.
func (a ArrayTasks) Has(task int) bool {
	set, err := priority.ParseTasks(a.Tasks)
	return err == nil && set.Has(task)
}

// Array lists the tasks of a job array that slurmctld still knows. It forgets
// ended tasks after MinJobAge; if none is left, Array returns none and no error.
func (s Commands) Array(ctx context.Context, job ostrich.JobID) ([]ArrayTasks, error) {
	out, err := s.output(ctx, "squeue", "-h", "-t", "all", "-j", strconv.FormatUint(uint64(job), 10), "-o", "%K|%T")
	if errors.Is(err, errNoJob) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parseArray(out)
}

// parseArray reads lines of task numbers and state.
func parseArray(out string) ([]ArrayTasks, error) {
	var all []ArrayTasks
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		tasks, state, ok := strings.Cut(line, "|")
		if !ok || tasks == "" || state == "" {
			return nil, fmt.Errorf("squeue: %q: not the tasks of an array and their state", clip(line))
		}
		all = append(all, ArrayTasks{tasks, state})
	}
	return all, nil
}
