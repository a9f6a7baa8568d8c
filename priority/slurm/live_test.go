package slurm

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/journal"
	"slurm-ostrich/priority/prioritytest"
)

// live is a real Slurm that the tests may fill with jobs of root's: one
// partition with a node that the tests block.
type live struct {
	Commands

	t          *testing.T
	controller priority.Controller
	jobs       []ostrich.JobID // submitted by the test
}

// newLive returns the Slurm whose slurm.conf OSTRICH_TEST_SLURM_CONF names.
func newLive(t *testing.T) *live {
	t.Helper()
	conf := os.Getenv("OSTRICH_TEST_SLURM_CONF")
	if conf == "" {
		t.Skip("OSTRICH_TEST_SLURM_CONF is not set; run as root with the path of the slurm.conf of a cluster that tests may fill with jobs, such as contrib/testbed/debian makes")
	}
	t.Attr("real-time", "yes") // see contrib/internal/minutes
	l := &live{Commands: Commands{Conf: conf}, t: t}
	var err error
	if l.controller, err = l.Controller(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for chunk := range slices.Chunk(l.jobs, 500) {
			args := make([]string, len(chunk))
			for i, id := range chunk {
				args[i] = fmt.Sprint(id)
			}
			cmd := exec.Command("scancel", args...) //nolint:noctx // the test's context has ended
			cmd.Env = append(os.Environ(), "SLURM_CONF="+conf)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Logf("scancel: %v: %s", err, out)
			}
		}
	})
	return l
}

func (l *live) run(name string, args ...string) string {
	l.t.Helper()
	out, err := l.output(l.t.Context(), name, args...)
	if err != nil {
		l.t.Fatalf("%s %v: %v", name, args, err)
	}
	return strings.TrimSpace(out)
}

// submit adds a job that wants a node of its own, and so waits for the blocker.
func (l *live) submit(args ...string) ostrich.JobID {
	l.t.Helper()
	args = append([]string{"--parsable", "-o", "/dev/null", "-D", "/", "--exclusive", "-t", "10", "--wrap", "sleep 300"}, args...)
	id, err := strconv.ParseUint(l.run("sbatch", args...), 10, 32)
	if err != nil {
		l.t.Fatal(err)
	}
	l.jobs = append(l.jobs, ostrich.JobID(id))
	return ostrich.JobID(id)
}

// block fills every node of the default partition.
func (l *live) block() {
	l.t.Helper()
	parts, err := l.Partitions(l.t.Context())
	if err != nil {
		l.t.Fatal(err)
	}
	for _, p := range parts {
		if p.Default {
			l.submit("-J", "blocker", "-N", strconv.Itoa(len(p.Nodes)))
		}
	}
	l.wait("the blocker to start", func([]priority.Queued) bool {
		running, err := l.Running(l.t.Context())
		return err == nil && slices.Contains(running, l.jobs[0])
	})
}

func (l *live) queue() []priority.Queued {
	l.t.Helper()
	queue, err := l.Queue(l.t.Context())
	if err != nil {
		l.t.Fatal(err)
	}
	return slices.DeleteFunc(queue, func(q priority.Queued) bool { return !slices.Contains(l.jobs, q.Job) })
}

func (l *live) wait(what string, done func([]priority.Queued) bool) []priority.Queued {
	l.t.Helper()
	for range 1200 {
		if queue := l.queue(); done(queue) {
			return queue
		}
		time.Sleep(100 * time.Millisecond)
	}
	l.t.Fatalf("waited two minutes in vain for %s", what)
	return nil
}

func ids(queue []priority.Queued) []ostrich.JobID {
	list := make([]ostrich.JobID, len(queue))
	for i := range queue {
		list[i] = queue[i].Job
	}
	return list
}

func (l *live) get(queue []priority.Queued, id ostrich.JobID) priority.Queued {
	l.t.Helper()
	i := slices.IndexFunc(queue, func(q priority.Queued) bool { return q.Job == id })
	if i < 0 {
		l.t.Fatalf("job %d is not in the queue", id)
	}
	return queue[i]
}

