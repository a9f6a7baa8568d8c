// Package svgtest parses drawings, so that tests can compare them with their
// data.
package svgtest

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"slurm-ostrich/cmd/internal/svg"
)

// Picture is a parsed drawing.
type Picture struct {
	Name          string // its title, or its label in a page
	Width, Height float64
	Shapes        []Shape
	Texts         []Text
}

// Shape is a path, a rectangle or a circle.
type Shape struct {
	Element, Class string
	Points         []svg.Point // of a path; the corners of a rectangle; the middle of a circle
	Title          string
}

// Text is a piece of text. Upright text runs upwards.
type Text struct {
	Class, Anchor, Text, Title string
	X, Y                       float64
	Upright                    bool
}

// Is reports whether the shape has all of the classes.
func (s *Shape) Is(classes ...string) bool { return has(s.Class, classes) }

// Box returns the least and the greatest coordinates of the shape.
func (s *Shape) Box() (left, top, right, bottom float64) {
	left, top, right, bottom = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, p := range s.Points {
		left, top, right, bottom = min(left, p.X), min(top, p.Y), max(right, p.X), max(bottom, p.Y)
	}
	return left, top, right, bottom
}

func has(class string, classes []string) bool {
	have := strings.Fields(class)
	return !slices.ContainsFunc(classes, func(c string) bool { return !slices.Contains(have, c) })
}

// All returns the shapes that have all of the classes.
func (p *Picture) All(classes ...string) []Shape {
	var list []Shape
	for _, s := range p.Shapes {
		if s.Is(classes...) {
			list = append(list, s)
		}
	}
	return list
}

// Find returns the text with these words.
func (p *Picture) Find(t testing.TB, text string) Text {
	t.Helper()
	i := slices.IndexFunc(p.Texts, func(x Text) bool { return x.Text == text })
	if i < 0 {
		t.Fatalf("%s: there is no text %q in %v", p.Name, text, p.Texts)
	}
	return p.Texts[i]
}

var (
	drawings = regexp.MustCompile(`(?s)<svg .*?</svg>`)
	ruled    = regexp.MustCompile(`\.([a-z][a-z0-9]*)`)
	turned   = regexp.MustCompile(`^translate\((\S+) (\S+)\)rotate\(-90\)$`)
	command  = regexp.MustCompile(`([A-Za-z])([^A-Za-z]*)`)
)

// Number parses a number of a drawing or its table, which must be finite.
func Number(t testing.TB, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		t.Fatalf("%q is no number", text)
	}
	return x
}

// ReadAll parses the drawings of a page.
func ReadAll(t testing.TB, page string) []*Picture {
	t.Helper()
	var list []*Picture
	for _, text := range drawings.FindAllString(page, -1) {
		list = append(list, Read(t, []byte(text)))
	}
	return list
}

// element is an element of a drawing.
type element struct {
	XMLName  xml.Name
	Attr     []xml.Attr `xml:",any,attr"`
	Title    string     `xml:"title"`
	Text     string     `xml:",chardata"`
	Elements []element  `xml:",any"`
}

// Read parses a drawing. It fails the test unless that is one well-formed svg
// element, all shapes and texts are within its bounds, and all classes are in the
// style sheet.
func Read(t testing.TB, data []byte) *Picture {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(bytes.TrimSpace(data)))
	var root element
	err := d.Decode(&root)
	if err == nil {
		_, err = d.Token()
	}
	if !errors.Is(err, io.EOF) || root.XMLName.Local != "svg" {
		t.Fatalf("not one well-formed svg element: %v in\n%.300s", err, data)
	}
	r := reader{TB: t, p: &Picture{Name: root.attribute("aria-label") + root.Title}}
	r.p.Width, r.p.Height = r.number(&root, "width"), r.number(&root, "height")
	for i := range root.Elements {
		r.add(&root.Elements[i])
	}
	r.check()
	return r.p
}

// reader is the state of parsing a drawing.
type reader struct {
	testing.TB
	p *Picture
}

func (r *reader) number(e *element, name string) float64 {
	r.Helper()
	return Number(r.TB, e.attribute(name))
}

