package slurm

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// TestMain lets the test binary stand in for Slurm's commands when it is
// called by one of their names.
func TestMain(m *testing.M) {
	switch name := filepath.Base(os.Args[0]); name {
	case "scontrol", "squeue", "sprio":
		os.Exit(fakeCommand(name, os.Args[1:]))
	}
	os.Exit(m.Run())
}

// fakeState is what the fake Slurm keeps in a file between its commands.
type fakeState struct {
	Queue []priority.Queued
	// Say makes scontrol answer an update of a job in these words, and not do
	// it.
	Say map[ostrich.JobID]string
	// Deaf jobs are not changed, without a word.
	Deaf map[ostrich.JobID]bool
	// HangAt makes scontrol hang at the update of this job.
	HangAt ostrich.JobID
	// DieAt makes scontrol end at the update of this job.
	DieAt ostrich.JobID
	// Ahead are jobs that scontrol changes before it says its first word.
	Ahead []ostrich.JobID
	// Fail makes a command fail with these words.
	Fail map[string]string
	// Grouping makes squeue that of 23.02 and later: without --array-unique,
	// and all waiting tasks of an array in one line.
	Grouping bool
	// Restored makes squeue show jobs at these priorities, and Decayed makes the
	// second sprio show the sums that these make.
	Restored, Decayed map[ostrich.JobID]uint32
	// Ran counts the runs of every command.
	Ran map[string]int
}

// fake is a Slurm of the test's own.
type fake struct {
	Commands

	t    *testing.T
	file string
}

