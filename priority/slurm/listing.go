package slurm

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/priority"
)

// printed is what Slurm's commands print of the queue.
type printed struct {
	sprio  string // "" where priority/multifactor is not in force
	mark   string // before each record of squeue
	squeue []string
}

// listing asks for the queue.
//
// Until 22.05 squeue prints the records of slurmctld one by one with --array-unique. Later
// releases print either a line for all waiting tasks of an array, those with records of
// their own among them, or a line for each task; neither tells all, and separate joins
// them. The option is tried each time: a refusal takes some milliseconds, and the commands
// may be exchanged under a running daemon.
func (s Commands) listing(ctx context.Context) (*printed, error) {
	// sprio comes first: a job held or pinned between the two is then shown
	// as such by squeue.
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
	// The tasks come last: one that was held or pinned meanwhile is then known
	// to be apart.
	if err = list(); err == nil && hasSets(p.squeue[0], p.mark) {
		err = list("--array")
	}
	return p, err
}

// hasSets tells whether squeue has printed a record of several tasks, see isSet.
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

// Remembered is Commands that remember the queue: as long as Slurm's commands print the
// same, Queue returns the same list, in the same memory. That the list is the same tells
// that nothing has changed, and no second list has to be read and compared. The caller
// may complete the list, as priority.Rank does, but not change what was read.
type Remembered struct {
	Commands

	last  *printed // nil: nothing is remembered
	queue []priority.Queued
}

// Remember returns commands that remember the queue. They are not safe for concurrent use.
func Remember(c Commands) *Remembered { return &Remembered{Commands: c} }

// Queue is that of Commands, or the same list as before.
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

// same tells whether two times the same was printed, but for the mark.
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
