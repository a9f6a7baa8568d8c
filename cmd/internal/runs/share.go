package runs

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/format"
)

// Share says which of a command's runs a process makes: all, or as one of several tasks, such as
// those of a job array, its part of them. The zero value is all.
type Share struct {
	Tasked  bool // one of several
	Task    int  // its number, from 0
	PerTask int  // runs of each task; 0 is 1
}

// ShareFlags returns the options of a share of what, a word in the singular, and the one that
// lists all.
func ShareFlags(what string) []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "list", Usage: "list the " + what + "s, and simulate nothing"},
		&cli.IntFlag{Name: "per-task", Usage: "`NUMBER` of " + what + "s for each task", DefaultText: "1"},
		&cli.IntFlag{Name: "task", Usage: "compute only what belongs to task `NUMBER`, counted from 0, with --per-task " + what + "s each"},
	}
}

// ShareOf returns the share that the options ask for.
func ShareOf(c *cli.Context) Share {
	return Share{Tasked: c.IsSet("task"), Task: c.Int("task"), PerTask: c.Int("per-task")}
}

// CheckShare refuses options that do not go with a list or with a task: the folder in which
// results are kept, without which a task has nowhere to leave them, and the options that write
// the result of all.
func CheckShare(c *cli.Context, folder string, outputs ...string) error {
	for _, o := range outputs {
		for _, beside := range []string{"list", "task"} {
			if c.IsSet(o) && c.IsSet(beside) {
				return fmt.Errorf("--%s means nothing with --%s", o, beside)
			}
		}
	}
	for _, o := range []string{folder, "workers", "task", "per-task"} {
		if c.IsSet(o) && c.IsSet("list") {
			return fmt.Errorf("--%s means nothing with --list", o)
		}
	}
	switch {
	case c.IsSet("json") && c.IsSet("task"):
		return errors.New("--json means nothing with --task")
	case c.IsSet("per-task") && c.Int("per-task") < 1:
		return fmt.Errorf("--per-task %d: at least 1", c.Int("per-task"))
	case c.IsSet("per-task") && !c.IsSet("task"):
		return errors.New("--per-task goes with --task")
	case c.IsSet("task") && c.Int("task") < 0:
		return fmt.Errorf("--task %d: tasks are counted from 0", c.Int("task"))
	case c.String(folder) == "" && (c.IsSet(folder) || c.IsSet("task")):
		return fmt.Errorf("name a folder for the results: --%s DIR", folder)
	}
	return nil
}

// Of returns the share of n runs: from first up to, but not including, end. A task that would
// have none is an error; what names a run in the singular.
func (s Share) Of(n int, what string) (first, end int, err error) {
	if !s.Tasked {
		return 0, n, nil
	}
	perTask := max(1, s.PerTask)
	if s.Task > n/perTask || s.Task*perTask >= n { // the product may be too large
		return 0, 0, fmt.Errorf("--task %d: there are %s, fewer than would make that task", s.Task, format.Plural(n, what))
	}
	first = s.Task * perTask
	return first, first + min(n-first, perTask), nil
}
