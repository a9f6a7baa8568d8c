package optimal_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/optimal"
	"slurm-ostrich/ostrich/sim"
)

// drawInstance draws an instance of at most so many jobs, on few processors so that
// jobs get into one another's way.
func drawInstance(most int) *rapid.Generator[optimal.Instance] { return drawSized(0, most) }

func drawSized(least, most int) *rapid.Generator[optimal.Instance] {
	return rapid.Custom(func(t *rapid.T) optimal.Instance {
		in := optimal.Instance{Procs: rapid.IntRange(1, 6).Draw(t, "m")}
		length := rapid.IntRange(1, 12)
		for left := in.Procs; left > 0 && rapid.Bool().Draw(t, "another runs"); {
			r := optimal.Running{Procs: rapid.IntRange(1, left).Draw(t, "q"), Left: ostrich.Duration(length.Draw(t, "left"))}
			left -= r.Procs
			in.Running = append(in.Running, r)
		}
		for range rapid.IntRange(1, 3).Draw(t, "campaigns") {
			in.Campaigns = append(in.Campaigns, optimal.Campaign{
				Age:   ostrich.Duration(rapid.IntRange(0, 20).Draw(t, "age")),
				Until: ostrich.Duration(rapid.IntRange(0, 9).Draw(t, "until")),
				Least: rapid.Float64Range(0.5, 20).Draw(t, "least"),
			})
		}
		for i := range rapid.IntRange(least, most).Draw(t, "n") {
			in.Jobs = append(in.Jobs, optimal.Job{
				ID:       ostrich.JobID(i + 1),
				Procs:    rapid.IntRange(1, in.Procs).Draw(t, "q"),
				Length:   ostrich.Duration(length.Draw(t, "p")),
				Due:      ostrich.Duration(rapid.IntRange(-3, 25).Draw(t, "d")),
				Weight:   int64(rapid.IntRange(0, 4).Draw(t, "w")),
				Campaign: rapid.IntRange(0, len(in.Campaigns)-1).Draw(t, "campaign"),
			})
		}
		return in
	})
}

// TestEASY and conservative backfilling are compared with the simulator, to which all jobs
// are submitted at once: those that run come first, and fit.
func TestEASY(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInstance(12).Draw(t, "instance")
		if len(in.Jobs) == 0 {
			return
		}
		var jobs []sim.Job
		for _, r := range in.Running {
			jobs = append(jobs, sim.Job{ID: 100, Run: r.Left, Estimate: r.Left, Procs: r.Procs})
		}
		for i := range in.Jobs {
			j := &in.Jobs[i]
			jobs = append(jobs, sim.Job{ID: j.ID, Run: j.Length, Estimate: j.Length, Procs: j.Procs})
		}
		for backfill, of := range map[sim.Backfill]func(*optimal.Instance) []ostrich.Duration{sim.EASY: optimal.EASY, sim.Conservative: optimal.Conservative} {
			starts, err := sim.Machine{Procs: in.Procs, Backfill: backfill}.Replay(jobs)
			if err != nil {
				t.Fatal(err)
			}
			var want []ostrich.Duration
			for _, s := range starts[len(in.Running):] {
				want = append(want, ostrich.Duration(s))
			}
			if diff := cmp.Diff(want, of(&in)); diff != "" {
				t.Errorf("%v (-simulator +here):\n%s", backfill, diff)
			}
		}
	})
}
