package optimal

import (
	"fmt"
	"slices"

	"slurm-ostrich/ostrich"
)

// Formulation says how a queue is written as a linear programme.
type Formulation uint8

const (
	// Compact knows how many processors pass from job to job, not which. It is
	// the zero value.
	Compact Formulation = iota
	// Paper is that of equations 6 to 19: x says which job runs on which
	// processor.
	Paper
)

// FormulationNames lists the formulations in the order of their constants.
var FormulationNames = []string{"compact", "paper"}

// NewModel writes an instance and an objective as a linear programme. In both
// formulations t_j is the start of a job (equation 12), and y_jk is 1 if job j
// ends before job k starts (equation 11).
func NewModel(in *Instance, o Objective, f Formulation) (*Model, error) {
	if err := o.Check(in); err != nil {
		return nil, err
	}
	m := &milp{Model: &Model{}, in: in, big: float64(bigM(in))}
	switch f {
	case Compact:
		m.starts()
		m.flows()
	case Paper:
		m.assignments()
	default:
		return nil, fmt.Errorf("optimal: formulation number %d is not known: %w", f, ErrInstance)
	}
	m.aim(o)
	return m.Model, nil
}

// milp is a model in the making.
type milp struct {
	*Model
	in  *Instance
	big float64
	y   [][]int // columns, but on the diagonal
}

// bigM is Q, larger than the end of every schedule in which some job starts as soon
// as another one ends (equation 13).
func bigM(in *Instance) ostrich.Duration {
	q := ostrich.Duration(0)
	for _, r := range in.Running {
		q = max(q, r.Left)
	}
	for i := range in.Jobs {
		q += in.Jobs[i].Length
	}
	return q + 1
}

// starts adds the columns t and y, and the rows of equations 17 and 18.
func (m *milp) starts() {
	n := len(m.in.Jobs)
	m.y = make([][]int, n)
	for j := range n {
		m.y[j] = make([]int, n)
		for k := range n {
			if j != k {
				m.y[j][k] = m.column(name("y", j, k), 0, true)
			}
		}
	}
	for j := range n {
		m.Starts = append(m.Starts, m.column(name("t", j), 0, false))
	}
	for j := range n {
		for k := range n {
			if j > k { // for j < k it is the same row
				m.row(name("e17", j, k), AtMost, 1, Term{m.y[j][k], 1}, Term{m.y[k][j], 1})
			}
			if j != k {
				m.row(name("e18", j, k), AtLeast, float64(m.in.Jobs[j].Length)-m.big,
					Term{m.Starts[k], 1}, Term{m.Starts[j], -1}, Term{m.y[j][k], -m.big})
			}
		}
	}
}

// assignments adds x and the rows of equations 15, 16 and 19.
func (m *milp) assignments() {
	n := len(m.in.Jobs)
	available := make([]ostrich.Duration, 0, m.in.Procs) // a_i
	for _, r := range m.in.Running {
		available = append(available, slices.Repeat([]ostrich.Duration{r.Left}, r.Procs)...)
	}
	available = append(available, make([]ostrich.Duration, m.in.Procs-len(available))...)
	x := make([][]int, m.in.Procs)
	for i := range x {
		x[i] = make([]int, n)
		for j := range n {
			x[i][j] = m.column(name("x", i, j), 0, true)
		}
	}
	m.starts()
	for j := range n {
		var on []Term
		for i := range x {
			on = append(on, Term{x[i][j], 1})
		}
		m.row(name("e15", j), Equal, float64(m.in.Jobs[j].Procs), on...)
	}
	for i := range x {
		for j := range n {
			for k := range j {
				m.row(name("e16", i, j, k), AtMost, 1,
					Term{x[i][j], 1}, Term{x[i][k], 1}, Term{m.y[j][k], -1}, Term{m.y[k][j], -1})
			}
			m.row(name("e19", j, i), AtLeast, float64(available[i])-m.big, Term{m.Starts[j], 1}, Term{x[i][j], -m.big})
		}
	}
}

