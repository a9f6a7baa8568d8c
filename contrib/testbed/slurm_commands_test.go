package testbed_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"slurm-ostrich/ostrich"
)

// operator is the unprivileged user with AdminLevel=Operator that the sidecar
// runs as.
const operator = "ostrich"

// result is what a command left.
type result struct {
	stdout, stderr string
	code           int
}

// command prepares a command that runs as a user of this machine.
func (b *bed) command(t *testing.T, as, name string, args ...string) *exec.Cmd {
	t.Helper()
	if name == "ostrich" || name == "ostrichd" {
		name = b.bin + "/" + name
	}
	// Cleanups still run commands.
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), name, args...)
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=" + os.Getenv("PATH") + ":/usr/sbin:/sbin", "LANG=C.UTF-8", "SLURM_CONF=" + b.conf, "SLURM_TIME_FORMAT=%s"}
	if as != "root" {
		u, err := user.Lookup(as)
		if err != nil {
			t.Fatal(err)
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
	return cmd
}

// try runs a command to its end.
func (b *bed) try(t *testing.T, as, name string, args ...string) result {
	t.Helper()
	return finish(t, b.command(t, as, name, args...))
}

func finish(t *testing.T, cmd *exec.Cmd) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// do runs a command that must succeed, and returns its output without the
// last new line.
func (b *bed) do(t *testing.T, as, name string, args ...string) string {
	t.Helper()
	r := b.try(t, as, name, args...)
	if r.code != 0 {
		t.Fatalf("%s %s: exit code %d\n%s%s", name, strings.Join(args, " "), r.code, r.stdout, r.stderr)
	}
	return strings.TrimRight(r.stdout, "\n")
}

// lines is the output of a command, line by line, each cut at "|".
func (b *bed) lines(t *testing.T, name string, args ...string) [][]string {
	t.Helper()
	var rows [][]string
	for line := range strings.Lines(b.do(t, "root", name, args...)) {
		if line = strings.TrimSpace(line); line != "" {
			rows = append(rows, strings.Split(line, "|"))
		}
	}
	return rows
}

// ostrich runs the tool as the operator.
func (b *bed) ostrich(t *testing.T, args ...string) result {
	t.Helper()
	return b.try(t, operator, "ostrich", append(args, "--config", b.config)...)
}

// apply does one cycle that writes, as the operator.
func (b *bed) apply(t *testing.T, args ...string) {
	t.Helper()
	b.do(t, operator, "ostrichd", append([]string{"--config", b.config, "--apply", "--once"}, args...)...)
}

// submit submits one job, and returns its id. It lasts more than a second, so
// that accounting can tell the starts of two jobs apart that follow one another.
func (b *bed) submit(t *testing.T, as string, args ...string) string {
	t.Helper()
	args = append([]string{"--parsable", "--chdir=/", "--output=/dev/null"}, args...)
	if !slices.Contains(args, "--wrap") {
		args = append(args, "--wrap", "sleep 1.1")
	}
	return b.do(t, as, "sbatch", args...)
}

// queued is a pending record as squeue shows it, and its SiteFactor.
type queued struct {
	ID, User, Account, Reason string
	Priority, Nice            int64
	Site                      string // as sprio shows it; "" for a job that it does not list
}

// queue is the pending jobs in the order of their priorities.
func (b *bed) queue(t *testing.T) []queued {
	t.Helper()
	site := make(map[string]string)
	if r := b.try(t, "root", "sprio", "-h", "-o", "%i|%S"); r.code == 0 {
		for line := range strings.Lines(r.stdout) {
			id, value, _ := strings.Cut(strings.TrimSpace(line), "|")
			site[strings.TrimSpace(id)] = strings.TrimSpace(value)
		}
	}
	var list []queued
	seen := make(map[string]bool)
	for _, f := range b.lines(t, "squeue", "-h", "-a", "--array", "-t", "PENDING", "-S", "-Q,V,i", "-o", "%A|%u|%a|%Q|%y|%r") {
		if seen[f[0]] {
			continue // a further task of the record
		}
		seen[f[0]] = true
		list = append(list, queued{
			ID: f[0], User: f[1], Account: f[2], Priority: number(t, f[3]), Nice: number(t, f[4]), Reason: f[5], Site: site[f[0]],
		})
	}
	return list
}

// job finds one job in the queue.
func (b *bed) job(t *testing.T, id string) queued {
	t.Helper()
	queue := b.queue(t)
	i := slices.IndexFunc(queue, func(q queued) bool { return q.ID == id })
	if i < 0 {
		t.Fatalf("job %s: not pending", id)
	}
	return queue[i]
}

func number(t *testing.T, s string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// ids are the job ids of a queue, in its order.
func ids(queue []queued) []string {
	var list []string
	for _, q := range queue {
		list = append(list, q.ID)
	}
	return list
}

// plan is what plan --json writes, as far as it matters here.
type plan struct {
	Cluster, Channel string
	Jobs             []struct {
		ID        json.Number `json:"job_id"`
		Job, User string
		Rank      *int
		From, To  int64
		Write     bool
		Why       string
		Odds      *struct{ P10, P50, P90 ostrich.Time }
	}
	Summary struct{ Pending, Managed, Writes, Undone int }
	code    int
}

// plan asks the tool for the plan from scratch.
func (b *bed) plan(t *testing.T, args ...string) plan {
	t.Helper()
	return planOf(t, b.ostrich(t, append([]string{"plan", "--json"}, args...)...))
}

// planOf reads what plan --json has written.
func planOf(t *testing.T, r result) plan {
	t.Helper()
	if r.code != 0 && r.code != 2 {
		t.Fatalf("ostrich plan: exit code %d: %s", r.code, r.stderr)
	}
	p := plan{code: r.code}
	if err := json.Unmarshal([]byte(r.stdout), &p); err != nil {
		t.Fatalf("ostrich plan: %v\n%s", err, r.stdout)
	}
	return p
}

// order is the ids of the managed jobs in OStrich's order.
func (p plan) order() []string {
	var list []string
	for _, j := range p.Jobs {
		if j.Rank != nil {
			list = append(list, j.ID.String())
		}
	}
	return list
}

// why is what the plan says of a job.
func (p plan) why(id string) string {
	for _, j := range p.Jobs {
		if j.ID.String() == id {
			return j.Why
		}
	}
	return "not in the plan"
}

// managed waits until accounting knows so many pending jobs that the plan
// ranks n of them.
func (b *bed) managed(t *testing.T, n int, args ...string) plan {
	t.Helper()
	var p plan
	eventually(t, fmt.Sprintf("%d jobs are ranked", n), func() string {
		p = b.plan(t, args...)
		return differ(n, p.Summary.Managed)
	})
	return p
}

// applied does one cycle that writes, and asserts that a plan made right after
// it is empty. A campaign that begins in the virtual schedule between the two
// changes the order, rightly: then it does both again.
func (b *bed) applied(t *testing.T, args ...string) plan {
	t.Helper()
	before := b.plan(t, args...)
	for range 5 {
		b.apply(t, args...)
		after := b.plan(t, args...)
		if slices.Equal(before.order(), after.order()) {
			after.empty(t)
			return after
		}
		t.Logf("the order changed from %v to %v while it was applied:\n%s",
			before.order(), after.order(), b.ostrich(t, "campaigns").stdout)
		before = after
	}
	t.Error("the order never stays the same while it is applied")
	return before
}

// unchanged asserts that a plan made now is empty.
func (b *bed) unchanged(t *testing.T) plan {
	t.Helper()
	p := b.plan(t)
	p.empty(t)
	return p
}

// empty asserts that a plan has nothing to write.
func (p plan) empty(t *testing.T) {
	t.Helper()
	if p.code != 0 || p.Summary.Writes != 0 {
		t.Errorf("the plan right after applying: exit code %d, %d writes: %+v", p.code, p.Summary.Writes, p.Jobs)
	}
}

// updates is slurmctld's count of REQUEST_UPDATE_JOB.
func (b *bed) updates(t *testing.T) int {
	t.Helper()
	m := regexp.MustCompile(`REQUEST_UPDATE_JOB\s.*count:(\d+)`).FindStringSubmatch(b.do(t, "root", "sdiag"))
	if m == nil {
		return 0
	}
	return int(number(t, m[1]))
}

// freeze lets no job start, and thaw lets them again.
func (b *bed) freeze(t *testing.T) {
	t.Helper()
	b.do(t, "root", "scontrol", "update", "partitionname=main", "state=down")
}

func (b *bed) thaw(t *testing.T) {
	t.Helper()
	b.do(t, "root", "scontrol", "update", "partitionname=main", "state=up")
}

// empty cancels all jobs and waits until they are gone, also from accounting.
func (b *bed) empty(t *testing.T) {
	t.Helper()
	for _, state := range []string{"PENDING", "RUNNING", "SUSPENDED"} {
		b.do(t, "root", "scancel", "--quiet", "--state="+state)
	}
	b.idle(t)
}

// idle waits until no job is left, neither in the queue nor in accounting.
func (b *bed) idle(t *testing.T) {
	t.Helper()
	eventually(t, "the queue is empty", func() string {
		return b.do(t, "root", "squeue", "-h", "-a", "-o", "%i %T %r")
	})
	open := func() string {
		return b.sql(t, "SELECT id_job, state FROM slurm_acct_db."+cluster+"_job_table WHERE time_end=0")
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if open() == "" {
			return
		}
	}
	// A slurmdbd that was killed can take the ends of jobs with it, which slurmctld tells once.
	report(t, "runaway", "%s", strings.ReplaceAll(open(), "\n", ", "))
	b.do(t, "root", "sacctmgr", "--immediate", "show", "runawayjobs")
	eventually(t, "accounting knows of no job", open)
}

// sql asks the database as its root.
func (b *bed) sql(t *testing.T, query string) string {
	t.Helper()
	return b.do(t, "root", "mariadb", "--no-defaults", "--protocol=socket", "--socket="+b.dir+"/run/mysql/mysqld.sock",
		"--user=root", "--batch", "--skip-column-names", "-e", query)
}

// started are the jobs of a list in the order of their starts, as accounting
// has them.
func (b *bed) started(t *testing.T, jobs []string) []string {
	t.Helper()
	rows := b.lines(t, "sacct", "-X", "-n", "-P", "-a", "-S", "now-1hour", "-j", strings.Join(jobs, ","), "-o", "JobIDRaw,Start")
	slices.SortStableFunc(rows, func(x, y []string) int { return strings.Compare(x[1], y[1]) })
	var list []string
	for _, r := range rows {
		list = append(list, r[0])
	}
	return list
}

// patience is how long a test waits for what comes in seconds, unless the
// machine is slow or busy.
const patience = 3 * time.Minute

// eventually waits until a check finds nothing wrong.
func eventually(t *testing.T, what string, check func() (wrong string)) {
	t.Helper()
	end := time.Now().Add(patience)
	for {
		wrong := check()
		if wrong == "" {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s: not within %v: %s", what, patience, wrong)
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// differ says how two values differ, "" if they do not.
func differ[T comparable](want, got T) string {
	if want == got {
		return ""
	}
	return fmt.Sprintf("want %v, got %v", want, got)
}
