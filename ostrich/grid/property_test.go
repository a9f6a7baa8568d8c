package grid_test

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/grid"
	"slurm-ostrich/ostrich/lengths"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/orders"
)

// platforms draws small platforms.
func platforms(t *rapid.T) grid.Platform {
	var p grid.Platform
	for i := range rapid.IntRange(1, 4).Draw(t, "clusters") {
		p.Clusters = append(p.Clusters, grid.Cluster{
			Name: strconv.Itoa(i), Procs: rapid.IntRange(1, 3).Draw(t, "procs"), Speed: rapid.SampledFrom([]float64{1, 1.25, 1.5, 2, 3}).Draw(t, "speed"),
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
		b.Home = rapid.IntRange(0, len(p.Clusters)-1).Draw(t, "home")
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
		Redraw:       rapid.SampledFrom([]grid.Redraw{grid.Started, grid.Ended, grid.Called}).Draw(t, "redraw"),
		Flock:        rapid.SampledFrom([]grid.Flock{grid.ByTask, grid.WholeBags}).Draw(t, "flock"),
		Warmup:       rapid.SampledFrom([]ostrich.Duration{0, 0, 10}).Draw(t, "warm-up"),
		Scope:        rapid.SampledFrom([]grid.Scope{grid.ByBag, grid.ByUser}).Draw(t, "scope"),
		Predictor:    lengths.ByLast,
		Monitor:      rapid.SampledFrom([]ostrich.Duration{0, 0, 3, 7}).Draw(t, "monitor"),
		Inaccuracy:   rapid.SampledFrom([]float64{0, 0, 50, 400}).Draw(t, "inaccuracy"),
		Seed:         rapid.Uint64Range(0, 9).Draw(t, "seed"),
		Until:        rapid.SampledFrom([]ostrich.Duration{0, 0, 0, 20}).Draw(t, "until"),
	}
	return x
}

// TestOracle compares the engine with the obvious simulation, task by task.
func TestOracle(t *testing.T) {
	for _, policy := range names(grid.Policies()) {
		t.Run(policy, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				p := platforms(t)
				x, bags := experiments(t, p), workloads(t, p)
				x.Policy = policy
				got, err := x.Run(bags)
				if err != nil {
					t.Fatal(err)
				}
				o := newOracle(t, x, bags)
				o.run()
				want, used, served := o.result(got.End)
				if diff := cmp.Diff(want, got.Tasks); diff != "" {
					t.Fatalf("%s/%s (-oracle +engine):\n%s", x.Architecture, x.Selection, diff)
				}
				if got.Used != used {
					t.Fatalf("%v processor-seconds instead of %v", got.Used, used)
				}
				if math.Abs(got.Served-served) > 1e-9 {
					t.Fatalf("%v reference seconds served instead of %v", got.Served, served)
				}
			})
		})
	}
}

// TestConservation looks at what every experiment keeps: without an end before, each
// task ends once, after it came and for the length of its run, no cluster is
// overbooked, and without copies no processor time is lost. The same experiment gives
// the same result.
func TestConservation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := platforms(t)
		x, bags := experiments(t, p), workloads(t, p)
		if rapid.Bool().Draw(t, "fairshare") {
			x.Selection, x.Period = "FairShare", ostrich.Duration(rapid.IntRange(1, 9).Draw(t, "period"))
		}
		x.Load = rapid.SampledFrom([]float64{0, 0.5, 3}).Draw(t, "load")
		r, err := x.Run(bags)
		if err != nil {
			t.Fatal(err)
		}
		again, err := x.Run(bags)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r, again); diff != "" {
			t.Fatalf("run again (-first +second):\n%s", diff)
		}
		work := ostrich.Work(0)
		changes := make([]map[ostrich.Time]int, len(p.Clusters)) // of busy processors
		k := 0
		for i, b := range r.Bags {
			for _, task := range b.Tasks {
				ran := &r.Tasks[k]
				k++
				if ran.ID != task.ID || ran.Bag != i {
					t.Fatalf("%+v is not task %d of bag %d", ran, task.ID, i)
				}
				if !ran.Finished() {
					if x.Until == 0 {
						t.Fatalf("%+v has not ended", ran)
					}
					continue
				}
				length := grid.RunTime(task.Run, p.Clusters[ran.Cluster].Speed)
				began := ran.End - ostrich.Time(length) // the copy that ended
				if ran.Start < b.Submit || began < ran.Start || ran.Copies == 1 && began != ran.Start {
					t.Fatalf("%+v, which comes at %d and takes %d s", ran, b.Submit, length)
				}
				work += ostrich.Work(length)
				if changes[ran.Cluster] == nil {
					changes[ran.Cluster] = make(map[ostrich.Time]int)
				}
				changes[ran.Cluster][began]++
				changes[ran.Cluster][ran.End]--
				if x.Architecture == grid.SepC && ran.Cluster != b.Home {
					t.Fatalf("%+v ended away from home, %d", ran, b.Home)
				}
			}
		}
		for c, at := range changes {
			busy := 0
			for _, moment := range slices.Sorted(maps.Keys(at)) {
				if busy += at[moment]; busy > p.Clusters[c].Procs {
					t.Fatalf("%d tasks run on %d processors of cluster %d at %d", busy, p.Clusters[c].Procs, c, moment)
				}
			}
		}
		m := r.Measures()
		if m.Goodput != work || m.Used < work || x.Until == 0 && !slices.ContainsFunc(r.Tasks, func(r grid.Ran) bool { return r.Copies > 1 }) && m.Used != work {
			t.Fatalf("goodput %v, used %v, where tasks of %v have ended", m.Goodput, m.Used, work)
		}
	})
}

