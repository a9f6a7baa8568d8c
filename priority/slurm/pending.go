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

// errNoOption is how a command refuses an option that its release lacks.
var errNoOption = errors.New("unrecognized option")

// squeue lists the waiting jobs, one line each in squeueFormat(mark).
func (s Commands) squeue(ctx context.Context, mark string, options ...string) (string, error) {
	args := slices.Concat([]string{"--local", "-h", "-a"}, options, []string{"-t", "PENDING", "-o", squeueFormat(mark)})
	out, err := s.output(ctx, "squeue", args...)
	return string(out), err
}

// isSet reports whether the record stands for tasks of an array, and not for a
// single task or job.
func isSet(q *priority.Queued) bool {
	_, err := strconv.Atoi(q.Tasks)
	return q.Array != 0 && err != nil
}

// record is what "squeue --array" prints of one record of slurmctld: a line for
// each of its tasks, which differ only in the task.
type record struct {
	priority.Queued

	tasks []int // none if it is not an array
}

// separate returns slurmctld's records from two lists of squeue's. In grouped, a
// set of an array's tasks includes those with records of their own. byTask is the
// later output of "squeue --array", task by task.
func separate(grouped []priority.Queued, byTask, mark string) ([]priority.Queued, error) {
	records, err := parseRecords(byTask, mark)
	if err != nil {
		return nil, err
	}
	sets := make(map[ostrich.JobID]*priority.Queued)
	for i := range grouped {
		if q := &grouped[i]; isSet(q) {
			sets[q.Job] = q
		}
	}
	type task struct {
		array  ostrich.JobID
		number int
	}
	alone := make(map[task]bool) // tasks with records of their own
	for i := range records {
		if r := &records[i]; len(r.tasks) == 1 && sets[r.Job] == nil {
			alone[task{r.Array, r.tasks[0]}] = true
		}
	}
	queue := make([]priority.Queued, 0, len(records))
	for i := range records {
		r := &records[i]
		set := sets[r.Job]
		if set == nil {
			// An array that is younger than the grouped list waits for the next
			// reading. Its last task may be missing here, and naming a part of an
			// array splits it.
			if len(r.tasks) < 2 {
				queue = append(queue, r.Queued)
			}
			continue
		}
		if last, ok := forgotten(r.tasks); ok && set.HasTask(last) && !alone[task{r.Array, last}] {
			r.tasks = append(r.tasks, last)
		}
		if len(r.tasks) > 1 {
			_, limit, limited := strings.Cut(set.Tasks, "%")
			r.Tasks, r.Count = priority.FormatTasks(r.tasks), len(r.tasks)
			if limited {
				r.Tasks += "%" + limit
			}
			r.Full = fmt.Sprintf("%d_[%s]", r.Array, r.Tasks)
		}
		queue = append(queue, r.Queued)
	}
	return queue, nil
}

// parseRecords parses the output of "squeue --array" in squeueFormat(mark).
func parseRecords(out, mark string) ([]record, error) {
	texts, err := splitRecords(out, mark)
	if err != nil {
		return nil, err
	}
	var records []record
	at := make(map[string]int) // by id
	for text := range texts {
		// The further tasks of a record differ only in the number.
		id, rest, _ := strings.Cut(text, fieldSep)
		i, known := at[id]
		if !known {
			q, err := parseQueued(text)
			if err != nil {
				return nil, fmt.Errorf("squeue: %w", err)
			}
			i = len(records)
			at[id] = i
			records = append(records, record{Queued: q})
		}
		r := &records[i]
		if r.Array == 0 {
			if known {
				return nil, fmt.Errorf("squeue: job %s: listed twice, and no array", id)
			}
			continue
		}
		_, rest, _ = strings.Cut(rest, fieldSep)
		number, _, _ := strings.Cut(rest, fieldSep)
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 || n > priority.MaxTask {
			return nil, fmt.Errorf("squeue: job %s: task %q: not a task number", id, clip(number))
		}
		r.tasks = append(r.tasks, n)
	}
	for i := range records {
		slices.Sort(records[i].tasks)
		records[i].tasks = slices.Compact(records[i].tasks)
	}
	return records, nil
}

// forgotten returns the task that "squeue --array" leaves out of a record with
// these tasks: the last one of a stride (bitstring.c, bitfmt2int, stops before
// the end). ok is false if none can be missing.
func forgotten(tasks []int) (last int, ok bool) {
	n := len(tasks)
	if n < 2 {
		return 0, false
	}
	last = 2*tasks[n-1] - tasks[n-2]
	return last, strings.Contains(priority.FormatTasks(append(slices.Clip(tasks), last)), ":")
}
