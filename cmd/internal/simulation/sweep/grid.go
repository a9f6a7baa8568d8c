package sweep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/simulation"
	"slurm-ostrich/cmd/internal/yamlfile"
	"slurm-ostrich/ostrich/trace"
)

// MaxPoints is the most points that a file may stand for, before those that cannot
// be simulated are left out.
const MaxPoints = 100_000

// Point is one simulation.
type Point struct {
	Trace   int // which of the file's
	Seed    uint64
	Seeded  bool     // the trace is generated, from Seed
	Options []Option // of its command, that mean something here, in the order of the axes
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
	Texts  map[Option]string // the one spelling of each value
}

// Expand lists the points of a file. The trace varies slowest, then the seed,
// the policy, backfill, replay and the parameters in their order, the last one
// fastest.
//
// A log has no seed. Options that mean nothing in a point are left out of it,
// and of points that are then the same one remains. Combinations that cannot be
// simulated are left out. Notes count all this. A value that ends up in no
// point, and one that is there twice, is an error that names the line. The policy
// "all" stands for those that the file does not name, and of these one may be in no point.
func (f *File) Expand() (*Grid, error) {
	optional := f.every()
	texts, err := f.values()
	if err != nil {
		return nil, err
	}
	if err := f.size(); err != nil {
		return nil, err
	}
	e := expansion{file: f, grid: &Grid{Texts: texts}, used: make(map[Option]bool), unfit: make(map[Option][]string)}
	e.expand()
	var errs []error
	for _, v := range slices.Concat(f.Axes...) {
		if !e.used[v] && !optional[v] {
			errs = append(errs, yamlfile.At(f.Name, v.Line, "%s %s is in no point: %s", v.Name, v.Value, strings.Join(e.unfit[v], "; ")))
		}
	}
	return e.grid, errors.Join(errs...)
}

// every replaces the first policy "all", and returns what stands in its place.
func (f *File) every() map[Option]bool {
	added := make(map[Option]bool)
	for i, a := range f.Axes {
		at := slices.IndexFunc(a, func(o Option) bool { return o.Name == "policy" && o.Value == simulation.EveryPolicy })
		if at < 0 {
			continue
		}
		with := simulation.Log
		if f.onPlatform() {
			with = simulation.Clusters
		}
		named := make(map[string]bool) // in the one spelling
		for _, o := range a {
			if text, err := f.canonical(o); err == nil {
				named[text] = true
			}
		}
		var list Axis
		for _, name := range simulation.Every(with) {
			o := Option{"policy", name, a[at].Line}
			if text, err := f.canonical(o); err != nil || !named[text] {
				list, added[o] = append(list, o), true
			}
		}
		f.Axes[i] = slices.Replace(a, at, at+1, list...)
	}
	return added
}

