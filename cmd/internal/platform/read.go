// Package platform reads descriptions of platforms: clusters of processors, each
// with a speed.
package platform

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich/grid"
)

// builtIn are the platforms that need no file, by name.
var builtIn = map[string]func() grid.Platform{"hpdc2008": grid.HPDC2008}

// Names returns the names of the platforms that need no file.
func Names() []string {
	return slices.Sorted(maps.Keys(builtIn))
}

// Named returns the platform of a name that needs no file, or else that of a file.
func Named(name string) (grid.Platform, error) {
	if built := builtIn[name]; built != nil {
		return built(), nil
	}
	raw, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return grid.Platform{}, fmt.Errorf("%s: there is no such file, and the platforms that need none are %s", name, format.List(Names()))
	}
	if err != nil {
		return grid.Platform{}, err
	}
	return Read(name, raw)
}

const suffix = ".yaml"

// saysLine is how an error of the YAML parser begins, if it knows the line.
var saysLine = regexp.MustCompile(`(?s)^yaml: line (\d+): (.*)$`)

// Read reads a platform:
//
//	name: two                # that of the file if it is left out
//	clusters:
//	  - name: old            # each another one
//	    procs: 340           # at least 1
//	    speed: 1.45          # run time = reference run time / speed; 1 if it is left out
//
// Errors name the file and the line, all of them at once. Unknown keys are errors,
// and keys that are there twice.
func Read(file string, raw []byte) (grid.Platform, error) {
	bad := func(err error) error {
		if said := saysLine.FindStringSubmatch(err.Error()); said != nil {
			return fmt.Errorf("%s:%s: %s", file, said[1], said[2])
		}
		return fmt.Errorf("%s: %w", file, err)
	}
	in := yaml.NewDecoder(bytes.NewReader(raw))
	var root, more yaml.Node
	switch err := in.Decode(&root); {
	case errors.Is(err, io.EOF):
		return grid.Platform{}, fmt.Errorf("%s: empty; it has to name clusters", file)
	case err != nil:
		return grid.Platform{}, bad(err)
	}
	switch err := in.Decode(&more); {
	case err == nil:
		return grid.Platform{}, fmt.Errorf("%s:%d: a second document; a platform is one", file, more.Line)
	case !errors.Is(err, io.EOF):
		return grid.Platform{}, bad(err)
	}
	r := reader{file: file, platform: grid.Platform{Name: strings.TrimSuffix(filepath.Base(file), suffix)}}
	r.root(root.Content[0])
	if len(r.errs) > 0 {
		return grid.Platform{}, errors.Join(r.errs...)
	}
	if err := r.platform.Validate(); err != nil {
		return grid.Platform{}, fmt.Errorf("%s: %w", file, err)
	}
	return r.platform, nil
}

// reader collects what a file says, and what is wrong with it.
type reader struct {
	file     string
	platform grid.Platform
	errs     []error
}

func (r *reader) fail(line int, format string, args ...any) {
	r.errs = append(r.errs, fmt.Errorf("%s:%d: "+format, append([]any{r.file, line}, args...)...))
}

// pairs calls each with the keys of a mapping and their values, in order.
func (r *reader) pairs(n *yaml.Node, what string, each func(key string, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		r.fail(n.Line, "%s: expected keys and values", what)
		return
	}
	seen := make(map[string]int)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if first, twice := seen[key.Value]; twice {
			r.fail(key.Line, "%s: is in line %d already", key.Value, first)
			continue
		}
		seen[key.Value] = key.Line
		each(key.Value, n.Content[i+1])
	}
}

// word returns the text of a value that is one.
func (r *reader) word(key string, n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" || n.Value == "" {
		r.fail(n.Line, "%s: expected a value", key)
		return ""
	}
	return n.Value
}

func (r *reader) root(n *yaml.Node) {
	named := false
	r.pairs(n, "platform", func(key string, value *yaml.Node) {
		switch key {
		case "name":
			r.platform.Name = r.word(key, value)
		case "clusters":
			named = true
			if value.Kind != yaml.SequenceNode || len(value.Content) == 0 {
				r.fail(value.Line, "clusters: expected a list of at least one")
				return
			}
			for _, c := range value.Content {
				r.cluster(c)
			}
		default:
			r.fail(value.Line, "%s: unknown key; those of a platform are name and clusters", key)
		}
	})
	if len(r.errs) == 0 && !named {
		r.fail(n.Line, "clusters: none is named")
	}
}

func (r *reader) cluster(n *yaml.Node) {
	c := grid.Cluster{Speed: 1}
	there, before := false, len(r.errs)
	r.pairs(n, "clusters", func(key string, value *yaml.Node) {
		switch text := r.word(key, value); {
		case text == "": // which was told
		case key == "name":
			c.Name = text
		case key == "procs":
			there = true
			var err error
			if c.Procs, err = strconv.Atoi(text); err != nil || c.Procs < 1 {
				r.fail(value.Line, "procs: %s: must be a whole number, at least 1", text)
			}
		case key == "speed":
			var err error
			if c.Speed, err = strconv.ParseFloat(text, 64); err != nil || !(c.Speed > 0) {
				r.fail(value.Line, "speed: %s: must be a number above 0", text)
			}
		default:
			r.fail(value.Line, "%s: unknown key; those of a cluster are name, procs and speed", key)
		}
	})
	if len(r.errs) > before {
		return
	}
	switch twice := slices.ContainsFunc(r.platform.Clusters, func(o grid.Cluster) bool { return o.Name == c.Name }); {
	case c.Name == "":
		r.fail(n.Line, "clusters: a cluster needs a name")
	case twice:
		r.fail(n.Line, "clusters: %s: is the name of another cluster too", c.Name)
	case !there:
		r.fail(n.Line, "clusters: %s: procs is missing", c.Name)
	default:
		r.platform.Clusters = append(r.platform.Clusters, c)
	}
}
