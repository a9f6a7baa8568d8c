package journal

import (
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/prioritytest"
)

// leaving are options of a plan that excludes partition debug, and knows what
// the journal knows.
func leaving(j *Journal, ch priority.Channel) priority.Options {
	return priority.Options{
		Channel: ch, Mode: priority.Strict, Controller: prioritytest.Multifactor(), Exclude: priority.Selection{Partitions: []string{"debug"}},
		Journal: j,
	}
}

func TestTakeBack(t *testing.T) {
	debug := func(site int64) func(*priority.Queued) {
		return func(q *priority.Queued) { q.Partition, q.Site = "debug", site }
	}
	and := func(changes ...func(*priority.Queued)) func(*priority.Queued) {
		return func(q *priority.Queued) {
			for _, change := range changes {
				change(q)
			}
		}
	}
	task := func(q *priority.Queued) { q.Array, q.Tasks = 7, "3" }
	held := func(q *priority.Queued) { q.Priority, q.Listed, q.SiteKnown, q.Reason = 0, false, false, "JobHeldUser" }
	in := func(channel priority.Channel, value int64) func(*priority.Queued) {
		return func(q *priority.Queued) {
			q.Partition = "debug"
			switch channel {
			case priority.Nice:
				q.Nice = value
			case priority.Priority:
				q.Priority, q.Pinned, q.SiteKnown = uint32(value), true, false
			case priority.SiteFactor:
				q.Site = value
			}
		}
	}
	taken := priority.Why{Code: priority.TakenBack, About: "excluded partition debug"}
	tests := []struct {
		name    string
		channel priority.Channel
		queued  priority.Queued
		want    []priority.Change
	}{
		{"partition", priority.SiteFactor, prioritytest.Job(1, debug(500)), []priority.Change{{Job: 1, From: 500, Why: taken}}},
		{"somebody else's value", priority.SiteFactor, prioritytest.Job(1, debug(777)), nil},
		{"value of another job", priority.SiteFactor, prioritytest.Job(3, debug(500)), nil},
		{"an earlier value of ours", priority.SiteFactor, prioritytest.Job(1, debug(400)), []priority.Change{{Job: 1, From: 400, Why: taken}}},
		{"given back already", priority.SiteFactor, prioritytest.Job(1, debug(0)), nil},
		{"one of several partitions", priority.SiteFactor, prioritytest.Job(1, and(debug(500), func(q *priority.Queued) { q.Partition = "main,debug" })), []priority.Change{{Job: 1, From: 500, Why: taken}}},
		{"held", priority.SiteFactor, prioritytest.Job(1, and(debug(500), held)), nil},
		{"not eligible", priority.SiteFactor, prioritytest.Job(1, and(debug(500), func(q *priority.Queued) { q.Reason = "BeginTime" })), nil},
		{"not listed", priority.SiteFactor, prioritytest.Job(1, and(debug(0), func(q *priority.Queued) { q.Listed, q.SiteKnown = false, false })), nil},
		{"pinned by an administrator", priority.SiteFactor, prioritytest.Job(1, and(debug(0), func(q *priority.Queued) { q.Pinned, q.SiteKnown = true, false })), nil},
		{"in a reservation", priority.SiteFactor, prioritytest.Job(1, func(q *priority.Queued) { q.Site, q.Reservation = 500, "r" }), []priority.Change{{Job: 1, From: 500, Why: priority.Why{Code: priority.TakenBack, About: "in reservation r"}}}},
		{"refused", priority.SiteFactor, prioritytest.Job(2, debug(300)), nil},
		{"in no pool", priority.SiteFactor, prioritytest.Job(1, func(q *priority.Queued) { q.Site, q.Partition = 500, "elsewhere" }), []priority.Change{{Job: 1, From: 500, Why: priority.Why{Code: priority.TakenBack, About: "its partition is in no pool"}}}},
		{"not yet in accounting", priority.SiteFactor, prioritytest.Job(1, func(q *priority.Queued) { q.Site = 500 }), nil},
		{"task that inherits the array's value", priority.SiteFactor, prioritytest.Job(8, and(debug(60), task)), []priority.Change{{Job: 8, From: 60, Why: taken}}},
		{"task that inherits a value that the array had once", priority.SiteFactor, prioritytest.Job(8, and(debug(50), task)), []priority.Change{{Job: 8, From: 50, Why: taken}}},
		{"task with somebody else's value", priority.SiteFactor, prioritytest.Job(8, and(debug(61), task)), nil},
		{"nice", priority.Nice, prioritytest.Job(1, in(priority.Nice, -500)), []priority.Change{{Job: 1, From: -500, To: -3, Why: taken}}},
		{"the owner's nice", priority.Nice, prioritytest.Job(1, in(priority.Nice, -501)), nil},
		{"nice of a task", priority.Nice, prioritytest.Job(8, and(in(priority.Nice, -60), task)), []priority.Change{{Job: 8, From: -60, To: -4, Why: taken}}},
		{"pin", priority.Priority, prioritytest.Job(1, in(priority.Priority, 90000)), []priority.Change{{Job: 1, From: 90000, Nice: -3, Why: taken}}},
		{"pin of an administrator", priority.Priority, prioritytest.Job(1, in(priority.Priority, 90001)), nil},
		{"pin of a task", priority.Priority, prioritytest.Job(8, and(in(priority.Priority, 90060), task)), []priority.Change{{Job: 8, From: 90060, Nice: -4, Why: taken}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "journal")
			j := openJournal(t, path)
			j.write(t, priority.SiteFactor, priority.Applied, priority.Change{Job: 1, To: 400}, priority.Change{Job: 2, To: 300}, priority.Change{Job: 7, To: 50})
			j.write(t, priority.SiteFactor, priority.Applied, priority.Change{Job: 1, From: 400, To: 500}, priority.Change{Job: 7, From: 50, To: 60})
			j.write(t, priority.SiteFactor, priority.Refused, priority.Change{Job: 1, From: 500, To: 499}, priority.Change{Job: 2, From: 300, To: 299})
			j.write(t, priority.Nice, priority.Applied, priority.Change{Job: 1, From: -3, To: -500}, priority.Change{Job: 7, From: -4, To: -60})
			j.write(t, priority.Priority, priority.Applied, priority.Change{Job: 1, From: 5000, To: 90000, Nice: -3}, priority.Change{Job: 7, From: 5000, To: 90060, Nice: -4})
			for range 2 { // the second time with what a new file carries over
				o := leaving(j, tt.channel)
				o.Outside = func(partitions string) bool { return partitions == "elsewhere" }
				o.Alone = func(q *priority.Queued) priority.Why {
					return map[ostrich.JobID]priority.Why{2: {Code: priority.WasRefused, About: "no"}}[q.Job]
				}
				p, err := o.Plan(nil, []priority.Queued{tt.queued})
				if err != nil {
					t.Fatal(err)
				}
				for i := range tt.want {
					tt.want[i].Submit = tt.queued.Submit
				}
				if diff := cmp.Diff(tt.want, p.Changes()); diff != "" {
					t.Errorf("changes (-want +got):\n%s", diff)
				}
				if n := p.Summary().Writes; n != len(tt.want) {
					t.Errorf("%d writes, want %d", n, len(tt.want))
				}
				if done, err := j.Rotate(3, 1, func(ostrich.JobID) bool { return true }); err != nil || !done {
					t.Fatalf("rotate: %v, %v", done, err)
				}
				if err := j.Close(); err != nil {
					t.Fatal(err)
				}
				j = openJournal(t, path)
			}
		})
	}
}

