package configuration

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"slurm-ostrich/cmd/internal/format"
)

// Read reads settings from a YAML file. Errors name file and line; an unknown key
// is an error.
func (c *Config) Read(file string, raw []byte) error {
	_, err := c.read(file, raw)
	return err
}

// read is Read. It also returns the lines of the settings, by key.
func (c *Config) read(file string, raw []byte) (lines map[string]int, err error) {
	in := yaml.NewDecoder(bytes.NewReader(raw))
	var root, more yaml.Node
	switch err := in.Decode(&root); {
	case errors.Is(err, io.EOF):
		return nil, nil // empty
	case err != nil:
		return nil, notYAML(file, raw, err)
	}
	switch err := in.Decode(&more); {
	case err == nil:
		return nil, fmt.Errorf("configuration: %s:%d: a second document; settings are in the first", file, more.Line)
	case !errors.Is(err, io.EOF):
		return nil, notYAML(file, raw, err)
	}
	settings := make(map[string]Setting)
	for _, s := range Settings(c) {
		settings[s.Key] = s
	}
	r := fileReader{file: file, settings: settings, seen: make(map[string]int)}
	for _, n := range root.Content {
		r.mapping(n, "")
	}
	for key := range r.seen {
		if _, is := settings[key]; !is {
			delete(r.seen, key) // a section
		}
	}
	return r.seen, errors.Join(r.errs...)
}

// saysLine matches an error of the YAML parser, with the line if the parser knows
// it.
var saysLine = regexp.MustCompile(`^(?s)yaml: (?:line (\d+): )?(.*)$`)

// notYAML returns an error that names the line in which a file is not YAML. If the
// parser names none, it is the line after the longest beginning of the file that is
// YAML.
func notYAML(file string, raw []byte, err error) error {
	said := saysLine.FindStringSubmatch(err.Error())
	if said == nil {
		return fmt.Errorf("configuration: %s: %w", file, err)
	}
	line, what := said[1], said[2]
	if line == "" {
		bad := 1
		for i, c := range raw {
			if c == '\n' && yaml.Unmarshal(raw[:i], new(yaml.Node)) == nil {
				bad = bytes.Count(raw[:i], []byte("\n")) + 2
			}
		}
		line = strconv.Itoa(bad)
	}
	return fmt.Errorf("configuration: %s:%s: %s", file, line, what)
}

type fileReader struct {
	file     string
	settings map[string]Setting
	seen     map[string]int // key to line
	errs     []error
}

func (r *fileReader) fail(n *yaml.Node, format string, args ...any) {
	r.errs = append(r.errs, fmt.Errorf("configuration: %s:%d: "+format, append([]any{r.file, n.Line}, args...)...))
}

func (r *fileReader) mapping(n *yaml.Node, above string) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return // a section with nothing in it
	}
	if n.Kind != yaml.MappingNode {
		if above == "" {
			r.fail(n, "expected settings, a line with KEY: VALUE for each")
		} else {
			r.fail(n, "%s: expected settings below it", strings.TrimSuffix(above, "."))
		}
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		key := above + name.Value
		s, known := r.settings[key]
		if first, twice := r.seen[key]; twice {
			r.fail(name, "%s: set already in line %d", key, first)
			continue
		}
		r.seen[key] = name.Line
		switch {
		case known && s.NoFlag:
			r.fail(name, "%s: a secret; put it into a file of its own (database.password_file) or into %s", key, s.Env())
		case known && hasKeys(s.Value):
			s.Value.(siteTools).read(value, func(at *yaml.Node, format string, args ...any) { r.fail(at, key+": "+format, args...) })
		case known && value.Kind == yaml.MappingNode && r.section(key+"."):
			r.fail(value, "%s: expected one word; keys such as %s.min are written whole", key, key)
		case known:
			text, err := flatten(s.Value, value)
			if err == nil {
				err = s.Value.Set(text)
			}
			if err != nil {
				r.fail(value, "%s: %v", key, err)
			}
		case r.section(key + "."):
			r.mapping(value, key+".")
		case gone[key] != "":
			r.fail(name, "%s: %s", key, gone[key])
		default:
			r.fail(name, "%s: unknown key%s", key, format.DidYouMean(r.near(key)))
		}
	}
}

