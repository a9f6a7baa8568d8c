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

// printed is the output of Slurm's commands about the queue.
type printed struct {
	sprio  string // "" if priority/multifactor is not in force
	mark   string // before each record of squeue
	squeue []string
	stock  [3]string // of showStock
}

// listing runs the commands that list slurmctld's waiting records.
//
// Until 22.05, squeue prints them one by one with --array-unique. Later releases
// print either one line for all waiting tasks of an array, which hides tasks with
// records of their own, or one line for each task. Neither shows everything, so
// separate joins them. listing tries the option each time: a refusal takes a few
// milliseconds, and the commands may be replaced under a running daemon.
func (s Commands) listing(ctx context.Context) (*printed, error) {
	// sprio runs first, so that squeue shows a job that was held or pinned between the
	// two as it is now.
	sprio, err := s.output(ctx, "sprio", "--local", "-h", "-o", sprioFormat)
	if err != nil && !errors.Is(err, errNotMultifactor) {
		return nil, err
	}
	p := &printed{sprio: sprio, mark: newMark()}
	list := func(options ...string) error {
		text, failed := s.squeue(ctx, squeueFormat(p.mark), append(options, "-t", "PENDING")...)
		if failed == nil {
			p.squeue = append(p.squeue, text)
		}
		return failed
	}
	if err = list("--array-unique"); !errors.Is(err, errNoOption) {
		return p, err
	}
	// The list of tasks comes last, so it shows a task that was held or pinned
	// meanwhile as separate.
	if err = list(); err == nil && hasSets(p.squeue[0], p.mark) {
		err = list("--array")
	}
	return p, err
}

// hasSets reports whether squeue printed a record of several tasks, see isSet.
func hasSets(out, mark string) bool {
	for record := range strings.SplitSeq(out, mark) {
		fields := strings.SplitN(record, fieldSep, 4)
		if len(fields) < 4 || fields[2] == "N/A" {
			continue
		}
		if _, err := strconv.Atoi(fields[2]); err != nil {
			return true
		}
	}
	return false
}

// Remembered is Commands that remember the queue and the partitions. As long as Slurm's commands print
// the same, Queue returns the same list, in the same memory. So the caller sees at
// once that nothing has changed, and nobody parses and compares the queue again. The
// caller may sort the list, as priority.Rank does, but must not edit the jobs.
type Remembered struct {
	Commands

	last  *printed // nil: nothing is remembered
	queue []priority.Queued

	shown string // by scontrol, of the partitions
	parts []priority.Partition
	asked int // how often for the partitions since the nodes were asked for
}

// Remember returns commands that remember the queue. It is not safe for
// concurrent use.
func Remember(c Commands) *Remembered { return &Remembered{Commands: c} }

// Queue returns what Commands.Queue does, or the list of the call before.
func (r *Remembered) Queue(ctx context.Context) ([]priority.Queued, error) {
	p, err := r.listing(ctx)
	if err != nil {
		return nil, err
	}
	if r.last != nil && p.same(r.last) {
		stock, failed := r.showStock(ctx, r.queue)
		if failed != nil {
			return nil, failed
		}
		if stock == r.last.stock {
			return r.queue, nil
		}
	}
	queue, settled, err := r.read(ctx, p)
	if r.last, r.queue = nil, nil; err == nil && settled {
		r.last, r.queue = p, queue
	}
	return queue, err
}

// nodesAge is how many times the partitions are asked for until the nodes are asked for
// again, if nothing about the partitions has changed: these do not show that a node of
// state FUTURE has come, or that cores are set aside.
const nodesAge = 10

// Partitions returns what Commands.Partitions does. It asks for the nodes only now and
// then, and once something about the partitions has changed.
func (r *Remembered) Partitions(ctx context.Context) ([]priority.Partition, error) {
	shown, err := r.shownPartitions(ctx)
	if err != nil {
		return nil, err
	}
	if r.asked++; r.parts != nil && shown == r.shown && r.asked < nodesAge {
		return r.parts, nil
	}
	parts, err := r.partitions(ctx, shown)
	if r.shown, r.parts, r.asked = shown, parts, 0; err != nil {
		r.parts = nil
	}
	return parts, err
}

// same reports whether two listings differ in nothing but their marks.
func (p *printed) same(q *printed) bool {
	return p.sprio == q.sprio && len(p.mark) == len(q.mark) && slices.EqualFunc(p.squeue, q.squeue, func(a, b string) bool {
		if len(a) != len(b) {
			return false
		}
		for {
			i := strings.Index(a, p.mark)
			if i < 0 {
				return a == b
			}
			next := i + len(p.mark)
			if a[:i] != b[:i] || b[i:next] != q.mark {
				return false
			}
			a, b = a[next:], b[next:]
		}
	})
}

// errNoOption is how a command refuses an option that its release lacks.
var errNoOption = errors.New("unrecognized option")

// squeue lists jobs of all partitions in a format.
func (s Commands) squeue(ctx context.Context, format string, options ...string) (string, error) {
	return s.output(ctx, "squeue", slices.Concat([]string{"--local", "-h", "-a"}, options, []string{"-o", format})...)
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
	var records []record
	at := make(map[string]int) // by id
	err := eachRecord(out, mark, func(text string) error {
		// The further tasks of a record differ only in the number.
		id, rest, _ := strings.Cut(text, fieldSep)
		i, known := at[id]
		if !known {
			q, err := parseQueued(text)
			if err != nil {
				return err
			}
			i = len(records)
			at[id] = i
			records = append(records, record{Queued: q})
		}
		r := &records[i]
		if r.Array == 0 {
			if known {
				return fmt.Errorf("job %s: listed twice, and no array", id)
			}
			return nil
		}
		_, rest, _ = strings.Cut(rest, fieldSep)
		number, _, _ := strings.Cut(rest, fieldSep)
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 || n > priority.MaxTask {
			return fmt.Errorf("job %s: task %q: not a task number", id, clip(number))
		}
		r.tasks = append(r.tasks, n)
		return nil
	})
	if err != nil {
		return nil, err
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
