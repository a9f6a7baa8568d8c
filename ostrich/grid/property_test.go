package grid_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/grid"
)

// platforms draws small platforms.
func platforms(t *rapid.T) grid.Platform {
	var p grid.Platform
	for i := range rapid.IntRange(1, 4).Draw(t, "clusters") {
		p.Clusters = append(p.Clusters, grid.Cluster{
			Name: fmt.Sprint(i), Procs: rapid.IntRange(1, 3).Draw(t, "procs"), Speed: rapid.SampledFrom([]float64{1, 1.25, 1.5, 2, 3}).Draw(t, "speed"),
		})
	}
	return p
}

// workloads draws small workloads for a platform.
func workloads(t *rapid.T, p grid.Platform) []grid.Bag {
	var bags []grid.Bag
	at, id := ostrich.Time(rapid.IntRange(-5, 5).Draw(t, "begin")), ostrich.JobID(0)
	for range rapid.IntRange(1, 12).Draw(t, "bags") {
		at += ostrich.Time(rapid.IntRange(0, 8).Draw(t, "gap"))
		b := grid.Bag{User: ostrich.UserID(rapid.IntRange(1, 4).Draw(t, "user")), Submit: at}
		b.Home = int(b.User) % len(p.Clusters)
		for range rapid.IntRange(1, 6).Draw(t, "size") {
			id++
			b.Tasks = append(b.Tasks, grid.Task{ID: id, Run: ostrich.Duration(rapid.IntRange(1, 12).Draw(t, "run"))})
		}
		bags = append(bags, b)
	}
	return bags
}

func names(list []grid.Choice, skip ...string) (names []string) {
	for _, c := range list {
		switch {
		case c.Name == "WQR-n":
			names = append(names, "WQR-1", "WQR-3")
		case len(skip) == 0 || c.Name != skip[0]:
			names = append(names, c.Name)
		}
	}
	return names
}

// experiments draws experiments, of FairShare only if asked for.
func experiments(t *rapid.T, p grid.Platform) grid.Experiment {
	x := grid.Experiment{
		Platform:     p,
		Architecture: rapid.SampledFrom([]grid.Architecture{grid.SepC, grid.CSP, grid.FCondor}).Draw(t, "architecture"),
		Selection:    rapid.SampledFrom(names(grid.Selections(), "FairShare")).Draw(t, "selection"),
		Policy:       rapid.SampledFrom(names(grid.Policies())).Draw(t, "policy"),
		Redraw:       rapid.SampledFrom([]grid.Redraw{grid.Started, grid.Started, grid.Ended}).Draw(t, "redraw"),
		Scope:        rapid.SampledFrom([]grid.Scope{grid.ByBag, grid.ByUser}).Draw(t, "scope"),
		Predictor:    ostrich.ByLast,
		Monitor:      rapid.SampledFrom([]ostrich.Duration{0, 0, 3, 7}).Draw(t, "monitor"),
		Inaccuracy:   rapid.SampledFrom([]float64{0, 0, 50, 400}).Draw(t, "inaccuracy"),
		Seed:         rapid.Uint64Range(0, 9).Draw(t, "seed"),
		Until:        rapid.SampledFrom([]ostrich.Duration{0, 0, 0, 20}).Draw(t, "until"),
	}
	if rapid.Bool().Draw(t, "priorities") {
		x.Priorities = []ostrich.UserID{3, 9, 1}
	}
	return x
}

// TestOracle compares the engine with the obvious simulation, task by task.
func TestOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := platforms(t)
		x, bags := experiments(t, p), workloads(t, p)
		got, err := x.Run(bags)
		if err != nil {
			t.Fatal(err)
		}
		o := newOracle(t, x, bags)
		o.run()
		want, used := o.result(got.End)
		if diff := cmp.Diff(want, got.Tasks); diff != "" {
			t.Fatalf("%s/%s/%s (-oracle +engine):\n%s", x.Architecture, x.Selection, x.Policy, diff)
		}
		if got.Used != used {
			t.Fatalf("%v processor-seconds instead of %v", got.Used, used)
		}
	})
}