func (e *element) attribute(name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// add adds a shape or a text.
func (r *reader) add(e *element) {
	r.Helper()
	s := Shape{Element: e.XMLName.Local, Class: e.attribute("class"), Title: e.Title}
	switch s.Element {
	case "style", "defs":
		return
	case "text":
		text := Text{Class: s.Class, Anchor: e.attribute("text-anchor"), Text: e.Text, Title: e.Title}
		if m := turned.FindStringSubmatch(e.attribute("transform")); m != nil {
			text.Upright = true
			text.X, text.Y = Number(r.TB, m[1]), Number(r.TB, m[2])
		} else {
			text.X, text.Y = r.number(e, "x"), r.number(e, "y")
		}
		r.p.Texts = append(r.p.Texts, text)
		return
	case "rect":
		x, y := 0.0, 0.0
		if s.Class != "ground" {
			x, y = r.number(e, "x"), r.number(e, "y")
		}
		w, h := r.number(e, "width"), r.number(e, "height")
		if w < 0 || h < 0 {
			r.Errorf("%s: a rectangle %s of %v by %v", r.p.Name, s.Class, w, h)
		}
		s.Points = []svg.Point{{X: x, Y: y}, {X: x + w, Y: y + h}}
	case "circle":
		s.Points = []svg.Point{{X: r.number(e, "cx"), Y: r.number(e, "cy")}}
	case "path":
		s.Points = r.points(e.attribute("d"))
	default:
		r.Errorf("%s: an element %s", r.p.Name, s.Element)
	}
	r.p.Shapes = append(r.p.Shapes, s)
}

func (r *reader) points(path string) []svg.Point {
	r.Helper()
	var list []svg.Point
	for _, m := range command.FindAllStringSubmatch(path, -1) {
		if m[1] == "M" || m[1] == "L" {
			x, y, _ := strings.Cut(strings.TrimSpace(m[2]), " ")
			list = append(list, svg.Point{X: Number(r.TB, x), Y: Number(r.TB, y)})
		}
	}
	return list
}

// check compares the drawing with its bounds and the style sheet.
func (r *reader) check() {
	r.Helper()
	p := r.p
	known := make(map[string]bool)
	for _, m := range ruled.FindAllStringSubmatch(string(svg.Style()), -1) {
		known[m[1]] = true
	}
	classes := func(class string) {
		for c := range strings.FieldsSeq(class) {
			if !known[c] {
				r.Errorf("%s: the style sheet has no class %s", p.Name, c)
			}
		}
	}
	inside := func(what string, left, top, right, bottom float64) {
		const near = 0.011 // coordinates are rounded
		if left < -near || top < -near || right > p.Width+near || bottom > p.Height+near {
			r.Errorf("%s: %s is at %.1f %.1f to %.1f %.1f, outside of %v by %v", p.Name, what, left, top, right, bottom, p.Width, p.Height)
		}
	}
	if p.Width <= 0 || p.Height <= 0 || p.Name == "" {
		r.Errorf("a drawing %q of %v by %v", p.Name, p.Width, p.Height)
	}
	for i := range p.Shapes {
		s := &p.Shapes[i]
		classes(s.Class)
		left, top, right, bottom := s.Box()
		inside(s.Element+" "+s.Class, left, top, right, bottom)
	}
	for _, text := range p.Texts {
		classes(text.Class)
		size := 11.0
		switch {
		case has(text.Class, []string{"small"}):
			size = 10
		case has(text.Class, []string{"name"}), has(text.Class, []string{"title"}):
			size = 12
		}
		wide := 0.5 * size * float64(len([]rune(text.Text))) // most letters are not wider
		left := text.X - map[string]float64{"start": 0, "middle": 0.5, "end": 1}[text.Anchor]*wide
		if text.Upright {
			inside("text "+text.Text, text.X-size, text.Y-wide/2, text.X, text.Y+wide/2)
		} else {
			inside("text "+text.Text, left, text.Y-size, left+wide, text.Y)
		}
	}
}