// flows lets each job receive its processors from those before it, or from a source:
// processors that become free together. It passes on no more than it has.
func (m *milp) flows() {
	n := len(m.in.Jobs)
	var sources profile // at: when, free: how many more than before
	before := 0
	for _, s := range newProfile(m.in) {
		if s.free > before {
			sources = append(sources, step{s.at, s.free - before})
			before = s.free
		}
	}
	into := make([][]Term, n)
	for s, source := range sources {
		var out []Term
		for j := range n {
			t := &m.in.Jobs[j]
			f := m.column(name("g", s, j), 0, false)
			z := m.column(name("z", s, j), 0, true)
			m.row(name("takes", s, j), AtMost, 0, Term{f, 1}, Term{z, -float64(min(source.free, t.Procs))})
			m.row(name("waits", s, j), AtLeast, 0, Term{m.Starts[j], 1}, Term{z, -float64(source.at)})
			out = append(out, Term{f, 1})
			into[j] = append(into[j], Term{f, 1})
		}
		if n > 0 {
			m.row(name("source", s), AtMost, float64(source.free), out...)
		}
	}
	for j := range n {
		var out []Term
		for k := range n {
			if j == k {
				continue
			}
			f := m.column(name("f", j, k), 0, false)
			m.row(name("passes", j, k), AtMost, 0, Term{f, 1}, Term{m.y[j][k], -float64(min(m.in.Jobs[j].Procs, m.in.Jobs[k].Procs))})
			out = append(out, Term{f, 1})
			into[k] = append(into[k], Term{f, 1})
		}
		if len(out) > 0 {
			m.row(name("has", j), AtMost, float64(m.in.Jobs[j].Procs), out...)
		}
	}
	for j := range n {
		m.row(name("needs", j), Equal, float64(m.in.Jobs[j].Procs), into[j]...)
	}
}

// aim adds the objective (equation 14).
func (m *milp) aim(o Objective) {
	switch o {
	case SumU, SumT:
		for j := range m.in.Jobs {
			t := &m.in.Jobs[j]
			if o == SumU {
				late := m.column(name("u", j), float64(t.weight()), true)
				m.row(name("late", j), AtMost, float64(t.Due), Term{m.Starts[j], 1}, Term{late, -m.big - float64(max(0, -t.Due))})
			} else {
				late := m.column(name("late", j), float64(t.weight()), false)
				m.row(name("by", j), AtLeast, -float64(t.Due), Term{late, 1}, Term{m.Starts[j], -1})
			}
		}
	case Cmax:
		end := m.column("c", 1, false)
		for j := range m.in.Jobs {
			m.row(name("ends", j), AtLeast, float64(m.in.Jobs[j].Length), Term{end, 1}, Term{m.Starts[j], -1})
		}
	case SumStretch, MaxStretch:
		m.stretches(o)
	}
}

// stretches adds the stretch of each campaign that has a job in the queue, or the
// largest one.
func (m *milp) stretches(o Objective) {
	columns := make([]int, len(m.in.Campaigns))
	most := -1
	if o == MaxStretch {
		most = m.column("stretch", 1, false)
	}
	for j := range m.in.Jobs {
		t := &m.in.Jobs[j]
		c := &m.in.Campaigns[t.Campaign]
		if columns[t.Campaign] == 0 {
			columns[t.Campaign] = most
			if o == SumStretch {
				columns[t.Campaign] = m.column(name("stretch", t.Campaign), 1, false)
			}
			m.row(name("runs", t.Campaign), AtLeast, float64(c.Age+c.Until)/c.Least, Term{columns[t.Campaign], 1})
		}
		m.row(name("ends", j), AtLeast, float64(c.Age+t.Length), Term{columns[t.Campaign], c.Least}, Term{m.Starts[j], -1})
	}
}
