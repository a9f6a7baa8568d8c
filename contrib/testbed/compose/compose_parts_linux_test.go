package compose_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

var users = []string{"ob-alice", "ob-carol", "ob-erin"}

// testUp: up builds the image, returns when jobs run and are accounted for, and
// changes nothing when it is run again.
func testUp(t *testing.T, b bed) {
	b.up(t)
	b.healthy(t)
	for _, c := range b.containers(t) {
		switch {
		case c.HostConfig.Privileged:
			t.Errorf("%s is privileged", c.Name)
		case c.service() == "init" && (c.State.Status != "exited" || c.State.ExitCode != 0):
			t.Errorf("%s: %+v, want it to have ended with 0", c.Name, c.State)
		case c.service() != "init" && c.State.Status != "running":
			t.Errorf("%s: %+v, want it to run", c.Name, c.State)
		}
	}
	// What the engine calls healthy follows from the same checks, later.
	b.until(t, "the engine calls all healthy", func() string {
		for _, c := range b.containers(t) {
			if c.service() != "init" && (c.State.Health == nil || c.State.Health.Status != "healthy") {
				return fmt.Sprintf("%s: %+v", c.Name, c.State)
			}
		}
		return ""
	})

	root := func(command string) string { return strings.TrimSpace(b.slurm(t, "root", command)) }
	if got := root("sinfo --noheader --partition=main --format='%D %C'"); got != "4 0/16/0/16" {
		t.Errorf("sinfo: %q, want 4 idle nodes with 16 processors", got)
	}
	if got := root("sacct --noheader --allocations --jobs=1 --parsable2 --format=jobid,user,state"); got != "1|ob-alice|COMPLETED" {
		t.Errorf("sacct: %q, want the job of init", got)
	}
	if got := root("sshare --noheader --all --parsable2 --format=rawusage | sort -u"); got != "0" {
		t.Errorf("usage %q, want none: all runs begin alike", got)
	}
	before := b.associations(t)
	for _, want := range []string{"astro||10|", "bio||10|", "astro|ob-alice|1|20000|", "bio|ob-heidi|1|20000|", "ostrich|Operator"} {
		if !strings.Contains(before, want) {
			t.Errorf("no %s among the associations\n%s", want, before)
		}
	}

	// The operator's account at the database reads and does not write.
	const refused = `mariadb --defaults-file=<(printf '[client]\npassword=%s\n' "$(cat /etc/slurm/ostrich.password)") --host=mariadb --user=ostrich slurm_acct_db --execute="DELETE FROM testbed_job_table"`
	if out, words, err := run(t, "docker", "exec", b.container(t, "slurmctld").ID, "bash", "-c", refused); err == nil || !strings.Contains(words, "DELETE command denied") {
		t.Errorf("DELETE: %v\n%s%s", err, out, words)
	}

	if code, text := b.get(t, "/readyz"); code != 200 {
		t.Errorf("/readyz: %d\n%s", code, text)
	}
	if code, text := b.get(t, "/metrics"); code != 200 || !strings.Contains(text, "\nostrich_") {
		t.Errorf("/metrics: %d, no figure of OStrich\n%s", code, text)
	}

	if code, text := b.get(t, "/"); code != 200 || !strings.Contains(text, "OStrich on testbed") {
		t.Errorf("the status page: %d\n%s", code, text)
	}

	list := func() string {
		var ids strings.Builder
		for _, c := range b.containers(t) {
			fmt.Fprintln(&ids, c.Name, c.ID)
		}
		return ids.String()
	}
	image := func() string {
		return must(t, "docker", "image", "inspect", "--format", "{{.Id}}", "ostrich-testbed:bookworm")
	}
	ids, built := list(), b.container(t, "slurmctld").Image
	b.up(t, "--no-build")
	if again := list(); strings.TrimSpace(image()) != built {
		t.Log("somebody built another image meanwhile, so up may make other containers")
	} else if again != ids {
		t.Errorf("up, again, made other containers\n%s\n%s", ids, again)
	}
	if after := b.associations(t); after != before {
		t.Errorf("up, again, changed the accounts\n%s\n%s", before, after)
	}
	if out, words, err := run(t, "./status", "--project", b.project); err != nil || strings.Contains(out, "FAIL") {
		t.Errorf("status: %v\n%s%s", err, out, words)
	}
}

// testKill: whatever container is killed comes back by itself, also all at
// once, no job is lost, and the accounts are what they were.
func testKill(t *testing.T, b bed) {
	before := b.associations(t)
	var arrays []string
	tasks := 0
	submit := func(each int) {
		for _, user := range users {
			arrays = append(arrays, b.submit(t, user, each, "4"))
			tasks += each
		}
		// slurmctld writes what it knows every five seconds.
		time.Sleep(6 * time.Second)
	}
	kill := func(list ...container) {
		for _, c := range list {
			// Not docker kill, which the engine takes for a wish to have it ended.
			if err := syscall.Kill(c.State.Pid, syscall.SIGKILL); err != nil {
				t.Fatalf("%s: %v", c.Name, err)
			}
		}
		b.until(t, "the engine starts them again", func() string {
			for _, now := range b.containers(t) {
				for _, c := range list {
					if c.ID == now.ID && (now.State.Pid == c.State.Pid || now.State.Status != "running") {
						return fmt.Sprintf("%s: %+v", now.Name, now.State)
					}
				}
			}
			return ""
		})
	}
	began := time.Now()
	submit(50)
	var daemons []container
	for _, c := range b.containers(t) {
		if c.service() != "init" {
			daemons = append(daemons, c)
		}
	}
	for _, c := range daemons {
		if queued := strings.Count(b.slurm(t, "root", "squeue --noheader --array"), "\n"); queued < 100 {
			submit(25)
		}
		kill(c)
		b.healthy(t)
	}
	t.Logf("%d containers killed, one after the other: all healthy after %.0f s", len(daemons), time.Since(began).Seconds())

	submit(20)
	began = time.Now()
	all := daemons[:0]
	for _, c := range b.containers(t) {
		if c.service() != "init" {
			all = append(all, c)
		}
	}
	kill(all...)
	b.healthy(t)
	t.Logf("all at once: healthy after %.0f s", time.Since(began).Seconds())
	b.done(t)
	// What slurmctld knew of a job and had not yet said to slurmdbd when both were killed, accounting never hears.
	b.slurm(t, "root", "sacctmgr --immediate --quiet show runawayjobs")
	b.accounted(t, tasks, arrays...)
	t.Logf("%d jobs completed after %.0f s", tasks, time.Since(began).Seconds())

	submit(10)
	began = time.Now()
	args := []string{"restart", "--time", "60"}
	for _, c := range all {
		args = append(args, c.ID)
	}
	must(t, "docker", args...)
	b.healthy(t)
	t.Logf("restart of all: healthy after %.0f s", time.Since(began).Seconds())
	b.done(t)
	b.accounted(t, tasks, arrays...)
	if after := b.associations(t); after != before {
		t.Errorf("the accounts are not what they were\n%s\n%s", before, after)
	}
}

