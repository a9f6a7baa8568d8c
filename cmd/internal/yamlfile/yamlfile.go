// Package yamlfile reads files of keys and values. Errors name the file and the line, all
// of them at once. A key that is there twice is an error.
package yamlfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"

	"go.yaml.in/yaml/v3"
)

// saysLine is how an error of the YAML parser begins, if it knows the line.
var saysLine = regexp.MustCompile(`(?s)^yaml: line (\d+): (.*)$`)

// Read passes the only document of a file to read, and returns the errors that read has
// collected. needs says what an empty file lacks, what is the name of such a document.
func Read(file string, raw []byte, needs, what string, read func(r *Reader, root *yaml.Node)) error {
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
		return fmt.Errorf("%s: empty; it has to name %s", file, needs)
	case err != nil:
		return bad(err)
	}
	switch err := in.Decode(&more); {
	case err == nil:
		return fmt.Errorf("%s:%d: a second document; a %s is one", file, more.Line, what)
	case !errors.Is(err, io.EOF):
		return bad(err)
	}
	r := &Reader{File: file}
	read(r, root.Content[0])
	return errors.Join(r.Errs...)
}

// Reader collects what is wrong with a file.
type Reader struct {
	File string
	Errs []error
}

// Fail adds an error in a line.
func (r *Reader) Fail(line int, format string, args ...any) {
	r.Errs = append(r.Errs, At(r.File, line, format, args...))
}

// At returns an error in a line of a file.
func At(file string, line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: "+format, append([]any{file, line}, args...)...)
}

// Pairs calls each with the keys of a mapping and their values, in order.
func (r *Reader) Pairs(n *yaml.Node, what string, each func(key, value *yaml.Node)) {
	if n = Target(n); n.Kind != yaml.MappingNode {
		r.Fail(n.Line, "%s: expected keys and values", what)
		return
	}
	seen := make(map[string]int)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], Target(n.Content[i+1])
		if first, twice := seen[key.Value]; twice {
			r.Fail(key.Line, "%s: is in line %d already", key.Value, first)
			continue
		}
		seen[key.Value] = key.Line
		each(key, value)
	}
}

// Target returns what an alias stands for.
func Target(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}
