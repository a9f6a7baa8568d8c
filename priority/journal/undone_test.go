package journal

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/prioritytest"
)

// knowing are options of a plan that excludes partition debug and knows what the
// journal knows.
func knowing(j *Journal, ch priority.Channel, now ostrich.Time) priority.Options {
	o := leaving(j, ch)
	o.Controller, o.Now = prioritytest.Aging(), now
	return o
}

// obey does to a queue what Slurm does.
func obey(queue []priority.Queued, ch priority.Channel, changes []priority.Change) {
	for _, c := range changes {
		for i := range queue {
			q := &queue[i]
			if q.Job != c.Job {
				continue
			}
			switch ch {
			case priority.SiteFactor:
				q.Site = c.To
				q.Computed = uint32(5000 + q.Site)
				q.Priority = q.Computed
			case priority.Nice:
				q.Nice = c.To
				q.Computed = uint32(max(5000-q.Nice, 1))
				q.Priority = q.Computed
			case priority.Priority:
				q.Priority, q.Pinned, q.SiteKnown, q.Nice, q.Computed = uint32(c.To), true, false, 0, 0
				if c.To == 0 {
					q.Priority, q.Pinned, q.SiteKnown, q.Nice, q.Computed = 5000, false, true, c.Nice, 5000
				}
			}
		}
	}
}

// Whatever a backfill cycle undoes is written again, in every channel, and then
// the plan is empty. What is given back comes back too, with the owner's nice
// value, and nothing of it is taken for somebody else's.
func TestUndoneIsWrittenAgain(t *testing.T) {
	for _, ch := range []priority.Channel{priority.SiteFactor, priority.Nice, priority.Priority} {
		t.Run(string(ch), func(t *testing.T) {
			j := openJournal(t, filepath.Join(t.TempDir(), "journal"))
			queue := []priority.Queued{
				prioritytest.Job(1, func(q *priority.Queued) { q.Computed = 5000 }),
				prioritytest.Job(2, func(q *priority.Queued) { q.Computed = 5000 }),
				prioritytest.Job(30, func(q *priority.Queued) { q.Computed, q.Array, q.Tasks, q.Count = 5000, 30, "0-4", 5 }),
			}
			nice := int64(0)
			if ch == priority.Priority {
				nice = 7
				queue[0].Nice = nice
			}
			apply := func(now ostrich.Time, want string) priority.Plan {
				t.Helper()
				p, err := knowing(j, ch, now).Plan(prioritytest.Order(1, 2, 30), queue)
				if err != nil {
					t.Fatal(err)
				}
				changes := p.Changes()
				for i := range changes {
					if changes[i].Undone != (changes[i].Why.Code == priority.WasUndone) {
						t.Errorf("%+v", changes[i])
					}
				}
				if got := whys(changes); got != want {
					t.Errorf("changes %q, want %q", got, want)
				}
				j.write(t, ch, priority.Applied, changes...)
				obey(queue, ch, changes)
				return p
			}
			first := apply(1, "1 campaign order, 2 campaign order, 30 campaign order")
			apply(2, "")
			values := first.Changes()
			// A cycle that began before the burst reaches two of the jobs, a decay
			// step later than the queue was read.
			queue[0].Priority, queue[2].Priority = 5003, 5003
			again := apply(3, "1 undone by the backfill scheduler, 30 undone by the backfill scheduler")
			if n := again.Summary().Undone; n != 2 {
				t.Errorf("%d undone", n)
			}
			if diff := cmp.Diff(values[0].To, again.Entries[0].To); diff != "" && ch != priority.Priority {
				t.Errorf("another value (-first +again):\n%s", diff)
			}
			apply(4, "")

			// All are given back, in the midst of another cycle.
			queue[1].Priority = 5002
			reset := func() []priority.Change {
				t.Helper()
				list, err := priority.Options{Channel: ch, Controller: prioritytest.Aging(), Journal: j}.Reset(queue, nil, false)
				if err != nil {
					t.Fatal(err)
				}
				return list
			}
			had := queue[0].Priority
			list := reset()
			if len(list) != 3 {
				t.Fatalf("given back: %+v", list)
			}
			for _, c := range list {
				if c.Job == 1 && c.Nice != nice {
					t.Errorf("nice %d, want %d", c.Nice, nice)
				}
			}
			j.write(t, ch, priority.Applied, list...)
			obey(queue, ch, list)
			if list = reset(); len(list) != 0 {
				t.Errorf("given back again: %+v", list)
			}
			queue[0].Priority = had
			list = reset()
			if len(list) != 1 || list[0].Job != 1 || list[0].Nice != nice {
				t.Errorf("put back: %+v", list)
			}
		})
	}
}

