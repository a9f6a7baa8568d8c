package testbed_test

import (
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// testObserve sees to it that a daemon which only observes writes nothing,
// answers who asks it, and takes a new configuration.
func (b *bed) testObserve(t *testing.T) {
	b.freeze(t)
	t.Cleanup(func() { b.empty(t); b.thaw(t) })
	b.submit(t, "ob-carol", "--time", "60")
	b.submit(t, "ob-dave", "--time", "10")
	b.managed(t, 2)

	original, err := os.ReadFile(b.config)
	if err != nil {
		t.Fatal(err)
	}
	file := b.dir + "/observe.yaml"
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(string(original))

	before := b.updates(t)
	d := b.daemon(t, "--config", file)
	d.cycles(t, 4)
	if n := d.metric(t, "ostrich_planned_writes"); n != 2 {
		t.Errorf("planned writes: %v, want 2", n)
	}
	if n := b.updates(t) - before; n != 0 {
		t.Errorf("observing: slurmctld counted %d updates", n)
	}
	for path, want := range map[string]string{"/healthz": "ok\n", "/readyz": "ok\n", "/metrics": "ostrich_enforcing 0\n"} {
		if status, body := d.get(t, path); status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: %d %q", path, status, body)
		}
	}

	hangup := func(text, message string) {
		t.Helper()
		write(text)
		if err := d.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		d.await(t, message, 1)
	}
	enforce := strings.Replace(string(original), "mode: observe", "mode: enforce", 1)
	hangup(enforce, "reloaded")
	d.cycles(t, 2)
	if n := d.metric(t, "ostrich_enforcing"); n != 1 {
		t.Errorf("after SIGHUP: enforcing %v, want 1", n)
	}
	if n := b.updates(t) - before; n != 2 {
		t.Errorf("after SIGHUP: slurmctld counted %d updates, want 2", n)
	}

	hangup(enforce+"\nnonsense: 1\n", "configuration not reloaded; the old one stays")
	b.submit(t, "ob-bob", "--time", "30")
	b.managed(t, 3)
	d.cycles(t, 2)
	b.unchanged(t)
	failed := d.events(t, "configuration not reloaded; the old one stays")
	if len(failed) != 1 || !strings.Contains(failed[0].Error, file+":") || !strings.Contains(failed[0].Error, "nonsense: unknown key") {
		t.Errorf("the broken file's error: %+v", failed)
	}
	d.terminate(t)
}

// TestOutages is what must hold while a daemon of Slurm, its database or the
// sidecar itself is dead.
func TestOutages(t *testing.T) {
	needSlurm(t)
	t.Parallel()
	// A slurmctld that starts computes fairshare anew.
	b := up(t, "outages", "--set", "PriorityWeightAge=0", "--set", "PriorityWeightFairshare=0")
	part(t, "database", func(t *testing.T) { b.testOutage(t, "mariadbd") })
	part(t, "slurmctld", func(t *testing.T) { b.testOutage(t, "slurmctld") })
	part(t, "slurmdbd", b.testBehind)
	part(t, "clock", b.testClock)
	part(t, "kill -9", b.testKill)
}

