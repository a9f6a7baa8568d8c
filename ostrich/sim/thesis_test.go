package sim_test

import (
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
)

// TestFigure210 is thesis 2.4, figure 2.10: under FCFS a user with jobs of length
// 1 waits for one of length p before each, when both submit a job as the one
// before ends. Two rounds end at 2p+2 where the user needs 2: the factor is p+1, as
// in figure 3.3. The text says 2p, which is the flow time over one job's length.
func TestFigure210(t *testing.T) {
	for _, p := range []ostrich.Duration{2, 10, 1000} {
		ran := mustRun(t, sim.Machine{Procs: 1}, []sim.Campaign{
			sim.NewCampaign(1, 0, 0, tasks(1, p)...),
			sim.NewCampaign(2, 0, 0, tasks(2, 1)...),
			sim.NewCampaign(1, 0, 0, tasks(3, p)...),
			sim.NewCampaign(2, 0, 0, tasks(4, 1)...),
		})
		at := ostrich.Time(p)
		if diff := gocmp.Diff([]ostrich.Time{0, at, at + 1, 2*at + 1}, starts(ran)); diff != "" {
			t.Errorf("p = %d: starts -want +got\n%s", p, diff)
		}
		for _, c := range report.Campaigns(ran) {
			if c.User == 2 && c.Stretch(1) != float64(p+1) {
				t.Errorf("p = %d: a stretch of %v", p, c.Stretch(1))
			}
		}
	}
}

// TestFigures211And212: with jobs in the order of their length a user who submits
// a job whenever the last one ends can hold another up for as long as they like
// (thesis 2.4, figures 2.11 and 2.12).
func TestFigures211And212(t *testing.T) {
	for _, tt := range []struct {
		order         sim.Order
		victim, other ostrich.Duration
	}{
		{sim.LPT, 1, 10},
		{sim.SPT, 10, 1},
	} {
		for _, n := range []int{1, 7, 400} {
			jobs := []sim.Job{{ID: 1, User: 1, Run: tt.victim, Estimate: tt.victim, Procs: 1}}
			for i := range n {
				jobs = append(jobs, sim.Job{
					ID: ostrich.JobID(i + 2), User: 2, Submit: ostrich.Time(i) * ostrich.Time(tt.other), Run: tt.other, Estimate: tt.other, Procs: 1,
				})
			}
			got, err := sim.Machine{Procs: 1, Order: tt.order}.Replay(jobs)
			if err != nil {
				t.Fatal(err)
			}
			if want := ostrich.Time(n) * ostrich.Time(tt.other); got[0] != want {
				t.Errorf("%s: behind %d jobs the victim starts at %d, want %d", tt.order.Name, n, got[0], want)
			}
			for i, j := range jobs[1:] {
				if got[i+1] != j.Submit {
					t.Errorf("%s: job %d starts at %d, submitted at %d", tt.order.Name, j.ID, got[i+1], j.Submit)
				}
			}
		}
	}
}

// linker is the campaign of thesis figure 5.3 with times of our own, since those
// are in the lost figure: 4 and 5 end before 3, and only 6 links 7 to the rest.
func linker() []sim.Job {
	var log []sim.Job
	for i, l := range [][3]ostrich.Time{{0, 0, 3}, {1, 2, 6}, {4, 5, 12}, {5, 6, 8}, {7, 8, 10}, {11, 11, 16}, {14, 15, 18}} {
		run := ostrich.Duration(l[2] - l[1])
		log = append(log, sim.Job{
			ID: ostrich.JobID(i + 1), User: 1, Submit: l[0], Run: run, Estimate: run, Procs: 1,
			Start: l[1],
		})
	}
	return log
}

