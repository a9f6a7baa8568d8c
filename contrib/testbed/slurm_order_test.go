package testbed_test

import (
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestMultifactor is what must hold under priority/multifactor while all
// daemons are well.
func TestMultifactor(t *testing.T) {
	needSlurm(t)
	t.Parallel()
	// Age grows and fairshare moves by themselves; what is compared before
	// and after must not.
	b := up(t, "multi", "--set", "PriorityWeightAge=0", "--set", "PriorityCalcPeriod=60")
	b.favour(t, "ob-erin")

	part(t, "accounts", b.testAccounts)
	part(t, "sitefactor", func(t *testing.T) { b.testOrder(t, "sitefactor") })
	part(t, "own nice", func(t *testing.T) { b.testNice(t, "sitefactor") })
	part(t, "own nice, pinned", func(t *testing.T) { b.testNice(t, "priority") })
	part(t, "shapes", b.testShapes)
	part(t, "rights", b.testRights)
	part(t, "left alone", b.testLeftAlone)
	part(t, "priority", func(t *testing.T) { b.testOrder(t, "priority") })
	part(t, "nice", func(t *testing.T) { b.testOrder(t, "nice") })
	part(t, "observe", b.testObserve)
	part(t, "bad input", b.testBadInput)
}

// favour lets stock Slurm prefer the jobs of a user that ask for it.
func (b *bed) favour(t *testing.T, user string) {
	t.Helper()
	b.do(t, "root", "sacctmgr", "-i", "add", "qos", "favoured", "priority=1000")
	b.do(t, "root", "sacctmgr", "-i", "modify", "user", user, "set", "qos+=favoured")
}

// burst submits campaigns of six users all at once. Every job takes the whole
// machine, so that they run one after the other and none can be backfilled.
// It returns the users in the order in which their jobs are to come.
func (b *bed) burst(t *testing.T, favoured string) (order []string, jobs int) {
	t.Helper()
	// Equal shares and nothing served yet: less work is completed earlier.
	campaigns := []struct {
		user, limit string
		jobs        int
		more        []string
	}{
		{"ob-frank", "5", 1, nil},
		{"ob-bob", "10", 2, nil},
		{"ob-carol", "30", 1, []string{"--nice=50"}},
		{"ob-dave", "20", 2, nil},
		{"ob-erin", "15", 3, []string{favoured}},
		{"ob-alice", "60", 3, nil},
	}
	for round := range 3 {
		for _, c := range slices.Backward(campaigns) {
			if round < c.jobs {
				args := append([]string{"--ntasks", strconv.Itoa(b.cpus), "--time", c.limit}, c.more...)
				b.submit(t, c.user, args...)
			}
		}
	}
	for _, c := range campaigns {
		for range c.jobs {
			order = append(order, c.user)
			jobs++
		}
	}
	return order, jobs
}

// byWork are settings with which the order goes by the work of the campaigns alone.
// That of the defaults looks back on what users had in earlier tests.
var byWork = []string{"--database-history", "1s", "--schedule-predictor", "limit"}

// testOrder sees to it that a channel puts the queue into OStrich's order,
// that jobs start in this order, and that all can be taken back.
func (b *bed) testOrder(t *testing.T, channel string) {
	b.freeze(t)
	t.Cleanup(func() { b.empty(t); b.thaw(t) })
	want, jobs := b.burst(t, "--qos=favoured")
	// What Slurm prefers is a class of its own otherwise, and goes first.
	through := append([]string{"--priority-channel", channel, "--priority-classes", "off"}, byWork...)
	b.settle(t, nil)
	p := b.plan(t, through...)
	if p.code != 2 {
		t.Errorf("plan before applying: exit code %d, want 2", p.code)
	}
	stock := b.queue(t)
	// A channel that would overwrite the nice value of carol's job may leave
	// the job alone, far behind the others.
	mine := slices.IndexFunc(stock, func(q queued) bool { return q.Nice != 0 })
	if strings.HasPrefix(p.why(stock[mine].ID), "nice value") && channel != "sitefactor" {
		want = append(slices.DeleteFunc(want, func(user string) bool { return user == "ob-carol" }), "ob-carol")
		jobs--
	}
	if p.Summary.Managed != jobs {
		t.Errorf("%d jobs are ranked, want %d", p.Summary.Managed, jobs)
	}

	ordered := func() []string {
		t.Helper()
		p := b.applied(t, through...)
		queue := b.queue(t)
		if diff := cmp.Diff(p.order(), ids(queue)[:jobs]); diff != "" {
			t.Errorf("squeue is not in OStrich's order (-OStrich +squeue):\n%s", diff)
		}
		var got []string
		for _, q := range queue {
			got = append(got, q.User)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("users in the order of their campaigns' work (-want +squeue):\n%s", diff)
		}
		return ids(queue)
	}
	ordered()

	b.do(t, operator, "ostrich", "reset", "--config", b.config, "--priority-channel", channel)
	if diff := cmp.Diff(stock, b.queue(t)); diff != "" {
		t.Errorf("after reset (-stock +now):\n%s", diff)
	}

	order := ordered()
	b.thaw(t)
	b.idle(t)
	if diff := cmp.Diff(order, b.started(t, order)); diff != "" {
		t.Errorf("jobs did not start in the order of the queue (-queue +starts):\n%s", diff)
	}
}

// TestMany is what must hold with a long queue.
func TestMany(t *testing.T) {
	needSlurm(t)
	t.Parallel()
	b := up(t, "many")
	b.freeze(t)
	const many = 2000
	b.submitMany(t, many)
	b.managed(t, many)

	began := time.Now()
	b.apply(t)
	report(t, "first-plan", "what is within the depth of %d pending jobs was written and read back in %v", many, time.Since(began).Round(100*time.Millisecond))
	b.unchanged(t)

	part(t, "small campaign", func(t *testing.T) {
		const small = 5
		for range small {
			b.submit(t, "ob-frank", "--time", "10")
		}
		p := b.managed(t, many+small)
		before, journal := b.updates(t), b.journal(t)
		b.apply(t)
		sent, noted := b.updates(t)-before, b.journal(t)-journal
		report(t, "writes", "a campaign of %d jobs among %d pending ones: %d planned, %d sent to slurmctld, %d in the journal",
			small, many, p.Summary.Writes, sent, noted)
		if sent != p.Summary.Writes || noted != p.Summary.Writes {
			t.Errorf("planned %d writes, sent %d, noted %d in the journal", p.Summary.Writes, sent, noted)
		}
		if p.Summary.Writes != small {
			t.Errorf("%d writes, want those of the %d new jobs", p.Summary.Writes, small)
		}
		b.head(t, b.unchanged(t))
	})

	part(t, "SIGTERM in a burst", func(t *testing.T) {
		// A busy machine may let the whole burst pass between two looks.
		for range 5 {
			b.do(t, operator, "ostrich", "reset", "--config", b.config)
			planned := b.plan(t).Summary.Writes
			before := b.updates(t)
			d := b.daemon(t, "--apply")
			eventually(t, "writes have begun", func() string {
				return differ(true, b.updates(t) > before)
			})
			d.terminate(t)
			sent := b.updates(t) - before
			report(t, "interrupted", "SIGTERM after %d of %d writes", sent, planned)
			if sent < planned {
				b.apply(t)
				b.head(t, b.unchanged(t))
				return
			}
		}
		t.Error("five times, all writes were made before the daemon ended")
	})
}

// head compares the order with the queue as deep as Slurm looks: the
// testbed's default_queue_depth.
func (b *bed) head(t *testing.T, p plan) {
	t.Helper()
	const depth = 1000
	if diff := cmp.Diff(p.order()[:depth], ids(b.queue(t))[:depth]); diff != "" {
		t.Errorf("squeue is not in OStrich's order (-OStrich +squeue):\n%s", diff)
	}
}

// submitMany submits n single jobs of the first five users.
func (b *bed) submitMany(t *testing.T, n int) {
	t.Helper()
	some := users[:5]
	var running []*exec.Cmd
	for i, user := range some {
		script := fmt.Sprintf(`i=0; while [ $i -lt %d ]; do
			sbatch --quiet --chdir=/ --output=/dev/null --time=$((10 + i %% %d)) --wrap=true || exit; i=$((i + 1)); done`, n/len(some), 5+5*i)
		cmd := b.command(t, user, "sh", "-c", script)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, cmd)
	}
	for _, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
}

// journal counts what the journal says was written.
func (b *bed) journal(t *testing.T) int {
	t.Helper()
	return strings.Count(b.do(t, "root", "cat", b.dir+"/ostrich/journal.jsonl"), `"result":"applied"`)
}