// TestLiveChannels turns a queue round through every channel that works here,
// finds the second plan empty, and gives all back.
func TestLiveChannels(t *testing.T) {
	for _, ch := range []priority.Channel{priority.SiteFactor, priority.Nice, priority.Priority} {
		t.Run(string(ch), func(t *testing.T) {
			l := newLive(t)
			o := priority.Options{Channel: ch, Mode: priority.Strict, Controller: l.controller}
			if err := priority.Check(o); err != nil {
				if !l.controller.Basic() || ch == priority.Priority {
					t.Fatal(err)
				}
				t.Skip("refused, as it should be: ", err)
			}
			j := openJournal(t, filepath.Join(t.TempDir(), "journal"))
			o.Journal = j
			l.block()
			var want []ostrich.JobID
			for range 4 {
				want = append(want, l.submit())
			}
			want = append(want, l.submit("--array=1-5%2"), l.submit("-J", "a\nb"))
			slices.Reverse(want)
			heldJob := l.submit("-H")
			before := l.wait("eligible jobs", func(queue []priority.Queued) bool {
				listed := 0
				for _, q := range queue {
					if q.Listed || l.controller.Basic() {
						listed++
					}
				}
				return listed >= len(want)
			})
			p, err := o.Plan(append(prioritytest.Order(want...), ostrich.Place{Job: heldJob}), before)
			if err != nil {
				t.Fatal(err)
			}
			r := l.apply(j, ch, p.Changes())
			if n := r.Count(priority.Applied); n != len(want) {
				t.Fatalf("%d of %d changes applied: %+v", n, len(want), outcomes(r))
			}
			after := l.queue()
			if diff := cmp.Diff(want, ids(after)[:len(want)]); diff != "" {
				t.Errorf("order (-want +got):\n%s", diff)
			}
			if !cmp.Equal(l.get(before, heldJob), l.get(after, heldJob)) {
				t.Errorf("the held job changed: %s", cmp.Diff(l.get(before, heldJob), l.get(after, heldJob)))
			}
			if p, err = o.Plan(prioritytest.Order(want...), after); err != nil || len(p.Changes()) > 0 {
				t.Errorf("the second plan changes %+v, %v", p.Changes(), err)
			}

			list, err := priority.Options{Channel: ch, Controller: l.controller, Journal: j}.Reset(after, nil, false)
			if err != nil {
				t.Fatal(err)
			}
			if len(list) != len(want) {
				t.Errorf("%d jobs are given back, want %d", len(list), len(want))
			}
			l.apply(j, ch, list)
			last := l.wait("computed priorities", func(queue []priority.Queued) bool {
				return !slices.ContainsFunc(queue, func(q priority.Queued) bool {
					return q.Pinned || q.Site != 0 || q.Nice != 0 || q.Priority > prioritytest.TopPriority || (l.controller.Multifactor() && !q.Held() && !q.Listed)
				})
			})
			if l.controller.Basic() {
				return // a released job goes to the tail
			}
			if diff := cmp.Diff(ids(before), ids(last)); diff != "" {
				t.Errorf("order after reset (-want +got):\n%s", diff)
			}
		})
	}
}

func (l *live) apply(j *journal.Journal, ch priority.Channel, list []priority.Change) priority.Result {
	l.t.Helper()
	if err := j.Intend(1, ch, list); err != nil {
		l.t.Fatal(err)
	}
	r, err := l.Update(l.t.Context(), ch, list)
	if err != nil {
		l.t.Fatal(err)
	}
	if err := j.Conclude(2, ch, r.Outcomes); err != nil {
		l.t.Fatal(err)
	}
	return r
}

