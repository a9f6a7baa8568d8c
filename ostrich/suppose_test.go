package ostrich

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestSuppose: whatever comes in whatever order, a schedule is the one that the
// events known so far and those supposed give together, each in its place; and when
// every event has come, the one that the events alone give. To the last bit.
func TestSuppose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		d := everything
		d.fixed = true // changes of pending jobs correct the past, see TestCorrection
		events := drawEvents(t, d)
		if !orderless(events) {
			return
		}
		const late = 20
		timeline := NewTimeline(mustNew(t, o), Duration(rapid.SampledFrom([]int{late, 40, 1000}).Draw(t, "delay")))
		coming := make(map[Time][]Event)
		last := make(map[JobID]Time)
		end := Time(0)
		for _, e := range events {
			at := e.At + Time(rapid.IntRange(0, late).Draw(t, "delay"))
			if e.Job.ID != 0 { // slurmdbd takes what happened to one job in order
				at = max(at, last[e.Job.ID])
				at = min(at, e.At+late)
				last[e.Job.ID] = at
			}
			coming[at] = append(coming[at], e)
			end = max(end, at)
		}
		var known []Event
		for now := range end + 1 {
			if len(coming[now]) > 0 {
				timeline.Add(shuffle(t, coming[now])...)
				known = append(known, coming[now]...)
			}
			if rapid.IntRange(0, 2).Draw(t, "ask") != 0 {
				continue
			}
			supposed := drawSupposed(t, events, known, now)
			timeline.Suppose(shuffle(t, supposed)...)
			got, bad := timeline.At(now)
			if len(bad) > 0 {
				t.Fatal(bad)
			}
			both := slices.Concat(known, supposed)
			for i := range both {
				both[i].At = min(both[i].At, now) // ahead of the schedule
			}
			slices.SortStableFunc(both, Compare)
			want := run(t, o, both)
			mustAdvance(t, want, now)
			if diff := cmp.Diff(snapshotOf(want), snapshotOf(got)); diff != "" {
				t.Fatalf("at %d: known and supposed - timeline +\n%s", now, diff)
			}
		}
		timeline.Suppose()
		got, _ := timeline.At(end + 20)
		want := run(t, o, events)
		mustAdvance(t, want, end+20)
		if diff := cmp.Diff(snapshotOf(want), snapshotOf(got)); diff != "" {
			t.Fatalf("never supposed - supposed for a while +\n%s", diff)
		}
	})
}

// drawSupposed draws what a queue may say at a moment of jobs that wait then and of
// which nothing is known, some of it wrong.
func drawSupposed(t *rapid.T, events, known []Event, now Time) []Event {
	heard, waits := make(map[JobID]bool), make(map[JobID]bool)
	for _, e := range known {
		heard[e.Job.ID] = true
	}
	for _, e := range events {
		if e.At <= now+2 { // the controller's clock may be ahead
			waits[e.Job.ID] = e.Kind == Submit || e.Kind == Hold || e.Kind == Release
		}
	}
	var supposed []Event
	for _, e := range events {
		if e.Kind != Submit || heard[e.Job.ID] || !waits[e.Job.ID] || rapid.IntRange(0, 3).Draw(t, "left out") == 0 {
			continue
		}
		if rapid.Bool().Draw(t, "wrong") {
			e.Job.Procs, e.Job.Estimate = rapid.IntRange(1, 4).Draw(t, "procs"), Duration(rapid.IntRange(1, 99).Draw(t, "estimate"))
		}
		supposed = append(supposed, e)
		if rapid.Bool().Draw(t, "held") {
			e.Kind = Hold
			supposed = append(supposed, e)
		}
	}
	return supposed
}

// TestSupposeBeyondDelay: a job of which accounting tells nothing for longer than
// the timeline reaches back is in its place all the same.
func TestSupposeBeyondDelay(t *testing.T) {
	timeline := NewTimeline(mustNew(t, Options{Procs: 4}), 60)
	timeline.Add(Event{At: 100, Kind: Submit, Job: Job{ID: 1, User: 1, Procs: 4, Estimate: 1000, Submit: 100}})
	waiting := Event{At: 110, Kind: Submit, Job: Job{ID: 2, User: 2, Procs: 1, Estimate: 10, Submit: 110}}
	for now := Time(120); now < 2000; now += 30 {
		timeline.Suppose(waiting)
		s, bad := timeline.At(now)
		if len(bad) > 0 || len(s.Order()) != 2 {
			t.Fatalf("at %d: order %v, %v", now, s.Order(), bad)
		}
	}
	timeline.Suppose()
	if s, _ := timeline.At(2000); len(s.Order()) != 1 {
		t.Errorf("order %v after the job is gone", s.Order())
	}
}

// TestSupposeStaysCurrent: what is supposed again costs no second replay, unless it
// was ahead of the schedule's time.
func TestSupposeStaysCurrent(t *testing.T) {
	timeline := NewTimeline(mustNew(t, Options{Procs: 4}), 60)
	waiting := Event{At: 110, Kind: Submit, Job: Job{ID: 2, User: 2, Procs: 1, Estimate: 10, Submit: 110}}
	timeline.At(100)
	for i, want := range []int{2, 3, 4, 4, 4} { // ahead at 105, ahead at 106, in its place from 112 on
		timeline.Suppose(waiting)
		timeline.At([]Time{105, 106, 112, 113, 150}[i])
		if got := timeline.replays; got != want {
			t.Errorf("step %d: %d replays, want %d", i, got, want)
		}
	}
}

// TestSupposeInPools: a supposition is about the pool of its partition, and one
// about a partition without a pool is left out.
func TestSupposeInPools(t *testing.T) {
	p, err := NewPools(Options{Procs: 4}, 60, Classes{}, Pool{Name: "a", Partitions: []string{"pa"}}, Pool{Name: "b", Partitions: []string{"pb"}})
	if err != nil {
		t.Fatal(err)
	}
	submit := func(id JobID, partition string) Event {
		return Event{At: 10, Kind: Submit, Job: Job{ID: id, User: 1, Procs: 1, Estimate: 10, Submit: 10, Partition: partition}}
	}
	orders := func() (got [][]JobID) {
		pools, bad := p.At(20)
		if len(bad) > 0 {
			t.Fatal(bad)
		}
		for _, in := range pools {
			var ids []JobID
			for _, place := range in.Schedule.Order() {
				ids = append(ids, place.Job)
			}
			got = append(got, ids)
		}
		return got
	}
	p.Suppose(submit(1, "pa"), submit(2, "pb"), submit(3, "pb"), submit(4, "elsewhere"))
	if diff := cmp.Diff([][]JobID{{1}, {2, 3}}, orders()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	p.Suppose(submit(3, "pb"))
	if diff := cmp.Diff([][]JobID{nil, {3}}, orders()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
