package grid_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/grid"
	"slurm-ostrich/ostrich/lengths"
	"slurm-ostrich/ostrich/sim"
)

// TestInformation checks the classes of Table 1.
func TestInformation(t *testing.T) {
	want := map[string]string{
		"ECT": "KK", "FPLT": "KK", "MaxMin": "KK", "ECT-P": "KH", "FPF": "KU", "DFPLT": "HK", "STFR": "UK", "RR": "UU", "WQR-n": "UU",
	}
	got := make(map[string]string)
	for _, p := range grid.Policies() {
		got[p.Name] = p.Processors.String() + p.Tasks.String()
	}
	same(t, got, want)
}

func TestBadInput(t *testing.T) {
	clusters := func(list ...grid.Cluster) func(*grid.Experiment) {
		return func(x *grid.Experiment) { x.Platform.Clusters = list }
	}
	good := []grid.Bag{bag(1, 0, 5), bag(2, 1, 5)}
	for _, tt := range []struct {
		name   string
		change func(*grid.Experiment)
		bags   []grid.Bag
		want   string
	}{
		{"no clusters", clusters(), good, `grid: platform "p": no clusters: cannot be run`},
		{"no processors", clusters(grid.Cluster{"a", 1, 1}, grid.Cluster{"b", 0, 1}), good, `grid: platform "p": cluster 2 ("b"): 0 processors instead of 1 or more: cannot be run`},
		{"too many processors", clusters(grid.Cluster{"a", 1, 1}, grid.Cluster{"b", math.MaxInt, 1}), good, `grid: platform "p": cluster 2 ("b"): 9223372036854775807 processors, which makes more than 16777216 together: cannot be run`},
		{"no speed", clusters(grid.Cluster{"a", 1, 0}), good, `grid: platform "p": cluster 1 ("a"): a speed of 0 instead of 0.001 to 1000: cannot be run`},
		{"speed of nothing", clusters(grid.Cluster{"a", 1, math.NaN()}), good, `grid: platform "p": cluster 1 ("a"): a speed of NaN instead of 0.001 to 1000: cannot be run`},
		{"two of a name", clusters(grid.Cluster{"a", 1, 1}, grid.Cluster{"a", 1, 1}), good, `grid: platform "p": cluster 2 ("a"): the name of cluster 1: cannot be run`},
		{"policy", func(x *grid.Experiment) { x.Policy = "WQR" }, good, `grid: policy "WQR": choose among ECT, FPLT, RR, WQR-n, DFPLT, ECT-P, STFR, FPF, MaxMin: cannot be run`},
		{"copies", func(x *grid.Experiment) { x.Policy = "WQR-0" }, good, `grid: policy "WQR-0": choose among ECT, FPLT, RR, WQR-n, DFPLT, ECT-P, STFR, FPF, MaxMin: cannot be run`},
		{"more copies", func(x *grid.Experiment) { x.Policy = "WQR-1001" }, good, `grid: policy "WQR-1001": choose among ECT, FPLT, RR, WQR-n, DFPLT, ECT-P, STFR, FPF, MaxMin: cannot be run`},
		{"copies of another", func(x *grid.Experiment) { x.Policy = "RR-3" }, good, `grid: policy "RR-3": choose among ECT, FPLT, RR, WQR-n, DFPLT, ECT-P, STFR, FPF, MaxMin: cannot be run`},
		{"policy n", func(x *grid.Experiment) { x.Policy = "WQR-n" }, good, `grid: policy "WQR-n": choose among ECT, FPLT, RR, WQR-n, DFPLT, ECT-P, STFR, FPF, MaxMin: cannot be run`},
		{"selection", func(x *grid.Experiment) { x.Selection = "" }, good, `grid: selection "": choose among S-T, S-BoT, S-U-Prio, S-U-T, S-U-BoT, S-U-GRR, S-U-RR, FCFS, FairShare, FairCamp, OStrich: cannot be run`},
		{"no predictor", func(x *grid.Experiment) { x.Policy = "ECT-P" }, good, `grid: predictor limit of policy ECT-P: choose among last, last-two, smoothing, alike, adaptive, regression, mean-ten, mean: cannot be run`},
		{"predictor", func(x *grid.Experiment) { x.Predictor = 99 }, good, `grid: predictor 99 of policy FPLT: choose among last, last-two, smoothing, alike, adaptive, regression, mean-ten, mean: cannot be run`},
		{"architecture", func(x *grid.Experiment) { x.Architecture = 3 }, good, `grid: architecture number 3: choose among sep-c, csp, fcondor: cannot be run`},
		{"redraw", func(x *grid.Experiment) { x.Redraw = 3 }, good, `grid: redraw number 3: choose among started, ended, called: cannot be run`},
		{"flock", func(x *grid.Experiment) { x.Flock = 2 }, good, `grid: flock number 2: choose among task, bag: cannot be run`},
		{"warm-up", func(x *grid.Experiment) { x.Warmup = -1 }, good, `grid: a warm-up of -1 s: cannot be run`},
		{"warm-up far away", func(x *grid.Experiment) { x.Warmup = 1<<50 + 1 }, good, `grid: a warm-up of 1125899906842625 s: cannot be run`},
		{"scope", func(x *grid.Experiment) { x.Scope = 2 }, good, `grid: scope number 2: choose among bag, user: cannot be run`},
		{"monitor", func(x *grid.Experiment) { x.Monitor = -1 }, good, `grid: a look every -1 s: cannot be run`},
		{"monitor far away", func(x *grid.Experiment) { x.Monitor = math.MaxInt32 }, good, `grid: a look every 2147483647 s: cannot be run`},
		{"load", func(x *grid.Experiment) { x.Load = math.NaN() }, good, `grid: a load of NaN instead of 0 or 1e-06 to 1000: cannot be run`},
		{"too little load", func(x *grid.Experiment) { x.Load = 1e-300 }, good, `grid: a load of 1e-300 instead of 0 or 1e-06 to 1000: cannot be run`},
		{"too much load", func(x *grid.Experiment) { x.Load = 1000.5 }, good, `grid: a load of 1000.5 instead of 0 or 1e-06 to 1000: cannot be run`},
		{"far too long", func(x *grid.Experiment) { x.Load = 1e-6 }, []grid.Bag{bag(1, 0, 1<<30, 1<<30), bag(1, 9, 1<<30, 1<<30)}, `grid: a load of 1e-06: the last bag would come after 1125899906842624: cannot be run`},
		{"inaccuracy", func(x *grid.Experiment) { x.Inaccuracy = math.Inf(1) }, good, `grid: an inaccuracy of +Inf % instead of 0 to 1000000: cannot be run`},
		{"less than accurate", func(x *grid.Experiment) { x.Inaccuracy = -1 }, good, `grid: an inaccuracy of -1 % instead of 0 to 1000000: cannot be run`},
		{"period far away", func(x *grid.Experiment) { x.Period = math.MaxInt32 }, good, `grid: fair-share factors every 2147483647 s: cannot be run`},
		{"until far away", func(x *grid.Experiment) { x.Until = 1<<50 + 1 }, good, `grid: an end after 1125899906842625 s: cannot be run`},
		{"period", func(x *grid.Experiment) { x.Period = -1 }, good, `grid: fair-share factors every -1 s: cannot be run`},
		{"until", func(x *grid.Experiment) { x.Until = -1 }, good, `grid: an end after -1 s: cannot be run`},
		{"gate", func(x *grid.Experiment) { x.OStrich.Gate = ostrich.Strict }, good, `grid: a strict gate, which holds tasks back while processors are idle: cannot be run`},
		{"options", func(x *grid.Experiment) { x.Selection, x.OStrich.Late = "OStrich", 9 }, good, `grid: selection: ostrich: schedule: late 9: unknown: cannot be run`},
		{"no bags", nil, nil, `grid: no bags: cannot be run`},
		{"no task", nil, []grid.Bag{bag(7, 0)}, `grid: bag 1 of user 7: no task: cannot be run`},
		{"no length", nil, []grid.Bag{bag(7, 0, 1), bag(7, 0, 1, 0)}, `grid: bag 2 of user 7: task 0 runs for 0 s: cannot be run`},
		{"too long", nil, []grid.Bag{bag(7, 0, math.MaxInt32)}, `grid: bag 1 of user 7: task 0 runs for 2147483647 s: cannot be run`},
		{"out of order", nil, []grid.Bag{bag(7, 1, 1), bag(7, 0, 1)}, `grid: bag 2 of user 7: submitted before the one in front of it: cannot be run`},
		{"far away", nil, []grid.Bag{bag(7, math.MinInt64, 1)}, `grid: bag 1 of user 7: submitted at -9223372036854775808: cannot be run`},
		{"far off", nil, []grid.Bag{bag(7, 1<<50+1, 1)}, `grid: bag 1 of user 7: submitted at 1125899906842625: cannot be run`},
		{"no home", func(x *grid.Experiment) { x.Architecture = grid.FCondor }, []grid.Bag{{User: 7, Home: -1, Tasks: []grid.Task{{Run: 1}}}}, `grid: bag 1 of user 7: home is cluster 0 of 2: cannot be run`},
		{"home", func(x *grid.Experiment) { x.Architecture = grid.SepC }, []grid.Bag{{User: 7, Home: 2, Tasks: []grid.Task{{Run: 1}}}}, `grid: bag 1 of user 7: home is cluster 3 of 2: cannot be run`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := grid.Experiment{Architecture: grid.CSP, Selection: "S-T", Policy: "FPLT"}
			x.Platform = grid.Platform{Name: "p", Clusters: two.Clusters}
			if tt.change != nil {
				tt.change(&x)
			}
			_, err := x.Run(tt.bags)
			if err == nil || err.Error() != tt.want || !errors.Is(err, grid.ErrInput) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestNames(t *testing.T) {
	for i, name := range grid.ArchitectureNames {
		if a := grid.Architecture(i); a.String() != name {
			t.Error(a)
		}
	}
	for _, s := range grid.Selections() {
		for _, p := range grid.Policies() {
			x := grid.Experiment{Platform: two, Selection: strings.ToLower(s.Name), Policy: strings.ToLower(p.Name), Predictor: lengths.ByMean}
			x.Policy = strings.Replace(x.Policy, "-n", "-12", 1)
			if err := x.Validate(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestPlatform checks what the paper says of its platform.
func TestPlatform(t *testing.T) {
	p := grid.HPDC2008()
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	least, most := math.Inf(1), 0.0
	for _, c := range p.Clusters {
		least, most = min(least, c.Speed), max(most, c.Speed)
	}
	if len(p.Clusters) != 20 || p.Procs() <= 3500 || p.Procs() >= 4000 || least != 1 || most != 1.75 {
		t.Errorf("%d clusters, %d processors, speeds from %v to %v", len(p.Clusters), p.Procs(), least, most)
	}
}

func TestLoad(t *testing.T) {
	bags := []grid.Bag{bag(1, 100, 30), bag(1, 160, 30, 60), bag(1, 300, 60)}
	same(t, grid.Load(bags, two), 180./(3*200))
	if l := grid.Load(grid.Stretch(bags, two, 0.6), two); math.Abs(l-0.6) > 1e-12 {
		t.Errorf("a load of %v", l)
	}
	same(t, bags[1].Submit, ostrich.Time(160)) // unchanged
	r := mustRun(t, grid.Experiment{Platform: two, Architecture: grid.CSP, Selection: "S-T", Policy: "FPF", Load: 0.6}, bags...)
	same(t, r.Bags[1].Submit, ostrich.Time(130))
	together := []grid.Bag{bag(1, 5, 30), bag(1, 5, 30)}
	same(t, grid.Stretch(together, two, 0.6), together)
	same(t, grid.Load(nil, two), 0.0)
}

func TestSpread(t *testing.T) {
	p := grid.Platform{Clusters: []grid.Cluster{{Procs: 1, Speed: 1}, {Procs: 3, Speed: 1}}}
	for _, tt := range []struct {
		homes grid.Homes
		want  []int
	}{
		{grid.Sized, []int{1, 1, 1, 0, 1, 1}},
		{grid.Even, []int{0, 1, 0, 0, 1, 1}},
	} {
		var bags []grid.Bag
		for _, user := range []ostrich.UserID{9, 5, 9, 7, 3, 5} {
			bags = append(bags, bag(user, 0, 1))
		}
		if err := grid.Spread(bags, p, tt.homes); err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, b := range bags {
			got = append(got, b.Home)
		}
		same(t, got, tt.want)
	}
	if err := grid.Spread(nil, grid.Platform{}, grid.Even); !errors.Is(err, grid.ErrInput) {
		t.Error(err)
	}
	if err := grid.Spread(nil, p, 2); err == nil || err.Error() != "grid: homes number 2: choose among sized, even: cannot be run" {
		t.Error(err)
	}
}

func TestFromLog(t *testing.T) {
	job := func(id ostrich.JobID, at ostrich.Time, procs int) sim.Job {
		return sim.Job{ID: id, User: 4, Submit: at, Run: 10 * ostrich.Duration(id), Procs: procs}
	}
	bags := grid.FromLog([]sim.Job{job(1, 5, 1), job(2, 6, 4), job(3, 7, 1), job(4, 8, 1)}, []int{0, -1, 0, -1})
	same(t, bags, []grid.Bag{
		{User: 4, Submit: 5, Tasks: []grid.Task{{ID: 1, Run: 10}, {ID: 3, Run: 30}}},
		{User: 4, Submit: 6, Tasks: []grid.Task{{ID: 2, Run: 20}}},
		{User: 4, Submit: 8, Tasks: []grid.Task{{ID: 4, Run: 40}}},
	})
}

func TestRunTime(t *testing.T) {
	for _, tt := range []struct {
		run, want ostrich.Duration
		speed     float64
	}{{1, 1, 1}, {1, 1, 1.75}, {7, 4, 1.75}, {10, 8, 1.25}, {1, 1000, 0.001}, {9, 7, 1.25}} {
		if got := grid.RunTime(tt.run, tt.speed); got != tt.want {
			t.Errorf("%d s at speed %v take %d s", tt.run, tt.speed, got)
		}
	}
}

// TestInaccuracy tells policies more and less than the truth, as Fig. 8 does, and on
// average about the truth.
func TestInaccuracy(t *testing.T) {
	var runs []ostrich.Duration
	for range 2000 {
		runs = append(runs, 100)
	}
	told := func(i float64) (order []int) {
		x := grid.Experiment{Platform: single, Architecture: grid.CSP, Selection: "S-T", Policy: "STFR", Inaccuracy: i, Seed: 3}
		for _, r := range mustRun(t, x, bag(1, 0, runs...)).Tasks {
			order = append(order, int(r.Start)/100)
		}
		return order
	}
	exact, off, more := told(0), told(100), told(10000)
	for i := range exact {
		if exact[i] != i {
			t.Fatalf("task %d of equal ones is number %d", i, exact[i])
		}
	}
	if moved := differ(exact, off); moved < 1900 {
		t.Errorf("%d of 2000 have another place", moved)
	}
	// Half of them are said to take a second, so they keep their order.
	if moved := differ(off, more); moved < 1000 {
		t.Errorf("%d of 2000 have another place", moved)
	}
}

func differ(a, b []int) (n int) {
	for i := range a {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}

func TestProgress(t *testing.T) {
	var calls []int
	x := grid.Experiment{Platform: single, Architecture: grid.CSP, Selection: "S-T", Policy: "FPF"}
	x.Progress = func(ended, tasks int) { calls = append(calls, ended, tasks) }
	mustRun(t, x, bag(1, 0, make1(1500)...))
	same(t, calls, []int{1024, 1500, 1500, 1500})
}

func make1(n int) []ostrich.Duration {
	runs := make([]ostrich.Duration, n)
	for i := range runs {
		runs[i] = 1
	}
	return runs
}