func newFake(t *testing.T, state fakeState) *fake {
	t.Helper()
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"scontrol", "squeue", "sprio"} {
		if err := os.Symlink(self, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	f := &fake{Commands: Commands{Dir: dir, Timeout: 20 * time.Second}, t: t, file: filepath.Join(dir, "state")}
	if err := saveState(f.file, state); err != nil {
		t.Fatal(err)
	}
	t.Setenv("FAKE_SLURM_STATE", f.file)
	return f
}

func (f *fake) state() fakeState {
	f.t.Helper()
	state, err := loadState(f.file)
	if err != nil {
		f.t.Fatal(err)
	}
	return state
}

func saveState(file string, state fakeState) error {
	text, err := json.Marshal(state)
	if err != nil {
		return err
	}
	// A command that is killed while it writes leaves the state whole.
	if err := os.WriteFile(file+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

func loadState(file string) (state fakeState, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return state, err
	}
	return state, json.Unmarshal(text, &state)
}

func fakeCommand(name string, args []string) int {
	file := os.Getenv("FAKE_SLURM_STATE")
	state, err := loadState(file)
	if err != nil {
		fmt.Fprintln(os.Stderr, "fake:", err)
		return 3
	}
	if state.Ran == nil {
		state.Ran = make(map[string]int)
	}
	state.Ran[name]++
	if err := saveState(file, state); err != nil {
		fmt.Fprintln(os.Stderr, "fake:", err)
		return 3
	}
	if words := state.Fail[name]; words != "" {
		fmt.Fprintln(os.Stderr, words)
		if words == "hang" {
			time.Sleep(time.Hour)
		}
		return 1
	}
	switch name {
	case "squeue":
		return fakeSqueue(state, args)
	case "sprio":
		for _, q := range state.Queue {
			if q.Listed {
				sum := q.Priority
				if now, ok := state.Decayed[q.Job]; ok && state.Ran["sprio"] > 1 {
					sum = now
				}
				_, _ = fmt.Fprintf(os.Stdout, "%d|%d|0.001|%d|%d|0|0|0|0|0|0|cpu=2\n", q.Job, sum, q.Site, q.Nice)
			}
		}
	case "scontrol":
		return fakeScontrol(file, state, args)
	}
	return 0
}

func fakeSqueue(state fakeState, args []string) int {
	queue := slices.Clone(state.Queue)
	for i := range queue {
		if shown, ok := state.Restored[queue[i].Job]; ok {
			queue[i].Priority = shown
		}
	}
	switch {
	case slices.Contains(args, "--array"):
		queue = taskByTask(queue)
	case state.Grouping && slices.Contains(args, "--array-unique"):
		fmt.Fprintln(os.Stderr, "squeue: unrecognized option '--array-unique'\nTry \"squeue --help\" for more information")
		return 1
	case state.Grouping:
		queue = groupTasks(queue)
	}
	for _, q := range queue {
		tasks := "N/A"
		if q.Array != 0 {
			tasks = q.Tasks
		}
		_, _ = fmt.Fprintln(os.Stdout, strings.NewReplacer(
			"%A", fmt.Sprint(q.Job), "%F", fmt.Sprint(q.Array), "%K", tasks, "%i", q.Full, "%u", q.User, "%U", "1000",
			"%a", q.Account, "%P", q.Partition, "%q", q.QOS, "%Q", strconv.FormatUint(uint64(q.Priority), 10), "%y", strconv.FormatInt(q.Nice, 10),
			"%T", q.State, "%V", fmt.Sprint(q.Submit), "%v", "(null)", "%E", "(null)", "%r", q.Reason,
			"%C", strconv.Itoa(q.CPUs), "%l", formatLimit(q.TimeLimit), "%w", cmp.Or(q.WCKey, "(null)"), "%j", q.Name,
		).Replace(args[len(args)-1]))
	}
	return 0
}

// formatLimit writes a time limit as squeue does.
func formatLimit(d ostrich.Duration) string {
	switch {
	case d == priority.Unlimited:
		return "UNLIMITED"
	case d == 0:
		return "NOT_SET"
	case d < 3600:
		return fmt.Sprintf("%d:%02d", d/60, d%60)
	}
	return fmt.Sprintf("%d-%02d:%02d:%02d", d/86400, d/3600%24, d/60%60, d%60)
}

// expandTasks lists the tasks of a set.
func expandTasks(tasks string) (all []int) {
	set, err := priority.ParseTasks(tasks)
	if err != nil {
		panic(err)
	}
	for t := 0; len(all) < set.Count(); t++ {
		if set.Has(t) {
			all = append(all, t)
		}
	}
	return all
}

// taskByTask is what squeue --array shows: it forgets the last of a stride.
func taskByTask(queue []priority.Queued) (lines []priority.Queued) {
	for _, q := range queue {
		if !isSet(&q) {
			lines = append(lines, q)
			continue
		}
		all := expandTasks(q.Tasks)
		if strings.Contains(q.Tasks, ":") {
			all = all[:len(all)-1]
		}
		for _, task := range all {
			q.Tasks, q.Full = strconv.Itoa(task), fmt.Sprintf("%d_%d", q.Array, task)
			lines = append(lines, q)
		}
	}
	return lines
}

// groupTasks is what squeue shows without an option: the set of an array takes
// in the tasks with records of their own.
func groupTasks(queue []priority.Queued) (lines []priority.Queued) {
	for _, set := range queue {
		if isSet(&set) {
			all := expandTasks(set.Tasks)
			for i := range queue {
				if q := &queue[i]; q.Array == set.Array && q.Job != set.Job {
					all = append(all, expandTasks(q.Tasks)...)
				}
			}
			slices.Sort(all)
			set.Tasks = priority.FormatTasks(all)
			set.Full = fmt.Sprintf("%d_[%s]", set.Array, set.Tasks)
		} else if slices.ContainsFunc(queue, func(q priority.Queued) bool { return set.Array != 0 && q.Array == set.Array && isSet(&q) }) {
			continue
		}
		lines = append(lines, set)
	}
	return lines
}

// fakeScontrol obeys the command of its arguments, or else those on its standard
// input, as scontrol does.
func fakeScontrol(file string, state fakeState, args []string) int {
	rc := 0
	for _, id := range state.Ahead {
		if _, err := state.obey(fmt.Sprintf("update jobid=%d sitefactor=%d", id, 100*id)); err != nil {
			return 3
		}
	}
	if err := saveState(file, state); err != nil {
		fmt.Fprintln(os.Stderr, "fake:", err)
		return 3
	}
	lines := bufio.NewScanner(os.Stdin)
	if len(args) > 0 {
		lines = bufio.NewScanner(strings.NewReader(strings.Join(args, " ")))
	}
	for lines.Scan() {
		_, _ = fmt.Fprintln(os.Stdout, "scontrol:", lines.Text())
		if words, err := state.obey(lines.Text()); err != nil {
			if err.Error() == "hang" {
				state.Ran["hang"]++ // what was said before is said
				if err := saveState(file, state); err == nil {
					time.Sleep(time.Hour)
				}
			}
			fmt.Fprintln(os.Stderr, "scontrol: fatal: out of luck")
			return 1
		} else if words != "" {
			fmt.Fprintln(os.Stderr, words)
			rc = 1
		}
		if err := saveState(file, state); err != nil {
			fmt.Fprintln(os.Stderr, "fake:", err)
			return 3
		}
	}
	return rc
}

func (s *fakeState) obey(line string) (words string, err error) {
	line = strings.TrimPrefix(line, "release ")
	fields := strings.Fields(strings.TrimPrefix(line, "update jobid="))
	spec, _, _ := strings.Cut(fields[0], "_")
	if strings.Trim(spec, "0123456789") != "" {
		return "invalid keyword: " + line, nil
	}
	id, err := strconv.ParseUint(spec, 10, 32)
	if err != nil {
		return "", err
	}
	job := ostrich.JobID(id)
	switch {
	case s.HangAt == job:
		return "", errors.New("hang")
	case s.DieAt == job:
		return "", errors.New("die")
	case s.Say[job] != "":
		return s.Say[job], nil
	case s.Deaf[job]:
		return "", nil
	}
	for i := range s.Queue {
		q := &s.Queue[i]
		if q.Job != job {
			continue
		}
		if len(fields) == 1 {
			q.Priority, q.Pinned = 1000, false
			return "", nil
		}
		key, value, _ := strings.Cut(fields[1], "=")
		v, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return "", err
		}
		switch key {
		case "sitefactor":
			q.Site = v
		case "nice":
			q.Nice = v
		case "priority":
			q.Priority = uint32(v)
		}
		return "", nil
	}
	return fmt.Sprintf("Invalid job id specified for job %d", job), nil
}