// near returns the keys and sections that may have been meant by an unknown key, which may lack
// its section.
func (r *fileReader) near(key string) []string {
	section, last, inside := strings.Cut(key, ".")
	if !inside {
		last = key
	}
	keys := slices.Sorted(maps.Keys(r.settings))
	var names, found []string
	for _, k := range keys {
		of, name, _ := strings.Cut(k, ".")
		switch {
		case inside && of == section:
			names = append(names, name)
		case !inside:
			names = append(names, of, name)
		}
	}
	slices.Sort(names)
	for _, name := range format.Nearest(last, slices.Compact(names)) {
		if !inside && (r.section(name+".") || slices.Contains(keys, name)) {
			found = append(found, name)
			continue
		}
		for _, k := range keys {
			if of, rest, _ := strings.Cut(k, "."); rest == name && (!inside || of == section) {
				found = append(found, k)
			}
		}
	}
	return found[:min(len(found), 3)]
}

// hasKeys reports whether a setting has keys of its own, and knows their lines.
func hasKeys(v Value) bool { _, is := v.(siteTools); return is }

func (r *fileReader) section(above string) bool {
	for key := range r.settings {
		if strings.HasPrefix(key, above) {
			return true
		}
	}
	return false
}

// flatten returns a YAML value as the text that a flag would have: a list with
// commas, a mapping of lists as name=a,b;name=c.
func flatten(v Value, n *yaml.Node) (string, error) {
	_, many := v.(list)
	_, named := v.(pools)
	switch {
	case n.Kind == yaml.ScalarNode:
		return scalar(n), nil
	case n.Kind == yaml.SequenceNode && many:
		return words(n)
	case n.Kind == yaml.MappingNode && named:
		var items []string
		for i := 0; i+1 < len(n.Content); i += 2 {
			name, err := words(n.Content[i])
			if err != nil {
				return "", err
			}
			partitions, err := words(n.Content[i+1])
			if err != nil {
				return "", err
			}
			items = append(items, name+"="+partitions)
		}
		return strings.Join(items, ";"), nil
	case many:
		return "", errors.New("expected a word or a list of words")
	case named:
		return "", errors.New("expected names of pools, each with a list of partitions")
	}
	return "", errors.New("expected one word")
}

func scalar(n *yaml.Node) string {
	if n.Tag == "!!null" {
		return ""
	}
	return n.Value
}

// words returns a word or a list of words as text with commas. A word that contains a
// separator is an error.
func words(n *yaml.Node) (string, error) {
	nodes := n.Content
	switch n.Kind {
	case yaml.ScalarNode:
		nodes = []*yaml.Node{n}
	case yaml.SequenceNode:
	case yaml.MappingNode, yaml.DocumentNode, yaml.AliasNode:
		return "", errors.New("expected a word or a list of words")
	}
	var items []string
	for _, item := range nodes {
		if item.Kind != yaml.ScalarNode || strings.ContainsAny(item.Value, ",;=") {
			return "", errors.New("expected a list of words without , ; or =")
		}
		items = append(items, scalar(item))
	}
	return strings.Join(items, ","), nil
}

// plain matches text that YAML reads as it stands.
var plain = regexp.MustCompile(`^[0-9A-Za-z/]([0-9A-Za-z_./:=;,$-]*[0-9A-Za-z_/])?$`)

// quote returns text as a YAML value.
func quote(s string) string {
	if plain.MatchString(s) && !strings.EqualFold(s, "null") {
		return s
	}
	return strconv.Quote(s)
}

// inFile returns how the file writes a key: below a section, or whole.
// interval.min stands whole, because interval is a setting itself and has no room
// for others below it.
func inFile(key string) (section, name string, nested bool) {
	if key == "interval.min" {
		return "", key, false
	}
	return strings.Cut(key, ".")
}

// Show writes the effective configuration as a file that Read accepts, without the
// password.
func (c *Config) Show(w io.Writer) error {
	section := ""
	for _, s := range Settings(c) {
		if s.NoFlag {
			continue
		}
		above, key, nested := inFile(s.Key)
		indent := ""
		if nested {
			if above != section {
				if _, err := fmt.Fprintf(w, "%s:\n", above); err != nil {
					return err
				}
			}
			section, indent = above, "  "
		} else {
			section, key = "", s.Key
		}
		value := s.Value.String()
		if !hasKeys(s.Value) || value == "" { // else it is YAML
			value = quote(value)
		}
		if _, err := fmt.Fprintf(w, "%s%s: %s\n", indent, key, value); err != nil {
			return err
		}
	}
	return nil
}
