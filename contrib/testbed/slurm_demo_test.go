package testbed_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// demoScenario has every kind of user, in the fewest seconds: one in the
// background, one with deadlines, single and parallel jobs, a history.
const demoScenario = `
name: tiny
about: the shortest load with all there is
seed: 1
processors: 16
history:
  - {user: ob-erin, campaigns: 1, shapes: [{jobs: 1, length: 2s}]}
users:
  - {user: ob-alice, campaigns: 1, background: true, shapes: [{array: 60, length: 3s}]}
  - {user: ob-bob, start: 2s, campaigns: 2, think: 1s, shapes: [{jobs: 2, length: 3s, deadline: 10m}]}
  - {user: ob-heidi, start: 2s, campaigns: 1, shapes: [{array: 4, length: 3s, procs: 2, deadline: 3s}]}
`

// TestDemo: the demonstration runs one load under stock fairshare and under
// OStrich, measures all campaigns of both and prints them side by side. Which
// of the two is better is no matter of a test.
func TestDemo(t *testing.T) {
	needSlurm(t)
	t.Parallel()
	const nodes = 2
	suite.Lock()
	n := suite.beds
	suite.beds += 4 // the ports of two testbeds, the second 100 above the first
	suite.Unlock()
	port, err := freePorts(n, 100+nodes)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(suite.dir, "demo")
	scenario, both := filepath.Join(suite.dir, "tiny.yaml"), dir+".json"
	if err = os.WriteFile(scenario, []byte(demoScenario), 0o600); err != nil {
		t.Fatal(err)
	}
	// An interrupt, not a kill: the demonstration takes its testbeds down.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "debian/demo", "--scenario", scenario, "--json", both, "--nodes", strconv.Itoa(nodes),
		"--dir", dir, "--port", strconv.Itoa(port))
	cmd.Env = append(os.Environ(), "OSTRICHD="+suite.dir+"/bin/ostrichd", "LOAD="+suite.dir+"/bin/load")
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = time.Minute
	began := time.Now()
	r := finish(t, cmd)
	if r.code != 0 {
		t.Fatalf("demo: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	report(t, "demo", "%.0f s\n%s", time.Since(began).Seconds(), r.stdout)

	if _, err = os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the testbeds are still there: %v", err)
	}
	for _, want := range []string{
		`tiny: the shortest load with all there is\n`,
		`Two testbeds of 2 nodes with 4 processors each`,
		`stock: priority/multifactor, Age 1000, FairShare 10000, JobSize 100, Partition 1000, QOS 1000\.`,
		`ostrichd --apply, which wrote [1-9]\d* priorities`,
		` stock: .*ob-erin [1-9]`,
		` ostrich: .*ob-erin [1-9]`,
		`\nob-bob +2 +2 .* 2/2 +2/2\n`,
		`\nob-heidi +1 +1 .*\d/1 +\d/1\n`,
		`\nall +3 +3 .*/3 +\d/3\n`,
		`\nstock: \d+ s .*; until then \d+ of 30 jobs of ob-alice, who is not waited for\n`,
		`\nostrich: \d+ s .*; until then \d+ of 30 jobs of ob-alice, who is not waited for\n`,
	} {
		if !regexp.MustCompile(want).MatchString(r.stdout) {
			t.Errorf("no %s in\n%s", want, r.stdout)
		}
	}
	if !strings.Contains(r.stderr, "demo: took ") {
		t.Errorf("it does not say how long it took:\n%s", r.stderr)
	}

	var c struct {
		Processors int
		Runs       []struct {
			Run       string
			Campaigns []struct {
				User    string
				Stretch float64
			}
		}
	}
	text, err := os.ReadFile(both)
	if err != nil {
		t.Fatal(err)
	}
	if err = json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	if c.Processors != 8 || len(c.Runs) != 2 {
		t.Fatalf("%d runs on %d processors, want 2 on 8", len(c.Runs), c.Processors)
	}
	for _, run := range c.Runs {
		if len(run.Campaigns) != 3 {
			t.Errorf("%s: %d campaigns, want 3", run.Run, len(run.Campaigns))
		}
		for _, campaign := range run.Campaigns {
			if campaign.Stretch < 1 {
				t.Errorf("%s: a campaign of %s has stretch %v, better than any order can do", run.Run, campaign.User, campaign.Stretch)
			}
		}
	}
}