func whys(changes []priority.Change) string {
	var list []string
	for _, c := range changes {
		list = append(list, c.Target()[:len(c.Target())-len(strings.TrimLeft(c.Target(), "0123456789"))]+" "+c.Why.String())
	}
	return strings.Join(list, ", ")
}

// A value that was taken back and came back is taken back again.
func TestTakenBackAgain(t *testing.T) {
	for _, ch := range []priority.Channel{priority.SiteFactor, priority.Nice, priority.Priority} {
		j := openJournal(t, filepath.Join(t.TempDir(), "journal"))
		value := map[priority.Channel]int64{priority.SiteFactor: 900_000, priority.Nice: -900_000, priority.Priority: 900_000}[ch]
		stock := map[priority.Channel]int64{priority.SiteFactor: 0, priority.Nice: 0, priority.Priority: 5000}[ch]
		j.write(t, ch, priority.Applied, priority.Change{Job: 1, Submit: 1001, From: stock, To: value})
		j.write(t, ch, priority.Applied, priority.Change{Job: 1, Submit: 1001, From: value, To: 0})
		q := prioritytest.Job(1, func(q *priority.Queued) { q.Partition, q.Priority, q.Computed = "debug", 900_000, 5000 })
		o := knowing(j, ch, 10)
		p, err := o.Plan(nil, []priority.Queued{q})
		if err != nil {
			t.Fatal(err)
		}
		changes := p.Changes()
		if len(changes) != 1 || changes[0].To != 0 || !changes[0].Undone || p.Summary().Undone != 1 || p.Summary().Writes != 1 ||
			changes[0].Why.String() != "taken back: excluded partition debug; undone by the backfill scheduler before" {
			t.Errorf("%s: %+v", ch, changes)
		}
		q.Priority = 5000
		if p, err = o.Plan(nil, []priority.Queued{q}); err != nil || len(p.Changes()) != 0 {
			t.Errorf("%s: %+v, %v", ch, p.Changes(), err)
		}
	}
}

