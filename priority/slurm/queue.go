package slurm

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/plural"
	"slurm-ostrich/priority"
)

// Queue returns the pending jobs in the order in which Slurm would try them, as
// far as that is known without the partitions' tiers; see Rank. It runs one
// sprio, or two if priorities changed meanwhile or were undone, and one to four
// squeue, see listing. Where jobs ask for nodes or licenses by name, it runs two or three
// commands more, see showStock.
func (s Commands) Queue(ctx context.Context) ([]priority.Queued, error) {
	p, err := s.listing(ctx)
	if err != nil {
		return nil, err
	}
	queue, _, err := s.read(ctx, p)
	return queue, err
}

// read parses a listing. settled is false if priorities changed between the commands
// or were undone, so that read had to run sprio again.
func (s Commands) read(ctx context.Context, p *printed) (queue []priority.Queued, settled bool, err error) {
	factors, err := parseSprio(p.sprio)
	if err != nil {
		return nil, false, err
	}
	if queue, err = parseSqueue(p.squeue, p.mark); err != nil {
		return nil, false, err
	}
	if p.joined {
		apart, failed := parseSqueue(p.apart, p.mark)
		if failed != nil {
			return nil, false, failed
		}
		queue = separate(queue, p.records, apart)
	}
	if p.stock, err = s.showStock(ctx, queue); err != nil {
		return nil, false, err
	}
	if err = bars(queue, p.stock); err != nil {
		return nil, false, err
	}
	join(queue, factors)
	settled = !slices.ContainsFunc(queue, func(q priority.Queued) bool { return q.Behind() != 0 })
	if !settled {
		if err = s.recompute(ctx, queue); err != nil {
			return nil, false, err
		}
	}
	priority.Rank(queue, nil)
	return queue, settled, nil
}

// recompute runs sprio again for the jobs whose priority is not the sum of their
// factors: slurmctld may have computed both anew between the two commands.
func (s Commands) recompute(ctx context.Context, queue []priority.Queued) error {
	out, err := s.output(ctx, "sprio", "--local", "-h", "-o", sprioFormat)
	if err != nil {
		return err
	}
	factors, err := parseSprio(out)
	if err != nil {
		return err
	}
	for i := range queue {
		q := &queue[i]
		if f := factors[q.Job]; q.Behind() != 0 && !f.pinned && f.computed == q.Priority {
			q.Site, q.Factors, q.Computed = f.site, f.factors, f.computed
		}
	}
	return nil
}

// fieldSep separates the fields of a record. Only fields that users write can
// contain it, the wckey, the comment, the name, and without AccountingStorageEnforce the account.
// They come last, so that users can garble only their own.
const fieldSep = "\x1f"

// squeueFormat is the format of one record. A job's name may contain anything, a
// newline too, so every record begins with a mark that nobody can guess.
func squeueFormat(mark string) string {
	return mark + strings.Join([]string{
		"%A", "%F", "%K", "%i", "%u", "%U", "%P", "%q", "%Q", "%y", "%T", "%V", "%v", "%E", "%r", "%C", "%l", "%n", "%x", "%f", "%W", "%a", "%w", "%k", "%j",
	}, fieldSep)
}

const squeueFields = 25

// parseSqueue parses squeue's output in squeueFormat(mark).
func parseSqueue(out, mark string) ([]priority.Queued, error) {
	queue, known := make([]priority.Queued, 0, strings.Count(out, mark)), make(texts)
	err := eachRecord(out, mark, func(record string) error {
		q, err := parseQueued(record, known)
		queue = append(queue, q)
		return err
	})
	if err != nil {
		return nil, err
	}
	return queue, nil
}

// whole returns an error if a command's output ends inside a line. Output that is cut off
// between two lines looks whole; only the command's exit status shows it.
func whole(command, out string) error {
	if out != "" && !strings.HasSuffix(out, "\n") {
		return fmt.Errorf("%s: cut off after %q", command, clip(out[strings.LastIndexByte(out, '\n')+1:]))
	}
	return nil
}

// eachRecord visits the records of squeue's output, each of which begins with the mark, up
// to the first error.
func eachRecord(out, mark string, visit func(record string) error) error {
	if err := whole("squeue", out); err != nil {
		return err
	}
	head, rest, found := strings.Cut(out, mark)
	for line := range strings.Lines(head) {
		// With -M, squeue prints the cluster above its jobs.
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "CLUSTER:") {
			return fmt.Errorf("squeue: unexpected output %q", clip(line))
		}
	}
	if !found {
		return nil
	}
	for record := range strings.SplitSeq(rest, mark) {
		if err := visit(strings.TrimSuffix(record, "\n")); err != nil {
			return fmt.Errorf("squeue: %w", err)
		}
	}
	return nil
}

// texts are those of a queue. Most jobs share theirs with others, and none keeps the output
// that it was read from.
type texts map[string]string

func (t texts) of(text string) string {
	kept, known := t[text]
	if !known {
		kept = strings.Clone(text)
		t[kept] = kept
	}
	return kept
}

