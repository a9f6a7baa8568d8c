// Package solver lets programs that are installed, cbc and glpsol, order a queue,
// behind the interface of ostrich/optimal. They read the linear programme from a file
// and are ended, with all that they have started, when their time is up.
package solver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/ostrich/optimal"
)

// Names lists the solvers: the own one, and the programs.
var Names = []string{"own", "cbc", "glpsol"}

// ErrFailed says that a program is not installed, failed, or answered with what is
// no answer. The schedule that comes with it is EASY's.
var ErrFailed = errors.New("EASY's schedule stands")

// New returns the solver of a name. A program gets the linear programme in a
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
	return &program{ctx: ctx, kind: kinds[i-1], formulation: f, limit: limit, grace: 5 * time.Second}, nil
}

// program is a solver that is installed.
type program struct {
	ctx         context.Context
	kind        kind
	formulation optimal.Formulation
	limit       time.Duration
	grace       time.Duration // beyond the limit, before it is killed
}

// kind is how one program is called and answers.
type kind struct {
	name      string
	arguments func(model, solution string, seconds int) []string
	write     func(*optimal.Model, io.Writer) error
	parse     func(m *optimal.Model, printed, solution []byte) (answer, error)
}

var kinds = []kind{
	{
		name: "cbc",
		arguments: func(model, solution string, seconds int) []string {
			return []string{model, "-timeMode", "elapsed", "-sec", strconv.Itoa(seconds), "-ratioGap", "0", "-allowableGap", "0", "-solve", "-solution", solution}
		},
		write: (*optimal.Model).WriteLP,
		parse: parseCBC,
	},
	{
		name: "glpsol",
		arguments: func(model, solution string, seconds int) []string {
			return []string{"--freemps", model, "--tmlim", strconv.Itoa(seconds), "--write", solution}
		},
		// It numbers the columns in the order of the file, which for MPS is the model's.
		write: (*optimal.Model).WriteMPS,
		parse: parseGLPSOL,
	},
}

// Solve implements [optimal.Solver]. Of the budget it heeds Stop, and Nodes only if
// they are 0. An [ErrFailed] comes with EASY's schedule.
func (p *program) Solve(in *optimal.Instance, o optimal.Objective, b optimal.Budget) (optimal.Result, error) {
	easy, err := optimal.Listed(in, o, nil)
	if err != nil || b.Nodes == 0 || len(in.Jobs) == 0 {
		return easy, err
	}
	m, err := optimal.NewModel(in, o, p.formulation)
	if err != nil {
		return easy, err
	}
	a, err := p.run(m, b.Stop)
	r := easy
	if err == nil {
		r, err = optimal.Listed(in, o, a.starts)
	}
	if err != nil {
		return easy, fmt.Errorf("%s: %w; %w", p.kind.name, err, ErrFailed)
	}
	// The programs compute with a tolerance: what is optimal must also be so when
	// the jobs are listed.
	const tolerance = 1e-5
	r.Bound = min(r.Value, max(r.Bound, a.bound))
	if a.optimal && r.Value <= a.bound+tolerance*(1+a.bound) {
		r.Bound, r.Optimal = r.Value, true
	}
	return r, nil
}

// run writes the model, runs the program on it and reads its answer.
func (p *program) run(m *optimal.Model, stop func() bool) (a answer, err error) {
	dir, err := os.MkdirTemp("", "ostrich-solver-")
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	// cbc goes by the end of the name, glpsol by its option.
	model, solution := filepath.Join(dir, "model.lp"), filepath.Join(dir, "solution")
	f, err := os.Create(model)
	if err != nil {
		return a, err
	}
	if err = errors.Join(p.kind.write(m, f), f.Close()); err != nil {
		return a, err
	}
	seconds := max(1, int((p.limit+time.Second-1)/time.Second))
	printed, err := p.execute(p.kind.arguments(model, solution, seconds), stop)
	if err != nil {
		return a, err
	}
	text, err := readFile(solution)
	if err != nil {
		return a, fmt.Errorf("it wrote no solution: %s", lastLine(printed))
	}
	return p.kind.parse(m, printed, text)
}
