package ostrich

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/lengths"
)

// TestSizeCounts: where jobs and machine have a size, the schedule counts by that alone, as
// one without sizes counts by processors.
func TestSizeCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		o.Predictor = lengths.ByLimit // others ask for processors
		if o.Inside == LJF {
			o.Inside = SPT
		}
		events := drawEvents(t, everything)
		sized := mustNew(t, o)
		first := Event{Kind: Capacity, Procs: 3, Size: o.Procs}
		if o.Procs > 0 {
			mustStep(t, sized, first)
		}
		for _, e := range events {
			switch {
			case e.Kind == Capacity && e.Procs > 0:
				e.Procs, e.Size = 3, e.Procs
			case e.Job.Procs > 0:
				e.Job.Procs, e.Job.Size = 1+int(e.Job.ID)%5, e.Job.Procs
			}
			mustStep(t, sized, e)
		}
		plain := run(t, o, events)
		if diff := cmp.Diff(snapshotOf(plain), snapshotOf(sized), cmpopts.IgnoreFields(Place{}, "Procs")); diff != "" {
			t.Fatalf("by processors - by size +\n%s", diff)
		}
		if plain.Procs() != sized.Size() {
			t.Fatalf("%d parts, want %d", sized.Size(), plain.Procs())
		}
	})
}

// TestSizeOfMoves: a job that moves to another pool after its start asked there for the
// size that it asked for, not for the one that it was given.
func TestSizeOfMoves(t *testing.T) {
	pools := []Pool{{Name: "a", Partitions: []string{"a"}}, {Name: "b", Partitions: []string{"b"}}}
	job := Job{ID: 1, User: 1, Procs: 2, Size: 20, Estimate: 20, Submit: 10}
	history := func(asks, runs string) snapshot {
		p, err := NewPools(Options{Rule: campaign.Rule{By: campaign.Max}}, 50, Classes{}, pools...)
		if err != nil {
			t.Fatal(err)
		}
		asked, started := job, job
		asked.Partition, started.Partition = asks, runs
		started.Procs, started.Size, started.Start = 4, 40, 20
		p.Add(
			Event{At: 1, Kind: Capacity, Pool: "a", Procs: 8, Size: 80}, Event{At: 1, Kind: Capacity, Pool: "b", Procs: 8, Size: 80},
			Event{At: 10, Kind: Submit, Job: asked}, Event{At: 20, Kind: Start, Job: started},
		)
		found, errs := p.At(30)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		return snapshotOf(found[0].Schedule)
	}
	if diff := cmp.Diff(history("a", "a"), history("b", "a")); diff != "" {
		t.Errorf("always in the pool - moved there +\n%s", diff)
	}
}
