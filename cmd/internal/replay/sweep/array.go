package sweep

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"slurm-ostrich/cmd/internal/atomicfile"
	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority/slurm"
)

// array is a job array that computes a sweep.
type array struct {
	*run
	slurm   slurm.Commands
	job     ostrich.JobID
	perTask int
	tasks   []int          // that were submitted
	ended   map[int]string // the state of those that have ended, as far as it was seen
}

// slurm computes the missing points in a job array.
func (r *run) slurm() error {
	missing, err := r.missing(r.all())
	if err != nil {
		return err
	}
	if len(missing) == 0 {
		return r.write()
	}
	a := &array{
		run: r, ended: make(map[int]string),
		slurm: slurm.Commands{Dir: r.c.String("slurm-bin"), Conf: r.c.String("slurm-conf"), Timeout: time.Minute},
	}
	if err := a.submit(missing); err != nil {
		return fmt.Errorf("sweep: --slurm: %w", err)
	}
	console.Say(r.c.App.ErrWriter, "sweep: job %d: %s for %s", a.job, format.Plural(len(a.tasks), "task"), format.Plural(len(missing), "point"))
	if r.c.Bool("no-wait") {
		_, err := fmt.Fprintf(r.c.App.Writer, "%d\n", a.job)
		console.Say(r.c.App.ErrWriter, "sweep: when it has ended: ostrich sweep %s --collect --out %s", r.c.Args().First(), r.folder)
		return err
	}
	if err := a.await(); err != nil {
		return err
	}
	if err := a.complete(); err != nil {
		return err
	}
	return r.write()
}

// ownOptions are the options of sbatch that a sweep sets itself.
var ownOptions = []string{
	"--array", "-a", "--chdir", "-D", "--clusters", "-M", "--error", "-e", "--help", "-h", "--output", "-o", "--parsable",
	"--test-only", "--version", "-V", "--wait", "-W", "--wrap",
}

// submit writes what the tasks need into the folder, and submits them.
func (a *array) submit(missing []int) error {
	options := strings.Fields(strings.Join(a.c.StringSlice("sbatch"), " "))
	for _, o := range options {
		if name, _, _ := strings.Cut(o, "="); slices.Contains(ownOptions, name) {
			return fmt.Errorf("--sbatch %q: %s is set by the sweep", strings.Join(options, " "), name)
		}
	}
	controller, err := a.slurm.Controller(a.c.Context)
	if err != nil {
		return err
	}
	if a.perTask, err = perTask(len(a.Points), a.c.Int("per-task"), controller.MaxArraySize); err != nil {
		return err
	}
	a.tasks = a.tasksOf(missing)
	var paths [3]string // of command, file and folder
	if paths[0], err = os.Executable(); err != nil {
		return err
	}
	for i, path := range []string{a.c.Args().First(), string(a.folder)} {
		if paths[i+1], err = filepath.Abs(path); err != nil {
			return err
		}
	}
	script := Script(paths[0], "sweep", paths[1], "--out", paths[2], "--per-task", strconv.Itoa(a.perTask))
	err = errors.Join(
		writeCSV(a.folder.Path(pointsFile), a.pointRows()),
		atomicfile.Write(a.folder.Path("batch.sh"), func(w io.Writer) error { _, bad := io.WriteString(w, script); return bad }),
	)
	if err != nil {
		return err
	}
	indices := Indices(a.tasks)
	if n := a.c.Int("at-once"); n > 0 {
		indices += "%" + strconv.Itoa(n)
	}
	a.job, err = a.slurm.Submit(a.c.Context, filepath.Join(paths[2], "batch.sh"), slices.Concat([]string{"--job-name=ostrich-sweep"}, options, []string{
		"--array=" + indices, "--chdir=" + paths[2], "--output=log/%A_%a.log",
	})...)
	return err
}

// tasksOf returns the tasks of points, both ascending.
func (a *array) tasksOf(points []int) []int {
	tasks := make([]int, len(points))
	for i, p := range points {
		tasks[i] = p / a.perTask
	}
	return slices.Compact(tasks)
}

// perTask returns how many points a task computes, so that the tasks of n points
// fit into an array of the controller. asked is 0 if nobody asks for a number.
func perTask(n, asked, maxArraySize int) (int, error) {
	if maxArraySize < 1 {
		return 0, errors.New("the controller knows no job arrays (MaxArraySize)")
	}
	least := (n + maxArraySize - 1) / maxArraySize
	if asked > 0 && asked < least {
		return 0, fmt.Errorf("--per-task %d: %s are more tasks than MaxArraySize=%d allows: at least %d", asked, format.Plural(n, "point"), maxArraySize, least)
	}
	return max(1, least, asked), nil
}

// pointsFile lists the submitted points, so that a task notices if it would
// compute others.
const pointsFile = "points.csv"

func (r *run) pointRows() [][]string {
	rows := [][]string{{"point", "key", "log", "seed", "options"}}
	for i := range r.Points {
		rows = append(rows, []string{strconv.Itoa(i), r.keys[i], r.traces[r.Points[i].Trace].name, r.seed(i), r.options(i)})
	}
	return rows
}

