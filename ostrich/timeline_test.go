package ostrich

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/lengths"
)

func shuffle(t *rapid.T, events []Event) []Event {
	return rapid.Permutation(events).Draw(t, "shuffled")
}

// orderless are events whose order within a second Compare does not leave to
// chance: it ends with id and kind, so only whole-machine events can be equal.
func orderless(events []Event) bool {
	for i := 1; i < len(events); i++ {
		if Compare(events[i-1], events[i]) == 0 {
			return false
		}
	}
	return true
}

// TestLateEvents: events that come up to the delay late, in any order and in
// batches of any size, give what the same events in order give, to the last bit.
func TestLateEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		d := everything
		d.fixed = true // changes of pending jobs correct the past, see TestCorrection
		events := drawEvents(t, d)
		if !orderless(events) {
			return
		}
		delay := rapid.IntRange(0, 60).Draw(t, "delay")
		timeline := NewTimeline(mustNew(t, o), Duration(delay))
		coming := make(map[Time][]Event)
		end := Time(0)
		for _, e := range events {
			at := e.At + Time(rapid.IntRange(0, delay).Draw(t, "delay"))
			coming[at] = append(coming[at], e)
			end = max(end, at)
		}
		for now := range end + 1 {
			if len(coming[now]) > 0 {
				timeline.Add(shuffle(t, coming[now])...)
			}
			if rapid.IntRange(0, 5).Draw(t, "ask") == 0 {
				s, _ := timeline.At(now)
				snapshotOf(s)
			}
		}
		got, _ := timeline.At(end + 20)
		want := run(t, o, events)
		mustAdvance(t, want, end+20)
		if diff := cmp.Diff(snapshotOf(want), snapshotOf(got)); diff != "" {
			t.Fatalf("in order - late +\n%s", diff)
		}
	})
}

// TestCorrection: a timeline that gets its events step by step is the one that is
// built anew from all that is known, changes of pending jobs included.
func TestCorrection(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		events := drawEvents(t, everything)
		if !orderless(events) {
			return
		}
		end := events[len(events)-1].At
		steps := NewTimeline(mustNew(t, o), 1<<40)
		for i, e := range events {
			steps.Add(e)
			if i%3 == 0 {
				steps.At(e.At)
			}
		}
		rebuilt := NewTimeline(mustNew(t, o), 1<<40)
		rebuilt.Add(shuffle(t, events)...)
		got, bad := steps.At(end)
		want, worse := rebuilt.At(end)
		if len(bad)+len(worse) > 0 {
			t.Fatalf("%v, %v", bad, worse)
		}
		if diff := cmp.Diff(snapshotOf(want), snapshotOf(got)); diff != "" {
			t.Fatalf("rebuilt - step by step +\n%s", diff)
		}
	})
}

// TestChangeOfRequeued: what a requeued job changes to counts from then on, whether its
// submission is within the delay or not, and whether it is told at once or bit by bit.
func TestChangeOfRequeued(t *testing.T) {
	j := Job{ID: 1, User: 1, Procs: 1, Estimate: 100, Submit: 1}
	started, longer := j, j
	started.Start, longer.Estimate = 5, 5000
	events := []Event{
		{At: 1, Kind: Submit, Job: j},
		{At: 5, Kind: Start, Job: started},
		{At: 20, Kind: Requeue, Job: j},
		{At: 30, Kind: Change, Job: longer},
	}
	for _, delay := range []Duration{0, 300} {
		for n := range events {
			timeline := NewTimeline(mustNew(t, Options{Procs: 4}), delay)
			timeline.Add(events[:n]...)
			timeline.At(25)
			timeline.Add(events[n:]...)
			for _, at := range []Time{30, 1000} {
				s, bad := timeline.At(at)
				if got, _ := s.Expected(1); got != 5000 || len(bad) > 0 {
					t.Errorf("delay %d, %d told first, t = %d: expected to run for %d s, want 5000; refused %v", delay, n, at, got, bad)
				}
			}
		}
	}
}

