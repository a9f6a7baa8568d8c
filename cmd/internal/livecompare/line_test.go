package livecompare

import (
	"testing"

	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
)

// The machine has 10 processors at time 100, and 4 of them are free until one
// job ends at 200 and another at 300.
func TestMachine(t *testing.T) {
	type try struct {
		procs, tasks int
		length       ostrich.Duration
		want         int
	}
	for name, tries := range map[string][]try{
		"first fit":                     {{2, 1, 500, 1}, {2, 1, 500, 1}, {1, 1, 10, 0}},
		"as many tasks as fit":          {{1, 6, 500, 4}},
		"passing a reservation":         {{7, 1, 50, 0}, {1, 1, 100, 1}, {1, 1, 101, 0}, {3, 1, 100, 1}},
		"beside a reservation":          {{6, 1, 50, 0}, {1, 2, 500, 1}, {1, 1, 500, 0}, {3, 1, 100, 1}},
		"the reservation of the first":  {{7, 1, 50, 0}, {10, 1, 50, 0}, {4, 1, 101, 0}, {4, 1, 100, 1}},
		"too wide for ever":             {{11, 1, 50, 0}, {4, 1, 5000, 1}},
		"behind what has just started":  {{2, 1, 50, 1}, {5, 1, 50, 0}, {2, 1, 100, 1}},
		"the rest of tasks is reserved": {{4, 2, 150, 1}, {1, 1, 1, 0}},
	} {
		m := machine{now: 100, procs: 10, running: sim.Running{{End: 300, Procs: 3}, {End: 200, Procs: 3}}, room: sim.Room{Free: 4, Extra: 4}}
		for i, s := range tries {
			if got := m.start(&job{procs: s.procs, tasks: s.tasks}, s.length); got != s.want {
				t.Errorf("%s: job %d: %d tasks started, want %d", name, i+1, got, s.want)
			}
		}
	}
}

// What the shadow machine started earlier ends there earlier too, by the length
// that it is known to have.
func TestEndsOnTheShadowMachine(t *testing.T) {
	s := full(t)
	s.submit(2, 2, 4, 600)
	s.cycle()
	s.end(1)
	s.cycle()
	s.cycle() // 2 is started there,
	s.submit(3, 3, 4, 700)
	for range 9 {
		s.cycle()
	}
	s.start(2) // and 90 s later in reality, where it runs for 400 s.
	s.cycle()
	s.Now += 390
	s.end(2)
	r := s.cycle()
	equal(t, "later by", 90.0, r.Starts.LaterSeconds.Sum)
	equal(t, "3 waits for Slurm", [6]int{0, 0, 1, 0, 0, 0}, counts(r))
	equal(t, "3 would have started by now", [6]int{0, 0, 2, 0, 1, 0}, counts(s.cycle()))
}

// What it starts and Slurm does not, it lets go once that would be over.
func TestEndsWithoutAStart(t *testing.T) {
	s := full(t)
	s.submit(2, 2, 4, 50)
	s.submit(3, 3, 4, 1000)
	s.cycle()
	s.end(1)
	s.cycle()
	equal(t, "2 would have started", [6]int{0, 0, 1, 0, 1, 0}, counts(s.cycle()))
	for range 4 {
		s.cycle()
	}
	equal(t, "and 3 after it", [6]int{0, 0, 2, 0, 2, 0}, counts(s.cycle()))
}

// A suspended job takes no processors, and ends by as much later.
func TestSuspended(t *testing.T) {
	s := full(t)
	s.submit(2, 2, 4, 60)
	s.cycle()
	s.tell(ostrich.Suspend, 1)
	s.start(2)
	equal(t, "in the place of 1", [6]int{1, 0, 0, 0, 0, 0}, counts(s.cycle()))
	s.end(2)
	s.tell(ostrich.Resume, 1)
	s.submit(3, 3, 4, 60)
	s.cycle()
	s.cycle()
	equal(t, "1 is back", [6]int{1, 0, 0, 0, 0, 0}, counts(s.cycle()))
}