// What is taken back is written first: it stands before everybody.
func TestTakeBackComesFirst(t *testing.T) {
	j := openJournal(t, filepath.Join(t.TempDir(), "journal"))
	j.write(t, priority.SiteFactor, priority.Applied, priority.Change{Job: 3, To: 500})
	p, err := leaving(j, priority.SiteFactor).Plan(prioritytest.Order(1, 2), []priority.Queued{
		prioritytest.Job(1, nil), prioritytest.Job(2, nil), prioritytest.Job(3, func(q *priority.Queued) { q.Partition, q.Site = "debug", 500 }),
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []ostrich.JobID
	for _, c := range p.Changes() {
		got = append(got, c.Job)
	}
	if diff := cmp.Diff([]ostrich.JobID{3, 1, 2}, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

// Whatever was written to a job or to the array that it was a part of, in any
// order and over any number of files, is taken back, and nothing else is.
func TestTakeBackRandom(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		path := filepath.Join(dir, strconv.Itoa(n))
		j := openJournal(t, path)
		mine := map[int64]bool{}
		last := int64(0)
		for range rapid.IntRange(1, 8).Draw(rt, "writes") {
			to := rapid.Int64Range(1, 6).Draw(rt, "value")
			status := rapid.SampledFrom([]priority.Status{priority.Applied, priority.Refused, priority.NotApplied, priority.Unsent, priority.Unknown, priority.Gone, ""}).Draw(rt, "status")
			j.write(t, priority.SiteFactor, status, priority.Change{Job: 7, Submit: 1, From: last, To: to})
			mine[to] = true // what was tried may have been written, whatever Slurm said
			if status == priority.Applied {
				last = to
			}
			if rapid.Bool().Draw(rt, "rotate") {
				if _, err := j.Rotate(3, 1, func(ostrich.JobID) bool { return true }); err != nil {
					rt.Fatal(err)
				}
			}
			if rapid.Bool().Draw(rt, "restart") {
				if err := j.Close(); err != nil {
					rt.Fatal(err)
				}
				j = openJournal(t, path)
			}
		}
		for value := range int64(8) {
			q := prioritytest.Job(rapid.SampledFrom([]ostrich.JobID{7, 8}).Draw(rt, "id"), func(q *priority.Queued) { q.Array, q.Site, q.Partition = 7, value, "debug" })
			p, err := leaving(j, priority.SiteFactor).Plan(nil, []priority.Queued{q})
			if err != nil {
				rt.Fatal(err)
			}
			if got := len(p.Changes()) == 1; got != mine[value] {
				rt.Fatalf("value %d is ours: %v; taken back: %v", value, mine[value], got)
			}
		}
		if err := j.Close(); err != nil {
			rt.Fatal(err)
		}
	})
}
