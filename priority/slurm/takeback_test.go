package slurm

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/journal"
	"slurm-ostrich/priority/prioritytest"
)

// The tasks of a scattered array are named on the command line, and none but
// them.
func TestTakeBackScattered(t *testing.T) {
	for _, ch := range []priority.Channel{priority.SiteFactor, priority.Nice, priority.Priority} {
		t.Run(string(ch), func(t *testing.T) {
			rest := prioritytest.Job(60, func(q *priority.Queued) { q.Array, q.Tasks, q.Count = 60, scattered, 2001 })
			value := map[priority.Channel]int64{priority.SiteFactor: 700, priority.Nice: -700, priority.Priority: 70000}[ch]
			switch ch {
			case priority.SiteFactor:
				rest.Site = value
			case priority.Nice:
				rest.Nice = value
			case priority.Priority:
				rest.Priority, rest.Pinned, rest.SiteKnown = uint32(value), true, false
			}
			apart := prioritytest.Job(61, func(q *priority.Queued) {
				q.Array, q.Tasks, q.Priority, q.Listed, q.SiteKnown = 60, "1", 0, false, false
			})
			other := prioritytest.Job(62, func(q *priority.Queued) { q.Array, q.Tasks, q.Site = 60, "3", 9 })
			f := newFake(t, fakeState{Queue: []priority.Queued{rest, apart, other}})
			j := openJournal(t, filepath.Join(t.TempDir(), "journal"))
			if err := j.Conclude(2, ch, []priority.Outcome{{Change: priority.Change{Job: 60, Submit: rest.Submit, To: value}, Status: priority.Applied}}); err != nil {
				t.Fatal(err)
			}
			o := priority.Options{
				Channel: ch, Mode: priority.Strict, Controller: prioritytest.Multifactor(),
				Stock: func(q *priority.Queued) (value, nice int64, ours bool) { return j.Stock(ch, q) },
			}
			o.Exclude.Users = []string{rest.User}
			before := f.state().Queue
			p, err := o.Plan(prioritytest.Order(60, 62), before)
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
			after := f.state().Queue
			if diff := cmp.Diff(before[1:], after[1:]); diff != "" {
				t.Errorf("tasks apart (-before +after):\n%s", diff)
			}
		})
	}
}

// A change that is too long for scontrol's standard input is refused like any
// other.
func TestTakeBackScatteredRefused(t *testing.T) {
	rest := prioritytest.Job(60, func(q *priority.Queued) { q.Array, q.Tasks, q.Site = 60, scattered, 700 })
	f := newFake(t, fakeState{Queue: []priority.Queued{rest, prioritytest.Job(2, nil)}, Say: map[ostrich.JobID]string{60: "Job has no wings"}})
	long := []byte("60_[0")
	for task := 2; task <= 4000; task += 2 {
		long = fmt.Appendf(long, ",%d", task)
	}
	long = append(long, ']')
	r, err := f.Update(t.Context(), priority.SiteFactor, []priority.Change{{Job: 60, From: 700, Spec: string(long)}, {Job: 2, To: 5}})
	if err != nil || r.Outcomes[0].Status != priority.Refused || !strings.Contains(r.Outcomes[0].Words, "no wings") || r.Outcomes[1].Status != priority.Applied {
		t.Errorf("%v: %.400s", err, fmt.Sprintf("%+v", r.Outcomes))
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
