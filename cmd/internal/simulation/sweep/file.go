package sweep

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"slurm-ostrich/cmd/internal/simulation"
	"slurm-ostrich/cmd/internal/yamlfile"
)

// File is what a file asks for.
type File struct {
	Name   string // as errors name it
	Traces []Trace
	Seeds  []uint64 // of generated workloads, in the order of the file; seed 1 if it names none
	// Axes are the options of simulate, or of platform, that vary: policy, backfill and replay,
	// if the file has them, and then the parameters in the order of the file.
	Axes []Axis

	seeded int // line of the key seeds; 0 if there is none
}

// Trace is a workload: a log in a file, or one to be generated.
type Trace struct {
	Name     string // "" if the file does not tell one
	Log      string // path as in the file; "" for a generated one
	Generate string // the model; "" for a log
	Dumps    simulation.Dumps
	// Options of generate, in the order of the file. An option that is a list
	// is there once for each element.
	Options []Option
	Line    int
}

// Axis is an option with the values that it takes in turn, at least one.
type Axis []Option

// Option is an option with one value, as text as on a command line.
type Option struct {
	Name, Value string
	Line        int
}

// lists are the keys that stand for options of simulate, and listed the names there.
var (
	lists  = []string{"policies", "backfill", "replay"}
	listed = []string{"policy", "backfill", "replay"}
)

// maxSeeds bounds a range of seeds, which is easily mistyped.
const maxSeeds = 100_000

// Read reads a file. Errors name it and the line, all of them at once; unknown
// keys and empty lists are errors. Read does not check values.
func Read(name string, raw []byte) (*File, error) {
	f := &File{Name: name}
	err := yamlfile.Read(name, raw, "traces and policies", "sweep", func(r *yamlfile.Reader, root *yaml.Node) { (&reader{r, f}).root(root) })
	if err != nil {
		return nil, err
	}
	return f, nil
}

// reader collects what a file says, and what is wrong with it.
type reader struct {
	*yamlfile.Reader
	file *File
}

func (r *reader) root(n *yaml.Node) {
	axes := make([]Axis, len(lists))
	r.Pairs(n, "file", func(key, value *yaml.Node) {
		i := slices.Index(lists, key.Value)
		switch {
		case i >= 0:
			axes[i] = r.values(key.Value, listed[i], value)
		case key.Value == "traces":
			r.traces(value)
		case key.Value == "parameters":
			r.Pairs(value, "parameters", func(option, values *yaml.Node) {
				if j := slices.Index(listed, option.Value); j >= 0 {
					r.Fail(option.Line, "parameters.%s: its values stand under the key %s of the file", option.Value, lists[j])
					return
				}
				axes = append(axes, r.values("parameters."+option.Value, option.Value, values))
			})
		case key.Value == "seeds":
			r.file.seeded = key.Line
			r.seeds(value)
		default:
			r.Fail(key.Line, "%s: unknown key; those of a sweep are traces, policies, backfill, replay, parameters and seeds", key.Value)
		}
	})
	if len(r.Errs) == 0 && len(r.file.Traces) == 0 {
		r.Fail(n.Line, "traces: none is named")
	}
	if len(r.Errs) == 0 && len(axes[0]) == 0 {
		r.Fail(n.Line, "policies: none is named")
	}
	if r.file.seeded == 0 {
		r.file.Seeds = []uint64{1}
	}
	r.file.Axes = slices.DeleteFunc(axes, func(a Axis) bool { return len(a) == 0 })
}

// list returns the elements of a list; one value is a list of one.
func (r *reader) list(what string, n *yaml.Node) []*yaml.Node {
	switch {
	case n.Kind != yaml.SequenceNode:
		return []*yaml.Node{n}
	case len(n.Content) == 0:
		r.Fail(n.Line, "%s: an empty list", what)
	}
	var list []*yaml.Node
	for _, v := range n.Content {
		list = append(list, yamlfile.Target(v))
	}
	return list
}