// TestLiveGuards finds the jobs that are to be left alone, and that their
// values stay as they were, tasks apart from their array included.
func TestLiveGuards(t *testing.T) {
	l := newLive(t)
	o := priority.Options{Channel: priority.SiteFactor, Mode: priority.Strict, Controller: l.controller}
	if l.controller.Basic() {
		o.Channel = priority.Priority
	}
	l.block()
	array := l.submit("--array=1-6:2")
	plain, held, later := l.submit(), l.submit("-H"), l.submit("--begin=now+1day")
	dependent := l.submit("-d", fmt.Sprintf("afterok:%d", plain))
	l.run("scontrol", "hold", fmt.Sprintf("%d_3", array))
	pinned := l.submit()
	value := uint32(4294960000)
	if l.controller.Basic() {
		value = prioritytest.TopPriority + 60000
	}
	l.run("scontrol", "update", fmt.Sprintf("jobid=%d", pinned), fmt.Sprintf("priority=%d", value))
	// The held task has an id of its own now.
	queue, err := l.Queue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range queue {
		if q.Array == array && q.Job != array {
			l.jobs = append(l.jobs, q.Job)
		}
	}
	task := l.jobs[len(l.jobs)-1]
	// 24.11 shows why a job is not eligible only some time after its submission.
	before := l.wait("eligible jobs, and reasons of the others", func(queue []priority.Queued) bool {
		return l.get(queue, later).Reason == "BeginTime" && l.get(queue, dependent).Reason == "Dependency" &&
			(l.controller.Basic() || (l.get(queue, plain).Listed && l.get(queue, array).Listed && l.get(queue, pinned).Pinned))
	})
	p, err := o.Plan(prioritytest.Order(array, plain, held, later, dependent, pinned, task), before)
	if err != nil {
		t.Fatal(err)
	}
	why := make(map[ostrich.JobID]string)
	for _, e := range p.Entries {
		why[e.Job] = e.Why.String()
	}
	want := map[ostrich.JobID]string{
		array: "campaign order", plain: "campaign order", held: "held", later: "not eligible (BeginTime)",
		dependent: "not eligible (Dependency)", pinned: "pinned by an administrator", task: "held",
	}
	if diff := cmp.Diff(want, why); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
	r, err := l.Update(t.Context(), o.Channel, p.Changes())
	if err != nil || r.Count(priority.Applied) != 2 {
		t.Fatalf("%+v, %v", outcomes(r), err)
	}
	after := l.queue()
	for _, id := range []ostrich.JobID{held, pinned, task} {
		a, b := l.get(before, id), l.get(after, id)
		if a.Priority != b.Priority || a.Nice != b.Nice || a.Held() != b.Held() {
			t.Errorf("job %d changed: %s", id, cmp.Diff(a, b))
		}
	}
	if n := recordsPerArray(after); len(n) != 1 || n[array] != 2 {
		t.Errorf("the array has %d records, want 2", n[array])
	}
}

// TestLiveOperator makes a change as an unprivileged user with
// AdminLevel=Operator, whom OSTRICH_TEST_OPERATOR names.
func TestLiveOperator(t *testing.T) {
	l := newLive(t)
	name := os.Getenv("OSTRICH_TEST_OPERATOR")
	if name == "" {
		t.Skip("OSTRICH_TEST_OPERATOR is not set; name an unprivileged user with AdminLevel=Operator")
	}
	if level, err := l.AdminLevel(t.Context(), name); err != nil || level != "Operator" {
		t.Fatalf("AdminLevel of %s: %q, %v", name, level, err)
	}
	u, err := user.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	o := priority.Options{Channel: priority.SiteFactor, Mode: priority.Strict, Controller: l.controller}
	if l.controller.Basic() {
		o.Channel = priority.Priority
	}
	l.block()
	id := l.submit()
	queue := l.wait("an eligible job", func(queue []priority.Queued) bool { return l.get(queue, id).Listed || l.controller.Basic() })
	p, err := o.Plan(prioritytest.Order(id), queue)
	if err != nil {
		t.Fatal(err)
	}
	s := l.Commands
	s.credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	r, err := s.Update(t.Context(), o.Channel, p.Changes())
	if err != nil || r.Count(priority.Applied) != 1 {
		t.Errorf("%+v, %v", outcomes(r), err)
	}
	nobody := l.Commands
	nobody.credential = &syscall.Credential{Uid: 65534, Gid: 65534}
	c := p.Changes()
	c[0].To += 5
	r, err = nobody.Update(t.Context(), o.Channel, c)
	if !errors.Is(err, ErrDenied) || r.Count(priority.Unsent) != 1 || r.Outcomes[0].Words == "" {
		t.Errorf("as nobody: %+v, %v", outcomes(r), err)
	}
}

