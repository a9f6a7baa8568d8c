package testbed_test

import (
	"fmt"
	"os"
	"os/user"
	"path"
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
// for byte. So it is with 32 of the 40 runs of a bench, all at once, and with
// the back-test of forecasts.
func TestSweep(t *testing.T) {
	needSlurm(t)
	t.Parallel()
	a := arrays{bed: up(t, "sweep", "--cpus", "8"), name: "ob-alice"}
	a.dir = a.bed.dir + "-files" // in the place of a file system that all nodes share
	if err := os.Mkdir(a.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	chown(t, a.dir, a.name)
	a.ostrich(t, "generate", "hipc", "--jobs", "500", "--out", a.dir+"/hipc.swf.gz")
	log := a.dir + "/programs.swf.gz"
	a.ostrich(t, "generate", "programs", "--users", "8", "--jobs", "1500", "--out", log)
	if err := os.WriteFile(a.dir+"/grid.yaml", []byte(grid), 0o644); err != nil {
		t.Fatal(err)
	}

	out := a.dir + "/out"
	local := a.ostrich(t, "sweep", a.dir+"/grid.yaml", "--csv", a.dir+"/local.csv")
	points := strings.Count(local, "\n") // the header has the newline of the last row
	a.run(t, "sweep", points, "array.sh", (points+4)/5, "%6", a.dir+"/grid.yaml", out, "5")
	a.gather(t, local, fmt.Sprintf("%d of %[1]d points are in %s already", points, out), "sweep", a.dir+"/grid.yaml", "--out", out)
	want, err := os.ReadFile(a.dir + "/local.csv")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(out + "/sweep.csv")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" || len(want) == 0 {
		t.Errorf("another result (-local +array):\n%s", diff)
	}

	options := []string{"--swf", log, "--policy", "fcfs,fairshare,spt,ostrich", "--parts", "2", "--shakes", "5"}
	local = a.ostrich(t, append([]string{"bench"}, options...)...)
	a.run(t, "bench", 32, "bench-array.sh", 32, "", append([]string{out, "1"}, options...)...)
	a.gather(t, local, "32 of 40 runs were made before", append([]string{"bench", "--resume", out}, options...)...)

	options = []string{"--swf", log, "--policy", "fairshare,ostrich", "--forecast", "--questions", "20"}
	local = a.ostrich(t, append([]string{"bench"}, options...)...)
	a.run(t, "forecasts", 2, "bench-array.sh", 2, "", append([]string{out, "1"}, options...)...)
	a.gather(t, local, "2 of 2 runs were made before", append([]string{"bench", "--resume", out}, options...)...)
}

// arrays are a user's job arrays on a testbed.
type arrays struct {
	bed       *bed
	name, dir string
}

func (a *arrays) ostrich(t *testing.T, args ...string) string {
	t.Helper()
	return a.bed.do(t, a.name, "ostrich", args...)
}

// run submits a script of contrib/sweeps as an array and waits until all its tasks are completed.
func (a *arrays) run(t *testing.T, what string, n int, script string, tasks int, limit string, args ...string) {
	t.Helper()
	began := time.Now()
	job := a.bed.do(t, a.name, "sbatch", append([]string{
		"--parsable", "--output=" + a.dir + "/" + what + "-%a.log", "--export=PATH=" + a.bed.bin + ":/usr/bin:/bin", "-t", "5",
		fmt.Sprintf("--array=0-%d%s", tasks-1, limit), copied(t, "../sweeps/"+script, a.dir),
	}, args...)...)
	eventually(t, "accounting has all tasks as completed", func() string {
		ended := a.bed.do(t, "root", "sacct", "-X", "-n", "-P", "-j", job, "-o", "User,State,ExitCode")
		return differ(tasks, strings.Count(ended+"\n", a.name+"|COMPLETED|0:0\n"))
	})
	report(t, what, "%d in %d tasks: %.1f s", n, tasks, time.Since(began).Seconds())
}

// gather runs the command that writes the table, which must be that of the machine alone and say
// how much the array has made.
func (a *arrays) gather(t *testing.T, local, made string, args ...string) {
	t.Helper()
	r := a.bed.try(t, a.name, "ostrich", args...)
	if r.code != 0 || !strings.Contains(r.stderr, made) {
		t.Errorf("%s: exit code %d, want %q:\n%s", args[0], r.code, made, r.stderr)
	}
	if diff := cmp.Diff(local, strings.TrimRight(r.stdout, "\n")); diff != "" {
		t.Errorf("%s: another table (-local +array):\n%s", args[0], diff)
	}
}

// copied copies a script to where the nodes see it.
func copied(t *testing.T, from, dir string) string {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	to := dir + "/" + path.Base(from)
	if err := os.WriteFile(to, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return to
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
