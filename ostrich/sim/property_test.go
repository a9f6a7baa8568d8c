package sim_test

import (
	"cmp"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
)

// drawPolicy draws any policy and backfilling for a loop.
func drawPolicy(t *rapid.T) sim.Machine {
	l, _ := drawLoop(t)
	switch rapid.IntRange(0, 3).Draw(t, "policy") {
	case 0:
		l.Policy = nil
	case 1:
		l.Policy = sim.FCFSCampaigns
	default:
	}
	l.Backfill = rapid.SampledFrom([]sim.Backfill{sim.None, sim.EASY, sim.Greedy, sim.Conservative, sim.Slurm}).Draw(t, "any backfill")
	if l.Backfill == sim.Slurm {
		l.Scheduler = drawScheduler(t)
	}
	return l
}

// drawLimits lets some jobs outlive their estimates.
func drawLimits(t *rapid.T, campaigns []sim.Campaign) {
	if !rapid.Bool().Draw(t, "outlive estimates") {
		return
	}
	for i := range campaigns {
		for _, task := range campaigns[i].Jobs {
			task.Estimate = max(1, task.Estimate-ostrich.Duration(rapid.IntRange(0, 6).Draw(t, "less")))
		}
	}
}

// TestLoopProperties: every job runs once and whole, on processors that are
// there, after what it depends on, in the closed loop of its user.
func TestLoopProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawPolicy(t)
		log := drawLog(t, l.Procs, false)
		campaigns := mustCampaigns(t, log)
		drawLimits(t, campaigns)
		if rapid.Bool().Draw(t, "tiers") {
			for i := range campaigns {
				for k := range campaigns[i].Jobs {
					campaigns[i].Jobs[k].Tier = rapid.Int32Range(0, 2).Draw(t, "tier")
				}
			}
		}
		l.Kill = rapid.Bool().Draw(t, "kill")
		told := 0
		l.Progress = func(ended, jobs int) {
			if told = ended; jobs != len(log) {
				t.Fatalf("%d jobs of %d", jobs, len(log))
			}
		}
		jobs := mustRun(t, l, campaigns)
		if told != len(log) {
			t.Fatalf("at the end %d jobs of %d had ended", told, len(log))
		}
		if diff := gocmp.Diff(jobs, mustRun(t, l, campaigns)); diff != "" {
			t.Fatal("a second time it is another schedule\n", diff)
		}
		// Any change of the load happens at a start.
		for _, at := range jobs {
			busy := 0
			for _, j := range jobs {
				if j.Start <= at.Start && at.Start < j.End {
					busy += j.Procs
				}
			}
			if busy > l.Procs {
				t.Fatalf("%d of %d processors are busy at %d", busy, l.Procs, at.Start)
			}
		}
		logged := make(map[ostrich.JobID]sim.Job)
		for _, j := range log {
			logged[j.ID] = j
		}
		last := make(map[ostrich.UserID]ostrich.Time) // end of the latest campaign
		for n, c := range campaigns {
			own := jobs[:len(c.Jobs)]
			jobs = jobs[len(c.Jobs):]
			submit := c.Submit
			if end, ok := last[c.User]; ok && !l.Open {
				submit = end + ostrich.Time(c.Think)
			}
			for i, task := range c.Jobs {
				j, was := own[i], logged[task.ID]
				lasts := was.Run
				if l.Kill {
					lasts = min(lasts, task.Estimate)
				}
				if j.ID != task.ID || j.User != was.User || j.Campaign != n || j.Procs != was.Procs ||
					j.End-j.Start != ostrich.Time(lasts) || j.Killed != (lasts < was.Run) || j.Estimate != task.Estimate {
					t.Fatalf("job %d ran as %+v", task.ID, j)
				}
				earliest := submit
				if l.Offsets {
					earliest += task.Submit - c.Submit
				}
				if l.Dependencies {
					for k, other := range c.Jobs {
						if w := logged[other.ID]; w.Start+ostrich.Time(w.Run) <= was.Submit {
							earliest = max(earliest, own[k].End)
						}
					}
				}
				if j.Submit != earliest || j.Start < earliest {
					t.Fatalf("job %d is ready at %d and starts at %d, and could not be ready before %d", task.ID, j.Submit, j.Start, earliest)
				}
			}
			last[c.User] = slices.MaxFunc(own, func(a, b report.Job) int { return cmp.Compare(a.End, b.End) }).End
		}
	})
}

// A recorder writes down what a schedule is told.
type recorder struct {
	schedule
	events []ostrich.Event
}

