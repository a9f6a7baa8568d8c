package sim_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/sim"
)

// dependencies is the obvious way: every pair, then the transitive reduction
// by looking at every third.
func dependencies(submit, end []ostrich.Time) (needs, successors []int32) {
	n := len(submit)
	before := func(i, j int) bool { return end[i] <= submit[j] }
	needs, successors = make([]int32, n), make([]int32, n)
	for j := range n {
		for i := range n {
			if !before(i, j) {
				continue
			}
			needs[j]++
			immediate := true
			for k := range n {
				immediate = immediate && (!before(i, k) || !before(k, j))
			}
			if immediate {
				successors[i]++
			}
		}
	}
	return needs, successors
}

func TestDependencies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "jobs")
		var log []sim.Job
		var submit, end []ostrich.Time
		at := ostrich.Time(rapid.IntRange(-9, 3).Draw(t, "first"))
		for i := range n {
			if i > 0 {
				at += ostrich.Time(rapid.IntRange(0, 4).Draw(t, "gap"))
			}
			l := sim.Job{
				ID: ostrich.JobID(i + 1), User: 1, Submit: at, Procs: 1,
				Run:   ostrich.Duration(rapid.IntRange(1, 9).Draw(t, "run")),
				Start: at + ostrich.Time(rapid.IntRange(0, 3).Draw(t, "wait")),
			}
			log = append(log, l)
			submit, end = append(submit, l.Submit), append(end, l.Start+ostrich.Time(l.Run))
		}
		// A window that holds them all in one campaign.
		list, err := sim.Campaigns(log, campaign.Rule{By: campaign.Window, Threshold: 1000})
		if err != nil {
			t.Fatal(err)
		}
		if len(list) != 1 {
			t.Fatalf("%d campaigns", len(list))
		}
		sim.Depend(list)
		needs, successors := dependencies(submit, end)
		if diff := cmp.Diff(needs, list[0].Depends.Needs); diff != "" {
			t.Error("needs -want +got\n", diff)
		}
		if diff := cmp.Diff(successors, list[0].Depends.Successors); diff != "" {
			t.Error("successors -want +got\n", diff)
		}
	})
}
