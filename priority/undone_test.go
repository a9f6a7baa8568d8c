package priority

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
)

// knowing are options of a plan that excludes partition debug and knows what the
// journal knows.
func knowing(j *Journal, ch Channel, now ostrich.Time) Options {
	o := leaving(j, ch)
	o.Controller = aging()
	o.Restored = j.Restored
	o.Repeat = func(q *Queued) bool { return j.Repeat(ch, q, now) }
	return o
}

// obey does to a queue what Slurm does.
func obey(queue []Queued, ch Channel, changes []Change) {
	for _, c := range changes {
		for i := range queue {
			q := &queue[i]
			if q.Job != c.Job {
				continue
			}
			switch ch {
			case SiteFactor:
				q.Site = c.To
				q.Computed = uint32(5000 + q.Site)
				q.Priority = q.Computed
			case Nice:
				q.Nice = c.To
				q.Computed = uint32(max(5000-q.Nice, 1))
				q.Priority = q.Computed
			case Priority:
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
	for _, ch := range []Channel{SiteFactor, Nice, Priority} {
		t.Run(string(ch), func(t *testing.T) {
			j := openJournal(t, filepath.Join(t.TempDir(), "journal"))
			queue := []Queued{
				job(1, func(q *Queued) { q.Computed = 5000 }),
				job(2, func(q *Queued) { q.Computed = 5000 }),
				job(30, func(q *Queued) { q.Computed, q.Array, q.Tasks, q.Count = 5000, 30, "0-4", 5 }),
			}
			nice := int64(0)
			if ch == Priority {
				nice = 7
				queue[0].Nice = nice
			}
			apply := func(now ostrich.Time, want string) Plan {
				t.Helper()
				p, err := knowing(j, ch, now).Plan(ranked(1, 2, 30), queue)
				if err != nil {
					t.Fatal(err)
				}
				changes := p.Changes()
				for i := range changes {
					if changes[i].Undone != (changes[i].Why == "undone by the backfill scheduler") {
						t.Errorf("%+v", changes[i])
					}
				}
				if got := whys(changes); got != want {
					t.Errorf("changes %q, want %q", got, want)
				}
				j.write(t, ch, Applied, changes...)
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
			if diff := cmp.Diff(values[0].To, again.Entries[0].To); diff != "" && ch != Priority {
				t.Errorf("another value (-first +again):\n%s", diff)
			}
			apply(4, "")

			// All are given back, in the midst of another cycle.
			queue[1].Priority = 5002
			reset := func() []Change {
				t.Helper()
				list, err := Reset(ResetOptions{Channel: ch, Controller: aging(), Journal: j}, queue)
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
			j.write(t, ch, Applied, list...)
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

func whys(changes []Change) string {
	var list []string
	for _, c := range changes {
		list = append(list, c.Target()[:len(c.Target())-len(strings.TrimLeft(c.Target(), "0123456789"))]+" "+c.Why)
	}
	return strings.Join(list, ", ")
}

// A value that was taken back and came back is taken back again.
func TestTakenBackAgain(t *testing.T) {
	for _, ch := range []Channel{SiteFactor, Nice, Priority} {
		j := openJournal(t, filepath.Join(t.TempDir(), "journal"))
		value := map[Channel]int64{SiteFactor: 900_000, Nice: -900_000, Priority: 900_000}[ch]
		stock := map[Channel]int64{SiteFactor: 0, Nice: 0, Priority: 5000}[ch]
		j.write(t, ch, Applied, Change{Job: 1, Submit: 1001, From: stock, To: value})
		j.write(t, ch, Applied, Change{Job: 1, Submit: 1001, From: value, To: 0})
		q := job(1, func(q *Queued) { q.Partition, q.Priority, q.Computed = "debug", 900_000, 5000 })
		o := knowing(j, ch, 10)
		p, err := o.Plan(nil, []Queued{q})
		if err != nil {
			t.Fatal(err)
		}
		changes := p.Changes()
		if len(changes) != 1 || changes[0].To != 0 || !changes[0].Undone || p.Summary().Undone != 1 || p.Summary().Writes != 1 ||
			changes[0].Why != "taken back: excluded partition debug; undone by the backfill scheduler before" {
			t.Errorf("%s: %+v", ch, changes)
		}
		q.Priority = 5000
		if p, err = o.Plan(nil, []Queued{q}); err != nil || len(p.Changes()) != 0 {
			t.Errorf("%s: %+v, %v", ch, p.Changes(), err)
		}
	}
}

// Five times in ten minutes a write is made again, and then it waits, over a new
// start too.
func TestRepeat(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := openJournal(t, path)
	j.write(t, SiteFactor, Applied, Change{Job: 1, Submit: 1001, To: 1_000_000})
	queue := []Queued{job(1, func(q *Queued) { q.Site, q.Computed = 1_000_000, 1_005_000 })}
	o := knowing(j, SiteFactor, 0)
	o.Mode, o.Weight = Weight, 1_000_000
	for i := range 5 {
		o.Repeat = func(q *Queued) bool { return j.Repeat(SiteFactor, q, ostrich.Time(100+60*i)) }
		p, err := o.Plan(ranked(1), queue)
		if err != nil || len(p.Changes()) != 1 {
			t.Fatalf("%d: %+v, %v", i, p.Changes(), err)
		}
		if err := j.Intend(ostrich.Time(100+60*i), SiteFactor, p.Changes()); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	j = openJournal(t, path)
	for now, want := range map[ostrich.Time]bool{341: false, 699: false, 700: true, 99: true} {
		if got := j.Repeat(SiteFactor, &queue[0], now); got != want {
			t.Errorf("at %d: %v", now, got)
		}
	}
	o.Repeat = func(q *Queued) bool { return j.Repeat(SiteFactor, q, 400) }
	p, err := o.Plan(ranked(1), queue)
	if e := p.Entries[0]; err != nil || e.Write || !e.Undone || e.Why != "undone by the backfill scheduler again and again; not written for some minutes" || e.To != e.From || p.Summary().Undone != 1 {
		t.Errorf("%+v, %v", p.Entries, err)
	}
}

// Which pins stand in the place of ours.
func TestRestored(t *testing.T) {
	j := openJournal(t, filepath.Join(t.TempDir(), "journal"))
	j.write(t, Priority, Applied, Change{Job: 1, Submit: 1001, From: 5000, To: 90_000, Nice: 3}, Change{Job: 30, Submit: 1030, From: 6000, To: 91_000})
	j.write(t, Priority, Applied, Change{Job: 1, Submit: 1001, From: 90_000, To: 95_000}, Change{Job: 30, Submit: 1030, From: 91_000, To: 96_000})
	for _, tt := range []struct {
		name string
		job  Queued
		want bool
	}{
		{"as written", job(1, func(q *Queued) { q.Priority = 95_000 }), false},
		{"an earlier one of ours", job(1, func(q *Queued) { q.Priority = 90_000 }), true},
		{"what Slurm computed", job(1, func(q *Queued) { q.Priority = 5000 }), true},
		{"what Slurm computed a step later", job(1, func(q *Queued) { q.Priority = 5505 }), true},
		{"somebody's", job(1, func(q *Queued) { q.Priority = 5506 }), false},
		{"somebody's, high", job(1, func(q *Queued) { q.Priority = 95_001 }), false},
		{"another job of this id", job(1, func(q *Queued) { q.Priority, q.Submit = 5000, 7 }), false},
		{"a task of the array", job(31, func(q *Queued) { q.Array, q.Tasks, q.Priority, q.Submit = 30, "3", 6000, 1030 }), true},
		{"a task born with an earlier value", job(31, func(q *Queued) { q.Array, q.Tasks, q.Priority, q.Submit = 30, "3", 91_000, 1030 }), false},
		{"a task that somebody pinned", job(31, func(q *Queued) { q.Array, q.Tasks, q.Priority, q.Submit = 30, "3", 7000, 1030 }), false},
		{"never written", job(9, func(q *Queued) { q.Priority = 5000 }), false},
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
		queue := []Queued{job(1, nil), job(2, nil), job(3, nil)}
		for i := range queue {
			queue[i].Computed = 5000
		}
		begun := []uint32{5000, 5000, 5000} // when the backfill cycle began
		for step := range rapid.IntRange(1, 12).Draw(rt, "steps") {
			switch rapid.IntRange(0, 3).Draw(rt, "what") {
			case 0:
				order := rapid.Permutation([]ostrich.JobID{1, 2, 3}).Draw(rt, "order")
				p, err := knowing(j, Priority, ostrich.Time(1000*step)).Plan(ranked(order...), queue)
				if err != nil {
					rt.Fatal(err)
				}
				if p.Managed != 3 {
					rt.Fatalf("%d managed: %+v", p.Managed, p.Entries)
				}
				j.write(t, Priority, rapid.SampledFrom([]Status{Applied, Undone, Unknown, ""}).Draw(rt, "status"), p.Changes()...)
				obey(queue, Priority, p.Changes())
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
		list, err := Reset(ResetOptions{Channel: Priority, Controller: aging(), Journal: j}, queue)
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
	for _, ch := range []Channel{SiteFactor, Nice} {
		j := openJournal(t, filepath.Join(t.TempDir(), "journal"))
		j.write(t, ch, Applied, Change{Job: 30, Submit: 1030, From: -2, To: -70_000})
		j.write(t, ch, Applied, Change{Job: 32, Submit: 1030, From: -70_000, To: -2})
		waits := job(33, func(q *Queued) { q.Array, q.Tasks, q.Site, q.Nice = 30, "4", -70_000, -70_000 })
		list, err := Reset(ResetOptions{Channel: ch, Controller: aging(), Journal: j, Running: []ostrich.JobID{29, 31, 40}}, []Queued{waits})
		want := []Change{
			{Job: 33, Submit: 1033, From: -70_000, To: -2, Why: "reset"},
		}
		if diff := cmp.Diff(want, list); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", ch, err, diff)
		}
	}
}

// What is read back and not in force is not applied.
func TestJudge(t *testing.T) {
	j := openJournal(t, filepath.Join(t.TempDir(), "journal"))
	at := func(value, computed uint32, pinned bool) Queued {
		return job(1, func(q *Queued) { q.Priority, q.Computed, q.Pinned, q.SiteKnown = value, computed, pinned, !pinned })
	}
	for _, tt := range []struct {
		name    string
		channel Channel
		change  Change
		read    Status
		queued  Queued
		want    Status
	}{
		{name: "in force", channel: SiteFactor, change: Change{Job: 1, To: 70_000}, read: Applied, queued: at(75_000, 75_000, false), want: Applied},
		{name: "undone", channel: SiteFactor, change: Change{Job: 1, To: 70_000}, read: Applied, queued: at(5000, 75_000, false), want: Undone},
		{name: "undone nice", channel: Nice, change: Change{Job: 1, To: -70_000}, read: Applied, queued: at(5000, 75_000, false), want: Undone},
		{name: "another value", channel: SiteFactor, change: Change{Job: 1, To: 70_000}, read: NotApplied, queued: at(5000, 75_000, false), want: NotApplied},
		{name: "refused", channel: SiteFactor, change: Change{Job: 1, To: 70_000}, read: Refused, queued: at(5000, 75_000, false), want: Refused},
		{name: "pin", channel: Priority, change: Change{Job: 1, From: 5000, To: 70_000}, read: Applied, queued: at(70_000, 0, true), want: Applied},
		{name: "undone pin", channel: Priority, change: Change{Job: 1, From: 5000, To: 70_000}, read: NotApplied, queued: at(5001, 0, true), want: Undone},
		{name: "somebody's pin", channel: Priority, change: Change{Job: 1, From: 5000, To: 70_000}, read: NotApplied, queued: at(8001, 0, true), want: NotApplied},
		{name: "undone release", channel: Priority, change: Change{Job: 1, From: 70_000}, read: NotApplied, queued: at(70_000, 5000, false), want: Undone},
		{name: "no release", channel: Priority, change: Change{Job: 1, From: 70_000}, read: NotApplied, queued: at(70_000, 0, true), want: NotApplied},
		{name: "gone", channel: SiteFactor, change: Change{Job: 2, To: 70_000}, read: Gone, queued: at(5000, 75_000, false), want: Gone},
	} {
		r := Result{Outcomes: []Outcome{{Change: tt.change, Status: tt.read}}, Queue: []Queued{tt.queued}}
		if knowing(j, tt.channel, 1).Judge(&r); r.Outcomes[0].Status != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, r.Outcomes[0].Status, tt.want)
		}
	}
	// It does not count as a value that Slurm drops.
	for range 4 {
		j.write(t, SiteFactor, Undone, Change{Job: 1, Submit: 1001, To: 70_000})
	}
	if w := j.jobs[journalKey{SiteFactor, 1}]; w.intended || !w.applied || w.last != 70_000 {
		t.Errorf("%+v", w)
	}
	if words, _ := j.Refused(SiteFactor, 1, 0); words != "" || !j.Ours(SiteFactor, 1, 70_000) {
		t.Errorf("refused: %q", words)
	}
}
