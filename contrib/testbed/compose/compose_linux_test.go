package compose_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"slurm-ostrich/contrib/internal/minutes"
)

// These tests bring the testbed up on a real engine, under a project of their
// own, and take it down. A machine under load is slow, so nothing but the
// patience of a limit bounds how long a step takes.
const patience = 6 * time.Minute

// bed is a testbed under one project name.
type bed struct{ project string }

func TestCompose(t *testing.T) {
	needEngine(t)
	b := bed{fmt.Sprintf("ostrich-test-%d", os.Getpid())}
	watch(t, b.project, b.project+"-demo-stock", b.project+"-demo-ostrich")

	up := false
	part := func(name string, f func(t *testing.T, b bed)) {
		t.Run(name, func(t *testing.T) {
			minutes.Need(t)
			if !up && name != "config" && name != "up" && name != "demo" {
				t.Skip("the testbed did not come up")
			}
			f(t, b)
			up = up || name == "up"
		})
	}
	part("config", testConfig)
	part("up", testUp)
	part("kill", testKill)
	part("scale", testScale)
	part("down", testDown)
	part("demo", testDemo)
}

// needEngine skips where no cluster of containers can be brought up.
func needEngine(t *testing.T) {
	t.Helper()
	switch {
	case os.Getenv("OSTRICH_TEST_DOCKER") != "1":
		t.Skip("containers are started only if OSTRICH_TEST_DOCKER=1 is set, as root on Debian with docker and debootstrap")
	case testing.Short():
		t.Skip("-short: a cluster in containers takes minutes")
	case os.Geteuid() != 0:
		t.Skip("not root: debootstrap makes the base image, and a kill is one of the host")
	case exec.CommandContext(t.Context(), "docker", "version").Run() != nil:
		t.Skip("no docker engine answers")
	case compose(t) == nil:
		t.Skip("neither docker compose nor docker-compose is installed")
	}
	minutes.Need(t)
	if exec.CommandContext(t.Context(), "docker", "image", "inspect", "ostrich-testbed-base:bookworm").Run() != nil {
		if _, err := exec.LookPath("debootstrap"); err != nil {
			t.Skip("no base image, and no debootstrap to make it")
		}
	}
}

// compose returns the engine's compose, nil if there is none.
func compose(t *testing.T) []string {
	t.Helper()
	for _, c := range [][]string{{"docker", "compose"}, {"docker-compose"}} {
		if exec.CommandContext(t.Context(), c[0], append(c[1:], "version")...).Run() == nil {
			return c
		}
	}
	return nil
}

// watch starts a process that takes the projects down when this process ends,
// in whatever way: success, failure, time limit or interrupt close the pipe
// between the two.
func watch(t *testing.T, projects ...string) {
	t.Helper()
	down, err := filepath.Abs("down")
	if err != nil {
		t.Fatal(err)
	}
	const script = `cat >/dev/null; for project; do "$0" --project "$project"; done`
	cmd := exec.Command("sh", append([]string{"-c", script, down}, projects...)...) //nolint:noctx // it outlives the tests
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}                            // out of reach of an interrupt
	leash, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err = cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(leash.Close(), cmd.Wait()); err != nil {
			t.Errorf("down: %v", err)
		}
	})
}

// run runs a command to its end and returns what it prints.
func run(t *testing.T, name string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 3*patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = time.Minute
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	err = cmd.Run()
	return o.String(), e.String(), err
}

// must runs a command that must succeed.
func must(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, words, err := run(t, name, args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, words)
	}
	return out
}

// until polls a condition, which says what is missing. What the containers say
// comes before that, so that whoever reads the end of a long output sees why.
func (b bed) until(t *testing.T, what string, missing func() string) {
	t.Helper()
	last, end := "", time.Now().Add(patience)
	for time.Now().Before(end) {
		if last = missing(); last == "" {
			return
		}
		time.Sleep(500 * time.Millisecond)
	}
	t.Fatalf("%s\n%s: not within %v: %s", b.logs(t), what, patience, last)
}

