package ostrich

import (
	"container/heap"
	"math/rand/v2"
	"testing"
)

// What is tuned in a Schedule stands here beside what would do without: the plain
// way is the one to go back to where a benchmark shows no gain.

// plainHeap is a dueHeap by container/heap.
type plainHeap []*job

func (h plainHeap) Len() int           { return len(h) }
func (h plainHeap) Less(i, j int) bool { return h[i].before(h[j]) }
func (h plainHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

func (h *plainHeap) Push(x any) {
	j := x.(*job) // only jobs are pushed
	j.place = len(*h)
	*h = append(*h, j)
}

func (h *plainHeap) Pop() any {
	last := len(*h) - 1
	j := (*h)[last]
	*h = (*h)[:last]
	return j
}

// BenchmarkJobTable looks jobs up, and lets each be followed by a later one, among
// 20 000: by jobTable, and by a map.
func BenchmarkJobTable(b *testing.B) {
	const live = 20_000
	jobs := make([]*job, 4*live)
	for i := range jobs {
		jobs[i] = &job{Job: Job{ID: JobID(i + 1)}}
	}
	b.Run("table", func(b *testing.B) {
		var table jobTable
		for i := 0; b.Loop(); i++ {
			j := jobs[i%len(jobs)]
			table.put(j)
			for k := range 3 { // submission, start, end
				if table.get(j.ID) != j {
					b.Fatal(k)
				}
			}
			table.remove(jobs[(i+len(jobs)-live)%len(jobs)].ID)
		}
	})
	b.Run("map", func(b *testing.B) {
		table := make(map[JobID]*job)
		for i := 0; b.Loop(); i++ {
			j := jobs[i%len(jobs)]
			table[j.ID] = j
			for k := range 3 {
				if table[j.ID] != j {
					b.Fatal(k)
				}
			}
			delete(table, jobs[(i+len(jobs)-live)%len(jobs)].ID)
		}
	})
}

// BenchmarkDueHeap lets each of 3 000 running jobs be followed by one that is due
// later: by dueHeap, and by container/heap.
func BenchmarkDueHeap(b *testing.B) {
	const running = 3000
	random := rand.New(rand.NewPCG(1, 2))
	later := make([]Time, 1<<16)
	for i := range later {
		later[i] = Time(random.IntN(7200))
	}
	jobs := func() []*job {
		list := make([]*job, running)
		for i := range list {
			list[i] = &job{Job: Job{ID: JobID(i + 1)}, due: later[i], place: -1}
		}
		return list
	}
	b.Run("own", func(b *testing.B) {
		var s Schedule
		for _, j := range jobs() {
			s.overruns = append(s.overruns, j)
			s.overruns.up(len(s.overruns)-1, j)
		}
		for i := 0; b.Loop(); i++ {
			j := s.overruns[0]
			s.forgo(j)
			j.due += later[i%len(later)]
			s.overruns = append(s.overruns, j)
			s.overruns.up(len(s.overruns)-1, j)
		}
	})
	b.Run("container", func(b *testing.B) {
		var h plainHeap
		for _, j := range jobs() {
			heap.Push(&h, j)
		}
		for i := 0; b.Loop(); i++ {
			j := h[0]
			heap.Remove(&h, j.place)
			j.due += later[i%len(later)]
			heap.Push(&h, j)
		}
	})
}

// TestPlainHeap: both heaps give the same jobs in the same order.
func TestPlainHeap(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var s Schedule
	var h plainHeap
	for i := range 2000 {
		due := Time(random.IntN(50))
		j := &job{Job: Job{ID: JobID(i)}, due: due, place: -1}
		s.overruns = append(s.overruns, j)
		s.overruns.up(len(s.overruns)-1, j)
		heap.Push(&h, &job{Job: Job{ID: JobID(i)}, due: due})
		if i%3 == 0 {
			own := s.overruns[random.IntN(len(s.overruns))]
			at := 0
			for h[at].ID != own.ID {
				at++
			}
			s.forgo(own)
			heap.Remove(&h, at)
		}
	}
	for len(h) > 0 {
		own, plain := s.overruns[0], heap.Pop(&h).(*job)
		if own.ID != plain.ID {
			t.Fatalf("job %d, by container/heap %d", own.ID, plain.ID)
		}
		s.forgo(own)
	}
	if len(s.overruns) != 0 {
		t.Errorf("%d jobs left", len(s.overruns))
	}
}
