package sweep

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"slurm-ostrich/cmd/internal/yamlfile"
)

// File is what a file asks for.
type File struct {
	Name   string // as errors name it
	Traces []Trace
	Seeds  []uint64 // of generated workloads, in the order of the file; seed 1 if it names none
	// Axes are the options of simulate that vary: policy, backfill and replay,
	// if the file has them, and then the parameters in the order of the file.
	Axes []Axis

	seeded int // line of the key seeds; 0 if there is none
}

// Trace is a workload: a log in a file, or one to be generated.
type Trace struct {
	Name     string // "" if the file does not tell one
	Log      string // path as in the file; "" for a generated one
	Generate string // the model; "" for a log
	// Options of generate, in the order of the file. An option that is a list
	// is there once for each element.
	Options []Option
	Line    int
}

// Axis is an option with the values that it takes in turn.
type Axis struct {
	Option string
	Values []Value
}

// Value is a value as text, as on a command line.
type Value struct {
	Text string
	Line int
}

// Option is an option with one value.
type Option struct {
	Name, Value string
	Line        int
}

// lists are the keys that stand for options of simulate, with their names there.
var lists = []struct{ key, option string }{{"policies", "policy"}, {"backfill", "backfill"}, {"replay", "replay"}}

// maxSeeds bounds a range of seeds, which is so easily mistyped.
const maxSeeds = 100_000

// Read reads a file. Errors name it and the line, all of them at once; unknown
// keys and empty lists are errors. Read does not check values.
func Read(name string, raw []byte) (*File, error) {
	r := reader{Reader: yamlfile.Reader{File: name}, file: &File{Name: name}}
	root, err := yamlfile.Document(name, raw, "traces and policies", "sweep")
	if err != nil {
		return nil, err
	}
	r.root(root)
	if len(r.Errs) > 0 {
		return nil, errors.Join(r.Errs...)
	}
	return r.file, nil
}

// reader collects what a file says, and what is wrong with it.
type reader struct {
	yamlfile.Reader
	file *File
}

func (r *reader) root(n *yaml.Node) {
	var traced bool
	var parameters []Axis
	fixed := make([]Axis, len(lists))
	r.Pairs(n, "file", func(key, value *yaml.Node) {
		i := slices.IndexFunc(lists, func(l struct{ key, option string }) bool { return l.key == key.Value })
		switch {
		case i >= 0:
			fixed[i] = Axis{Option: lists[i].option, Values: r.values(key.Value, value)}
		case key.Value == "traces":
			traced = true
			r.traces(value)
		case key.Value == "parameters":
			r.Pairs(value, "parameters", func(option, values *yaml.Node) {
				if j := slices.IndexFunc(lists, func(l struct{ key, option string }) bool { return l.option == option.Value }); j >= 0 {
					r.Fail(option.Line, "parameters.%s: its values stand under the key %s of the file", option.Value, lists[j].key)
					return
				}
				parameters = append(parameters, Axis{Option: option.Value, Values: r.values("parameters."+option.Value, values)})
			})
		case key.Value == "seeds":
			r.file.seeded = key.Line
			r.seeds(value)
		default:
			r.Fail(key.Line, "%s: unknown key; those of a sweep are traces, policies, backfill, replay, parameters and seeds", key.Value)
		}
	})
	if len(r.Errs) == 0 && !traced {
		r.Fail(n.Line, "traces: none is named")
	}
	if len(r.Errs) == 0 && len(fixed[0].Values) == 0 {
		r.Fail(n.Line, "policies: none is named")
	}
	if r.file.seeded == 0 {
		r.file.Seeds = []uint64{1}
	}
	r.file.Axes = append(slices.DeleteFunc(fixed, func(a Axis) bool { return len(a.Values) == 0 }), parameters...)
}

// values returns the values of a list; one value is a list of one.
func (r *reader) values(what string, n *yaml.Node) []Value {
	nodes := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		nodes = n.Content
	}
	if len(nodes) == 0 {
		r.Fail(n.Line, "%s: an empty list", what)
	}
	var all []Value
	for _, v := range nodes {
		v = yamlfile.Target(v)
		if v.Kind != yaml.ScalarNode || v.Tag == "!!null" {
			r.Fail(v.Line, "%s: expected a value or a list of values", what)
			continue
		}
		all = append(all, Value{v.Value, v.Line})
	}
	return all
}

func (r *reader) traces(n *yaml.Node) {
	nodes := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		nodes = n.Content
	}
	if len(nodes) == 0 {
		r.Fail(n.Line, "traces: an empty list")
	}
	for _, t := range nodes {
		switch t = yamlfile.Target(t); {
		case t.Kind == yaml.ScalarNode && t.Tag != "!!null" && t.Value != "":
			r.file.Traces = append(r.file.Traces, Trace{Log: t.Value, Line: t.Line})
		case t.Kind == yaml.MappingNode:
			r.trace(t)
		default:
			r.Fail(t.Line, "traces: expected the path of a log, or a mapping with generate or log")
		}
	}
}

func (r *reader) trace(n *yaml.Node) {
	t := Trace{Line: n.Line}
	r.Pairs(n, "traces", func(key, value *yaml.Node) {
		values := r.values("traces."+key.Value, value)
		single := map[string]*string{"generate": &t.Generate, "log": &t.Log, "name": &t.Name}[key.Value]
		switch {
		case len(values) == 0: // which was told
		case single != nil && (len(values) > 1 || values[0].Text == ""):
			r.Fail(key.Line, "traces.%s: expected one word", key.Value)
		case single != nil:
			*single = values[0].Text
		case key.Value == "seed":
			r.Fail(key.Line, "traces.seed: seeds stand under the key seeds of the file, and are those of all generated traces")
		default:
			for _, v := range values {
				t.Options = append(t.Options, Option{key.Value, v.Text, v.Line})
			}
		}
	})
	switch {
	case t.Generate == "" && t.Log == "" || t.Generate != "" && t.Log != "":
		r.Fail(n.Line, "traces: expected generate or log, one of the two")
	case t.Log != "" && len(t.Options) > 0:
		r.Fail(t.Options[0].Line, "traces.%s: unknown key of a log; options of simulate are parameters", t.Options[0].Name)
	}
	r.file.Traces = append(r.file.Traces, t)
}

// seeds returns numbers, or ranges of them as 1-10.
func (r *reader) seeds(n *yaml.Node) {
	seen := make(map[uint64]int)
	for _, v := range r.values("seeds", n) {
		low, high, ranged := strings.Cut(v.Text, "-")
		first, err := strconv.ParseUint(low, 10, 64)
		last := first
		if err == nil && ranged {
			last, err = strconv.ParseUint(high, 10, 64)
		}
		switch {
		case err != nil || last < first:
			r.Fail(v.Line, "seeds: %q: neither a number from 0 on nor a range of them, as 1-10", v.Text)
			continue
		case last-first >= maxSeeds:
			r.Fail(v.Line, "seeds: %s: more than %d", v.Text, maxSeeds)
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
