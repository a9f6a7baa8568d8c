package tools

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
)

// Row is a row of a site's own, as text.
type Row struct {
	Name     string
	Patterns []Source // the first decides whether a job is of the tool; the others add what it leaves open
	Pilot    bool
}

// Source is a pattern as text, a regular expression of RE2's.
type Source struct {
	In   Place
	Text string
}

// The bounds of a site's rows. Each job is looked at once for each row, and the longest text
// that a pattern sees has MaxLine bytes.
const (
	MaxRows    = 50
	MaxPattern = 500 // bytes
	maxProgram = 250 // instructions of the compiled pattern; a UUID takes 38
)

// ErrTooMany is the error of a table with too many rows of a site's own.
var ErrTooMany = fmt.Errorf("more than %d tools", MaxRows)

// With returns the known tools after a site's own, which so know a job first.
func With(rows []Row) (Table, error) {
	if len(rows) == 0 {
		return known, nil
	}
	if len(rows) > MaxRows {
		return nil, ErrTooMany
	}
	t := make(Table, 0, len(rows)+len(known))
	for i := range rows {
		tool, err := rows[i].compile()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", rows[i].Name, err)
		}
		t = append(t, tool)
	}
	return append(t, known...), nil
}

// compile returns the row of the table.
func (r *Row) compile() (Tool, error) {
	t := Tool{Name: r.Name, Pilot: r.Pilot}
	says := r.Pilot
	for _, s := range r.Patterns {
		p, err := s.compile()
		if err != nil {
			return t, fmt.Errorf("%s: %w", s.In, err)
		}
		says = says || len(p.campaign)+len(p.class) > 0
		t.Patterns = append(t.Patterns, p)
	}
	switch {
	case len(r.Patterns) == 0:
		return t, fmt.Errorf("no pattern; expected one for %s", strings.Join(PlaceNames, ", "))
	case !says:
		return t, errors.New("declares nothing; expected a group (?P<campaign>…) or (?P<class>…) in a pattern, or pilot: true")
	}
	// If the name decides, it says of which jobs the other texts are wanted; else they are of all.
	if t.Like = []string{"%"}; t.Patterns[0].In == Name {
		t.Like[0] = t.Patterns[0].like()
	}
	return t, nil
}

// Check returns what is wrong with a pattern.
func (s *Source) Check() error {
	_, err := s.compile()
	return err
}

func (s *Source) compile() (Pattern, error) {
	var p Pattern
	if len(s.Text) > MaxPattern {
		return p, fmt.Errorf("a pattern of %d bytes; expected at most %d", len(s.Text), MaxPattern)
	}
	parsed, err := syntax.Parse(s.Text, syntax.Perl)
	if err != nil {
		return p, fmt.Errorf("%w; expected a regular expression of RE2's", err)
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return p, err
	}
	if n := len(program.Inst); n > maxProgram {
		return p, fmt.Errorf("too large: compiled it has %d steps; expected at most %d, so that it is quick (repetitions such as {40} count as often as they repeat)", n, maxProgram)
	}
	re, err := regexp.Compile(s.Text)
	if err != nil {
		return p, err
	}
	for _, name := range re.SubexpNames() {
		base := strings.TrimRight(name, "0123456789")
		if name != "" && base != campaignGroup && base != classGroup {
			return p, fmt.Errorf("a group %q; expected campaign or class, or one of them with a number behind it", name)
		}
	}
	return newPattern(s.In, re), nil
}

// like returns what of a pattern's beginning SQL can test with LIKE: each text that the pattern
// matches is like it.
func (p *Pattern) like() string {
	var out []byte
	whatever := func() {
		if !bytes.HasSuffix(out, []byte{'%'}) { // servers try each one with all that follows
			out = append(out, '%')
		}
	}
	if !p.anchored {
		whatever()
	}
	for _, c := range string(p.begins) {
		switch {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', strings.ContainsRune("-./: _", c):
			out = append(out, byte(c))
		default:
			whatever()
		}
	}
	whatever()
	return string(out)
}

// PlaceNames are the names of the places, in the order of their constants.
var PlaceNames = []string{"name", "folder", "line", "comment"}

func (p Place) String() string {
	if int(p) < len(PlaceNames) {
		return PlaceNames[p]
	}
	return strconv.Itoa(int(p))
}

// ParsePlace returns the place of a name.
func ParsePlace(name string) (Place, bool) {
	i := slices.Index(PlaceNames, name)
	return Place(max(i, 0)), i >= 0
}