// TestLivePinsAndNice pins jobs whose owners gave them nice values, and finds
// order and nice values as before once they are released.
func TestLivePinsAndNice(t *testing.T) {
	l := newLive(t)
	l.block()
	var want []ostrich.JobID
	for _, nice := range []string{"0", "300", "50", "1000", "100"} { // apart, as the age of some grows by a second meanwhile
		want = append(want, l.submit("--nice="+nice))
	}
	before := l.wait("eligible jobs", func(queue []priority.Queued) bool {
		for i := range queue {
			if !queue[i].Listed && l.controller.Multifactor() {
				return false
			}
		}
		return len(queue) == len(want)
	})
	j := openJournal(t, filepath.Join(t.TempDir(), "journal"))
	o := priority.Options{
		Channel: priority.Priority, Mode: priority.Strict, Controller: l.controller,
		Journal: j,
	}
	write := func(list []priority.Change) {
		t.Helper()
		if err := j.Intend(1, priority.Priority, list); err != nil {
			t.Fatal(err)
		}
		r, err := l.Update(t.Context(), priority.Priority, list)
		if err != nil || r.Count(priority.Applied) != len(list) {
			t.Fatalf("%+v, %v", outcomes(r), err)
		}
		if err := j.Conclude(2, priority.Priority, r.Outcomes); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the second time they are pinned already
		slices.Reverse(want)
		p, err := o.Plan(prioritytest.Order(want...), l.queue())
		if err != nil {
			t.Fatal(err)
		}
		write(p.Changes())
		if diff := cmp.Diff(want, ids(l.queue())); diff != "" {
			t.Fatalf("pinned (-want +got):\n%s", diff)
		}
	}
	list, err := priority.Options{Channel: priority.Priority, Controller: l.controller, Journal: j}.Reset(l.queue(), nil, false)
	if err != nil {
		t.Fatal(err)
	}
	write(list)
	after := l.queue()
	if diff := cmp.Diff(ids(before), ids(after)); diff != "" {
		t.Errorf("order given back (-want +got):\n%s", diff)
	}
	for i := range before {
		if q := l.get(after, before[i].Job); q.Nice != before[i].Nice || q.Pinned {
			t.Errorf("job %d: nice %d, want %d; pinned %t", q.Job, q.Nice, before[i].Nice, q.Pinned)
		}
		t.Logf("job %d: nice %d, priority %d, then %d", before[i].Job, before[i].Nice, before[i].Priority, l.get(after, before[i].Job).Priority)
	}
}

// TestLiveUnreachable sees a burst end at once when slurmctld is away.
func TestLiveUnreachable(t *testing.T) {
	l := newLive(t)
	text, err := os.ReadFile(l.Conf)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "SlurmctldPort=") {
			line = "SlurmctldPort=1\n"
		}
		lines = append(lines, line)
	}
	conf := filepath.Join(t.TempDir(), "slurm.conf")
	if err = os.WriteFile(conf, []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	s := Commands{Conf: conf, Timeout: 2 * time.Minute} // scontrol gives up by itself, later on a slow machine
	r, err := s.Update(t.Context(), priority.SiteFactor, changes(1, 2, 3))
	if !errors.Is(err, ErrUnreachable) || r.Count(priority.Unsent) != 2 {
		t.Errorf("%+v, %v", outcomes(r), err)
	}
}
