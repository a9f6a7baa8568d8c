package solver

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"testing"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/optimal"
	"slurm-ostrich/ostrich/satisfaction"
)

// drawQueue draws a queue in front of 100 processors, 80 of which run: jobs of a
// minute to ten hours, of 1, 2, 4 … 64 processors, that have waited for up to an hour
// and whose users accept the wait of the survey's median.
func drawQueue(jobs int, seed uint64) *optimal.Instance {
	r := rand.New(rand.NewPCG(seed, uint64(jobs)))
	length := func() ostrich.Duration { return ostrich.Duration(60 * math.Exp(r.Float64()*math.Log(600))) }
	in := &optimal.Instance{Procs: 100}
	for range 5 {
		in.Running = append(in.Running, optimal.Running{Procs: 16, Left: length()})
	}
	for i := range jobs {
		p := length()
		due := ostrich.Duration(satisfaction.Median.Due(0, p)) - ostrich.Duration(r.IntN(3600))
		in.Jobs = append(in.Jobs, optimal.Job{ID: ostrich.JobID(i + 1), Procs: 1 << r.IntN(7), Length: p, Due: due})
	}
	return in
}

// BenchmarkSolvers solves the same queues by the own solver and by cbc, which has 20 s
// for each. It reports the mean time of a queue, how many times as long cbc takes, and
// the part of the queues of which each found the optimum. Where both did, they must
// agree.
func BenchmarkSolvers(b *testing.B) {
	const name, queues, limit = "cbc", 3, 20 * time.Second
	if _, err := exec.LookPath(name); err != nil {
		b.Skip(name + " is not installed (Debian: coinor-cbc)")
	}
	for _, size := range []struct {
		objective optimal.Objective
		jobs      int
	}{
		{optimal.SumU, 6}, {optimal.SumU, 10}, {optimal.SumU, 20}, {optimal.SumT, 4}, {optimal.SumT, 6}, {optimal.SumT, 8}, {optimal.SumT, 10},
	} {
		b.Run(fmt.Sprintf("%v/%d", size.objective, size.jobs), func(b *testing.B) {
			program, err := New(b.Context(), name, optimal.Compact, limit)
			if err != nil {
				b.Fatal(err)
			}
			var spent [2]time.Duration
			var solved [2]float64
			for b.Loop() {
				for seed := range queues {
					in := drawQueue(size.jobs, uint64(seed))
					var found [2]optimal.Result
					for k, s := range []optimal.Solver{optimal.Own{}, program} {
						begin := b.Elapsed()
						if found[k], err = s.Solve(in, size.objective, unlimited()); err != nil {
							b.Fatal(err)
						}
						spent[k] += b.Elapsed() - begin
						if found[k].Optimal {
							solved[k]++
						}
					}
					if found[0].Optimal && found[1].Optimal && math.Abs(found[0].Value-found[1].Value) > 1e-5*(1+found[0].Value) {
						b.Errorf("queue %d: %v by the own solver, %v by %s", seed, found[0].Value, found[1].Value, name)
					}
				}
			}
			runs := float64(b.N * queues)
			b.ReportMetric(spent[0].Seconds()*1e3/runs, "own-ms")
			b.ReportMetric(spent[1].Seconds()*1e3/runs, name+"-ms")
			b.ReportMetric(spent[1].Seconds()/spent[0].Seconds(), name+"/own")
			b.ReportMetric(solved[0]/runs, "own-solved")
			b.ReportMetric(solved[1]/runs, name+"-solved")
		})
	}
}

// BenchmarkOwn looks at half a million schedules of a queue of 30 jobs, most of them
// partial.
func BenchmarkOwn(b *testing.B) {
	for _, o := range []optimal.Objective{optimal.SumT, optimal.SumStretch} {
		b.Run(o.String(), func(b *testing.B) {
			in := drawQueue(30, 1)
			in.Campaigns = []optimal.Campaign{{Least: 3600}, {Least: 7200}, {Least: 36000}}
			for i := range in.Jobs {
				in.Jobs[i].Campaign = i % len(in.Campaigns)
			}
			nodes := int64(0)
			for b.Loop() {
				r, err := optimal.Own{}.Solve(in, o, optimal.Budget{Nodes: 500_000})
				if err != nil {
					b.Fatal(err)
				}
				nodes += r.Nodes
			}
			b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
		})
	}
}
