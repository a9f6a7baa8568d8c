package figures

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/trace"
)

// TestRLStarts: another implementation of the generator, Python's, draws the same.
func TestRLStarts(t *testing.T) {
	want := []int{1981, 2756, 4299, 8850, 3316, 2714, 5228, 7762, 4022, 7085}
	if diff := cmp.Diff(want, rlStarts("1", 10_000, 1024, 10)); diff != "" {
		t.Error("-want +got\n", diff)
	}
	want = []int{8, 4, 4, 8, 5, 4, 6, 5, 6, 7, 4, 6, 8, 6, 4, 5}
	if diff := cmp.Diff(want, rlStarts("2", 14, 4, 16)); diff != "" {
		t.Error("of 14 jobs -want +got\n", diff)
	}
}

// TestRLMachine has 4 processors, of which job 1 has 3 until 100. Job 2 is next from 10 on, so
// that none of the others is before 100.
//
//	job  submit  run  estimate  processors
//	1    0       100  110       3
//	2    10      10   50        2
//	3    20      5    10        4
//	4    30      40   79        1
//	5    31      40   80        4
//	6    90      20   20        1
func TestRLMachine(t *testing.T) {
	job := func(id ostrich.JobID, submit ostrich.Time, run, estimate ostrich.Duration, procs int) *sim.Job {
		return &sim.Job{ID: id, Submit: submit, Run: run, Estimate: estimate, Procs: procs}
	}
	jobs := []*sim.Job{
		job(1, 0, 100, 110, 3), job(2, 10, 10, 50, 2), job(3, 20, 5, 10, 4), job(4, 30, 40, 79, 1), job(5, 31, 40, 80, 4), job(6, 90, 20, 20, 1),
	}
	sjf, wfp3 := heuristics[3], heuristics[1]
	for _, tt := range []struct {
		name  string
		m     rlMachine
		flows [6]float64
	}{
		// Job 3 is next from 100 on, and starts when job 2 has ended; at 115 jobs 6 and 4, at 155
		// job 5.
		{"SJF", rlMachine{heuristic: sjf}, [6]float64{100, 100, 95, 125, 164, 45}},
		// At 30 job 4 would end at 109, before job 1 has to; at 90 job 6 would at 110, not before. At 100 it
		// would before job 2 has to, and job 3 waits for it.
		{"SJF with backfilling", rlMachine{heuristic: sjf, easy: true}, [6]float64{100, 100, 105, 40, 134, 30}},
		// At 100 job 3 has 8³·4. At 110 job 5 has 3.85, and jobs 4 and 6 about 1; at 115 job 6 has 1.95 and
		// job 4 1.25, and both start when job 5 has ended.
		{"WFP3", rlMachine{heuristic: wfp3}, [6]float64{100, 100, 95, 165, 124, 85}},
		// The least ((submission+1)/r)³·n is next: 0.06, 0.26, 37 and 94 of jobs 4, 5, 3 and 6.
		{"WFP3 as published", rlMachine{heuristic: wfp3, published: true}, [6]float64{100, 100, 165, 110, 149, 115}},
	} {
		tt.m.procs = 4
		want := 0.0
		for i, flow := range tt.flows {
			want += max(1, flow/max(10, float64(jobs[i].Run))) / 6
		}
		if got := tt.m.run(jobs); decimals(got, 9) != decimals(want, 9) {
			t.Errorf("%s: %v, want %v", tt.name, got, want)
		}
	}
}

// TestRLFirst: first come, first served without backfilling is what package sim makes of it.
func TestRLFirst(t *testing.T) {
	random := rand.New(rand.NewPCG(20, 5))
	for range 20 {
		var jobs []*sim.Job
		at := ostrich.Time(1)
		for i := range ostrich.JobID(200) {
			at += ostrich.Time(random.IntN(60))
			run := ostrich.Duration(1 + random.IntN(300))
			jobs = append(jobs, &sim.Job{ID: i + 1, Submit: at, Run: run, Estimate: run, Procs: 1 + random.IntN(8)})
		}
		c := rlCell{rlReading: rlReading{simulated: true}, machine: rlMachine{procs: 8, heuristic: heuristics[0]}}
		want, err := c.run(jobs)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.machine.run(jobs); decimals(got, 9) != decimals(want, 9) {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

// TestRLPrinted: what the paper prints of the two real logs is met to the last digit. One
// in ten jobs of SDSC-SP2's first 10 000 never ran.
func TestRLPrinted(t *testing.T) {
	in := lpcInput(t)
	in.Workers, in.Short = 2, true
	met, r := 0, drawFigure(t, "rl-5", in)
	for _, n := range r.Numbers {
		if n.Paper == "" {
			continue
		}
		if n.Ours != n.Paper {
			t.Errorf("%s: %s, printed is %s", n.What, n.Ours, n.Paper)
		}
		met += 1 + strings.Count(n.Paper, ",")
	}
	if met != 2*2*5 {
		t.Errorf("%d numbers", met)
	}
	what := "SDSC-SP2 with backfilling, whole log, simulated, 4 sequences: FCFS, WFP3, UNICEP, SJF, F1"
	if got, want := r.number(t, what), "17.0 ± 15.4, 12.8 ± 13.7, 10.8 ± 9.5, 9.6 ± 8.3, 13.2 ± 14.5"; got != want {
		t.Errorf("%s: %s, want %s", what, got, want)
	}
	log, err := trace.Open(filepath.Join(in.Traces, sdscFile), trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	jobs, idle := rlJobs(log)
	never := 0
	for _, j := range jobs[:10_000] {
		if idle[j] {
			never++
		}
	}
	if never != 1057 {
		t.Errorf("%d jobs never ran", never)
	}
}
