package grid_test

import (
	"fmt"
	"slices"
	"testing"

	"slurm-ostrich/ostrich/bot"
	"slurm-ostrich/ostrich/grid"
	"slurm-ostrich/ostrich/lengths"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/swf"
)

// average is a workload of the average system.
func average(tb testing.TB, tasks int) []grid.Bag {
	tb.Helper()
	system := bot.Systems[slices.Index(bot.SystemNames(), "avg")]
	log, err := bot.Model{System: system, Tasks: tasks, Load: 0.95}.Generate(1)
	if err != nil {
		tb.Fatal(err)
	}
	jobs, _, err := swf.Jobs(log, 1<<20, swf.Exact)
	if err != nil {
		tb.Fatal(err)
	}
	numbers := make([]int, len(jobs))
	for i := range jobs {
		numbers[i] = int(jobs[i].Class)
	}
	bags := grid.FromLog(jobs, numbers)
	return bags
}

// BenchmarkRun reports tasks per second, on the platform of the paper under csp at a
// load of 95 %, and those of EASY on the same log, with as many processors of speed 1
// at the same load.
func BenchmarkRun(b *testing.B) {
	workloads := map[int][]grid.Bag{175_000: average(b, 175_000), 1_000_000: average(b, 1_000_000)}
	for _, bb := range []struct {
		tasks             int
		selection, policy string
	}{
		{175_000, "S-T", "ECT"},
		{175_000, "S-T", "ECT-P"},
		{175_000, "S-T", "FPLT"},
		{175_000, "S-T", "WQR-4"},
		{175_000, "OStrich", "FPLT"},
		{175_000, "FairCamp", "FPLT"},
		{1_000_000, "S-U-RR", "FPLT"},
		{1_000_000, "S-T", "STFR"},
		{1_000_000, "S-U-RR", "STFR"},
	} {
		b.Run(fmt.Sprintf("%s/%s/%dk", bb.selection, bb.policy, bb.tasks/1000), func(b *testing.B) {
			x := grid.Experiment{
				Platform: grid.HPDC2008(), Architecture: grid.CSP, Selection: bb.selection, Policy: bb.policy,
				Load: 0.95, Predictor: lengths.ByLast,
			}
			for b.Loop() {
				if _, err := x.Run(workloads[bb.tasks]); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(bb.tasks*b.N)/b.Elapsed().Seconds(), "tasks/s")
		})
	}
	for _, tasks := range []int{175_000, 1_000_000} {
		b.Run(fmt.Sprintf("EASY/%dk", tasks/1000), func(b *testing.B) {
			p := grid.Platform{Clusters: []grid.Cluster{{Procs: grid.HPDC2008().Procs(), Speed: 1}}}
			var jobs []sim.Job
			for _, bag := range grid.Stretch(workloads[tasks], p, 0.95) {
				for _, t := range bag.Tasks {
					jobs = append(jobs, sim.Job{ID: t.ID, User: bag.User, Submit: bag.Submit, Run: t.Run, Estimate: t.Run, Procs: 1})
				}
			}
			for b.Loop() {
				if _, err := (sim.Machine{Procs: p.Procs(), Order: sim.FCFS, Backfill: sim.EASY}).Replay(jobs); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(tasks*b.N)/b.Elapsed().Seconds(), "tasks/s")
		})
	}
}