// values returns the values of a list as those of an option.
func (r *reader) values(what, option string, n *yaml.Node) []Option {
	var all []Option
	for _, v := range r.list(what, n) {
		if v.Kind != yaml.ScalarNode || v.Tag == "!!null" {
			r.Fail(v.Line, "%s: expected a value or a list of values", what)
			continue
		}
		all = append(all, Option{option, v.Value, v.Line})
	}
	return all
}

func (r *reader) traces(n *yaml.Node) {
	for _, t := range r.list("traces", n) {
		switch {
		case t.Kind == yaml.ScalarNode && t.Tag != "!!null" && t.Value != "":
			r.file.Traces = append(r.file.Traces, Trace{Log: t.Value, Line: t.Line})
		case t.Kind == yaml.MappingNode:
			r.trace(t)
		default:
			r.Fail(t.Line, "traces: expected the path of a log, or a mapping with generate, log or sacct")
		}
	}
}

func (r *reader) trace(n *yaml.Node) {
	t := Trace{Line: n.Line}
	r.Pairs(n, "traces", func(key, value *yaml.Node) {
		values := r.values("traces."+key.Value, key.Value, value)
		single := map[string]*string{
			"generate": &t.Generate, "log": &t.Log, "name": &t.Name,
			"columns": &t.Dumps.Columns, "delimiter": &t.Dumps.Delimiter, "timezone": &t.Dumps.Timezone,
		}[key.Value]
		switch {
		case len(values) == 0: // which has been reported
		case single != nil && (len(values) > 1 || values[0].Value == ""):
			r.Fail(key.Line, "traces.%s: expected one word", key.Value)
		case single != nil:
			*single = values[0].Value
		case key.Value == "sacct":
			for _, v := range values {
				t.Dumps.Sacct = append(t.Dumps.Sacct, v.Value)
			}
		case key.Value == "seed":
			r.Fail(key.Line, "traces.seed: seeds stand under the key seeds of the file, and are those of all generated traces")
		default:
			t.Options = append(t.Options, values...)
		}
	})
	kinds, d := 0, &t.Dumps
	for _, is := range []bool{t.Generate != "", t.Log != "", len(d.Sacct) > 0} {
		if is {
			kinds++
		}
	}
	switch {
	case kinds != 1:
		r.Fail(n.Line, "traces: expected generate, log or sacct, one of the three")
	case len(d.Sacct) == 0 && d.Columns+d.Delimiter+d.Timezone != "":
		r.Fail(n.Line, "traces: columns, delimiter and timezone go with sacct")
	case t.Generate == "" && len(t.Options) > 0:
		r.Fail(t.Options[0].Line, "traces.%s: unknown key of a log; options of simulate are parameters", t.Options[0].Name)
	}
	r.file.Traces = append(r.file.Traces, t)
}

// seeds returns numbers, or ranges of them as 1-10.
func (r *reader) seeds(n *yaml.Node) {
	seen := make(map[uint64]int)
	for _, v := range r.values("seeds", "seed", n) {
		low, high, ranged := strings.Cut(v.Value, "-")
		first, err := strconv.ParseUint(low, 10, 64)
		last := first
		if err == nil && ranged {
			last, err = strconv.ParseUint(high, 10, 64)
		}
		switch {
		case err != nil || last < first:
			r.Fail(v.Line, "seeds: %q: neither a number from 0 on nor a range of them, as 1-10", v.Value)
			continue
		case last-first >= maxSeeds:
			r.Fail(v.Line, "seeds: %s: more than %d", v.Value, maxSeeds)
			continue
		}
		for s := first; ; s++ {
			if before, twice := seen[s]; twice {
				r.Fail(v.Line, "seeds: %d is in line %d already", s, before)
				break
			}
			seen[s] = v.Line
			r.file.Seeds = append(r.file.Seeds, s)
			if s == last {
				break
			}
		}
	}
}
