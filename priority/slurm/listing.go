package slurm

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// printed is the output of Slurm's commands about the queue.
type printed struct {
	sprio   string    // "" if priority/multifactor is not in force
	mark    string    // before each record of squeue
	squeue  string    // all jobs
	joined  bool      // squeue has shown several records as one, and the next ones tell them apart
	tasks   string    // of which record each task is, see taskFormat
	records []record  // that tasks has
	apart   string    // those of them that squeue has shown as one
	stock   [3]string // of showStock
}

// listing runs the commands that list slurmctld's waiting records.
//
// Until 22.05, squeue prints them one by one with --array-unique. Later releases
// print either one line for all waiting tasks of an array, which hides tasks with
// records of their own, or one line for each task. So where arrays wait, squeue also
// lists for each task the id of its record, and then prints those that it has shown as
// one. listing tries the option each time: a refusal takes a few milliseconds, and the
// commands may be replaced under a running daemon.
//
// All of a record for each task would take twenty times as long as the ids: 1.7 s for an
// array of 300 000 tasks on 26.05.
func (s Commands) listing(ctx context.Context) (*printed, error) {
	// sprio runs first, so that squeue shows a job that was held or pinned between the
	// two as it is now.
	sprio, err := s.output(ctx, "sprio", "--local", "-h", "-o", sprioFormat)
	if err != nil && !errors.Is(err, errNotMultifactor) {
		return nil, err
	}
	p := &printed{sprio: sprio, mark: newMark()}
	list := func(format string, options ...string) (string, error) {
		return s.squeue(ctx, format, append(options, "-t", waiting)...)
	}
	if p.squeue, err = list(squeueFormat(p.mark), "--array-unique"); !errors.Is(err, errNoOption) {
		return p, err
	}
	if p.squeue, err = list(squeueFormat(p.mark)); err != nil {
		return nil, err
	}
	if p.joined = hasSets(p.squeue, p.mark); !p.joined {
		return p, nil
	}
	// The list of tasks comes last, so it shows a task that was held or pinned
	// meanwhile as separate.
	if p.tasks, err = list(taskFormat, "--array"); err != nil {
		return nil, err
	}
	if p.records, err = parseRecords(p.tasks); err != nil {
		return nil, err
	}
	if several := inParts(p.records); len(several) > mostApart {
		p.apart, err = list(squeueFormat(p.mark), "--array")
	} else if len(several) > 0 {
		p.apart, err = list(squeueFormat(p.mark), "--array", "-j", strings.Join(several, ","))
	}
	return p, err
}

// waiting are the states of jobs that wait, as options have them. squeue -t PENDING leaves
// out those that are held because they were requeued so, or too often, or their reservation has ended,
// though accounting has them as PENDING, and as able to start (22.05.8).
const waiting = "PENDING,REQUEUE_HOLD,SPECIAL_EXIT,RESV_DEL_HOLD"

