package replay

import (
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/optimal"
	"slurm-ostrich/ostrich/satisfaction"
	"slurm-ostrich/ostrich/sim"
)

// horizonOptions are the options of policy horizon, in the words of a command line.
type horizonOptions struct {
	length, budget time.Duration
	nodes          int64
	objective      string
}

// planned are the objectives for which a queue can be planned: a plan knows no
// campaigns.
var planned = optimal.ObjectiveNames[:optimal.Cmax+1]

// flags returns the options. They fill h.
func (h *horizonOptions) flags() []cli.Flag {
	return []cli.Flag{
		&cli.DurationFlag{Name: "horizon", Usage: "`TIME` that a planning horizon lasts; 0s: until all that was planned in it has ended", Value: time.Hour, Destination: &h.length},
		&cli.DurationFlag{Name: "horizon-budget", Usage: "`TIME` that planning a horizon may take; with 0s it goes as under fcfs with EASY backfilling", Value: 100 * time.Millisecond, Destination: &h.budget},
		&cli.Int64Flag{Name: "horizon-nodes", Usage: "`NUMBER` of schedules to look at in planning a horizon, which gives the same result on every machine", DefaultText: "no limit", Destination: &h.nodes},
		&cli.StringFlag{Name: "objective", Usage: "what planning makes small: `OBJECTIVE` is " + console.List(planned), Value: planned[0], Destination: &h.objective},
	}
}

// horizon returns what the options say, for the waits that users accept.
func (h *horizonOptions) horizon(accept satisfaction.Acceptance, given func(option string) bool) (sim.Horizon, error) {
	plan := sim.Optimise{Solver: optimal.Own{}, Accept: accept}
	var bad faults
	plan.Objective = named[optimal.Objective](&bad, "objective", planned, h.objective)
	length := ostrich.Duration(h.length / time.Second)
	if length < 0 || h.length%time.Second != 0 {
		bad.note("horizon", fmt.Errorf("%v: whole seconds", h.length))
	}
	if h.budget < 0 {
		bad.note("horizon-budget", fmt.Errorf("%v: below 0", h.budget))
	}
	if h.nodes < 0 {
		bad.note("horizon-nodes", fmt.Errorf("%d: below 0", h.nodes))
	}
	switch nodes, limit := h.nodes, h.budget; {
	case given("horizon-nodes"):
		if given("horizon-budget") {
			bad = append(bad, errors.New("--horizon-nodes and --horizon-budget limit the same: give one of them"))
		}
		plan.Budget = func() optimal.Budget { return optimal.Budget{Nodes: nodes} }
	case limit > 0:
		plan.Budget = func() optimal.Budget {
			end := time.Now().Add(limit)
			return optimal.Budget{Nodes: optimal.Unlimited, Stop: func() bool { return time.Now().After(end) }}
		}
	}
	return sim.Horizon{Length: length, Plan: plan.Plan}, errors.Join(bad...)
}
