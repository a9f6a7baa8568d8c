package slurm

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/priority"
	"slurm-ostrich/priority/journal"
	"slurm-ostrich/priority/prioritytest"
)

// The tasks of a scattered array are named on the command line, and none but
// them.
func TestTakeBackScattered(t *testing.T) {
	for _, ch := range []priority.Channel{priority.SiteFactor, priority.Nice, priority.Priority} {
		t.Run(string(ch), func(t *testing.T) {
			value := map[priority.Channel]int64{priority.SiteFactor: 700, priority.Nice: -700, priority.Priority: 70000}[ch]
			key := map[priority.Channel]string{priority.SiteFactor: "site", priority.Nice: "nice", priority.Priority: "pinned"}[ch]
			f := newFake(t, fmt.Sprintf("id=60 array=60 tasks=%s %s=%d", scattered, key, value), "id=61 array=60 task=1 held=yes", "id=62 array=60 task=3 site=9")
			queue, err := f.Queue(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			rest := queue[slices.IndexFunc(queue, func(q priority.Queued) bool { return q.Job == 60 })]
			j := openJournal(t, filepath.Join(t.TempDir(), "journal"))
			if err = j.Conclude(2, ch, []priority.Change{{Job: 60, Submit: rest.Submit, To: value, Status: priority.Applied}}); err != nil {
				t.Fatal(err)
			}
			o := priority.Options{Channel: ch, Mode: priority.Strict, Controller: prioritytest.Multifactor(), Journal: j}
			o.Exclude.Users = []string{rest.User}
			p, err := o.Plan(prioritytest.Order(60, 62), queue)
			if err != nil {
				t.Fatal(err)
			}
			changes := p.Changes()
			if len(changes) == 0 || changes[0].Job != 60 || changes[0].To != 0 || len(changes[0].Spec) < maxLine ||
				!strings.HasPrefix(changes[0].Spec, "60_[0,2,4,") || strings.Contains(changes[0].Spec, ",3,") {
				t.Fatalf("%.300s", fmt.Sprintf("%+v", changes))
			}
			r, err := f.Update(t.Context(), ch, changes[:1])
			if err != nil || r.Count(priority.Applied) != 1 {
				t.Fatalf("%v: %.300s", err, fmt.Sprintf("%+v", r.Outcomes))
			}
			if after := f.Get("queue"); !strings.HasSuffix(after, "array=60 held=yes id=61 task=1\narray=60 id=62 site=9 task=3\n") {
				t.Errorf("tasks apart have changed:\n%s", after)
			}
		})
	}
}

// A change that is too long for scontrol's standard input is refused like any
// other, and a lost right ends the burst there too.
func TestTakeBackScatteredRefused(t *testing.T) {
	f := newFake(t, "id=60 array=60 site=700 refuse=Job~has~no~wings tasks="+scattered, "id=2")
	long := []byte("60_[0")
	for task := 2; task <= 4000; task += 2 {
		long = fmt.Appendf(long, ",%d", task)
	}
	long = append(long, ']')
	list := []priority.Change{{Job: 60, From: 700, Spec: string(long)}, {Job: 2, To: 5}}
	r, err := f.Update(t.Context(), priority.SiteFactor, list)
	if err != nil || r.Outcomes[0].Status != priority.Refused || !strings.Contains(r.Outcomes[0].Words, "no wings") || r.Outcomes[1].Status != priority.Applied {
		t.Errorf("%v: %.400s", err, fmt.Sprintf("%+v", r.Outcomes))
	}
	f = newFake(t, "id=60 array=60 site=700 refuse=Access/permission~denied tasks="+scattered, "id=2")
	r, err = f.Update(t.Context(), priority.SiteFactor, list)
	if !errors.Is(err, ErrDenied) || r.Outcomes[0].Words == "" || r.Count(priority.Unsent) != 2 {
		t.Errorf("without the right: %v: %.400s", err, fmt.Sprintf("%+v", r.Outcomes))
	}
}

// Of changes with commands of their own, those before the end of a burst may have taken
// effect.
func TestTakeBackScatteredCutOff(t *testing.T) {
	f := newFake(t, "id=60 array=60 site=700 tasks="+scattered, "id=70 array=70 site=700 tasks="+scattered+" refuse=Unable~to~contact~slurm~controller", "id=2")
	queue, err := f.Queue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var list []priority.Change
	for _, q := range queue {
		c := priority.Change{Job: q.Job, From: q.Site}
		if q.Array != 0 {
			c.Spec = fmt.Sprintf("%d_[0", q.Array)
			for task := 2; task <= 4000; task += 2 {
				c.Spec += fmt.Sprintf(",%d", task)
			}
			c.Spec += "]"
		}
		list = append(list, c)
	}
	slices.SortStableFunc(list, func(a, b priority.Change) int { return len(b.Spec) - len(a.Spec) })
	r, err := f.Update(t.Context(), priority.SiteFactor, list)
	if !errors.Is(err, ErrUnreachable) {
		t.Error(err)
	}
	want := []became{{60, priority.Unknown, ""}, {70, priority.Unknown, ""}, {2, priority.Unsent, ""}}
	if diff := cmp.Diff(want, outcomes(r)); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
}

// A change with a command of its own that slurmctld does not answer in time is not known, as
// one on standard input, and no refusal, after which the job would be left alone.
func TestTakeBackScatteredSlow(t *testing.T) {
	f := newFake(t, "id=60 array=60 site=700 hang=yes tasks="+scattered)
	f.Timeout = 300 * time.Millisecond
	spec := "60_[0" + strings.Repeat(",2,4", maxLine) + "]"
	r, err := f.Update(t.Context(), priority.SiteFactor, []priority.Change{{Job: 60, From: 700, Spec: spec}, {Job: 2, To: 5}})
	if !errors.Is(err, ErrSlow) || !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if diff := cmp.Diff([]became{{60, priority.Unknown, ""}, {2, priority.Unsent, ""}}, outcomes(r)); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
}

// scattered is the waiting rest of an array whose every second task is held:
// too many names for a line.
const scattered = "0-4000:2"

func openJournal(t *testing.T, path string) *journal.Journal {
	t.Helper()
	j, err := journal.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}
