package slurm

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/plural"
)

// Comment is the comment that a user gave a job (sbatch --comment).
type Comment struct {
	Job   ostrich.JobID
	Array ostrich.JobID // the array of the job, else the job itself
	Text  string        // "" for none
}

// Comments returns the comments of all jobs that slurmctld knows: those that
// wait, those that run, and those that ended less than MinJobAge ago. It runs one
// squeue.
//
// If squeue shows the tasks of an array as one job, the array has one comment.
// Tasks with records of their own have the array's comment unless somebody
// changed it.
func (s Commands) Comments(ctx context.Context) ([]Comment, error) {
	mark := newMark()
	out, err := s.squeue(ctx, commentFormat(mark), "-t", "all")
	if err != nil {
		return nil, err
	}
	return parseComments(out, mark)
}

// commentFormat is the format of one job. Like a record of squeueFormat it begins
// with the mark, because a comment may contain anything.
func commentFormat(mark string) string {
	return mark + "%A" + fieldSep + "%F" + fieldSep + "%k"
}

// parseComments parses squeue's output in commentFormat(mark).
func parseComments(out, mark string) ([]Comment, error) {
	comments := make([]Comment, 0, strings.Count(out, mark))
	err := eachRecord(out, mark, func(record string) error {
		f := strings.SplitN(record, fieldSep, 3)
		if len(f) != 3 {
			return plural.Errorf("record %q: %d field{|s}, want 3", clip(record), len(f))
		}
		id, err := strconv.ParseUint(f[0], 10, 32)
		if err != nil || id == 0 {
			return fmt.Errorf("job id %q: not a job id", clip(f[0]))
		}
		array, err := strconv.ParseUint(f[1], 10, 32)
		if err != nil {
			return fmt.Errorf("job %d: array job id %q: not a job id", id, clip(f[1]))
		}
		comments = append(comments, Comment{Job: ostrich.JobID(id), Array: ostrich.JobID(array), Text: none(f[2])})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return comments, nil
}
