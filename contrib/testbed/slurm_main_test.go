package testbed_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"slurm-ostrich/contrib/internal/minutes"
)

// These tests run the two commands beside a real slurmctld, slurmdbd and
// MariaDB: one testbed for each way of running Slurm that matters, all in a
// directory that is removed at the end.
//
// Claims about one testbed are subtests of one test, because they share its
// queue. Testbeds know nothing of one another and work side by side.

// suite is what all tests share. It is made when the first test asks.
var suite struct {
	sync.Mutex
	dir   string
	err   error
	beds  int
	guard *exec.Cmd
	leash io.Closer
}

const howToRun = "a real Slurm is started only if OSTRICH_TEST_SLURM=1 is set, as root on Debian (contrib/test does both)"

func TestMain(m *testing.M) {
	m.Run()
	suite.Lock()
	defer suite.Unlock()
	if suite.guard != nil {
		if err := errors.Join(suite.leash.Close(), suite.guard.Wait()); err != nil {
			fmt.Fprintf(os.Stderr, "testbed: down of %s: %v\n", suite.dir, err)
		}
	}
}

// needSlurm skips a test where no Slurm can be started.
func needSlurm(t *testing.T) {
	t.Helper()
	switch {
	case os.Getenv("OSTRICH_TEST_SLURM") != "1":
		t.Skip(howToRun)
	case os.Geteuid() != 0:
		t.Skip("not root: " + howToRun)
	case testing.Short():
		t.Skip("-short: a real Slurm takes minutes")
	}
	minutes.Need(t)
	suite.Lock()
	defer suite.Unlock()
	if suite.dir == "" && suite.err == nil {
		suite.dir, suite.err = build()
	}
	if suite.err != nil {
		t.Fatal(suite.err)
	}
}

// part runs a part of a test, unless it is too late for that.
func part(t *testing.T, name string, f func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		minutes.Need(t)
		f(t)
	})
}

// build makes the directory of the suite and builds the commands into it.
func build() (string, error) {
	dir, err := os.MkdirTemp("", "ostrich-e2e-")
	if err != nil {
		return "", err
	}
	if err = watch(dir); err != nil {
		return dir, err
	}
	// Daemons and jobs of other users look into it.
	if err = os.Chmod(dir, 0o755); err != nil {
		return dir, err
	}
	out, err := exec.Command("go", "build", "-o", dir+"/bin/", "slurm-ostrich/cmd/...", "slurm-ostrich/contrib/testbed/load").CombinedOutput() //nolint:noctx // ends by itself
	if err != nil {
		return dir, fmt.Errorf("go build: %w\n%s", err, out)
	}
	return dir, nil
}

// watch starts a process that takes all testbeds down and removes the
// directory when this process ends, in whatever way: success, failure, time
// limit or interrupt close the pipe between the two.
func watch(dir string) error {
	down, err := filepath.Abs("debian/down")
	if err != nil {
		return err
	}
	const script = `cat >/dev/null
		for bed in "$1"/*/.ostrich-testbed "$1"/*/*/.ostrich-testbed; do
			[ ! -e "$bed" ] || "$0" --dir "${bed%/*}" &
		done
		wait
		rm -rf -- "$1"`
	cmd := exec.Command("sh", "-c", script, down, dir) //nolint:noctx // it outlives the tests
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // out of reach of an interrupt
	leash, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	suite.guard, suite.leash = cmd, leash
	return cmd.Start()
}

// bed is a testbed.
type bed struct {
	dir    string // of the testbed
	bin    string // where the commands are
	conf   string // slurm.conf
	config string // ostrich.yaml
	port   int
	cpus   int // of all nodes
}

// cluster is the name of every testbed's cluster.
const cluster = "testbed"

// users of a testbed: the first four belong to account astro, the others to bio.
var users = []string{"ob-alice", "ob-bob", "ob-carol", "ob-dave", "ob-erin", "ob-frank", "ob-grace", "ob-heidi"}

// up brings a testbed up, which is taken down when the test has ended: some thirty of them, even idle, would leave
// little of the machine for the tests that are not yet over.
func up(t *testing.T, name string, options ...string) *bed {
	t.Helper()
	needSlurm(t)
	const nodes, cpus = 4, 4
	suite.Lock()
	n := suite.beds
	suite.beds++
	suite.Unlock()
	b := &bed{dir: filepath.Join(suite.dir, name), bin: filepath.Join(suite.dir, "bin"), cpus: nodes * cpus}
	b.conf, b.config = b.dir+"/etc/slurm.conf", b.dir+"/ostrich.yaml"
	var err error
	if b.port, err = freePorts(n, nodes); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if out, bad := exec.Command("debian/down", "--dir", b.dir).CombinedOutput(); bad != nil { //nolint:noctx // ends by itself
			t.Errorf("testbed: down: %v\n%s", bad, out)
		}
	})
	b.start(t, append([]string{"--nodes", strconv.Itoa(nodes), "--cpus", strconv.Itoa(cpus)}, options...)...)
	return b
}

// start runs the testbed's up, which also repairs what was killed.
func (b *bed) start(t *testing.T, options ...string) {
	t.Helper()
	args := append([]string{"--dir", b.dir, "--port", strconv.Itoa(b.port)}, options...)
	cmd := exec.CommandContext(t.Context(), "debian/up", args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("testbed: up: %v\n%s", err, out)
	}
}

// given are the ports that freePorts has given to the testbeds of this process,
// some of which are not up yet.
var given struct {
	sync.Mutex
	ports [][2]int
}

// freePorts returns the first of the ports of a testbed, which no other testbed
// of this machine claims, not even one that is down, and which nothing listens on.
func freePorts(bed, nodes int) (int, error) {
	given.Lock()
	defer given.Unlock()
	claims, err := claimed()
	if err != nil {
		return 0, err
	}
	claims = append(claims, given.ports...)
	for port := 28700 + 40*bed; port < 32000; port += 120 {
		last := port + 9 + nodes
		free := !slices.ContainsFunc(claims, func(c [2]int) bool { return c[0] <= last && c[1] >= port })
		for p := port; p <= last && free; p++ {
			l, err := net.Listen("tcp", net.JoinHostPort("0.0.0.0", strconv.Itoa(p))) //nolint:noctx // at once or not at all
			free = err == nil && l.Close() == nil
		}
		if free {
			given.ports = append(given.ports, [2]int{port, last})
			return port, nil
		}
	}
	return 0, errors.New("testbed: no free ports from 28700 to 32000")
}

// claimed returns the first and the last port of each testbed that up has
// entered in the list of this machine.
func claimed() ([][2]int, error) {
	files, err := filepath.Glob("/var/lib/ostrich-testbed.d/[0-9]*") // and a lock
	if err != nil {
		return nil, err
	}
	var claims [][2]int
	for _, file := range files {
		text, err := os.ReadFile(file)
		if errors.Is(err, os.ErrNotExist) {
			continue // it has just been taken down
		}
		_, ports, found := strings.Cut(string(text), " first=")
		var c [2]int
		if _, scan := fmt.Sscanf(ports, "%d final=%d", &c[0], &c[1]); err != nil || !found || scan != nil {
			return nil, fmt.Errorf("testbed: %s: %q is no entry of a testbed: %w", file, text, errors.Join(err, scan))
		}
		claims = append(claims, c)
	}
	return claims, nil
}

// report shows a figure on the screen of go test -v, and as an attribute of
// the test in the events of go test -json.
func report(t *testing.T, key, format string, args ...any) {
	t.Helper()
	t.Attr(key, strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", " "))
}
