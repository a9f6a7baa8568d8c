package testbed_test

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// grid is a sweep of policies, one of them with a setting, on a log and on two workloads
// of one model.
const grid = `
traces: [hipc.swf.gz, {generate: ppam, users: 8, jobs: 500}]
seeds: [1, 2]
policies: [fcfs, spt, fairshare, "fairshare:inside=spt"]
backfill: [none, easy]
replay: [open, closed]
parameters:
  load: [1]
  rule: [fields]
  dependencies: [false]
`

// TestSweep is what must hold of a sweep that a user without any rights runs as
// a job array with contrib/sweeps/array.sh: its result is that of the machine alone, byte
// for byte.
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
	file("array.sh", script(t))
	sweep := func(options ...string) result {
		return b.try(t, name, "ostrich", append([]string{"sweep", dir + "/grid.yaml", "--out", dir + "/out"}, options...)...)
	}

	local := b.do(t, name, "ostrich", "sweep", dir+"/grid.yaml", "--csv", dir+"/local.csv")
	points := strings.Count(local, "\n") // the header has the newline of the last row
	tasks := (points + 4) / 5
	began := time.Now()
	job := b.do(t, name, "sbatch", "--parsable", "--output="+dir+"/%a.log", "--export=PATH="+b.bin+":/usr/bin:/bin", "-t", "5", fmt.Sprintf("--array=0-%d%%6", tasks-1), dir+"/array.sh",
		dir+"/grid.yaml", dir+"/out", "5")
	// Nothing is computed but by the tasks.
	eventually(t, "accounting has all tasks as completed", func() string {
		ended := b.do(t, "root", "sacct", "-X", "-n", "-P", "-j", job, "-o", "User,State,ExitCode")
		return differ(tasks, strings.Count(ended+"\n", name+"|COMPLETED|0:0\n"))
	})
	report(t, "sweep", "%d points in %d tasks: %.1f s", points, tasks, time.Since(began).Seconds())
	r := sweep()
	if want := fmt.Sprintf("%d of %[1]d points are in %s/out already", points, dir); r.code != 0 || !strings.Contains(r.stderr, want) {
		t.Errorf("exit code %d, want %q:\n%s", r.code, want, r.stderr)
	}
	if diff := cmp.Diff(local, strings.TrimRight(r.stdout, "\n")); diff != "" {
		t.Errorf("another table (-local +array):\n%s", diff)
	}
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

// script returns the batch script that contrib has for sweeps.
func script(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../sweeps/array.sh")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
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