func (b bed) up(t *testing.T, args ...string) string {
	t.Helper()
	began := time.Now()
	_, words, err := run(t, "./up", append([]string{"--project", b.project, "--port", "0", "--mode", "enforce"}, args...)...)
	if err != nil {
		t.Fatalf("up %v: %v\n%s", args, err, words)
	}
	t.Logf("up %v: %.0f s", args, time.Since(began).Seconds())
	return words
}

// of lists what the engine has of the project: containers, volumes, networks.
func (b bed) of(t *testing.T, kind string) []string {
	t.Helper()
	args := []string{kind, "ls", "--quiet", "--filter", "label=com.docker.compose.project=" + b.project}
	if kind == "container" {
		args = append(args, "--all", "--no-trunc")
	}
	return strings.Fields(must(t, "docker", args...))
}

// container is what the engine says of one.
type container struct {
	ID, Name string
	Image    string // its id
	State    struct {
		Status   string
		Pid      int
		ExitCode int
		Health   *struct{ Status string }
	}
	HostConfig struct{ Privileged bool }
	Config     struct{ Labels map[string]string }
}

func (c container) service() string { return c.Config.Labels["com.docker.compose.service"] }

// containers returns the project's, ordered by name.
func (b bed) containers(t *testing.T) []container {
	t.Helper()
	var list []container
	ids := b.of(t, "container")
	if len(ids) == 0 {
		return nil
	}
	if err := json.Unmarshal([]byte(must(t, "docker", append([]string{"inspect"}, ids...)...)), &list); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(list, func(a, b container) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func (b bed) container(t *testing.T, service string) container {
	t.Helper()
	list := b.containers(t)
	i := slices.IndexFunc(list, func(c container) bool { return c.service() == service })
	if i < 0 {
		t.Fatalf("no container of %s", service)
	}
	return list[i]
}

// slurm runs a command where people submit, as a user.
func (b bed) slurm(t *testing.T, user, command string) string {
	t.Helper()
	return must(t, "docker", "exec", "--user", user, b.container(t, "slurmctld").ID, "bash", "-c", command)
}

// submit submits an array of one-processor jobs and returns its id.
func (b bed) submit(t *testing.T, user string, tasks int, seconds string) string {
	t.Helper()
	return strings.TrimSpace(b.slurm(t, user, fmt.Sprintf(
		"sbatch --parsable --chdir=/ --output=/dev/null --time=10 --array=1-%d --wrap='sleep %s'", tasks, seconds)))
}

// healthy waits until every container's own check succeeds, asked now and not
// when the engine next thinks of it.
func (b bed) healthy(t *testing.T) {
	t.Helper()
	b.until(t, "all healthy", func() string {
		for _, c := range b.containers(t) {
			if c.service() == "init" {
				continue
			}
			if out, words, err := run(t, "docker", "exec", c.ID, "/opt/testbed/healthy"); err != nil {
				return c.Name + ": " + out + words
			}
		}
		return ""
	})
}

// done waits until the queue is empty.
func (b bed) done(t *testing.T) {
	t.Helper()
	b.until(t, "all jobs are done", func() string {
		// A job whose node was lost starts again after two minutes. Nobody here waits for that. One that its node could not
		// launch, as it was killed just then, Slurm holds until an administrator releases it. One that began in the ten
		// seconds (BatchStartTimeout) before its node came back Slurm takes for running until its limit.
		const hurry = `squeue --noheader --states=pending --format='%A %r' | awk '
				$2 == "BeginTime" {print "update jobid=" $1 " starttime=now"}
				/launch.failed.requeued.held/ {print "release " $1}' | scontrol >/dev/null
			squeue --noheader --states=running --format='%A %M' | awk 'split($2, time, ":") > 2 || time[1] >= 1 {print "requeue " $1}' | scontrol >/dev/null
			squeue --noheader --array | head -n 20`
		out, words, err := run(t, "docker", "exec", b.container(t, "slurmctld").ID, "bash", "-c", hurry)
		if err != nil {
			return words
		}
		return out
	})
}

// accounted waits until all tasks of the arrays stand in the accounts as completed.
func (b bed) accounted(t *testing.T, tasks int, arrays ...string) {
	t.Helper()
	b.until(t, "all jobs are accounted for", func() string {
		count := make(map[string]int)
		out := b.slurm(t, "root", "sacct --noheader --allocations --allusers --parsable2 --format=state --jobs="+strings.Join(arrays, ","))
		for state := range strings.FieldsSeq(out) {
			count[state]++
		}
		return cmp.Diff(map[string]int{"COMPLETED": tasks}, count)
	})
}

// associations are the accounts with all that sacctmgr knows of them.
func (b bed) associations(t *testing.T) string {
	t.Helper()
	return b.slurm(t, "root", "sacctmgr --noheader --parsable2 show associations format=account,user,share,maxsubmitjobs,parentname; sacctmgr --noheader --parsable2 show user format=user,adminlevel")
}

// logs are the last words of every container.
func (b bed) logs(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	for _, c := range b.containers(t) {
		out, words, _ := run(t, "docker", "logs", "--tail", "25", c.ID)
		fmt.Fprintf(&text, "== %s: %+v\n%s%s", c.Name, c.State, out, words)
		if c.service() == "slurmctld" {
			out, words, _ = run(t, "docker", "exec", c.ID, "timeout", "20", "scontrol", "--oneliner", "show", "nodes")
			fmt.Fprintf(&text, "== nodes:\n%s%s", out, words)
		}
	}
	return text.String()
}

// get asks ostrichd through its published port.
func (b bed) get(t *testing.T, path string) (int, string) {
	t.Helper()
	address := strings.Fields(must(t, "docker", "port", b.container(t, "ostrichd").ID, "9343"))[0]
	if !strings.HasPrefix(address, "127.0.0.1:") {
		t.Errorf("ostrichd is published on %s, not on the loopback", address)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// testConfig: the file is one that compose takes, nothing in it has rights it
// does not need, and nothing of the host is mounted or listened on but the
// loopback.
func testConfig(t *testing.T, _ bed) {
	c := compose(t)
	out := must(t, c[0], append(c[1:], "--profile", "monitoring", "config")...)
	var file struct {
		Services map[string]struct {
			Privileged  bool
			CapDrop     []string `yaml:"cap_drop"`
			SecurityOpt []string `yaml:"security_opt"`
			NetworkMode string   `yaml:"network_mode"`
			Ports       []any
			Volumes     []any
		}
	}
	if err := yaml.Unmarshal([]byte(out), &file); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"init", "mariadb", "slurmdbd", "slurmctld", "node", "ostrichd", "prometheus", "grafana"} {
		s, ok := file.Services[name]
		if !ok {
			t.Errorf("no service %s", name)
			continue
		}
		if s.Privileged || !slices.Equal(s.CapDrop, []string{"ALL"}) || !slices.Equal(s.SecurityOpt, []string{"no-new-privileges:true"}) || s.NetworkMode == "host" {
			t.Errorf("%s: privileged %v, cap_drop %v, security_opt %v, network_mode %q", name, s.Privileged, s.CapDrop, s.SecurityOpt, s.NetworkMode)
		}
		for _, p := range s.Ports {
			if !strings.Contains(fmt.Sprint(p), "127.0.0.1") {
				t.Errorf("%s: port %v is not one of the loopback", name, p)
			}
		}
		for _, v := range s.Volumes {
			if text := fmt.Sprint(v); strings.HasPrefix(text, "/") || strings.Contains(text, "type:bind") {
				t.Errorf("%s: volume %v is a folder of the host", name, v)
			}
		}
	}
}