// mostApart is how many tasks squeue is asked for by name. For more, all are read.
const mostApart = 2000

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

	queue  []priority.Queued // nil: nothing is remembered
	digest uint64            // of what it was read from
	stock  [3]string         // of showStock

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
	digest := p.digest()
	if r.queue != nil && digest == r.digest {
		stock, failed := r.showStock(ctx, r.queue)
		if failed != nil {
			return nil, failed
		}
		if stock == r.stock {
			return r.queue, nil
		}
	}
	queue, settled, err := r.read(ctx, p)
	if r.queue = nil; err == nil && settled {
		r.queue, r.digest, r.stock = queue, digest, p.stock
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

// seed is of all digests.
var seed = maphash.MakeSeed()

// digest is the same for listings that differ in nothing but their marks, and hardly ever for
// others. The text itself is not kept: it is as large as what is read from it.
func (p *printed) digest() uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	number := func(n int) { h.Write(binary.LittleEndian.AppendUint64(nil, uint64(n))) }
	add := func(text string) {
		number(len(text))
		h.WriteString(text)
	}
	add(p.sprio)
	add(p.tasks)
	for _, text := range []string{p.squeue, p.apart} {
		records := 0
		for record := range strings.SplitSeq(text, p.mark) {
			add(record)
			records++
		}
		number(records)
	}
	return h.Sum64()
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

// taskFormat is the format of a line of tasks: the id of the record, the id of the array, and
// the task, or N/A for what is no array.
const taskFormat = "%A %F %K"

// record is what squeue prints of the tasks of one record of slurmctld, or of a job.
type record struct {
	job, array ostrich.JobID
	tasks      []int // sorted; none if it is not an array
}

// name is how squeue takes the record's first task.
func (r *record) name() string { return fmt.Sprintf("%d_%d", r.array, r.tasks[0]) }

// inParts names a task of each record of the arrays that have several.
func inParts(records []record) (names []string) {
	parts := make(map[ostrich.JobID]int)
	for i := range records {
		parts[records[i].array]++
	}
	for i := range records {
		if r := &records[i]; len(r.tasks) > 0 && parts[r.array] > 1 {
			names = append(names, r.name())
		}
	}
	return names
}

// separate returns slurmctld's records from three lists of squeue's. In grouped, a
// set of an array's tasks includes those with records of their own. records is what the
// later output of "squeue --array" in taskFormat has, and apart what it says of
// records in full, of one or all of their tasks. A job that came after the first list waits
// for the next reading: the last task of an array may be missing, and naming a part of an
// array splits it.
func separate(grouped []priority.Queued, records []record, apart []priority.Queued) []priority.Queued {
	sets, known := make(map[ostrich.JobID]*priority.Queued), make(map[ostrich.JobID]*priority.Queued, len(grouped)+len(apart))
	for i := range grouped {
		q := &grouped[i]
		if known[q.Job] = q; isSet(q) {
			sets[q.Job] = q
		}
	}
	for i := range apart {
		known[apart[i].Job] = &apart[i]
	}
	type task struct {
		array  ostrich.JobID
		number int
	}
	alone := make(map[task]bool) // tasks with records of their own
	for i := range records {
		if r := &records[i]; len(r.tasks) == 1 && sets[r.job] == nil {
			alone[task{r.array, r.tasks[0]}] = true
		}
	}
	queue := make([]priority.Queued, 0, len(records))
	for i := range records {
		r := &records[i]
		q, set := known[r.job], sets[r.job]
		if q == nil || set == nil && len(r.tasks) > 1 {
			continue
		}
		one := *q
		if set != nil {
			tasks := r.tasks
			if last, ok := forgotten(tasks); ok && set.HasTask(last) && !alone[task{r.array, last}] {
				tasks = append(slices.Clip(tasks), last)
			}
			one.Tasks, one.Count = priority.FormatTasks(tasks), len(tasks)
			if one.Full = r.name(); one.Count > 1 {
				if _, limit, limited := strings.Cut(set.Tasks, "%"); limited {
					one.Tasks += "%" + limit
				}
				one.Full = fmt.Sprintf("%d_[%s]", r.array, one.Tasks)
			}
		}
		queue = append(queue, one)
	}
	return queue
}

// parseRecords parses the output of "squeue --array" in taskFormat.
func parseRecords(out string) ([]record, error) {
	if err := whole("squeue", out); err != nil {
		return nil, err
	}
	var records []record
	at := make(map[string]int) // by id
	for line := range strings.Lines(out) {
		line = strings.TrimSuffix(line, "\n")
		id, rest, _ := strings.Cut(line, " ")
		array, task, ok := strings.Cut(rest, " ")
		if !ok {
			return nil, fmt.Errorf("squeue: unexpected output %q", clip(line))
		}
		i, seen := at[id]
		if !seen {
			job, err1 := strconv.ParseUint(id, 10, 32)
			of, err2 := strconv.ParseUint(array, 10, 32)
			if err1 != nil || err2 != nil || job == 0 {
				return nil, fmt.Errorf("squeue: line %q: not the ids of a job and its array", clip(line))
			}
			i = len(records)
			at[id] = i
			records = append(records, record{job: ostrich.JobID(job), array: ostrich.JobID(of)})
		}
		if task == "N/A" {
			if seen {
				return nil, fmt.Errorf("squeue: job %s: listed twice, and no array", id)
			}
			continue
		}
		n, err := strconv.Atoi(task)
		if err != nil || n < 0 || n > priority.MaxTask {
			return nil, fmt.Errorf("squeue: job %s: task %q: not a task number", id, clip(task))
		}
		records[i].tasks = append(records[i].tasks, n)
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