// TestFigure53: seven jobs are one campaign by MAX. Without job 6 there would be
// two, jobs 1 to 5 and job 7 (thesis 5.4.2).
func TestFigure53(t *testing.T) {
	ids := func(log []sim.Job) (list [][]ostrich.JobID) {
		for _, c := range mustCampaigns(t, log) {
			var jobs []ostrich.JobID
			for _, task := range c.Jobs {
				jobs = append(jobs, task.ID)
			}
			list = append(list, jobs)
		}
		return list
	}
	log := linker()
	if diff := gocmp.Diff([][]ostrich.JobID{{1, 2, 3, 4, 5, 6, 7}}, ids(log)); diff != "" {
		t.Error("campaigns -want +got\n", diff)
	}
	if diff := gocmp.Diff([][]ostrich.JobID{{1, 2, 3, 4, 5}, {7}}, ids(slices.Concat(log[:5], log[6:]))); diff != "" {
		t.Error("without job 6: -want +got\n", diff)
	}
	// After 4 and 5 the latest end is still that of 3: a job that comes after
	// their ends but before that one belongs to the campaign.
	late := log[5]
	late.Submit, late.Start = 11, 11
	if diff := gocmp.Diff([][]ostrich.JobID{{1, 2, 3, 4, 5, 6}}, ids(append(slices.Clone(log[:5]), late))); diff != "" {
		t.Error("job 6 between the ends: -want +got\n", diff)
	}
}

// TestFigure54: each job of that campaign depends on those that had ended by its
// submission. The thesis' edges are lost with the figure; these are by hand:
// 1→3, 1→4, 1→5, 2→5, 4→6, 5→6, 3→7, 4→7, 5→7 after transitive reduction.
func TestFigure54(t *testing.T) {
	depends := mustCampaigns(t, linker())[0].Depends
	if diff := gocmp.Diff([]int32{0, 0, 1, 1, 2, 4, 5}, depends.Needs); diff != "" {
		t.Error("needs -want +got\n", diff)
	}
	if diff := gocmp.Diff([]int32{3, 1, 1, 2, 2, 0, 0}, depends.Successors); diff != "" {
		t.Error("successors -want +got\n", diff)
	}
}

// TestFigures61And62 tell the story of thesis 6.1.1 with sizes of our own, on 6
// processors. Dark gray (1) and medium gray (2) are there at 0. Light gray (3)
// comes when a virtual schedule of all processors has completed dark gray, whose
// jobs leave two processors idle. A small campaign of medium gray comes before the
// virtual completion of light gray: with all processors in the virtual schedule
// it waits for light gray, with those that are really busy it goes first.
func TestFigures61And62(t *testing.T) {
	const s = 10 // a unit of time, so that the small campaign can come at 15.5
	wide := func(procs int, p ostrich.Duration) sim.Job {
		return sim.Job{ID: 1, Procs: procs, Run: p * s, Estimate: p * s}
	}
	campaigns := []sim.Campaign{
		sim.NewCampaign(2, 0, 0, wide(6, 2)),
		sim.NewCampaign(1, 0, 0, wide(4, 3), wide(4, 3), wide(4, 3), wide(4, 3), wide(4, 3)),
		sim.NewCampaign(3, 12*s, 0, wide(4, 3), wide(4, 3)),
		sim.NewCampaign(2, 15*s+s/2, 0, wide(4, 1)),
	}
	for _, tt := range []struct {
		machine ostrich.Machine
		ends    []ostrich.Time // in units
		stretch float64        // of the small campaign
	}{
		{ostrich.Sequential, []ostrich.Time{2, 17, 23, 24}, 8.5},
		{ostrich.Parallel, []ostrich.Time{2, 17, 24, 18}, 2.5},
	} {
		ran := report.Campaigns(mustRun(t, sim.Machine{
			Procs: 6, Open: true, Inside: ostrich.LJF, Backfill: sim.Greedy,
			Policy: sim.OStrich(ostrich.Options{Machine: tt.machine, Inside: ostrich.LJF, Gate: ostrich.Off}),
		}, campaigns))
		var ends []ostrich.Time
		for _, c := range ran {
			ends = append(ends, c.End/s)
		}
		if diff := gocmp.Diff(tt.ends, ends); diff != "" {
			t.Errorf("%v: ends -want +got\n%s", tt.machine, diff)
		}
		if got := ran[3].Stretch(6); got != tt.stretch {
			t.Errorf("%v: the small campaign has a stretch of %v, want %v", tt.machine, got, tt.stretch)
		}
	}
}