// parseQueued parses a record. Its texts are of those known, which it adds to.
func parseQueued(record string, known texts) (priority.Queued, error) {
	var f [squeueFields]string
	n, rest, more := 0, record, true
	for ; more && n < squeueFields-1; n++ {
		f[n], rest, more = strings.Cut(rest, fieldSep)
	}
	if !more {
		return priority.Queued{}, plural.Errorf("record %q: %d field{|s}, want %d", clip(record), n, squeueFields)
	}
	f[n] = rest // a job's name may have separators
	id, err := strconv.ParseUint(f[0], 10, 32)
	if err != nil || id == 0 {
		return priority.Queued{}, fmt.Errorf("job id %q: not a job id", clip(f[0]))
	}
	q := priority.Queued{
		Job: ostrich.JobID(id), Count: 1, Full: strings.Clone(f[3]), User: known.of(f[4]), Partition: known.of(f[6]), QOS: known.of(f[7]),
		State: known.of(f[10]), Reservation: known.of(none(f[12])), Dependency: known.of(none(f[13])), Reason: known.of(f[14]),
		Account: known.of(f[21]), WCKey: known.of(none(f[22])), Comment: known.of(none(f[23])), Name: known.of(f[24]),
	}
	wants := priority.Asked{Nodes: none(f[17]), Without: none(f[18]), Features: none(f[19]), Licenses: none(f[20])}.Wants()
	q.Wants = priority.Wants(known.of(string(wants)))
	// The processors requested serve until accounting knows the job; without
	// them, the job waits for that.
	if cpus, bad := strconv.ParseUint(f[15], 10, 31); bad == nil {
		q.CPUs = int(cpus)
	}
	if limit, bad := parseTimeLimit(f[16]); bad == nil {
		q.TimeLimit = limit
	}
	fail := func(what, text, why string) (priority.Queued, error) {
		return priority.Queued{}, fmt.Errorf("job %d: %s %q: %s", id, what, clip(text), why)
	}
	if f[2] != "N/A" {
		array, bad := strconv.ParseUint(f[1], 10, 32)
		if bad != nil {
			return fail("array job id", f[1], "not a job id")
		}
		set, bad := parseTasks(f[2])
		if bad != nil {
			return priority.Queued{}, fmt.Errorf("job %d: %w", id, bad)
		}
		q.Array, q.Tasks, q.Count = ostrich.JobID(array), known.of(f[2]), set.Count()
	}
	uid, err := strconv.ParseUint(f[5], 10, 32)
	if err != nil {
		return fail("uid", f[5], "not a number")
	}
	q.UID = uint32(uid)
	prio, err := strconv.ParseUint(f[8], 10, 32)
	if err != nil {
		return fail("priority", f[8], "not a number")
	}
	q.Priority = uint32(prio)
	if q.Nice, err = strconv.ParseInt(f[9], 10, 64); err != nil {
		return fail("nice", f[9], "not a number")
	}
	submit, err := strconv.ParseInt(f[11], 10, 64)
	if err != nil {
		return fail("submit time", f[11], "not in Unix seconds; is SLURM_TIME_FORMAT=%s understood?")
	}
	q.Submit = ostrich.Time(submit)
	return q, nil
}

// none returns s, or "" if it is Slurm's word for nothing.
func none(s string) string {
	if s == "(null)" || s == "N/A" {
		return ""
	}
	return s
}

// sprioFormat lists id, priority, normalised priority, site, nice and the
// weighted factors of one job in one partition.
const sprioFormat = "%i|%Y|%y|%S|%N|%A|%B|%F|%J|%P|%Q|%T"

const sprioFields = 12

// factored is sprio's information on a job.
type factored struct {
	pinned   bool
	site     int64
	factors  priority.Factors
	computed uint32
}

// parseSprio parses sprio's output in sprioFormat, one line for every job and
// partition.
func parseSprio(out string) (map[ostrich.JobID]factored, error) {
	if err := whole("sprio", out); err != nil {
		return nil, err
	}
	jobs := make(map[ostrich.JobID]factored, strings.Count(out, "\n"))
	for line := range strings.Lines(out) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "CLUSTER:") {
			continue
		}
		var f [sprioFields]string
		n, rest := 0, line
		for more := true; more; n++ {
			var field string
			field, rest, more = strings.Cut(rest, "|")
			if n < sprioFields {
				f[n] = strings.TrimSpace(field)
			}
		}
		if n != sprioFields {
			return nil, plural.Errorf("sprio: line %q: %d field{|s}, want %d", clip(line), n, sprioFields)
		}
		id, err := strconv.ParseUint(f[0], 10, 32)
		if err != nil || id == 0 {
			return nil, fmt.Errorf("sprio: job id %q: not a job id", clip(f[0]))
		}
		job, err := parseFactored(&f)
		if err != nil {
			return nil, fmt.Errorf("sprio: job %d: %w", id, err)
		}
		if had, ok := jobs[ostrich.JobID(id)]; ok && had.factors.Sum() >= job.factors.Sum() {
			continue
		}
		jobs[ostrich.JobID(id)] = job
	}
	return jobs, nil
}