// schedule is all that the loop knows of one.
type schedule interface {
	sim.CampaignRanker
	sim.Waker
	StageOf(id ostrich.JobID) (int, bool)
}

func (r *recorder) Step(e ostrich.Event) error {
	r.events = append(r.events, e)
	return r.schedule.Step(e)
}

// TestLoopAsDaemon: the events of a replay, put in the order in which the
// daemon takes them, lead to the same schedule.
func TestLoopAsDaemon(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, o := drawLoop(t)
		log := drawLog(t, l.Procs, false)
		o.Procs, o.Rule = l.Procs, campaign.Rule{By: campaign.Groups}
		var r recorder
		l.Policy = func(m int) (sim.Ranker, error) {
			s, err := sim.OStrich(o)(m)
			r.schedule = s.(schedule) // or there is no point in going on
			return &r, err
		}
		mustRun(t, l, mustCampaigns(t, log))
		cut := rapid.IntRange(0, len(r.events)).Draw(t, "cut")
		for cut > 0 && cut < len(r.events) && r.events[cut].At == r.events[cut-1].At {
			cut++ // whole seconds
		}
		events := slices.Clone(r.events[:cut])
		slices.SortFunc(events, ostrich.Compare)
		told, taken := mustSchedule(t, o, r.events[:cut]), mustSchedule(t, o, events)
		if diff := gocmp.Diff(told.Campaigns(), taken.Campaigns()); diff != "" {
			t.Fatal("campaigns told - taken +\n", diff)
		}
		if diff := gocmp.Diff(told.Users(), taken.Users()); diff != "" {
			t.Fatal("users told - taken +\n", diff)
		}
		if diff := gocmp.Diff(told.Order(), taken.Order()); diff != "" {
			t.Fatal("order told - taken +\n", diff)
		}
	})
}

func mustSchedule(t rapid.TB, o ostrich.Options, events []ostrich.Event) *ostrich.Schedule {
	t.Helper()
	s, err := ostrich.New(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if err := s.Step(e); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// TestPieces: a log is cut where nothing ran and nothing was submitted for
// long enough; who was queued before goes on behind.
func TestPieces(t *testing.T) {
	job := func(id ostrich.JobID, submit, start ostrich.Time, run ostrich.Duration) sim.Job {
		return sim.Job{ID: id, User: 1, Submit: submit, Run: run, Estimate: run, Procs: 1, Start: start}
	}
	log := []sim.Job{
		job(1, 0, 0, 10),
		job(2, 5, 130, 7), // queued over the downtime from 10 to 120
		job(3, 120, 120, 10),
		job(4, 230, 230, 1), // 93 s after the end of job 2
	}
	moved := job(2, 120, 130, 7)
	for _, tt := range []struct {
		quiet ostrich.Duration
		want  [][]sim.Job
	}{
		{93, [][]sim.Job{{log[0]}, {moved, log[2]}, {log[3]}}},
		{94, [][]sim.Job{{log[0]}, {moved, log[2], log[3]}}},
		{110, [][]sim.Job{{log[0]}, {moved, log[2], log[3]}}},
		{111, [][]sim.Job{log}},
		{0, [][]sim.Job{{log[0]}, {moved, log[2]}, {log[3]}}},
	} {
		if diff := gocmp.Diff(tt.want, sim.Pieces(log, tt.quiet)); diff != "" {
			t.Errorf("quiet for %d s: -want +got\n%s", tt.quiet, diff)
		}
	}
	if got := sim.Pieces(nil, 1); got != nil {
		t.Errorf("of nothing: %v", got)
	}
}

// TestGreedyJumps: what fits starts, whatever waits in front of it.
func TestGreedyJumps(t *testing.T) {
	jobs := []sim.Job{
		{ID: 1, Submit: 0, Procs: 3, Run: 10, Estimate: 10},
		{ID: 2, Submit: 1, Procs: 4, Run: 1, Estimate: 1},
		{ID: 3, Submit: 2, Procs: 2, Run: 1, Estimate: 1},
		{ID: 4, Submit: 3, Procs: 1, Run: 20, Estimate: 20},
	}
	for backfill, want := range map[sim.Backfill][]ostrich.Time{
		sim.None: {0, 10, 11, 11}, sim.EASY: {0, 10, 11, 11}, sim.Greedy: {0, 23, 10, 3},
	} {
		got, err := sim.Machine{Procs: 4, Backfill: backfill}.Replay(jobs)
		if diff := gocmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v, -want +got\n%s", sim.BackfillNames[backfill], err, diff)
		}
	}
}
