package book

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"slurm-ostrich/contrib/internal/minutes"
	"slurm-ostrich/ostrich/trace/tracetest"
)

// limit is how long one command may take, on however slow a machine.
const limit = 8 * time.Minute

// The commands that need nothing, each page from the beginning on a machine of its own.
func TestAnywhere(t *testing.T) {
	needLong(t)
	each(t, "anywhere")
}

// The commands that read the workload logs, which are not in the tree.
func TestLogs(t *testing.T) {
	needRoot(t)
	logs := tracetest.Folder(t)
	each(t, "logs", logs)
}

// The commands that bring up clusters.
func TestTestbed(t *testing.T) {
	needSlurm(t)
	t.Parallel() // with TestCluster: both wait more than they compute
	each(t, "testbed")
}

// each runs the pages' commands of a place, each page on a machine of its own.
func each(t *testing.T, where string, folders ...string) {
	t.Helper()
	for _, p := range pages(t, where) {
		t.Run(p.name, func(t *testing.T) {
			minutes.Need(t)
			p.run(t, machine(t, folders...), where)
		})
	}
}

// The commands beside a Slurm, all pages on one: it is deployed first and removed last.
func TestCluster(t *testing.T) {
	needSlurm(t)
	t.Parallel()
	of := pages(t, "cluster")
	slices.SortStableFunc(of, func(a, b page) int { return a.turn() - b.turn() })
	m := machine(t)
	if out, code, err := m.run("contrib/book/site"); code != 0 || err != nil {
		t.Fatalf("site: exit code %d, %v\n%s", code, err, out)
	}
	for _, p := range of {
		t.Run(p.name, func(t *testing.T) {
			minutes.Need(t)
			p.run(t, m, "cluster")
		})
	}
}

// The commands with docker, on this machine; the pages take down what they start.
func TestCompose(t *testing.T) {
	if os.Getenv("OSTRICH_TEST_DOCKER") != "1" {
		t.Skip("docker is used only if OSTRICH_TEST_DOCKER=1 is set")
	}
	needLong(t)
	for _, p := range pages(t, "compose") {
		t.Run(p.name, func(t *testing.T) {
			minutes.Need(t)
			s := begin(t, exec.Command("bash", "-s")) //nolint:noctx // ended by begin
			project := fmt.Sprintf("ostrich-book-%d", os.Getpid())
			s.cmd.Dir, s.cmd.Env = root(t), append(os.Environ(), "COMPOSE_PROJECT_NAME="+project, "OSTRICH_PORT=0")
			s.start(t)
			// The older program stands in for the engine's plugin.
			if _, _, err := s.run(`docker compose version || docker() { if [[ $1 == compose ]]; then docker-compose "${@:2}"; else command docker "$@"; fi; }`); err != nil {
				t.Fatal(err)
			}
			defer func() {
				if out, code, err := s.run(filepath.Join(root(t), "contrib/testbed/compose/down")); code != 0 || err != nil {
					t.Errorf("down: exit code %d, %v\n%s", code, err, out)
				}
			}()
			p.run(t, s, "compose")
		})
	}
}

// turn is 0 for the page with which the site begins, 2 for that with which it ends.
func (p page) turn() int {
	switch p.name {
	case "docs/deploy.md":
		return 0
	case "docs/undo.md":
		return 2
	}
	return 1
}

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("not root: the commands of the documentation run on a throw-away copy of the machine")
	}
	minutes.Need(t)
}

func needLong(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: the commands of the documentation take minutes")
	}
	needRoot(t)
}

func needSlurm(t *testing.T) {
	t.Helper()
	if os.Getenv("OSTRICH_TEST_SLURM") != "1" {
		t.Skip("a real Slurm is started only if OSTRICH_TEST_SLURM=1 is set, as root on Debian")
	}
	needLong(t)
	for _, name := range []string{"slurmctld", "slurmdbd", "slurmd", "munged", "mariadbd"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("no %s: contrib/test installs it", name)
		}
	}
}