// testScale: one variable makes the cluster larger and smaller; nodes that go
// leave nothing behind, and those that stay are used to the full.
func testScale(t *testing.T, b bed) {
	for _, nodes := range []int{12, 4} {
		t.Setenv("OSTRICH_NODES", strconv.Itoa(nodes))
		b.up(t, "--no-build")
		want := fmt.Sprintf("%d 0/%d/0/%d", nodes, 4*nodes, 4*nodes)
		if got := strings.TrimSpace(b.slurm(t, "root", "sinfo --noheader --partition=main --format='%D %C'")); got != want {
			t.Errorf("sinfo: %q, want %q", got, want)
		}
		if n := len(strings.Fields(b.slurm(t, "root", "sinfo --noheader --Node --partition=main --format=%N"))); n != nodes {
			t.Errorf("%d nodes are listed, want %d", n, nodes)
		}
		// They can only all run at once if every processor is one.
		array := b.submit(t, "ob-grace", 4*nodes, "600")
		b.until(t, "every processor is busy", func() string {
			out := b.slurm(t, "root", "squeue --noheader --array --states=running --jobs="+array)
			if n := strings.Count(out, "\n"); n != 4*nodes {
				return fmt.Sprintf("%d of %d jobs run", n, 4*nodes)
			}
			return ""
		})
		b.slurm(t, "root", "scancel "+array)
		b.until(t, "the nodes are free", func() string { return b.slurm(t, "root", "squeue --noheader") })
	}
}

// testDown: nothing is left but the images.
func testDown(t *testing.T, b bed) {
	must(t, "./down", "--project", b.project)
	for _, kind := range []string{"container", "volume", "network"} {
		if left := b.of(t, kind); len(left) > 0 {
			t.Errorf("%s: %v left", kind, left)
		}
	}
	for _, image := range []string{"ostrich-testbed", "ostrich-testbed-base", "ostrich-testbed-programs"} {
		must(t, "docker", "image", "inspect", image+":bookworm")
	}
}

// scenario is the shortest load that has a winner.
const scenario = `
name: tiny
about: one long user, two short ones
seed: 1
processors: 16
users:
  - {user: ob-alice, campaigns: 1, shapes: [{array: 40, length: 5s}]}
  - {user: ob-bob, start: 2s, campaigns: 2, think: 1s, shapes: [{jobs: 2, length: 3s, deadline: 10m}]}
  - {user: ob-heidi, start: 2s, campaigns: 1, shapes: [{array: 4, length: 3s, procs: 2}]}
`

// testDemo: one load under stock fairshare and under OStrich, both measured and
// printed side by side. Which is better is no matter of a test.
func testDemo(t *testing.T, b bed) {
	dir := t.TempDir()
	file, both := filepath.Join(dir, "tiny.yaml"), filepath.Join(dir, "both.json")
	if err := os.WriteFile(file, []byte(scenario), 0o600); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	out, words, err := run(t, "./demo", "--project", b.project+"-demo", "--no-build", "--nodes", "2", "--scenario", file, "--json", both)
	if err != nil {
		t.Fatalf("demo: %v\n%s%s", err, out, words)
	}
	t.Logf("demo: %.0f s\n%s", time.Since(began).Seconds(), out)
	for _, want := range []string{
		`(?m)^tiny: one long user, two short ones$`,
		`Two clusters of 2 nodes with 4 processors each`,
		`stock: priority/multifactor, Age 1000, FairShare 10000, JobSize 100, Partition 1000, QOS 1000\.`,
		`mode: enforce, which wrote [1-9]\d* priorities`,
		`(?m)^ob-bob +2 +2 `,
		`(?m)^all +4 +4 `,
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	var c struct {
		Processors int
		Runs       []struct{ Campaigns []struct{ Stretch float64 } }
	}
	text, err := os.ReadFile(both)
	if err != nil {
		t.Fatal(err)
	}
	if err = json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	if c.Processors != 8 || len(c.Runs) != 2 || len(c.Runs[0].Campaigns) != 4 || len(c.Runs[1].Campaigns) != 4 {
		t.Errorf("%d processors, runs %+v; want 8, and two of 4 campaigns", c.Processors, c.Runs)
	}
	for _, side := range []string{"-demo-stock", "-demo-ostrich"} {
		if left := (bed{b.project + side}).of(t, "container"); len(left) > 0 {
			t.Errorf("containers %v left", left)
		}
	}
}
