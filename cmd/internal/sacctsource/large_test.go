package sacctsource

import (
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/priority/slurm"
)

// TestCount: where slurmdbd's mask of waiting tasks may have lost its end, the queue says
// how many wait.
func TestCount(t *testing.T) {
	queue := map[ostrich.JobID]*slurm.Unfinished{7: {Job: 7, Submit: 100, Tasks: 4, LastTask: 399996}, 8: {Job: 8, Submit: 100, Tasks: 9, LastTask: 9}}
	row := func(id, array ostrich.JobID, task int64, tasks uint32, submit, start ostrich.Time) accounting.Row {
		return accounting.Row{ID: id, Array: array, Task: task, Tasks: tasks, Submit: submit, Start: start}
	}
	for _, tt := range []struct {
		name       string
		row        accounting.Row
		tasks      uint32
		impossible bool
	}{
		{"cut, 0,5,300000,399996", row(7, 7, -1, 2, 100, 0), 4, false},
		{"cut, and none left", row(7, 7, -1, 0, 100, 0), 4, false},
		{"a small one, of which a task has started since", row(8, 8, -1, 8, 100, 0), 8, false},
		{"a small one, of which none waits in accounting", row(8, 8, -1, 0, 100, 0), 9, false},
		{"another run", row(7, 7, -1, 2, 99, 0), 2, false},
		{"none, and not in the queue", row(6, 6, -1, 0, 100, 0), 0, true},
		{"a task", row(7, 7, 3, 1, 100, 0), 1, false},
		{"no array", row(7, 0, -1, 1, 100, 0), 1, false},
		{"it runs", row(7, 7, -1, 1, 100, 200), 1, false},
	} {
		(&poll{arrays: queue}).count(&tt.row)
		if tt.row.Tasks != tt.tasks || (tt.row.Impossible != "") != tt.impossible {
			t.Errorf("%s: %d tasks, %q", tt.name, tt.row.Tasks, tt.row.Impossible)
		}
	}
}

// Kept is of how many jobs the texts are kept.
func (s *Source) Kept() int { return len(s.texts) }
