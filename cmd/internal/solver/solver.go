// Package solver lets cbc, if it is installed, order a queue, behind the interface of
// ostrich/optimal. It reads the linear programme from a file and is ended, with all
// that it has started, when its time is up.
package solver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/ostrich/optimal"
)

// Names lists the solvers: the own one, and the program.
var Names = []string{"own", program}

const program = "cbc"

// ErrFailed says that the program is not installed, failed, or answered with what is
// no answer. The schedule that comes with it is EASY's.
var ErrFailed = errors.New("EASY's schedule stands")

// New returns the solver of a name. cbc gets the linear programme in a
// formulation and so much time, and is ended when ctx is. The own solver needs
// neither: its budget says when it ends.
func New(ctx context.Context, name string, f optimal.Formulation, limit time.Duration) (optimal.Solver, error) {
	i, err := console.Named[uint8](Names, name)
	switch {
	case err != nil:
		return nil, err
	case i == 0:
		return optimal.Own{}, nil
	case limit <= 0:
		return nil, fmt.Errorf("%s: a time limit of %v", name, limit)
	}
	return &cbc{ctx: ctx, formulation: f, limit: min(limit, longest), grace: 5 * time.Second}, nil
}

// longest is the longest time limit: with what is added to it, it is still a time.
const longest = 100 * 365 * 24 * time.Hour

// cbc is the solver of COIN-OR.
type cbc struct {
	ctx         context.Context
	formulation optimal.Formulation
	limit       time.Duration
	grace       time.Duration // beyond the limit, before it is killed
}

// Solve implements [optimal.Solver]. Of the budget it heeds Stop, and Nodes only if
// they are 0. An [ErrFailed] comes with EASY's schedule.
func (c *cbc) Solve(in *optimal.Instance, o optimal.Objective, b optimal.Budget) (optimal.Result, error) {
	easy, err := optimal.Listed(in, o, nil)
	if err != nil || b.Nodes == 0 || len(in.Jobs) == 0 {
		return easy, err
	}
	m, err := optimal.NewModel(in, o, c.formulation)
	if err != nil {
		return easy, err
	}
	a, err := c.run(m, b.Stop)
	r := easy
	if err == nil {
		r, err = optimal.Listed(in, o, a.starts)
	}
	if err != nil {
		return easy, fmt.Errorf("%s: %w; %w", program, err, ErrFailed)
	}
	// It computes with a tolerance: what is optimal must also be so when
	// the jobs are listed.
	const tolerance = 1e-5
	r.Bound = min(r.Value, max(r.Bound, a.bound))
	if a.optimal && r.Value <= a.bound+tolerance*(1+a.bound) {
		r.Bound, r.Optimal = r.Value, true
	}
	return r, nil
}

func (c *cbc) run(m *optimal.Model, stop func() bool) (a answer, err error) {
	dir, err := os.MkdirTemp("", "ostrich-solver-")
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	// It goes by the end of the name.
	model, solution := filepath.Join(dir, "model.lp"), filepath.Join(dir, "solution")
	f, err := os.Create(model)
	if err != nil {
		return a, err
	}
	if err = errors.Join(m.WriteLP(f), f.Close()); err != nil {
		return a, err
	}
	seconds := max(1, int((c.limit+time.Second-1)/time.Second))
	printed, err := c.execute([]string{
		model, "-timeMode", "elapsed", "-sec", strconv.Itoa(seconds), "-ratioGap", "0", "-allowableGap", "0", "-solve", "-solution", solution,
	}, stop)
	if err != nil {
		return a, err
	}
	text, err := readFile(solution)
	if err != nil {
		return a, fmt.Errorf("it wrote no solution: %s", lastLine(printed))
	}
	return parse(m, printed, text)
}