// kill ends a daemon of the testbed by force.
func (b *bed) kill(t *testing.T, name string) {
	t.Helper()
	raw, err := os.ReadFile(b.dir + "/run/" + name + ".pid")
	if err != nil {
		t.Fatal(err)
	}
	word, _, _ := strings.Cut(string(raw), " ")
	if err := syscall.Kill(int(number(t, word)), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

// block fills the machine with a job that does not end by itself. Unlike a
// partition that is down, it outlives slurmctld.
func (b *bed) block(t *testing.T) string {
	t.Helper()
	id := b.submit(t, "ob-alice", "--ntasks", strconv.Itoa(b.cpus), "--time", "60", "--wrap", "sleep 600")
	eventually(t, "job "+id+" runs", func() string {
		return differ("RUNNING", b.do(t, "root", "squeue", "-h", "-j", id, "-o", "%T"))
	})
	return id
}

// saved waits until slurmctld has written the present queue to its disk, which
// it does every five seconds at most. Jobs that are not there do not outlive it.
func (b *bed) saved(t *testing.T) {
	t.Helper()
	began := time.Now()
	b.do(t, "root", "scontrol", "update", "jobid="+b.queue(t)[0].ID, "comment=saved")
	eventually(t, "the queue is saved", func() string {
		info, err := os.Stat(b.dir + "/state/job_state")
		if err != nil {
			return err.Error()
		}
		return differ(true, info.ModTime().After(began))
	})
}

const (
	failing   = "cycle failed; the queue stays as it is"
	recovered = "recovered"
	behind    = "accounting is behind: messages for slurmdbd wait in slurmctld, or it does not tell of new jobs; the virtual schedule stands still"
	caughtUp  = "accounting is up to date again"
)

// same asserts that the queue is as before, but for Slurm's reasons.
func (b *bed) same(t *testing.T, before []queued) {
	t.Helper()
	if diff := cmp.Diff(before, b.queue(t), cmpopts.IgnoreFields(queued{}, "Reason")); diff != "" {
		t.Errorf("the queue changed (-before +after):\n%s", diff)
	}
}

// testOutage kills a daemon under the sidecar and starts it again.
func (b *bed) testOutage(t *testing.T, name string) {
	t.Cleanup(func() { b.empty(t) })
	b.block(t)
	b.submit(t, "ob-carol", "--ntasks", "16", "--time", "60")
	b.submit(t, "ob-dave", "--ntasks", "16", "--time", "10")
	b.managed(t, 2)
	d := b.daemon(t, "--apply", "--log-level", "debug", "--slurm-timeout", "6s")
	d.cycles(t, 2)
	b.unchanged(t)
	before := b.queue(t)

	b.saved(t)
	b.kill(t, name)
	d.await(t, failing, 1)
	d.await(t, "cycle failed again", 2)
	if name != "slurmctld" {
		b.same(t, before)
	}
	stopping := b.daemonAt(t, b.port+4) // observes, and finds nothing it needs
	stopping.await(t, failing, 1)
	stopping.terminate(t)

	b.start(t)
	d.await(t, recovered, 1)
	d.cycles(t, 1)
	b.same(t, before)
	b.unchanged(t)
	if n := len(d.events(t, failing)); n != 1 {
		t.Errorf("%d error lines for one outage", n)
	}
	if n := len(d.events(t, recovered)); n != 1 {
		t.Errorf("%d lines tell of one recovery", n)
	}
	d.terminate(t)
}

// provisional is the reason of a job that accounting does not know yet.
const provisional = "campaign order; not yet in accounting"

// testBehind lets jobs come and go while slurmdbd is dead.
func (b *bed) testBehind(t *testing.T) {
	t.Cleanup(func() { b.empty(t); b.thaw(t) })
	wait := b.block(t)
	for range 3 {
		b.submit(t, "ob-bob", "--ntasks", "16", "--time", "10")
	}
	b.managed(t, 3)
	d := b.daemon(t, "--apply")
	d.cycles(t, 2)
	if lag := d.metric(t, "ostrich_source_lag_seconds"); lag != 0 {
		t.Errorf("source lag %v s with all daemons alive", lag)
	}

	b.kill(t, "slurmdbd")
	b.freeze(t) // a job that comes would start before its place is seen
	b.do(t, "root", "scancel", wait)
	fresh := b.submit(t, "ob-carol", "--ntasks", "16", "--time", "5")
	set := b.submit(t, "ob-dave", "--array=1-5%2", "--ntasks", "8", "--time", "5")
	eventually(t, "what the queue says gives new jobs their place", func() string {
		p := b.plan(t)
		return differ(provisional+" "+provisional, p.why(fresh)+" "+p.why(set))
	})
	eventually(t, "they have values", func() string {
		for _, q := range b.queue(t) {
			if (q.ID == fresh || q.ID == set) && (q.Site == "0" || q.Site == "") {
				return "job " + q.ID + " has none"
			}
		}
		return ""
	})
	d.await(t, behind, 1)
	eventually(t, "the lag grows", func() string {
		return differ(true, d.metric(t, "ostrich_source_lag_seconds") > 3)
	})
	if status, body := d.get(t, "/readyz"); status != http.StatusOK {
		t.Errorf("/readyz while slurmdbd is dead: %d %s", status, body)
	}

	b.start(t)
	d.await(t, caughtUp, 1)
	eventually(t, "no lag", func() string {
		return differ(0, d.metric(t, "ostrich_source_lag_seconds"))
	})
	d.cycles(t, 2)
	p := b.unchanged(t)
	queue := b.queue(t)
	if len(queue) < 4 {
		t.Errorf("only %d jobs wait", len(queue))
	}
	for _, q := range queue {
		if why := p.why(q.ID); why != "campaign order" {
			t.Errorf("job %s (carol's is %s): %s", q.ID, fresh, why)
		}
	}
	if n := len(d.events(t, behind)); n != 1 {
		t.Errorf("%d warnings of one outage of slurmdbd", n)
	}
	d.terminate(t)
}

// testKill kills the sidecar in the midst of its work, again and again, while
// jobs come, start, end and are cancelled. Afterwards it stands where one that
// was never interrupted stands, and one that starts from scratch.
func (b *bed) testKill(t *testing.T) {
	t.Cleanup(func() { b.empty(t); b.thaw(t) })
	uninterrupted := b.daemonAt(t, b.port+4)
	uninterrupted.cycles(t, 1)
	submit := func(round int) {
		t.Helper()
		for i, user := range users {
			b.submit(t, user, "--ntasks", strconv.Itoa(1+(i+round)%5), "--time", strconv.Itoa(5+7*i+round), "--wrap", "sleep 1")
			if i%2 == 0 {
				b.submit(t, user, "--array", "0-4", "--ntasks", "4", "--time", strconv.Itoa(10+round), "--wrap", "sleep 2")
			}
		}
	}
	for round := range 4 {
		d := b.daemon(t, "--apply")
		submit(round)
		eventually(t, "something was written", func() string {
			return differ(true, d.metric(t, `ostrich_writes_total{result="applied"}`) > 0)
		})
		time.Sleep(time.Duration(137*round) * time.Millisecond) // another moment of the cycle each time
		d.kill()

		// What happens while it is dead.
		submit(round + 10)
		queue := b.queue(t)
		b.do(t, "root", "scancel", queue[len(queue)/2].ID)
		time.Sleep(time.Second)
	}
	b.freeze(t)
	d := b.daemon(t, "--apply")
	b.settle(t, nil)
	d.cycles(t, 2)
	var p plan
	eventually(t, "all three agree", func() string {
		if n := uninterrupted.metric(t, "ostrich_planned_writes"); n != 0 {
			return fmt.Sprintf("the uninterrupted one would write %v", n)
		}
		p = b.plan(t)
		return differ(0, p.Summary.Writes)
	})
	if len(p.order()) < 10 {
		t.Errorf("only %d jobs were left to compare", len(p.order()))
	}
	if diff := cmp.Diff(p.order(), ids(b.queue(t))); diff != "" {
		t.Errorf("squeue is not in the order from scratch (-scratch +squeue):\n%s", diff)
	}
	d.terminate(t)
	uninterrupted.terminate(t)
}