// TestBeyondDelay: what comes later than the delay takes effect late, but
// every job is there that should be, and no other.
func TestBeyondDelay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		timeline := NewTimeline(mustNew(t, o), Duration(rapid.IntRange(0, 10).Draw(t, "delay")))
		events := drawEvents(t, everything)
		running := make(map[JobID]bool)
		last := make(map[JobID]Time)
		coming := make(map[Time][]Event)
		end := Time(0)
		for _, e := range events {
			at := e.At + Time(rapid.SampledFrom([]int{0, 0, 1, 30, 100}).Draw(t, "delay"))
			at = max(at, last[e.Job.ID]) // in the order in which they happened to one job
			last[e.Job.ID] = at
			coming[at] = append(coming[at], e)
			end = max(end, at)
			switch e.Kind {
			case Submit, Requeue:
				running[e.Job.ID] = false
			case Start:
				running[e.Job.ID] = true
			case End:
				delete(running, e.Job.ID)
			case Capacity, Reshare, Change, Suspend, Resume, Hold, Release:
			}
		}
		for now := range end + 1 {
			timeline.Add(coming[now]...)
			_, bad := timeline.At(now)
			if len(bad) > 0 {
				t.Fatal(bad)
			}
		}
		s, _ := timeline.At(end + 1)
		got := make(map[JobID]bool)
		for _, c := range s.Campaigns() {
			for _, id := range c.Pending {
				got[id] = false
			}
			for _, id := range c.Running {
				got[id] = true
			}
		}
		if diff := cmp.Diff(running, got); diff != "" {
			t.Fatalf("jobs, and whether they run: (-want +got)\n%s", diff)
		}
	})
}

// TestColdStart: a long history, in batches, is stepped as it comes; only the
// delay is kept.
func TestColdStart(t *testing.T) {
	timeline := NewTimeline(mustNew(t, Options{Procs: 4}), 100)
	id := JobID(0)
	for batch := range Time(50) {
		var events []Event
		for at := batch * 1000; at < (batch+1)*1000; at += 10 {
			id++
			j := Job{ID: id, User: UserID(id % 7), Procs: 1, Estimate: 50, Submit: at}
			started := j
			started.Start = at + 1
			ended := started
			ended.End = at + 30
			events = append(events,
				Event{At: at, Kind: Submit, Job: j}, Event{At: at + 1, Kind: Start, Job: started},
				Event{At: at + 30, Kind: End, Job: ended})
		}
		timeline.Add(events...) // by job, not by time
		if n := len(timeline.log); n > 60 {
			t.Fatalf("%d events kept after batch %d, want those of 100 s", n, batch)
		}
	}
	s, bad := timeline.At(60000)
	if len(bad) > 0 {
		t.Fatal(bad)
	}
	if len(s.Campaigns()) != 0 || s.Busy() != 0 {
		t.Errorf("something is left:\n%s", s.Describe())
	}
}

// TestRefusedOnce: what is wrong with an event is returned once, and not at all if what
// it lacked comes within the delay.
func TestRefusedOnce(t *testing.T) {
	timeline := NewTimeline(mustNew(t, Options{Procs: 4}), 100)
	j := Job{ID: 1, User: 1, Procs: 1, Estimate: 50, Submit: 10}
	started := j
	started.Start = 20
	timeline.Add(Event{At: 20, Kind: Start, Job: started})
	_, bad := timeline.At(30)
	if len(bad) != 1 || !strings.Contains(bad[0].Error(), "start of job 1 at 20: job is not known") {
		t.Errorf("refused %v", bad)
	}
	timeline.Add(Event{At: 10, Kind: Submit, Job: j})
	s, bad := timeline.At(30)
	if len(bad) != 0 || s.Busy() != 1 {
		t.Errorf("refused %v, %d busy", bad, s.Busy())
	}
	if timeline.replays != 2 {
		t.Errorf("%d replays, want 2", timeline.replays)
	}
	if s, _ := timeline.At(25); s.Now() != 30 {
		t.Errorf("time ran backwards to %d", s.Now())
	}
}

// TestLateTask: an array that waits for longer than the delay starts its
// tasks one by one; each gets a record with the submission of the array.
func TestLateTask(t *testing.T) {
	timeline := NewTimeline(mustNew(t, Options{Procs: 4}), 100)
	array := Job{ID: 5, Group: 5, User: 1, Procs: 1, Tasks: 10, Estimate: 10, Submit: 1}
	timeline.Add(Event{At: 1, Kind: Submit, Job: array})
	timeline.At(1000)
	for i := range JobID(3) {
		task := Job{ID: 6 + i, Group: 5, User: 1, Procs: 1, Estimate: 10, Submit: 1}
		started := task
		started.Start = 1010
		array.Tasks--
		timeline.Add(
			Event{At: 1, Kind: Submit, Job: task}, Event{At: 1010, Kind: Start, Job: started},
			Event{At: 1010, Kind: Change, Job: array},
		)
	}
	s, bad := timeline.At(1020)
	if len(bad) > 0 {
		t.Fatal(bad)
	}
	c := s.Campaigns()
	if len(c) != 1 || c[0].Work != 100 || c[0].VirtualEnd != 26 || s.Busy() != 3 {
		t.Errorf("%d busy, %+v", s.Busy(), c)
	}
}

