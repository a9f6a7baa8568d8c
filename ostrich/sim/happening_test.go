package sim

import (
	"math/rand/v2"
	"slices"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/scalar"
)

// TestHappenings: what happens to jobs is in the order of ostrich.Compare.
func TestHappenings(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	var events []ostrich.Event
	var small []happening
	for i := range 300 {
		j := ostrich.Job{ID: ostrich.JobID(i + 1), Submit: ostrich.Time(1 + random.IntN(40))}
		submitted := j
		j.Start = j.Submit + ostrich.Time(random.IntN(3))
		started := j
		j.End = j.Start + ostrich.Time(random.IntN(3))
		events = append(events, ostrich.Event{At: j.Submit, Kind: ostrich.Submit, Job: submitted}, ostrich.Event{At: j.Start, Kind: ostrich.Start, Job: started}, ostrich.Event{At: j.End, Kind: ostrich.End, Job: j})
		end := ends
		if scalar.LeavesLate(j.Submit, j.Start, j.End) {
			end = endsLate
		}
		small = append(small, happening{j.Submit, comes, int32(i)}, happening{j.Start, starts, int32(i)}, happening{j.End, end, int32(i)})
	}
	slices.SortFunc(events, ostrich.Compare)
	slices.SortFunc(small, happening.compare)
	for i, e := range events {
		kind := map[what]ostrich.Kind{comes: ostrich.Submit, starts: ostrich.Start, ends: ostrich.End, endsLate: ostrich.End}[small[i].what]
		if h := small[i]; h.at != e.At || kind != e.Kind || ostrich.JobID(h.job+1) != e.Job.ID {
			t.Fatalf("event %d is %+v, want %v of job %d at %d", i, h, e.Kind, e.Job.ID, e.At)
		}
	}
}