// asSubmitted returns an error if points were submitted and these differ from
// them.
func (r *run) asSubmitted(points []int) error {
	path := r.folder.Path(pointsFile)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return fmt.Errorf("sweep: %s: %w", path, err)
	}
	for _, i := range points {
		key, err := r.key(i)
		if err != nil {
			return fmt.Errorf("sweep: %w", err)
		}
		if i+1 >= len(rows) || rows[i+1][1] != key {
			return fmt.Errorf("sweep: %s is another one than in %s: %s, a trace or this command has changed since the job array was submitted",
				r.describe(i), path, r.file.Name)
		}
	}
	return nil
}

// The pauses between two looks at the queue.
const (
	firstPause = time.Second
	lastPause  = 30 * time.Second
)

// await waits until no task is left that has not ended. A controller that does
// not answer is asked again.
func (a *array) await() error {
	at, gone := console.Progress(a.c.App.ErrWriter, fmt.Sprintf("waiting for job %d", a.job))
	gone = sync.OnceFunc(gone)
	defer gone()
	silent := false
	for pause := firstPause; ; pause = min(pause*3/2, lastPause) {
		select {
		case <-a.c.Done():
			return console.Interruption(fmt.Sprintf("job %d goes on: \"scancel %[1]d\" ends it, \"ostrich sweep %s --collect --out %s\" collects its results",
				a.job, a.c.Args().First(), a.folder))
		case <-time.After(pause):
		}
		if n, err := a.folder.Count(a.keys); err == nil {
			at(n, len(a.keys))
		}
		tasks, err := a.slurm.Array(a.c.Context, a.job)
		switch {
		case errors.Is(err, context.Canceled):
			continue
		case err != nil && !silent:
			gone()
			console.Say(a.c.App.ErrWriter, "sweep: job %d: %v; asked again until it answers", a.job, err)
		}
		if silent = err != nil; !silent && a.note(tasks) {
			return nil
		}
	}
}

// note records the tasks that have ended, and reports whether all have. A task
// that the controller has forgotten has ended.
func (a *array) note(tasks []slurm.ArrayTasks) (all bool) {
	all = true
	for _, t := range tasks {
		if !t.Ended() {
			all = false
			continue
		}
		if n, err := strconv.Atoi(t.Tasks); err == nil {
			a.ended[n] = t.State
			continue
		}
		for _, n := range a.tasks { // cancelled before they were told apart
			if t.Has(n) {
				a.ended[n] = t.State
			}
		}
	}
	return all
}

// lag is how long the results of tasks that were completed may take to be seen
// here: a client of a network file system looks at a folder again after a
// minute at most (acdirmax of nfs(5)).
const lag = time.Minute

// complete reads the results, and names the tasks that left none.
func (a *array) complete() error {
	missing, err := a.find(a.all())
	for began := time.Now(); err == nil && a.late(missing) && time.Since(began) < lag; {
		select {
		case <-a.c.Done():
			return a.interrupted()
		case <-time.After(firstPause):
			missing, err = a.find(missing)
		}
	}
	if err != nil || len(missing) == 0 {
		return err
	}
	failed := a.tasksOf(missing)
	const most = 10
	said := []string{fmt.Sprintf("sweep: job %d: %d of %s left %s without a result; the same command again submits these only",
		a.job, len(failed), format.Plural(len(a.tasks), "task"), format.Plural(len(missing), "point"))}
	for _, task := range failed[:min(most, len(failed))] {
		log := a.folder.Path("log", fmt.Sprintf("%d_%d.log", a.job, task))
		state := a.ended[task]
		if state == "" {
			state = "ended"
		}
		said = append(said, fmt.Sprintf("  task %d: %s, %s: %s", task, state, log, lastLine(log)))
	}
	if n := len(failed) - most; n > 0 {
		said = append(said, "  and "+format.Plural(n, "other"))
	}
	return errors.New(strings.Join(said, "\n"))
}

// late reports whether results are missing of a task that counts as completed.
func (a *array) late(missing []int) bool {
	return slices.ContainsFunc(missing, func(i int) bool { return a.ended[i/a.perTask] == "COMPLETED" })
}

// lastLine returns the last line of a file, or why there is none.
func lastLine(path string) string {
	raw, err := os.ReadFile(path)
	text := strings.TrimSpace(string(raw))
	switch {
	case err != nil:
		return "there is no such file"
	case text == "":
		return "it is empty"
	}
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// Chunk returns the points of a task if the tasks in turn compute perTask of n
// points each: from first up to, but not including, end. A task beyond the last
// point has none.
func Chunk(n, perTask, task int) (first, end int) {
	first = min(n, task*perTask)
	return first, min(n, first+perTask)
}

// Indices formats ascending task numbers as sbatch's --array reads them: "0-3,7".
func Indices(tasks []int) string {
	var b strings.Builder
	for i := 0; i < len(tasks); {
		k := i
		for k+1 < len(tasks) && tasks[k+1] == tasks[k]+1 {
			k++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(tasks[i]))
		if k > i {
			b.WriteString("-" + strconv.Itoa(tasks[k]))
		}
		i = k + 1
	}
	return b.String()
}

// Script returns the batch script of an array whose tasks run the command with
// --task and their number.
func Script(command ...string) string {
	return fmt.Sprintf(`#!/bin/sh
# One task of a job array, written by "ostrich sweep --slurm".
export GOMAXPROCS="${SLURM_CPUS_PER_TASK:-1}"
exec %s --task "$SLURM_ARRAY_TASK_ID" --workers "$GOMAXPROCS"
`, strings.Join(format.Texts(command, quote), " "))
}

// quote returns a word in the shell's quotes.
func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
