package sweep

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/yamlfile"
)

// MaxPoints is the most points that a file may stand for, before those that cannot
// be simulated are left out.
const MaxPoints = 100_000

// Point is one simulation.
type Point struct {
	Trace   int // which of the file's
	Seed    uint64
	Seeded  bool     // the trace is generated, from Seed
	Options []Option // of simulate, that mean something here, in the order of the axes
}

// Option returns the value of an option, or "" if the point does not have it.
func (p *Point) Option(name string) string {
	for _, o := range p.Options {
		if o.Name == name {
			return o.Value
		}
	}
	return ""
}

// Grid is all points of a file, and what was left out of it.
type Grid struct {
	Points []Point
	Notes  []string
}

// Idle is an option that has no effect beside the others, and why.
type Idle struct{ Option, Why string }

// Meaning says what options mean.
type Meaning interface {
	// Canonical returns the one spelling of a value, or why it is invalid.
	Canonical(o Option) (string, error)

	// Judge checks options together, one of each axis, for a generated trace or
	// for a log. It returns those that have no effect beside the others, or an
	// error if what they ask for cannot be simulated. The answer depends on the
	// arguments only.
	Judge(generated bool, o []Option) ([]Idle, error)
}

// Expand lists the points of a file. The trace varies slowest, then the seed,
// the policy, backfill, replay and the parameters in their order, the last one
// fastest.
//
// A log has no seed. Options that mean nothing in a point are left out of it,
// and of points that are then the same one remains. Combinations that cannot be
// simulated are left out. Notes count all this. A value that ends up in no
// point, and one that is there twice, is an error that names the line.
func (f *File) Expand(m Meaning) (*Grid, error) {
	if err := f.values(m); err != nil {
		return nil, err
	}
	if err := f.size(); err != nil {
		return nil, err
	}
	e := expansion{file: f, grid: &Grid{}, used: make([][]bool, len(f.Axes)), unfit: make([][][]string, len(f.Axes))}
	for i, a := range f.Axes {
		e.used[i], e.unfit[i] = make([]bool, len(a.Values)), make([][]string, len(a.Values))
	}
	e.expand(m)
	var errs []error
	for i, a := range f.Axes {
		for k, v := range a.Values {
			if !e.used[i][k] {
				errs = append(errs, yamlfile.At(f.Name, v.Line, "%s %s is in no point: %s", a.Option, v.Text, strings.Join(e.unfit[i][k], "; ")))
			}
		}
	}
	return e.grid, errors.Join(errs...)
}

// values checks each value by itself.
func (f *File) values(m Meaning) error {
	var errs []error
	for _, a := range f.Axes {
		seen := make(map[string]Value)
		for _, v := range a.Values {
			text, err := m.Canonical(Option{a.Option, v.Text, v.Line})
			first, twice := seen[text]
			switch {
			case err != nil:
				errs = append(errs, yamlfile.At(f.Name, v.Line, "%w", err))
				continue
			case twice && first.Text == v.Text:
				errs = append(errs, yamlfile.At(f.Name, v.Line, "%s %s: is in line %d already", a.Option, v.Text, first.Line))
			case twice:
				errs = append(errs, yamlfile.At(f.Name, v.Line, "%s %s: is %s, which is in line %d already", a.Option, v.Text, first.Text, first.Line))
			}
			seen[text] = v
		}
	}
	return errors.Join(errs...)
}

func (f *File) size() error {
	runs := 0
	for _, t := range f.Traces {
		if runs++; t.Generate != "" {
			runs += len(f.Seeds) - 1
		}
	}
	n := runs
	for _, a := range f.Axes {
		if n *= len(a.Values); n > MaxPoints {
			return fmt.Errorf("%s: more than %d points", f.Name, MaxPoints)
		}
	}
	return nil
}

// tally counts notes by their text, in the order in which they came up.
type tally struct {
	texts  []string
	counts map[string]int
}

func (t *tally) add(text string) {
	if t.counts == nil {
		t.counts = make(map[string]int)
	}
	if t.counts[text] == 0 {
		t.texts = append(t.texts, text)
	}
	t.counts[text]++
}

// expansion is a grid in the making.
type expansion struct {
	file  *File
	grid  *Grid
	used  [][]bool     // of each axis and value: some point has it
	unfit [][][]string // the first reasons why combinations do not
	idle  tally        // options left out, by why
	wrong tally        // combinations left out, by why
}

// combination is a point of every trace and seed.
type combination struct {
	options []Option
	idle    []Idle
}

// options are the combinations of options for one kind of trace.
type options struct {
	combinations []combination // that can be simulated
	wrong        []string      // of each other one, why it does not
}

func (e *expansion) expand(m Meaning) {
	var of [2]options
	var judged [2]bool
	unseeded := 0 // logs that the file has seeds for
	for t, trace := range e.file.Traces {
		kind, seeds := 0, []uint64{0}
		if trace.Generate != "" {
			kind, seeds = 1, e.file.Seeds
		} else if e.file.seeded > 0 {
			unseeded++
		}
		if !judged[kind] {
			judged[kind] = true
			of[kind] = e.options(m, kind == 1)
		}
		for _, seed := range seeds {
			for _, why := range of[kind].wrong {
				e.wrong.add(why)
			}
			for _, c := range of[kind].combinations {
				e.grid.Points = append(e.grid.Points, Point{Trace: t, Seed: seed, Seeded: kind == 1, Options: c.options})
				for _, i := range c.idle {
					e.idle.add(i.Why)
				}
			}
		}
	}
	notes := &e.grid.Notes
	if unseeded > 0 {
		*notes = append(*notes, "seeds mean nothing to a log: left out of "+format.Plural(unseeded, "trace"))
	}
	for _, why := range e.idle.texts {
		*notes = append(*notes, fmt.Sprintf("%s: left out of %s", why, format.Plural(e.idle.counts[why], "point")))
	}
	for _, why := range e.wrong.texts {
		*notes = append(*notes, fmt.Sprintf("%s left out: %s", format.Plural(e.wrong.counts[why], "combination"), why))
	}
}

// options combines the values of all axes.
func (e *expansion) options(m Meaning, generated bool) (all options) {
	axes := e.file.Axes
	at := make([]int, len(axes))
	seen := make(map[string]bool)
	for {
		list := make([]Option, len(axes))
		for i, a := range axes {
			list[i] = Option{a.Option, a.Values[at[i]].Text, a.Values[at[i]].Line}
		}
		idle, err := m.Judge(generated, list)
		if err != nil {
			all.wrong = append(all.wrong, err.Error())
			for i := range axes {
				e.reason(i, at[i], err.Error())
			}
		} else {
			c := combination{idle: idle}
			var key strings.Builder
			for i, o := range list {
				k := slices.IndexFunc(idle, func(x Idle) bool { return x.Option == o.Name })
				if k >= 0 {
					e.reason(i, at[i], idle[k].Why)
					continue
				}
				fmt.Fprintf(&key, "%d=%d ", i, at[i])
				c.options = append(c.options, o)
				e.used[i][at[i]] = true
			}
			if !seen[key.String()] {
				seen[key.String()] = true
				all.combinations = append(all.combinations, c)
			}
		}
		i := len(axes) - 1
		for ; i >= 0; i-- {
			if at[i]++; at[i] < len(axes[i].Values) {
				break
			}
			at[i] = 0
		}
		if i < 0 {
			return all
		}
	}
}

func (e *expansion) reason(axis, value int, why string) {
	const most = 3
	if all := &e.unfit[axis][value]; len(*all) < most && !slices.Contains(*all, why) {
		*all = append(*all, why)
	}
}