// values checks each value by itself, and returns the one spelling of each.
func (f *File) values() (map[Option]string, error) {
	texts := make(map[Option]string)
	var errs []error
	_, command, known := f.command()
	for _, a := range f.Axes {
		if err := has(known, a[0].Name, command); err != nil {
			errs = append(errs, yamlfile.At(f.Name, a[0].Line, "%w", err))
			continue
		}
		seen := make(map[string]Option)
		for _, v := range a {
			text, err := f.canonical(v)
			first, twice := seen[text]
			switch {
			case err != nil:
				errs = append(errs, yamlfile.At(f.Name, v.Line, "%w", err))
				continue
			case twice && first.Value == v.Value:
				errs = append(errs, yamlfile.At(f.Name, v.Line, "%s %s: is in line %d already", v.Name, v.Value, first.Line))
			case twice:
				errs = append(errs, yamlfile.At(f.Name, v.Line, "%s %s: is %s, which is in line %d already", v.Name, v.Value, first.Value, first.Line))
			}
			seen[text], texts[v] = v, text
		}
	}
	return texts, errors.Join(errs...)
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
		if n *= len(a); n > MaxPoints {
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

// add returns how often the text came up.
func (t *tally) add(text string) int {
	if t.counts == nil {
		t.counts = make(map[string]int)
	}
	if t.counts[text] == 0 {
		t.texts = append(t.texts, text)
	}
	t.counts[text]++
	return t.counts[text]
}

// expansion is a grid in the making.
type expansion struct {
	file  *File
	grid  *Grid
	used  map[Option]bool     // some point has it
	unfit map[Option][]string // the first reasons why combinations do not
	idle  tally               // options left out, by why
	wrong tally               // combinations left out, by why
}

// combination is a point of every trace and seed, unless it is wrong.
type combination struct {
	options []Option
	idle    []string // why options were left out
	wrong   string   // why it cannot be simulated
}

func (e *expansion) expand() {
	of := make(map[kind][]combination)
	unseeded := 0 // logs that the file has seeds for
	for t, trace := range e.file.Traces {
		generated, seeds := trace.Generate != "", []uint64{0}
		if generated {
			seeds = e.file.Seeds
		} else if e.file.seeded > 0 {
			unseeded++
		}
		like := kindOf(&trace)
		if of[like] == nil {
			of[like] = e.combine(like)
		}
		for _, seed := range seeds {
			for _, c := range of[like] {
				if c.wrong != "" {
					e.wrong.add(c.wrong)
					continue
				}
				e.grid.Points = append(e.grid.Points, Point{Trace: t, Seed: seed, Seeded: generated, Options: c.options})
				for _, why := range c.idle {
					e.idle.add(why)
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

// kind is what matters of a trace to options: whether it is generated, and whether its users have names.
type kind struct{ generated, named bool }

func kindOf(t *Trace) kind { return kind{t.Generate != "", len(t.Dumps.Sacct) > 0} }

// combine combines the values of all axes, the last one fastest, for one kind of trace.
func (e *expansion) combine(of kind) []combination {
	var all []combination
	seen := make(map[string]bool)
	n := 1
	for _, a := range e.file.Axes {
		n *= len(a)
	}
	for k := range n {
		list := make([]Option, len(e.file.Axes))
		for i, a := range slices.Backward(e.file.Axes) {
			list[i] = a[k%len(a)]
			k /= len(a)
		}
		idle, err := e.file.judge(of, list)
		if err != nil {
			all = append(all, combination{wrong: err.Error()})
			for _, o := range list {
				e.reason(o, err.Error())
			}
			continue
		}
		var c combination
		for _, o := range list {
			if why := idle[o.Name]; why != "" {
				e.reason(o, why)
				c.idle = append(c.idle, why)
				continue
			}
			c.options = append(c.options, o)
			e.used[o] = true
		}
		if key := fmt.Sprintf("%#v", c.options); !seen[key] {
			seen[key] = true
			all = append(all, c)
		}
	}
	return all
}

func (e *expansion) reason(o Option, why string) {
	const most = 3
	if all := e.unfit[o]; len(all) < most && !slices.Contains(all, why) {
		e.unfit[o] = append(all, why)
	}
}

// command is what simulates a point: simulate, or platform. Its options are set one by one.
type command interface {
	Set(option, value string) error
	CheckAlone(option string) (text string, err error)
	CheckTogether(generated bool) error
	MeansNothing(option string) (why string)
	From(d simulation.Dumps)
	Read(ctx context.Context, path string) (*trace.Log, error)
	Label(s *simulation.Summary) error
	Simulation(path string, log *trace.Log) (*simulation.Simulation, error)
}

// onPlatform reports whether the points are runs on platforms.
func (f *File) onPlatform() bool {
	return slices.ContainsFunc(f.Axes, func(a Axis) bool { return a[0].Name == "platform" })
}

// command returns the command of the points with the defaults of its options, its name,
// and theirs.
func (f *File) command() (c command, name string, options []string) {
	if f.onPlatform() {
		o := simulation.DefaultPlatform()
		return o, "platform", o.Names
	}
	o := simulation.Defaults()
	return o, "simulate", o.Names
}

// with returns the command of the points with these options.
func (f *File) with(list []Option) (command, error) {
	o, _, _ := f.command()
	for _, one := range list {
		if err := o.Set(one.Name, one.Value); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// has refuses an option that a command does not have.
func has(names []string, name, command string) error {
	if slices.Contains(names, name) {
		return nil
	}
	if command == "simulate" && simulation.OnPlatforms(name) {
		return fmt.Errorf("%s: goes with the parameter platform", name)
	}
	if gone := simulation.Gone(name, simulation.Log); gone != "" {
		return fmt.Errorf("%s: %s", name, strings.Replace(strings.Replace(gone, "--policy ", "policies: [", 1), "VALUE", "VALUE]", 1))
	}
	return fmt.Errorf("%s: no option of %s that can vary; those are %s", name, command, strings.Join(names, ", "))
}

// canonical returns the one spelling of a value, or why it is invalid, as far as that can
// be checked without a log.
func (f *File) canonical(o Option) (string, error) {
	r, err := f.with([]Option{o})
	if err != nil {
		return "", err
	}
	if o.Name == "user" && slices.ContainsFunc(f.Traces, func(t Trace) bool { return kindOf(&t).named }) {
		return o.Value, nil // see judge
	}
	return r.CheckAlone(o.Name)
}

// judge checks options together as the command does, one of each axis, for one kind of trace. It returns why some of them, by name, have no effect beside the
// others, or an error if what they ask for cannot be simulated. Whether the fields of a
// log name its campaigns is seen when it is read.
func (f *File) judge(of kind, options []Option) (map[string]string, error) {
	asked, err := f.with(options)
	if err != nil {
		return nil, err
	}
	idle := make(map[string]string)
	kept := slices.DeleteFunc(slices.Clone(options), func(o Option) bool {
		idle[o.Name] = asked.MeansNothing(o.Name)
		return idle[o.Name] != ""
	})
	if len(kept) < len(options) {
		if asked, err = f.with(kept); err != nil {
			return nil, err
		}
	}
	if !of.named && slices.ContainsFunc(kept, func(o Option) bool { return o.Name == "user" }) {
		if _, err = asked.CheckAlone("user"); err != nil {
			return nil, err
		}
	}
	return idle, asked.CheckTogether(of.generated)
}
