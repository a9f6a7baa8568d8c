package swf_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/nodes"
	"slurm-ostrich/ostrich/sim/swf"
	"slurm-ostrich/ostrich/trace"
)

// TestJobs: what cannot be replayed, or is odd, is counted, and the rest can
// be replayed.
func TestJobs(t *testing.T) {
	record := func(number, run, limit int64) trace.Record {
		return trace.Record{Number: number, Submit: 10 * number, Run: run, Allocated: 1, Limit: limit, User: 1}
	}
	log := &trace.Log{Records: []trace.Record{
		record(1, 5, 60),
		record(2, math.MaxInt32, 60),
		record(3, math.MaxInt32-1, 60),
		record(4, 5, math.MaxInt64),
		record(1, 5, 60),
		record(1, 5, 60),
		record(7, 0, 60),
	}}
	const longest = math.MaxInt32 - 1
	for _, tt := range []struct {
		estimates swf.Estimates
		want      []ostrich.Duration
		capped    int
	}{
		{swf.ByLimit, []ostrich.Duration{60, 60, 60, longest, longest}, 1},
		{swf.Exact, []ostrich.Duration{5, 5, 5, longest, 5}, 0},
		{swf.Asked, []ostrich.Duration{60, 60, 60, 60, longest}, 1},
	} {
		jobs, in, err := swf.Jobs(log, 1, tt.estimates)
		if err != nil {
			t.Fatal(err)
		}
		var got []ostrich.Duration
		for i := range jobs {
			got = append(got, jobs[i].Estimate)
		}
		if diff := gocmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: estimates -want +got\n%s", swf.EstimateNames[tt.estimates], diff)
		}
		want := swf.Import{Records: 7, Jobs: 5, NotRun: 1, TooLong: 1, Capped: tt.capped, Repeated: 2}
		if diff := gocmp.Diff(want, in); diff != "" {
			t.Errorf("%s: -want +got\n%s", swf.EstimateNames[tt.estimates], diff)
		}
		campaigns, err := sim.Campaigns(jobs, campaign.Rule{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := (sim.Machine{Procs: 1, Open: true}).Run(campaigns); err != nil {
			t.Error(err)
		}
	}
	_, in, _ := swf.Jobs(log, 1, swf.ByLimit)
	if diff := gocmp.Diff([]string{
		"1 job left out: no run time, or no processors",
		"1 job left out: ran for 2147483647 s or longer",
		"1 job with a limit of 2147483647 s or longer: taken as 1 s less than that",
		"2 jobs with the number of another job",
	}, in.Notes()); diff != "" {
		t.Error("notes -want +got\n", diff)
	}
}

// TestPlaced takes the memory that jobs ask for, field 10, and leaves out those that no node could hold. What more processors than were asked for have too much of, they share.
func TestPlaced(t *testing.T) {
	text := "; MaxProcs: 8\n" +
		"1 0 0 10 4 -1 -1 4 20 1500 1 1 1 1 1 1 -1 -1\n" +
		"2 1 0 10 2 -1 -1 2 20 -1 1 1 1 1 1 1 -1 -1\n" +
		"3 2 0 10 1 -1 -1 1 20 9999999 1 1 1 1 1 1 -1 -1\n" +
		"4 3 0 10 4 -1 -1 4 20 2000 1 1 1 1 1 1 -1 -1\n" +
		"5 4 0 10 2 -1 -1 1 20 1536000 1 1 1 1 1 1 -1 -1\n" + // asked for 1500 MiB for its one processor, and got both threads of a core
		"6 5 0 10 2 -1 -1 1 20 800 1 1 1 1 1 1 -1 -1\n"
	log, err := trace.Read(strings.NewReader(text), "log", trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	jobs, requests, in, err := swf.Placed(log, 8, swf.ByLimit, func(r *nodes.Request) bool { return r.Memory.MiB < 1000 })
	if err != nil {
		t.Fatal(err)
	}
	want := []nodes.Request{
		{CPUs: 4, Tasks: 4, Memory: nodes.Memory{MiB: 2, PerCPU: true}},
		{CPUs: 2, Tasks: 2, Memory: nodes.Memory{PerCPU: true}},
		{CPUs: 2, Tasks: 2, Memory: nodes.Memory{MiB: 750, PerCPU: true}},
		{CPUs: 2, Tasks: 2, Memory: nodes.Memory{MiB: 1, PerCPU: true}},
	}
	if diff := gocmp.Diff(want, requests); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	var places []int32
	for i := range jobs {
		places = append(places, jobs[i].Request)
	}
	if !slices.Equal(places, []int32{1, 2, 1, 3, 4}) || in.NoNodes != 1 {
		t.Errorf("jobs ask for %v, and %d were left out", places, in.NoNodes)
	}
}
