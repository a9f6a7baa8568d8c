// Package platform reads descriptions of platforms: clusters of processors, each
// with a speed.
package platform

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/yamlfile"
	"slurm-ostrich/ostrich/grid"
)

// builtIn are the platforms that need no file, by name.
var builtIn = map[string]func() grid.Platform{"hpdc2008": grid.HPDC2008}

// Names returns the names of the platforms that need no file.
func Names() []string {
	return slices.Sorted(maps.Keys(builtIn))
}

// Named returns the built-in platform of a name, or else reads the file of that name.
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

// Read reads a platform:
//
//	name: two                # that of the file if it is left out
//	clusters:
//	  - name: old            # different for each
//	    procs: 340           # at least 1
//	    speed: 1.45          # run time = reference run time / speed; 1 if it is left out
//
// Errors name the file and the line, all of them at once. Unknown and repeated keys are
// errors.
func Read(file string, raw []byte) (grid.Platform, error) {
	p := grid.Platform{Name: strings.TrimSuffix(filepath.Base(file), suffix)}
	err := yamlfile.Read(file, raw, "clusters", "platform", func(r *yamlfile.Reader, root *yaml.Node) { (&reader{r, &p}).root(root) })
	if err != nil {
		return grid.Platform{}, err
	}
	if err = p.Validate(); err != nil {
		return grid.Platform{}, fmt.Errorf("%s: %w", file, err)
	}
	return p, nil
}

// reader collects what a file says, and what is wrong with it.
type reader struct {
	*yamlfile.Reader
	platform *grid.Platform
}

// word returns the text of a value that is one.
func (r *reader) word(key string, n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" || n.Value == "" {
		r.Fail(n.Line, "%s: expected a value", key)
		return ""
	}
	return n.Value
}

func (r *reader) root(n *yaml.Node) {
	r.Pairs(n, "platform", func(key, value *yaml.Node) {
		switch key.Value {
		case "name":
			r.platform.Name = r.word(key.Value, value)
		case "clusters":
			if value.Kind != yaml.SequenceNode || len(value.Content) == 0 {
				r.Fail(value.Line, "clusters: expected a list of at least one")
				return
			}
			for _, c := range value.Content {
				r.cluster(c)
			}
		default:
			r.Fail(value.Line, "%s: unknown key; those of a platform are name and clusters", key.Value)
		}
	})
	if len(r.Errs) == 0 && len(r.platform.Clusters) == 0 {
		r.Fail(n.Line, "clusters: none is named")
	}
}

func (r *reader) cluster(n *yaml.Node) {
	c := grid.Cluster{Speed: 1}
	before := len(r.Errs)
	r.Pairs(n, "clusters", func(key, value *yaml.Node) {
		switch text := r.word(key.Value, value); {
		case text == "": // which has been reported
		case key.Value == "name":
			c.Name = text
		case key.Value == "procs":
			var err error
			if c.Procs, err = strconv.Atoi(text); err != nil || c.Procs < 1 {
				r.Fail(value.Line, "procs: %s: must be a whole number, at least 1", text)
			}
		case key.Value == "speed":
			var err error
			if c.Speed, err = strconv.ParseFloat(text, 64); err != nil || !(c.Speed > 0) {
				r.Fail(value.Line, "speed: %s: must be a number above 0", text)
			}
		default:
			r.Fail(value.Line, "%s: unknown key; those of a cluster are name, procs and speed", key.Value)
		}
	})
	if len(r.Errs) > before {
		return
	}
	switch twice := slices.ContainsFunc(r.platform.Clusters, func(o grid.Cluster) bool { return o.Name == c.Name }); {
	case c.Name == "":
		r.Fail(n.Line, "clusters: a cluster needs a name")
	case twice:
		r.Fail(n.Line, "clusters: %s: is the name of another cluster too", c.Name)
	case c.Procs == 0:
		r.Fail(n.Line, "clusters: %s: procs is missing", c.Name)
	default:
		r.platform.Clusters = append(r.platform.Clusters, c)
	}
}
