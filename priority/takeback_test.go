package priority

import (
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
)

// leaving are options of a plan that excludes partition debug, and knows what
// the journal knows.
func leaving(j *Journal, ch Channel) Options {
	return Options{
		Channel: ch, Mode: Strict, Controller: multifactor(), Exclude: Exclude{Partitions: []string{"debug"}},
		Ours:  func(id ostrich.JobID, value int64) bool { return j.Ours(ch, id, value) },
		Stock: func(q *Queued) (value, nice int64, ours bool) { return j.Stock(ch, q) },
	}
}

func TestTakeBack(t *testing.T) {
	debug := func(site int64) func(*Queued) {
		return func(q *Queued) { q.Partition, q.Site = "debug", site }
	}
	and := func(changes ...func(*Queued)) func(*Queued) {
		return func(q *Queued) {
			for _, change := range changes {
				change(q)
			}
		}
	}
	task := func(q *Queued) { q.Array, q.Tasks = 7, "3" }
	held := func(q *Queued) { q.Priority, q.Listed, q.SiteKnown, q.Reason = 0, false, false, "JobHeldUser" }
	in := func(channel Channel, value int64) func(*Queued) {
		return func(q *Queued) {
			q.Partition = "debug"
			switch channel {
			case Nice:
				q.Nice = value
			case Priority:
				q.Priority, q.Pinned, q.SiteKnown = uint32(value), true, false
			case SiteFactor:
				q.Site = value
			}
		}
	}
	const taken = "taken back: excluded partition debug"
	tests := []struct {
		name    string
		channel Channel
		queued  Queued
		want    []Change
	}{
		{"partition", SiteFactor, job(1, debug(500)), []Change{{Job: 1, From: 500, Why: taken}}},
		{"somebody else's value", SiteFactor, job(1, debug(777)), nil},
		{"value of another job", SiteFactor, job(3, debug(500)), nil},
		{"an earlier value of ours", SiteFactor, job(1, debug(400)), []Change{{Job: 1, From: 400, Why: taken}}},
		{"given back already", SiteFactor, job(1, debug(0)), nil},
		{"one of several partitions", SiteFactor, job(1, and(debug(500), func(q *Queued) { q.Partition = "main,debug" })), []Change{{Job: 1, From: 500, Why: taken}}},
		{"held", SiteFactor, job(1, and(debug(500), held)), nil},
		{"not eligible", SiteFactor, job(1, and(debug(500), func(q *Queued) { q.Reason = "BeginTime" })), nil},
		{"not listed", SiteFactor, job(1, and(debug(0), func(q *Queued) { q.Listed, q.SiteKnown = false, false })), nil},
		{"pinned by an administrator", SiteFactor, job(1, and(debug(0), func(q *Queued) { q.Pinned, q.SiteKnown = true, false })), nil},
		{"in a reservation", SiteFactor, job(1, func(q *Queued) { q.Site, q.Reservation = 500, "r" }), []Change{{Job: 1, From: 500, Why: "taken back: in reservation r"}}},
		{"refused", SiteFactor, job(2, debug(300)), nil},
		{"in no pool", SiteFactor, job(1, func(q *Queued) { q.Site, q.Partition = 500, "elsewhere" }), []Change{{Job: 1, From: 500, Why: "taken back: its partition is in no pool"}}},
		{"not yet in accounting", SiteFactor, job(1, func(q *Queued) { q.Site = 500 }), nil},
		{"task that inherits the array's value", SiteFactor, job(8, and(debug(60), task)), []Change{{Job: 8, From: 60, Why: taken}}},
		{"task that inherits a value that the array had once", SiteFactor, job(8, and(debug(50), task)), []Change{{Job: 8, From: 50, Why: taken}}},
		{"task with somebody else's value", SiteFactor, job(8, and(debug(61), task)), nil},
		{"nice", Nice, job(1, in(Nice, -500)), []Change{{Job: 1, From: -500, To: -3, Why: taken}}},
		{"the owner's nice", Nice, job(1, in(Nice, -501)), nil},
		{"nice of a task", Nice, job(8, and(in(Nice, -60), task)), []Change{{Job: 8, From: -60, To: -4, Why: taken}}},
		{"pin", Priority, job(1, in(Priority, 90000)), []Change{{Job: 1, From: 90000, Nice: -3, Why: taken}}},
		{"pin of an administrator", Priority, job(1, in(Priority, 90001)), nil},
		{"pin of a task", Priority, job(8, and(in(Priority, 90060), task)), []Change{{Job: 8, From: 90060, Nice: -4, Why: taken}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "journal")
			j := openJournal(t, path)
			j.write(t, SiteFactor, Applied, Change{Job: 1, To: 400}, Change{Job: 2, To: 300}, Change{Job: 7, To: 50})
			j.write(t, SiteFactor, Applied, Change{Job: 1, From: 400, To: 500}, Change{Job: 7, From: 50, To: 60})
			j.write(t, SiteFactor, Refused, Change{Job: 1, From: 500, To: 499}, Change{Job: 2, From: 300, To: 299})
			j.write(t, Nice, Applied, Change{Job: 1, From: -3, To: -500}, Change{Job: 7, From: -4, To: -60})
			j.write(t, Priority, Applied, Change{Job: 1, From: 5000, To: 90000, Nice: -3}, Change{Job: 7, From: 5000, To: 90060, Nice: -4})
			for range 2 { // the second time with what a new file carries over
				o := leaving(j, tt.channel)
				o.Outside = func(partitions string) bool { return partitions == "elsewhere" }
				o.Refused = func(id ostrich.JobID) string { return map[ostrich.JobID]string{2: "no"}[id] }
				p, err := o.Plan(nil, []Queued{tt.queued})
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
	j.write(t, SiteFactor, Applied, Change{Job: 3, To: 500})
	p, err := leaving(j, SiteFactor).Plan(ranked(1, 2), []Queued{
		job(1, nil), job(2, nil), job(3, func(q *Queued) { q.Partition, q.Site = "debug", 500 }),
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
			status := rapid.SampledFrom([]Status{Applied, Refused, NotApplied, Unsent, Unknown, Gone, ""}).Draw(rt, "status")
			j.write(t, SiteFactor, status, Change{Job: 7, Submit: 1, From: last, To: to})
			mine[to] = true // what was tried may have been written, whatever Slurm said
			if status == Applied {
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
			q := job(rapid.SampledFrom([]ostrich.JobID{7, 8}).Draw(rt, "id"), func(q *Queued) { q.Array, q.Site, q.Partition = 7, value, "debug" })
			p, err := leaving(j, SiteFactor).Plan(nil, []Queued{q})
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
