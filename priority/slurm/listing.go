package slurm

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/priority"
)

// printed is the output of Slurm's commands about the queue.
type printed struct {
	sprio  string // "" if priority/multifactor is not in force
	mark   string // before each record of squeue
	squeue []string
}

// listing runs the commands that list slurmctld's waiting records.
//
// Until 22.05, squeue prints them one by one with --array-unique. Later releases
// print either one line for all waiting tasks of an array, which hides tasks with
// records of their own, or one line for each task. Neither shows everything, so
// separate joins them. listing tries the option each time: a refusal takes a few
// milliseconds, and the commands may be replaced under a running daemon.
func (s Commands) listing(ctx context.Context) (*printed, error) {
	// sprio runs first: squeue then shows as such a job that was held or pinned
	// between the two.
	sprio, err := s.output(ctx, "sprio", "--local", "-h", "-o", sprioFormat)
	if err != nil && !errors.Is(err, errNotMultifactor) {
		return nil, err
	}
	p := &printed{sprio: string(sprio)}
	if p.mark, err = newMark(); err != nil {
		return nil, err
	}
	list := func(options ...string) error {
		text, failed := s.squeue(ctx, p.mark, options...)
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

// Remembered is Commands that remember the queue. As long as Slurm's commands print
// the same, Queue returns the same list, in the same memory. So the caller sees at
// once that nothing has changed, and nobody parses and compares the queue again. The
// caller may sort the list, as priority.Rank does, but must not edit the jobs.
type Remembered struct {
	Commands

	last  *printed // nil: nothing is remembered
	queue []priority.Queued
}

// Remember returns commands that remember the queue. Its Queue is not safe for
// concurrent use.
func Remember(c Commands) *Remembered { return &Remembered{Commands: c} }

// Queue returns what Commands.Queue does, or the list of the call before.
func (r *Remembered) Queue(ctx context.Context) ([]priority.Queued, error) {
	p, err := r.listing(ctx)
	if err != nil {
		return nil, err
	}
	if r.last != nil && p.same(r.last) {
		return r.queue, nil
	}
	queue, settled, err := r.read(ctx, p)
	if r.last, r.queue = nil, nil; err == nil && settled {
		r.last, r.queue = p, queue
	}
	return queue, err
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