func TestPools(t *testing.T) {
	for _, tt := range []struct {
		name  string
		pools []Pool
		want  string
	}{
		{"name", []Pool{{Name: "a", Partitions: []string{"x"}}, {Name: "a"}}, `pool "a": named twice`},
		{"rest", []Pool{{Name: "a"}, {Name: "b"}}, `pool "b": a second pool without partitions`},
		{
			"partition",
			[]Pool{{Name: "a", Partitions: []string{"x"}}, {Name: "b", Partitions: []string{"y", "x"}}},
			`pool "b": partition "x" belongs to pool "a"`,
		},
	} {
		if _, err := NewPools(Options{}, 10, Classes{}, tt.pools...); err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
	if _, err := NewPools(Options{Procs: -1}, 10, Classes{}); err == nil {
		t.Error("bad options taken")
	}
}

// TestPoolOfJob: a job that may run in several pools counts in each of them
// until it starts, and then where it runs, whatever the order of the news.
func TestPoolOfJob(t *testing.T) {
	cpu := Pool{Name: "cpu", Partitions: []string{"short", "long"}}
	gpu := Pool{Name: "gpu", Partitions: []string{"gpu"}}
	rest := Pool{Name: "rest"}
	j := Job{ID: 1, User: 1, Partition: "short,gpu", Procs: 2, Estimate: 50, Submit: 10}
	started := j
	started.Partition, started.Start = "gpu", 30
	ended := started
	ended.End = 60
	other := Job{ID: 2, User: 1, Partition: "long", Procs: 1, Estimate: 5, Submit: 12}
	third := Job{ID: 3, User: 2, Partition: "odd", Procs: 1, Estimate: 5, Submit: 12}
	steps := []struct {
		now     Time
		events  []Event
		pending map[string][]JobID
		busy    map[string]int
	}{
		{20, []Event{
			{At: 1, Kind: Capacity, Pool: "gpu", Procs: 8},
			{At: 1, Kind: Capacity, Pool: "cpu", Procs: 4},
			{At: 1, Kind: Capacity, Pool: "none", Procs: 9},
			{At: 1, Kind: Reshare, Shares: &Shares{}},
			{At: 10, Kind: Submit, Job: j},
			{At: 12, Kind: Submit, Job: other},
			{At: 12, Kind: Submit, Job: third},
		}, map[string][]JobID{"cpu": {2, 1}, "gpu": {1}, "rest": {3}}, nil},
		{40, []Event{{At: 30, Kind: Start, Job: started}}, map[string][]JobID{"cpu": {2}, "rest": {3}}, map[string]int{"gpu": 2}},
		{70, []Event{{At: 60, Kind: End, Job: ended}}, map[string][]JobID{"cpu": {2}, "rest": {3}}, nil},
	}
	for _, delay := range []Duration{0, 5, 1000} {
		steadily, err := NewPools(Options{Inside: SPT}, delay, Classes{}, cpu, gpu, rest)
		if err != nil {
			t.Fatal(err)
		}
		var all []Event
		for _, step := range steps {
			steadily.Add(step.events...)
			all = append(all, step.events...)
			slices.Reverse(all)
			at, bad := steadily.At(step.now)
			if len(bad) > 0 {
				t.Fatal(bad)
			}
			for _, p := range at {
				if diff := cmp.Diff(step.pending[p.Pool.Name], ids(p.Schedule.Order()), nearly); diff != "" {
					t.Errorf("delay %d, t = %d, pool %s: (-want +got)\n%s", delay, step.now, p.Pool.Name, diff)
				}
				if got, want := p.Schedule.Busy(), step.busy[p.Pool.Name]; got != want {
					t.Errorf("delay %d, t = %d, pool %s: %d busy, want %d", delay, step.now, p.Pool.Name, got, want)
				}
			}
			if delay < 1000 {
				continue
			}
			// Anew, all at once and backwards: the job was always in the gpu pool.
			rebuilt, err := NewPools(Options{Inside: SPT}, delay, Classes{}, cpu, gpu, rest)
			if err != nil {
				t.Fatal(err)
			}
			rebuilt.Add(all...)
			fresh, _ := rebuilt.At(step.now)
			for i := range at {
				if diff := cmp.Diff(snapshotOf(fresh[i].Schedule), snapshotOf(at[i].Schedule), nearly); diff != "" && step.now != 20 {
					t.Errorf("t = %d, pool %s: rebuilt - steadily +\n%s", step.now, at[i].Pool.Name, diff)
				}
			}
		}
	}
	single, err := NewPools(Options{Procs: 4}, 100, Classes{})
	if err != nil {
		t.Fatal(err)
	}
	unknown := Event{At: 70, Kind: End, Job: ended}
	single.Add(unknown)
	if _, bad := single.At(80); len(bad) != 1 {
		t.Errorf("refused %v", bad)
	}
	several, err := NewPools(Options{Procs: 4}, 100, Classes{}, cpu, gpu)
	if err != nil {
		t.Fatal(err)
	}
	several.Add(unknown, Event{At: 12, Kind: Submit, Job: third})
	if _, bad := several.At(80); len(bad) != 1 || !strings.HasPrefix(bad[0].Error(), "pool gpu: end of job 1") {
		t.Errorf("refused %v", bad)
	}
}

// TestPoolsMove: a waiting job that moves to another partition is in that one's pool, the
// first too, and in none if it has none.
func TestPoolsMove(t *testing.T) {
	gpu := Pool{Name: "gpu", Partitions: []string{"gpu"}}
	for _, pools := range [][]Pool{{{Name: "rest"}, gpu}, {gpu}} {
		p, err := NewPools(Options{Procs: 4}, 100, Classes{}, pools...)
		if err != nil {
			t.Fatal(err)
		}
		p.Add(Event{At: 1, Kind: Capacity, Pool: pools[0].Name, Procs: 7})
		for i, tt := range []struct {
			kind      Kind
			partition string
			rest, gpu []JobID
		}{
			{Submit, "gpu", nil, []JobID{1}}, {Change, "x", []JobID{1}, nil}, {Change, "gpu", nil, []JobID{1}}, {Change, "y", []JobID{1}, nil},
		} {
			at := Time(10 + i)
			p.Add(Event{At: at, Kind: tt.kind, Job: Job{ID: 1, User: 1, Procs: 1, Estimate: 50, Submit: 10, Partition: tt.partition}})
			states, bad := p.At(at)
			if len(bad) > 0 {
				t.Fatal(bad)
			}
			for k, s := range states {
				want, procs := tt.gpu, 4
				if s.Pool.Name == "rest" {
					want = tt.rest
				}
				if k == 0 {
					procs = 7
				}
				if got := ids(s.Schedule.Order()); !slices.Equal(got, want) || s.Schedule.Procs() != procs {
					t.Errorf("of %d pools, %v to %s: %s has %v of %d processors, want %v of %d",
						len(pools), tt.kind, tt.partition, s.Pool.Name, got, s.Schedule.Procs(), want, procs)
				}
			}
		}
	}
}

// TestPoolOfAllocated: a job that starts in another pool than the first of its list goes
// on by what it asked for there, as if it had been submitted there, also where the first
// pool has forgotten its submission.
func TestPoolOfAllocated(t *testing.T) {
	cpu, gpu := Pool{Name: "cpu", Partitions: []string{"short"}}, Pool{Name: "gpu", Partitions: []string{"gpu"}}
	for _, partitions := range []string{"gpu", "short,gpu"} {
		for _, delay := range []Duration{0, 1000} {
			p, err := NewPools(Options{Procs: 8, Predictor: lengths.Alike}, delay, Classes{}, cpu, gpu)
			if err != nil {
				t.Fatal(err)
			}
			run := func(at Time, j Job, has int, ran Duration) {
				j.User, j.Estimate, j.Submit = 1, 600, at
				p.Add(Event{At: at, Kind: Submit, Job: j})
				p.At(at + 1)
				j.Start, j.Procs, j.Partition = at+2, has, "gpu"
				p.Add(Event{At: j.Start, Kind: Start, Job: j})
				j.End = j.Start + Time(ran)
				p.Add(Event{At: j.End, Kind: End, Job: j})
				p.At(j.End)
			}
			run(10, Job{ID: 1, Partition: partitions, Procs: 1}, 4, 40)
			run(100, Job{ID: 2, Partition: "gpu", Procs: 4}, 4, 300)
			p.Add(Event{At: 500, Kind: Submit, Job: Job{ID: 3, User: 1, Partition: "gpu", Procs: 1, Estimate: 600, Submit: 500}})
			s, bad := p.At(500)
			if got, _ := s[1].Schedule.Expected(3); got != 40 || len(bad) > 0 {
				t.Errorf("%s, delay %d: expected to run for %d s, want 40; refused %v", partitions, delay, got, bad)
			}
		}
	}
}
