package slurm

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/plural"
	"slurm-ostrich/priority"
)

// Unfinished is what squeue shows of a record that has not ended or is just ending.
type Unfinished struct {
	Job    ostrich.JobID
	Submit ostrich.Time
	Status Status
	Wait   priority.Wait // why a record that Waits cannot start
	Text   string        // changes when accounting's row of the record does

	// Of the waiting tasks of an array: how many they are, and the highest number.
	// 0 of other records.
	Tasks, LastTask int
}

// Status is how far a record has come.
type Status uint8

// Waits is before the start, Runs also while the job is suspended, and Ends while its
// nodes complete.
const (
	Waits Status = iota
	Runs
	Ends
)

// unfinishedFormat is the format of one record. Like one of squeueFormat it begins with
// the mark, and the account comes last: without AccountingStorageEnforce users write what
// they like.
func unfinishedFormat(mark string) string { return mark + "%A|%V|%T|%S|%l|%C|%P|%q|%K|%r|%a" }

const unfinishedFields = 11

// Unfinished lists the records of slurmctld that have not ended, one for each id. From
// 23.02 on squeue hides waiting tasks of an array that have records of their own.
func (s Commands) Unfinished(ctx context.Context) ([]Unfinished, error) {
	mark := newMark()
	out, err := s.squeue(ctx, unfinishedFormat(mark))
	if err != nil {
		return nil, err
	}
	return parseUnfinished(out, mark)
}

// parseUnfinished parses squeue's output in unfinishedFormat(mark).
func parseUnfinished(out, mark string) ([]Unfinished, error) {
	var all []Unfinished
	at := make(map[ostrich.JobID]int) // index in all
	err := eachRecord(out, mark, func(record string) error {
		u, err := parseUnfinishedRecord(record)
		if i, again := at[u.Job]; again { // more tasks of one record
			all[i].Text += "\n" + u.Text
			all[i].Tasks, all[i].LastTask = all[i].Tasks+u.Tasks, max(all[i].LastTask, u.LastTask)
		} else {
			at[u.Job] = len(all)
			all = append(all, u)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

func parseUnfinishedRecord(text string) (Unfinished, error) {
	f := strings.SplitN(text, "|", unfinishedFields)
	if len(f) != unfinishedFields {
		return Unfinished{}, plural.Errorf("record %q: %d field{|s}, want %d", clip(text), len(f), unfinishedFields)
	}
	id, err := strconv.ParseUint(f[0], 10, 32)
	if err != nil || id == 0 {
		return Unfinished{}, fmt.Errorf("record %q: not the id of a job", clip(text))
	}
	submit, err := strconv.ParseInt(f[1], 10, 64)
	if err != nil {
		return Unfinished{}, fmt.Errorf("record %q: not a time of submission", clip(text))
	}
	u := Unfinished{Job: ostrich.JobID(id), Submit: ostrich.Time(submit), Status: Runs}
	switch f[2] {
	case "PENDING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT", "RESV_DEL_HOLD":
		q := priority.Queued{Reason: f[9], Priority: 1, Partition: f[6]}
		u.Status, u.Wait = Waits, q.Wait()
		if tasks, bad := parseTasks(f[8]); bad == nil && f[8] != "N/A" {
			u.Tasks, u.LastTask = tasks.Count(), tasks.Last()
		}
		f[9] = u.Wait.String() // from Resources to Priority nothing changes
		if u.Wait != priority.Later {
			f[3] = "" // an estimate
		}
	case "COMPLETING":
		u.Status = Ends
	}
	u.Text = strings.Join(f[1:], "|")
	return u, nil
}

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
