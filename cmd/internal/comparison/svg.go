package comparison

import (
	"fmt"
	"html"
	"html/template"
	"strconv"
	"strings"
)

// drawing is an SVG that is being written, in pixels from the upper left
// corner. Colours come from classes of the page, so that it follows dark mode
// and print.
type drawing struct {
	width, height float64
	title         string // for those who do not see it
	body          strings.Builder
}

func (d *drawing) svg() template.HTML {
	return template.HTML(fmt.Sprintf(`<svg viewBox="0 0 %s %s" role="img" aria-label="%s">%s</svg>`,
		pixels(d.width), pixels(d.height), html.EscapeString(d.title), d.body.String()))
}

func (d *drawing) line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(&d.body, `<path class="%s" d="M%s %sL%s %s"/>`, class, pixels(x1), pixels(y1), pixels(x2), pixels(y2))
}

// steps draws a line through points.
func (d *drawing) steps(class string, points [][2]float64) {
	fmt.Fprintf(&d.body, `<path class="%s" d="`, class)
	for i, p := range points {
		command := "L"
		if i == 0 {
			command = "M"
		}
		d.body.WriteString(command + pixels(p[0]) + " " + pixels(p[1]))
	}
	d.body.WriteString(`"/>`)
}

// rect draws a rectangle; what it is shows where the pointer rests on it.
func (d *drawing) rect(class string, x, y, w, h float64, what string) {
	fmt.Fprintf(&d.body, `<rect class="%s" x="%s" y="%s" width="%s" height="%s"`, class, pixels(x), pixels(y), pixels(w), pixels(h))
	if what == "" {
		d.body.WriteString("/>")
		return
	}
	fmt.Fprintf(&d.body, "><title>%s</title></rect>", html.EscapeString(what))
}

// mark draws the point of run i: each has a shape of its own.
func (d *drawing) mark(class string, i int, x, y float64) {
	shape := []string{
		"m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", "m0 -4.6l4.6 4.6l-4.6 4.6l-4.6 -4.6z", "m-3.6 -3.6h7.2v7.2h-7.2z",
		"m0 -4.6l4.4 7.8h-8.8z", "m0 4.6l4.4 -7.8h-8.8z", "m-4.5 -1.7h9v3.4h-9z",
	}[i%styles]
	fmt.Fprintf(&d.body, `<path class="%s" d="M%s %s%s"/>`, class, pixels(x), pixels(y), shape)
}

// write puts text at a place; the anchor is start, middle or end.
func (d *drawing) write(class, anchor string, x, y float64, text string) {
	fmt.Fprintf(&d.body, `<text class="%s" text-anchor="%s" x="%s" y="%s">%s</text>`, class, anchor, pixels(x), pixels(y), html.EscapeString(text))
}

// name writes a name before a place, cut where it is too long; the whole of it
// shows where the pointer rests.
func (d *drawing) name(class string, x, y float64, text string, most int) {
	runes := []rune(text)
	if len(runes) <= most {
		d.write(class, "end", x, y, text)
		return
	}
	fmt.Fprintf(&d.body, `<text class="%s" text-anchor="end" x="%s" y="%s">%s<title>%s</title></text>`,
		class, pixels(x), pixels(y), html.EscapeString(string(runes[:most-1])+"…"), html.EscapeString(text))
}

// styles is how many lines and marks there are that can be told apart.
const styles = 6

// style is the class of run i.
func style(i int) string { return "r" + strconv.Itoa(i%styles) }

// pixels is a coordinate, to a tenth.
func pixels(x float64) string {
	s := strings.TrimSuffix(strconv.FormatFloat(x, 'f', 1, 64), ".0")
	if s == "-0" {
		return "0"
	}
	return s
}