// unset is a SiteFactor or nice value stored as 0, less the offset that Slurm
// adds. Neither can be set to it.
const unset = "-2147483648"

func parseFactored(f *[sprioFields]string) (factored, error) {
	var job factored
	prio, err := strconv.ParseInt(f[1], 10, 64)
	if err != nil {
		return job, fmt.Errorf("priority %q: not a number", clip(f[1]))
	}
	norm, err := strconv.ParseFloat(f[2], 64)
	if err != nil || math.IsNaN(norm) {
		return job, fmt.Errorf("normalised priority %q: not a number", clip(f[2]))
	}
	// For a pinned job, sprio prints the priority in place of the normalised one,
	// which is otherwise a fraction of 2^32-1. For a pinned job in several
	// partitions, it prints factors that were never set.
	if norm >= 1 && norm == float64(prio) || f[3] == unset && f[4] == unset {
		return factored{pinned: true}, nil
	}
	into := [...]*int64{
		3: &job.site, 5: &job.factors.Age, 6: &job.factors.Assoc, 7: &job.factors.Fairshare,
		8: &job.factors.JobSize, 9: &job.factors.Partition, 10: &job.factors.QOS,
	}
	for i, to := range into {
		if to == nil {
			continue
		}
		if *to, err = strconv.ParseInt(f[i], 10, 64); err != nil {
			return job, fmt.Errorf("field %d %q: not a number", i+1, clip(f[i]))
		}
	}
	if job.factors.TRES, err = parseTRESWeights(f[11]); err != nil {
		return job, err
	}
	job.computed = uint32(min(max(prio, 1), math.MaxUint32)) // as slurmctld does
	return job, nil
}

// parseTRESWeights returns the sum of the numbers in "cpu=2,mem=2", each rounded up.
func parseTRESWeights(s string) (int64, error) {
	if s == "" || s == "(null)" {
		return 0, nil
	}
	var sum int64
	for elem := range strings.SplitSeq(s, ",") {
		_, value, ok := strings.Cut(elem, "=")
		v, err := strconv.ParseFloat(value, 64)
		if !ok || err != nil || math.IsNaN(v) || math.Abs(v) > 1<<53 {
			return 0, fmt.Errorf("tres factor %q: not name=number", clip(elem))
		}
		sum += int64(math.Ceil(v))
	}
	return sum, nil
}

// join adds sprio's information to squeue's jobs.
func join(queue []priority.Queued, factors map[ostrich.JobID]factored) {
	for i := range queue {
		q := &queue[i]
		f, ok := factors[q.Job]
		if !ok {
			continue
		}
		q.Listed, q.Pinned, q.SiteKnown = true, f.pinned, !f.pinned
		q.Site, q.Factors, q.Computed = f.site, f.factors, f.computed
	}
}

// Running returns the ids of the jobs that have started and not ended, by id.
func (s Commands) Running(ctx context.Context) ([]ostrich.JobID, error) {
	out, err := s.squeue(ctx, "%A", "-t", "RUNNING,SUSPENDED")
	if err != nil {
		return nil, err
	}
	var ids []ostrich.JobID
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "CLUSTER:") {
			continue
		}
		id, err := strconv.ParseUint(line, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("squeue: job id %q: not a job id", clip(line))
		}
		ids = append(ids, ostrich.JobID(id))
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// parseTasks reads a set of array tasks in squeue's form.
func parseTasks(s string) (priority.TaskSet, error) {
	if set, _, _ := strings.Cut(s, "%"); strings.HasSuffix(set, "...") {
		return nil, fmt.Errorf("tasks %q: shortened; is SLURM_BITSTR_LEN=0 understood?", clip(s))
	}
	return priority.ParseTasks(s)
}

// TRES returns what jobs of the queue ask for, as slurmctld prints resources:
// "cpu=2,mem=4000M,node=1,billing=11,gres/gpu=1". A job that is gone is not there.
func (s Commands) TRES(ctx context.Context, jobs []ostrich.JobID) (map[ostrich.JobID]string, error) {
	ids := make([]string, len(jobs))
	for i, id := range jobs {
		ids[i] = strconv.FormatUint(uint64(id), 10)
	}
	return parsed(ctx, s, parseTRES, "squeue", "--local", "-h", "-a", "--jobs="+strings.Join(ids, ","), "-O", "JobID:20,tres-alloc:1000")
}

// parseTRES reads lines of a job and its resources.
func parseTRES(out string) (map[ostrich.JobID]string, error) {
	all := make(map[ostrich.JobID]string)
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "CLUSTER:" { // with -M, squeue prints the cluster above its jobs
			continue
		}
		id, err := strconv.ParseUint(fields[0], 10, 32)
		if err != nil || len(fields) > 2 {
			return nil, fmt.Errorf("squeue: line %q: not a job and its resources", clip(strings.TrimSpace(line)))
		}
		if len(fields) == 2 && fields[1] != "N/A" {
			all[ostrich.JobID(id)] = fields[1]
		}
	}
	return all, nil
}