// Five times in ten minutes a write is made again, and then it waits, over a new
// start too.
func TestRepeat(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := openJournal(t, path)
	j.write(t, priority.SiteFactor, priority.Applied, priority.Change{Job: 1, Submit: 1001, To: 1_000_000})
	queue := []priority.Queued{prioritytest.Job(1, func(q *priority.Queued) { q.Site, q.Computed = 1_000_000, 1_005_000 })}
	o := knowing(j, priority.SiteFactor, 0)
	o.Mode, o.Weight = priority.Weight, 1_000_000
	for i := range 5 {
		o.Now = ostrich.Time(100 + 60*i)
		p, err := o.Plan(prioritytest.Order(1), queue)
		if err != nil || len(p.Changes()) != 1 {
			t.Fatalf("%d: %+v, %v", i, p.Changes(), err)
		}
		if err := j.Intend(ostrich.Time(100+60*i), priority.SiteFactor, p.Changes()); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	j = openJournal(t, path)
	for now, want := range map[ostrich.Time]bool{341: false, 699: false, 700: true, 99: true} {
		if got := j.Repeat(priority.SiteFactor, &queue[0], now); got != want {
			t.Errorf("at %d: %v", now, got)
		}
	}
	o.Journal, o.Now = j, 400
	p, err := o.Plan(prioritytest.Order(1), queue)
	if e := p.Entries[0]; err != nil || e.Write || !e.Undone || e.Why.Code != priority.UndoneAgain || e.To != e.From || p.Summary().Undone != 1 {
		t.Errorf("%+v, %v", p.Entries, err)
	}
}

// Which pins stand in the place of ours.
func TestRestored(t *testing.T) {
	j := openJournal(t, filepath.Join(t.TempDir(), "journal"))
	j.write(t, priority.Priority, priority.Applied, priority.Change{Job: 1, Submit: 1001, From: 5000, To: 90_000, Nice: 3}, priority.Change{Job: 30, Submit: 1030, From: 6000, To: 91_000})
	j.write(t, priority.Priority, priority.Applied, priority.Change{Job: 1, Submit: 1001, From: 90_000, To: 95_000}, priority.Change{Job: 30, Submit: 1030, From: 91_000, To: 96_000})
	for _, tt := range []struct {
		name string
		job  priority.Queued
		want bool
	}{
		{"as written", prioritytest.Job(1, func(q *priority.Queued) { q.Priority = 95_000 }), false},
		{"an earlier one of ours", prioritytest.Job(1, func(q *priority.Queued) { q.Priority = 90_000 }), true},
		{"what Slurm computed", prioritytest.Job(1, func(q *priority.Queued) { q.Priority = 5000 }), true},
		{"what Slurm computed a step later", prioritytest.Job(1, func(q *priority.Queued) { q.Priority = 5505 }), true},
		{"somebody's", prioritytest.Job(1, func(q *priority.Queued) { q.Priority = 5506 }), false},
		{"somebody's, high", prioritytest.Job(1, func(q *priority.Queued) { q.Priority = 95_001 }), false},
		{"another job of this id", prioritytest.Job(1, func(q *priority.Queued) { q.Priority, q.Submit = 5000, 7 }), false},
		{"a task of the array", prioritytest.Job(31, func(q *priority.Queued) { q.Array, q.Tasks, q.Priority, q.Submit = 30, "3", 6000, 1030 }), true},
		{"a task born with an earlier value", prioritytest.Job(31, func(q *priority.Queued) { q.Array, q.Tasks, q.Priority, q.Submit = 30, "3", 91_000, 1030 }), false},
		{"a task that somebody pinned", prioritytest.Job(31, func(q *priority.Queued) { q.Array, q.Tasks, q.Priority, q.Submit = 30, "3", 7000, 1030 }), false},
		{"never written", prioritytest.Job(9, func(q *priority.Queued) { q.Priority = 5000 }), false},
	} {
		tt.job.Pinned, tt.job.SiteKnown = true, false
		nice, restored := j.Restored(&tt.job, 505)
		if restored != tt.want || restored && tt.job.Job == 1 && nice != 3 {
			t.Errorf("%s: %v, nice %d", tt.name, restored, nice)
		}
	}
}

// In any row of bursts, undoings and restarts, no pin of ours is taken for an
// administrator's, and reset gives all back.
func TestUndonePinsRandom(t *testing.T) {
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		path := filepath.Join(dir, string(rune('a'+n%26))+strings.Repeat("x", n/26))
		j := openJournal(t, path)
		queue := []priority.Queued{prioritytest.Job(1, nil), prioritytest.Job(2, nil), prioritytest.Job(3, nil)}
		for i := range queue {
			queue[i].Computed = 5000
		}
		begun := []uint32{5000, 5000, 5000} // when the backfill cycle began
		for step := range rapid.IntRange(1, 12).Draw(rt, "steps") {
			switch rapid.IntRange(0, 3).Draw(rt, "what") {
			case 0:
				order := rapid.Permutation([]ostrich.JobID{1, 2, 3}).Draw(rt, "order")
				p, err := knowing(j, priority.Priority, ostrich.Time(1000*step)).Plan(prioritytest.Order(order...), queue)
				if err != nil {
					rt.Fatal(err)
				}
				if p.Managed != 3 {
					rt.Fatalf("%d managed: %+v", p.Managed, p.Entries)
				}
				j.write(t, priority.Priority, rapid.SampledFrom([]priority.Status{priority.Applied, priority.Undone, priority.Unknown, ""}).Draw(rt, "status"), p.Changes()...)
				obey(queue, priority.Priority, p.Changes())
			case 1:
				for i := range begun {
					begun[i] = queue[i].Priority
				}
			case 2:
				for i := range queue {
					if rapid.Bool().Draw(rt, "reached") {
						queue[i].Priority = begun[i]
					}
				}
			case 3:
				if err := j.Close(); err != nil {
					rt.Fatal(err)
				}
				j = openJournal(t, path)
				if _, err := j.Rotate(3, -1, func(ostrich.JobID) bool { return true }); err != nil {
					rt.Fatal(err)
				}
			}
		}
		pinned := 0
		for i := range queue {
			if queue[i].Pinned {
				pinned++
			}
		}
		list, err := priority.Options{Channel: priority.Priority, Controller: prioritytest.Aging(), Journal: j}.Reset(queue, nil, false)
		if err != nil || len(list) < pinned {
			rt.Fatalf("%d of %d given back: %v\n%+v", len(list), pinned, err, queue)
		}
		if err := j.Close(); err != nil {
			rt.Fatal(err)
		}
	})
}

