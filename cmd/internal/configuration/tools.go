package configuration

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/ostrich/accounting/tools"
)

// siteTools are a site's own rows of the table of workflow tools: a mapping in the file, and
// the same in one line of YAML or JSON as a flag or a variable.
type siteTools struct{ at *[]tools.Row }

// pilotKey is the key of a row that says whether its jobs are pilots. The other keys are
// tools.PlaceNames.
const pilotKey = "pilot"

// String returns the rows as JSON, which is YAML, too. "" is none.
func (v siteTools) String() string {
	if len(*v.at) == 0 {
		return ""
	}
	quoted := func(text string) string {
		var out strings.Builder
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(false)
		_ = e.Encode(text) // of a text it cannot fail
		return strings.TrimSuffix(out.String(), "\n")
	}
	mapping := func(items []string) string { return "{" + strings.Join(items, ", ") + "}" }
	var rows []string
	for _, row := range *v.at {
		var keys []string
		for _, p := range row.Patterns {
			keys = append(keys, quoted(p.In.String())+": "+quoted(p.Text))
		}
		if row.Pilot {
			keys = append(keys, quoted(pilotKey)+": true")
		}
		rows = append(rows, quoted(row.Name)+": "+mapping(keys))
	}
	return mapping(rows)
}

// Set reads the rows from a line of YAML.
func (v siteTools) Set(s string) (err error) {
	var root yaml.Node
	if err = yaml.Unmarshal([]byte(s), &root); err != nil {
		return fmt.Errorf("%w; expected YAML", err)
	}
	if len(root.Content) == 0 {
		*v.at = nil
		return nil
	}
	v.read(root.Content[0], func(_ *yaml.Node, format string, args ...any) {
		err = errors.Join(err, fmt.Errorf(format, args...))
	})
	return err
}

// read reads the rows from a mapping. It passes on all that is wrong, and then leaves the
// setting as it was.
func (v siteTools) read(n *yaml.Node, wrong func(at *yaml.Node, format string, args ...any)) {
	bad := false
	fail := func(at *yaml.Node, format string, args ...any) {
		bad = true
		wrong(at, format, args...)
	}
	var rows []tools.Row
	switch {
	case n.Kind == yaml.ScalarNode && scalar(n) == "":
	case n.Kind != yaml.MappingNode:
		fail(n, "expected names of tools, each with its patterns")
	default:
		seen := make(map[string]bool)
		for i := 0; i+1 < len(n.Content); i += 2 {
			name := n.Content[i]
			switch {
			case name.Kind != yaml.ScalarNode || scalar(name) == "":
				fail(name, "expected the name of a tool")
				continue
			case seen[name.Value]:
				fail(name, "%s: set already", name.Value)
				continue
			case len(rows) == tools.MaxRows:
				fail(name, "%w", tools.ErrTooMany)
			}
			seen[name.Value] = true
			rows = append(rows, readTool(name, n.Content[i+1], fail))
		}
	}
	if !bad {
		*v.at = rows
	}
}

func readTool(name, n *yaml.Node, fail func(at *yaml.Node, format string, args ...any)) tools.Row {
	row, bad := tools.Row{Name: name.Value}, false
	wrong := func(at *yaml.Node, key, format string, args ...any) {
		bad = true
		fail(at, "%s: %s"+format, append([]any{name.Value, key}, args...)...)
	}
	if n.Kind != yaml.MappingNode {
		wrong(n, "", "expected patterns for %s, and maybe %s", strings.Join(tools.PlaceNames, ", "), pilotKey)
		return row
	}
	seen := make(map[string]bool)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		place, known := tools.ParsePlace(key.Value)
		switch {
		case seen[key.Value]:
			wrong(key, "", "%s: set already", key.Value)
		case value.Kind != yaml.ScalarNode:
			wrong(value, "", "%s: expected one word", key.Value)
		case key.Value == pilotKey:
			if err := (truth{&row.Pilot}).Set(scalar(value)); err != nil {
				wrong(value, pilotKey+": ", "%w", err)
			}
		case !known:
			wrong(key, "", "%s: expected %s or %s", key.Value, strings.Join(tools.PlaceNames, ", "), pilotKey)
		default:
			s := tools.Source{In: place, Text: scalar(value)}
			if err := s.Check(); err != nil {
				wrong(value, key.Value+": ", "%w", err)
			}
			row.Patterns = append(row.Patterns, s)
		}
		seen[key.Value] = true
	}
	if !bad {
		if _, err := tools.With([]tools.Row{row}); err != nil {
			fail(name, "%w", err)
		}
	}
	return row
}

// RuleText returns the setting campaign.rule.
func (c *Config) RuleText() string { return rule{&c.Campaign.Rule}.String() }

// ByTool reports whether classes or campaigns are those of workflow tools.
func (c *Config) ByTool() bool {
	return c.Schedule.Class == ledger.ByKind || c.Campaign.Declared == ledger.ByTool
}

// KnownTools returns the workflow tools that count: the site's own, and then the known ones.
func (c *Config) KnownTools() (tools.Table, error) {
	t, err := tools.With(c.Tools)
	if err != nil {
		return nil, fmt.Errorf("configuration: tools: %w", err)
	}
	return t, nil
}