// run gives the commands of the page to a shell, and looks at what they print.
func (p page) run(t *testing.T, s *shell, where string) {
	for _, b := range p.blocks {
		if b.Where != where {
			continue
		}
		failed := false
		for _, c := range b.Commands {
			begun := time.Now()
			out, code, err := s.run(c.Text)
			took := time.Since(begun).Round(time.Second / 10)
			at := fmt.Sprintf("%s:%d: %s (%v)", p.name, c.Line, c.Text, took)
			if err != nil {
				t.Fatalf("%s: %v\n%s", at, err, out)
			}
			failed = failed || code != 0
			if code != 0 && code != b.Exit {
				t.Errorf("%s: exit code %d\n%s", at, code, out)
				continue
			}
			if line, missing := differs(c.Output, strings.Split(strings.TrimRight(out, "\n"), "\n"), b.Exact); c.Output != nil && missing {
				t.Errorf("%s: it does not print %q but\n%s", at, line, out)
			}
			t.Logf("%s\n%s", at, out)
		}
		if b.Exit == 1 && !failed { // 2 is that of ostrich plan, which may find nothing to write
			t.Errorf("%s:%d: no command fails, and exit 1 is shown", p.name, b.Line)
		}
	}
}

// shell is a bash that reads commands.
type shell struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// machine starts a shell on a throw-away copy of this machine.
//
// The folders are there as they are, also if they are on another file system.
func machine(t *testing.T, folders ...string) *shell {
	t.Helper()
	tree, bin := root(t), commands(t)
	args := slices.Concat([]string{"--mount", "--pid", "--net", "--ipc", "--fork", "--kill-child"},
		[]string{filepath.Join(tree, "contrib/book/machine"), t.TempDir(), tree, bin}, folders)
	for _, name := range []string{"GOROOT", "GOMODCACHE", "GOCACHE"} {
		out, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, strings.TrimSpace(string(out)))
	}
	goBin := args[len(args)-3] + "/bin"
	s := begin(t, exec.Command("unshare", args...)) //nolint:noctx // ended by begin
	s.cmd.Env = []string{
		"HOME=/root", "LC_ALL=C.UTF-8", "TZ=UTC", "GOPROXY=off", "GOFLAGS=-buildvcs=false", "OSTRICH_TRACES=" + strings.Join(folders, ""),
		"GOMODCACHE=" + args[len(args)-2], "GOCACHE=" + args[len(args)-1],
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:" + goBin + ":" + bin,
	}
	s.start(t)
	if out, _, err := s.run("true"); err != nil {
		t.Skipf("this machine does not let a copy of itself be made (unshare, overlay): %s", out)
	}
	return s
}

// begin makes a shell of a command that has not started.
func begin(t *testing.T, cmd *exec.Cmd) *shell {
	t.Helper()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	return &shell{cmd: cmd}
}

func (s *shell) start(t *testing.T) {
	t.Helper()
	in, err := s.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	s.in, s.out = in, bufio.NewReader(r)
	s.cmd.Stdout, s.cmd.Stderr = w, w
	if err := errors.Join(s.cmd.Start(), w.Close()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.kill()
		_ = s.cmd.Wait() // killed
		_ = r.Close()
	})
}

func (s *shell) kill() { _ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL) }

// run has the shell run a command, and returns what it prints and its exit code.
func (s *shell) run(command string) (string, int, error) {
	const mark = 0x1e
	late := time.AfterFunc(limit, s.kill)
	defer late.Stop()
	quoted := "'" + strings.ReplaceAll(command, "'", `'\''`) + "'"
	if _, err := fmt.Fprintf(s.in, "eval %s </dev/null 2>&1; printf '\\036%%d\\036' $?\n", quoted); err != nil {
		out, _ := io.ReadAll(s.out)
		return string(out), 0, err
	}
	out, err := s.out.ReadString(mark)
	out = strings.TrimSuffix(out, string(rune(mark)))
	if err != nil {
		return out, 0, fmt.Errorf("the shell ended, or %v were over", limit)
	}
	number, err := s.out.ReadString(mark)
	if err != nil {
		return out, 0, err
	}
	code, err := strconv.Atoi(strings.TrimSuffix(number, string(rune(mark))))
	return out, code, err
}

// built is where the commands are, once a test has asked for them.
var built struct {
	once sync.Once
	dir  string
	err  error
}

func TestMain(m *testing.M) {
	m.Run()
	_ = os.RemoveAll(built.dir)
}

// commands builds the commands, once for all tests, and returns their folder.
func commands(t *testing.T) string {
	t.Helper()
	built.once.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "ostrich-book-"); built.err != nil { //nolint:usetesting // outlives the test that asks first
			return
		}
		cmd := exec.Command("go", "build", "-buildvcs=false", "-o", built.dir+"/", "./cmd/...") //nolint:noctx // ends by itself
		cmd.Dir = root(t)
		out, err := cmd.CombinedOutput()
		built.err = errors.Join(err, os.Chmod(built.dir, 0o755)) // other users run them
		if built.err != nil {
			built.err = fmt.Errorf("go build: %w\n%s", built.err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.dir
}