// TestOneCopyMore finds RR and WQR-1 to be the same (section 2.4).
func TestOneCopyMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := platforms(t)
		x, bags := experiments(t, p), workloads(t, p)
		x.Policy = "RR"
		rr, err := x.Run(bags)
		if err != nil {
			t.Fatal(err)
		}
		x.Policy = "wqr-1"
		wqr, err := x.Run(bags)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(rr.Tasks, wqr.Tasks); diff != "" {
			t.Fatalf("(-RR +WQR-1):\n%s", diff)
		}
	})
}

// TestRounds serves a bag of N tasks in N rounds of S-U-RR (section 2.3): between two
// tasks of a user, one of every other user who has any starts.
func TestRounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var bags []grid.Bag
		left := make(map[ostrich.UserID]int)
		for user := range ostrich.UserID(rapid.IntRange(1, 5).Draw(t, "users")) {
			b := grid.Bag{User: user}
			for range rapid.IntRange(1, 6).Draw(t, "size") {
				b.Tasks = append(b.Tasks, grid.Task{Run: ostrich.Duration(rapid.IntRange(1, 9).Draw(t, "run"))})
			}
			left[user] = len(b.Tasks)
			bags = append(bags, b)
		}
		policy := rapid.SampledFrom([]string{"FPLT", "FPF", "STFR", "ECT"}).Draw(t, "policy")
		r, err := grid.Experiment{Platform: single, Architecture: grid.CSP, Selection: "S-U-RR", Policy: policy}.Run(bags)
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(r.Tasks, func(a, b grid.Ran) int { return int(a.Start - b.Start) })
		for next := 0; next < len(r.Tasks); {
			var round, want []ostrich.UserID
			for user := range ostrich.UserID(len(bags)) {
				if left[user] > 0 {
					want = append(want, user)
					left[user]--
				}
			}
			for range want {
				round = append(round, r.Bags[r.Tasks[next].Bag].User)
				next++
			}
			slices.Sort(round)
			if !slices.Equal(round, want) {
				t.Fatalf("a round serves users %v instead of %v", round, want)
			}
		}
	})
}

// TestAlike finds on one cluster of speed 1 what package sim does there, which is
// another engine: first come, first served, the fair-share factors, and the virtual
// schedule.
func TestAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := grid.Platform{Clusters: []grid.Cluster{{Procs: rapid.IntRange(1, 4).Draw(t, "procs"), Speed: 1}}}
		bags := workloads(t, p)
		x := grid.Experiment{Platform: p, Architecture: grid.CSP}
		m := sim.Machine{Procs: p.Procs(), Open: true, Order: sim.FCFS}
		switch x.Selection = rapid.SampledFrom([]string{"FCFS", "S-T", "FairShare", "OStrich"}).Draw(t, "selection"); x.Selection {
		case "FairShare":
			x.Policy, x.Period = "FPF", ostrich.Duration(rapid.IntRange(1, 9).Draw(t, "period"))
			m.Policy = orders.FairShare(x.Period)
		case "OStrich":
			x.Policy = rapid.SampledFrom([]string{"FPLT", "FPF"}).Draw(t, "policy")
			x.OStrich.Gate = rapid.SampledFrom([]ostrich.Gate{ostrich.Demote, ostrich.Off}).Draw(t, "gate")
			m.Policy, m.Inside = sim.OStrich(x.OStrich), ostrich.LPT
			if x.Policy == "FPF" {
				m.Inside = ostrich.Submission
			}
		default:
			x.Policy = "FPF"
		}
		var campaigns []sim.Campaign
		for _, b := range bags {
			c := sim.Campaign{User: b.User, Submit: b.Submit}
			for _, k := range b.Tasks {
				c.Jobs = append(c.Jobs, &sim.Job{User: c.User, Submit: c.Submit, ID: k.ID, Procs: 1, Run: k.Run, Estimate: k.Run})
			}
			campaigns = append(campaigns, c)
		}
		want, err := m.Run(campaigns)
		if err != nil {
			t.Fatal(err)
		}
		r, err := x.Run(bags)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if want[i].ID != r.Tasks[i].ID || want[i].Start != r.Tasks[i].Start {
				t.Fatalf("%s: task %d starts at %d instead of %d", x.Selection, want[i].ID, r.Tasks[i].Start, want[i].Start)
			}
		}
	})
}