// While it runs in reality, what is known of its end there is what was expected.
func TestExpectedEndOnTheShadowMachine(t *testing.T) {
	s := full(t)
	s.submit(2, 2, 4, 100)
	s.cycle()
	s.end(1)
	s.cycle()
	s.cycle() // 2 is started there,
	s.submit(3, 3, 4, 700)
	for range 5 {
		s.cycle()
	}
	s.start(2) // and 50 s later in reality
	for range 4 {
		s.cycle()
	}
	equal(t, "2 runs", [6]int{0, 0, 1, 0, 0, 0}, counts(s.shadow.Report()))
	equal(t, "2 still runs, and should be over", [6]int{0, 0, 2, 0, 1, 0}, counts(s.cycle()))
}

// Time in which a job is suspended comes on top of its length: what waits for
// its end leaves that much longer a gap to fill.
func TestGapBehindASuspendedJob(t *testing.T) {
	for _, rests := range []ostrich.Duration{0, 100} {
		s := newSite(t, 4)
		s.submit(1, 1, 3, 200)
		s.start(1)
		s.cycle()
		if rests > 0 {
			s.tell(ostrich.Suspend, 1)
			s.after(rests)
			s.tell(ostrich.Resume, 1)
		}
		s.submit(2, 2, 4, 10)
		s.submit(3, 3, 1, 250-rests)
		s.cycle()
		want := [6]int{}
		if rests > 0 {
			want = [6]int{0, 0, 1, 0, 1, 0}
		}
		equal(t, "3 in the gap", want, counts(s.cycle()))
	}
}

// It looks as deep as Slurm does.
func TestDepth(t *testing.T) {
	for depth, want := range map[int][6]int{1: {0, 0, 1, 0, 1, 0}, 2: {0, 0, 2, 0, 2, 0}} {
		s := newSite(t, 4, func(c *sidecar.Config) { c.Priority.Depth = depth })
		s.cycle()
		for i := range 2 {
			s.submit(i+1, i+1, 1, 600)
		}
		s.cycle()
		equal(t, "depth", want, counts(s.cycle()))
	}
}

// A job that started early keeps its place behind the one that it stood
// behind, whatever comes before that.
func TestEarlyKeepsItsPlace(t *testing.T) {
	s := full(t)
	s.submit(2, 2, 4, 50)
	s.submit(3, 3, 4, 100)
	s.submit(4, 4, 4, 1000)
	s.cycle()
	s.end(1)
	s.start(4)
	equal(t, "4 has started, 2 would have", [6]int{0, 1, 1, 0, 1, 1}, counts(s.cycle()))
	s.submit(5, 5, 4, 20)
	for range 5 {
		s.cycle()
	}
	equal(t, "then 5", [6]int{0, 1, 2, 0, 2, 1}, counts(s.shadow.Report()))
	s.cycle()
	equal(t, "then 3", [6]int{0, 1, 3, 0, 3, 1}, counts(s.cycle()))
	for range 9 {
		s.cycle()
	}
	equal(t, "3 runs", [6]int{0, 1, 3, 0, 3, 1}, counts(s.shadow.Report()))
	r := s.cycle()
	equal(t, "then 4", [6]int{0, 1, 3, 0, 3, 0}, counts(r))
	equal(t, "earlier by", 180.0, r.Starts.EarlierSeconds.Sum)
}

// The memory for differences has an end.
func TestMemoryIsFull(t *testing.T) {
	s := full(t)
	s.submit(2, 2, 4, 50)
	s.submit(3, 3, 4, 1000)
	s.cycle()
	s.shadow.hung, s.shadow.early = mostHung, mostEarly
	s.end(1)
	s.start(3)
	r := s.cycle()
	equal(t, "starts", [6]int{0, 1, 0, 0, mostHung, mostEarly}, counts(r))
	equal(t, "left out", uint64(2), r.Starts.LeftOut)
}
