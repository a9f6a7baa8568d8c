package testbed_test

import (
	"bytes"
	"fmt"
	"os"
	"os/user"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// grid is a sweep of two policies that take no order inside of campaigns and one
// that does, on a log and on two workloads of one model.
const grid = `
traces: [hipc.swf.gz, {generate: ppam, users: 8, jobs: 500}]
seeds: [1, 2]
policies: [fcfs, spt, fairshare]
backfill: [none, easy]
replay: [open, closed]
parameters:
  load: [1]
  inside: [lpt, spt]
  rule: [fields]
  dependencies: [false]
`

// TestSweep is what must hold of a sweep that a user without any rights runs as
// a job array: its result is that of the machine alone, byte for byte, and a
// task that fails is named.
func TestSweep(t *testing.T) {
	needSlurm(t)
	t.Parallel()
	const name = "ob-alice"
	b := up(t, "sweep")
	dir := b.dir + "-files" // in the place of a file system that all nodes share
	file := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(dir+"/"+name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	chown(t, dir, name)
	b.do(t, name, "ostrich", "generate", "hipc", "--jobs", "500", "--out", dir+"/hipc.swf.gz")
	file("grid.yaml", grid)
	array := func(options ...string) []string {
		return append([]string{"sweep", dir + "/grid.yaml", "--out", dir + "/out", "--slurm"}, options...)
	}

	local := b.do(t, name, "ostrich", "sweep", dir+"/grid.yaml", "--csv", dir+"/local.csv")
	began := time.Now()
	r := b.try(t, name, "ostrich", array("--per-task", "5", "--at-once", "6", "--sbatch", "-t 5", "--sbatch", "--comment=sweep")...)
	if r.code != 0 {
		t.Fatalf("exit code %d\n%s", r.code, r.stderr)
	}
	took := time.Since(began)
	if diff := cmp.Diff(local, strings.TrimRight(r.stdout, "\n")); diff != "" {
		t.Errorf("another table (-local +array):\n%s", diff)
	}
	same := func() {
		t.Helper()
		want, err := os.ReadFile(dir + "/local.csv")
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(dir + "/out/sweep.csv")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" || len(want) == 0 {
			t.Errorf("another result (-local +array):\n%s", diff)
		}
	}
	same()
	said := regexp.MustCompile(`job (\d+): (\d+) tasks for (\d+) points`).FindStringSubmatch(r.stderr)
	if said == nil {
		t.Fatalf("no job is named: %s", r.stderr)
	}
	job := said[1]
	points, err := strconv.Atoi(said[3])
	if err != nil || points != strings.Count(local, "\n") || said[2] != strconv.Itoa((points+4)/5) {
		t.Errorf("%v: %s, and the table has %d", err, said[0], strings.Count(local, "\n"))
	}
	// Nothing was computed but by the tasks.
	eventually(t, "accounting has all tasks as completed", func() string {
		ended := b.do(t, "root", "sacct", "-X", "-n", "-P", "-j", job, "-o", "User,State,ExitCode")
		return differ(said[2], strconv.Itoa(strings.Count(ended+"\n", name+"|COMPLETED|0:0\n")))
	})
	report(t, "sweep", "%d points in %s tasks: %.1f s", points, said[2], took.Seconds())

	t.Run("again", func(t *testing.T) {
		r := b.try(t, name, "ostrich", array()...)
		if want := fmt.Sprintf("%d of %[1]d points are in %s/out already", points, dir); r.code != 0 || !strings.Contains(r.stderr, want) {
			t.Errorf("exit code %d, want %q:\n%s", r.code, want, r.stderr)
		}
		if strings.Contains(r.stderr, "job ") {
			t.Errorf("something was submitted: %s", r.stderr)
		}
	})
	t.Run("tasks that fail", func(t *testing.T) {
		rows := strings.Split(b.do(t, "root", "cat", dir+"/out/points.csv"), "\n")[1:]
		for _, point := range []int{0, 6, 11} {
			key := strings.Split(rows[point], ",")[1]
			if err := os.Remove(dir + "/out/results/" + key + ".json"); err != nil {
				t.Fatal(err)
			}
		}
		cmd := b.command(t, name, "ostrich", array("--per-task", "5", "--sbatch", "--hold")...)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var held [][]string
		eventually(t, "the array is held", func() string {
			held = b.lines(t, "squeue", "-h", "-n", "ostrich-sweep", "-t", "PD", "-o", "%F|%K")
			return differ(1, len(held))
		})
		if diff := cmp.Diff("0-2", held[0][1]); diff != "" {
			t.Errorf("tasks -want +got:\n%s", diff)
		}
		b.do(t, name, "scancel", held[0][0])
		if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != 1 || stdout.Len() > 0 {
			t.Errorf("%v, want exit code 1: %s", err, &stdout)
		}
		lines := []string{
			fmt.Sprintf("ostrich: sweep: %d of %d points are in %s/out already", points-3, points, dir),
			fmt.Sprintf("ostrich: sweep: job %s: 3 tasks for 3 points", held[0][0]),
			fmt.Sprintf("ostrich: sweep: job %s: 3 of 3 tasks left 3 points without a result; the same command again submits these only", held[0][0]),
		}
		for task := range 3 {
			lines = append(lines, fmt.Sprintf("  task %d: CANCELLED, %s/out/log/%s_%[1]d.log: there is no such file", task, dir, held[0][0]))
		}
		want := strings.Join(lines, "\n") + "\n"
		// The output begins with what the file leaves out of the grid.
		if !strings.HasSuffix(stderr.String(), want) {
			t.Errorf("-want +said:\n%s", cmp.Diff(want, stderr.String()))
		}
		b.do(t, name, "ostrich", array()...)
		same()
	})
}

// chown gives a file to a user.
func chown(t *testing.T, path, name string) {
	t.Helper()
	u, err := user.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(path, uid, -1); err != nil {
		t.Fatal(err)
	}
}
