package view

import (
	"fmt"
	"regexp"
	"strconv"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/priority"
)

// JobName is a job as squeue names it. The zero value names none.
type JobName struct {
	text   string
	id     ostrich.JobID // of the job, the array or the leader of a heterogeneous job
	task   int           // of the array, or -1
	offset int           // of the heterogeneous job, or -1
}

// String returns the name as it was given.
func (n JobName) String() string { return n.text }

// jobForm is 17, 17_4, 17_[1-3,7%2] or 17+1.
var jobForm = regexp.MustCompile(`^(\d+)(?:_(\d+)|_\[[\d,%:-]+\]|\+(\d+))?$`)

// ParseJob reads the name of a job. The error quotes the text.
func ParseJob(text string) (JobName, error) {
	n := JobName{text: text, task: -1, offset: -1}
	found := jobForm.FindStringSubmatch(text)
	if found == nil {
		return n, fmt.Errorf("job %q: not a job id such as 17, 17_4 or 17+1", text)
	}
	id, err := strconv.ParseUint(found[1], 10, 32)
	if err != nil || id == 0 {
		return n, fmt.Errorf("job %q: not a job id such as 17, 17_4 or 17+1", text)
	}
	n.id = ostrich.JobID(id)
	for i, to := range []*int{&n.task, &n.offset} {
		part := found[2+i]
		if part == "" {
			continue
		}
		if *to, err = strconv.Atoi(part); err != nil {
			return n, fmt.Errorf("job %q: %s is too large", text, part)
		}
	}
	return n, nil
}

// Pending returns the index of the job in a plan's entries, or -1.
func (n JobName) Pending(entries []*priority.Entry) int {
	whole := n.task < 0 && n.offset < 0
	return first(len(entries),
		func(i int) bool { return entries[i].Full == n.text },
		func(i int) bool { return whole && entries[i].Job == n.id },
		// The waiting tasks of an array are one record under the array's id.
		func(i int) bool {
			return n.offset < 0 && entries[i].Array == n.id && (whole || entries[i].HasTask(n.task))
		})
}

// first returns the first index below n that passes a test, or -1. It tries a test on all
// indices before the next one.
func first(n int, tests ...func(i int) bool) int {
	for _, fits := range tests {
		for i := range n {
			if fits(i) {
				return i
			}
		}
	}
	return -1
}

// live returns accounting's record of the job.
func (n JobName) live(records []*ledger.Record) (r *ledger.Record, ok bool) {
	whole := n.task < 0 && n.offset < 0
	i := first(len(records),
		func(i int) bool { return whole && records[i].Job.ID == n.id },
		func(i int) bool {
			return n.offset < 0 && records[i].ArrayJob == n.id && (whole || int(records[i].ArrayTask) == n.task)
		},
		// Slurm numbers the components of a heterogeneous job one after the other.
		func(i int) bool {
			return n.offset >= 0 && records[i].HetJob == n.id && int(records[i].Job.ID) == int(n.id)+n.offset
		})
	if i < 0 {
		return nil, false
	}
	return records[i], true
}