// A waiting task that was split off its array was born with its value. Of one that runs
// nobody knows whether it was.
func TestResetOfSplitTasks(t *testing.T) {
	for _, ch := range []priority.Channel{priority.SiteFactor, priority.Nice} {
		j := openJournal(t, filepath.Join(t.TempDir(), "journal"))
		j.write(t, ch, priority.Applied, priority.Change{Job: 30, Submit: 1030, From: -2, To: -70_000})
		j.write(t, ch, priority.Applied, priority.Change{Job: 32, Submit: 1030, From: -70_000, To: -2})
		waits := prioritytest.Job(33, func(q *priority.Queued) { q.Array, q.Tasks, q.Site, q.Nice = 30, "4", -70_000, -70_000 })
		list, err := priority.Options{Channel: ch, Controller: prioritytest.Aging(), Journal: j}.Reset([]priority.Queued{waits}, []ostrich.JobID{29, 31, 40}, false)
		want := []priority.Change{
			{Job: 33, Submit: 1033, From: -70_000, To: -2, Why: priority.Why{Code: priority.FromReset}},
		}
		if diff := cmp.Diff(want, list); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", ch, err, diff)
		}
	}
}

// What is read back and not in force is not applied.
func TestJudge(t *testing.T) {
	j := openJournal(t, filepath.Join(t.TempDir(), "journal"))
	at := func(value, computed uint32, pinned bool) priority.Queued {
		return prioritytest.Job(1, func(q *priority.Queued) {
			q.Priority, q.Computed, q.Pinned, q.SiteKnown = value, computed, pinned, !pinned
		})
	}
	for _, tt := range []struct {
		name    string
		channel priority.Channel
		change  priority.Change
		read    priority.Status
		queued  priority.Queued
		want    priority.Status
	}{
		{name: "in force", channel: priority.SiteFactor, change: priority.Change{Job: 1, To: 70_000}, read: priority.Applied, queued: at(75_000, 75_000, false), want: priority.Applied},
		{name: "undone", channel: priority.SiteFactor, change: priority.Change{Job: 1, To: 70_000}, read: priority.Applied, queued: at(5000, 75_000, false), want: priority.Undone},
		{name: "undone nice", channel: priority.Nice, change: priority.Change{Job: 1, To: -70_000}, read: priority.Applied, queued: at(5000, 75_000, false), want: priority.Undone},
		{name: "another value", channel: priority.SiteFactor, change: priority.Change{Job: 1, To: 70_000}, read: priority.NotApplied, queued: at(5000, 75_000, false), want: priority.NotApplied},
		{name: "refused", channel: priority.SiteFactor, change: priority.Change{Job: 1, To: 70_000}, read: priority.Refused, queued: at(5000, 75_000, false), want: priority.Refused},
		{name: "pin", channel: priority.Priority, change: priority.Change{Job: 1, From: 5000, To: 70_000}, read: priority.Applied, queued: at(70_000, 0, true), want: priority.Applied},
		{name: "undone pin", channel: priority.Priority, change: priority.Change{Job: 1, From: 5000, To: 70_000}, read: priority.NotApplied, queued: at(5001, 0, true), want: priority.Undone},
		{name: "somebody's pin", channel: priority.Priority, change: priority.Change{Job: 1, From: 5000, To: 70_000}, read: priority.NotApplied, queued: at(8001, 0, true), want: priority.NotApplied},
		{name: "undone release", channel: priority.Priority, change: priority.Change{Job: 1, From: 70_000}, read: priority.NotApplied, queued: at(70_000, 5000, false), want: priority.Undone},
		{name: "no release", channel: priority.Priority, change: priority.Change{Job: 1, From: 70_000}, read: priority.NotApplied, queued: at(70_000, 0, true), want: priority.NotApplied},
		{name: "gone", channel: priority.SiteFactor, change: priority.Change{Job: 2, To: 70_000}, read: priority.Gone, queued: at(5000, 75_000, false), want: priority.Gone},
	} {
		r := priority.Result{Outcomes: []priority.Change{tt.change.Outcome(tt.read, "")}, Queue: []priority.Queued{tt.queued}}
		if knowing(j, tt.channel, 1).Judge(&r); r.Outcomes[0].Status != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, r.Outcomes[0].Status, tt.want)
		}
	}
	// It does not count as a value that Slurm drops.
	for range 4 {
		j.write(t, priority.SiteFactor, priority.Undone, priority.Change{Job: 1, Submit: 1001, To: 70_000})
	}
	if w := j.jobs[subject{priority.SiteFactor, 1}]; w.intended || !w.applied || w.last != 70_000 {
		t.Errorf("%+v", w)
	}
	if words, _ := j.Refused(priority.SiteFactor, 1, 0); words != "" || !j.Ours(priority.SiteFactor, 1, 70_000) {
		t.Errorf("refused: %q", words)
	}
}
