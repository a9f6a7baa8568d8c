// Package svg draws charts over two axes, rows of values, Gantt charts, and other
// pictures from lines, boxes and text. A drawing is a file of its own or part of
// a page; both follow dark mode.
package svg

import (
	"bytes"
	_ "embed"
	"fmt"
	"html"
	"html/template"
	"math"
	"strconv"
	"strings"
	"unicode"

	"slurm-ostrich/cmd/internal/format"
)

//go:embed style.css
var style string

// Style returns the style sheet that a page with drawings needs.
func Style() template.CSS { return template.CSS(style) }

// Picture is a drawing. Coordinates are in pixels, from the upper left corner.
// Classes are those of style.css.
type Picture struct {
	Name          string // prefix of its ids, different for each drawing of a page
	Text          string // description for people who cannot see it
	Width, Height float64
	body          bytes.Buffer
}

// File returns the picture as a file of its own, with lines below it that say what it is.
func (p *Picture) File(lines ...string) []byte {
	page := Picture{Width: p.Width, Height: p.Height}
	for _, line := range lines {
		page.Height += 16
		page.Width = max(page.Width, wide(line, 11)+16)
		page.Write("", "start", 8, page.Height-4, line)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" class="drawing" role="img" width="%s" height="%[2]s" viewBox="0 0 %[1]s %[2]s">`+"\n",
		pixels(page.Width), pixels(page.Height))
	fmt.Fprintf(&b, "<title>%s</title>\n<style>\n%s</style>\n", html.EscapeString(p.Text), style)
	fmt.Fprintf(&b, `<rect class="ground" width="%s" height="%s"/>`+"\n", pixels(page.Width), pixels(page.Height))
	b.Write(p.body.Bytes())
	b.Write(page.body.Bytes())
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// Inline returns the picture for a page that has the style sheet.
func (p *Picture) Inline() template.HTML {
	return template.HTML(fmt.Sprintf(`<svg class="drawing" role="img" aria-label="%s" width="%s" height="%[3]s" viewBox="0 0 %[2]s %[3]s">%s</svg>`,
		html.EscapeString(p.Text), pixels(p.Width), pixels(p.Height), p.body.Bytes()))
}

// Swatch returns a line with the mark of a number, for a legend in a page.
func Swatch(line string, number int, what string) template.HTML {
	p := Picture{Text: what, Width: 40, Height: 12}
	p.Line(line+" "+Run(number), 1, 6, 39, 6)
	p.Mark("dot "+Run(number), number, 20, 6)
	return p.Inline()
}

// Line draws a straight line.
func (p *Picture) Line(class string, x1, y1, x2, y2 float64) {
	p.Path(class, []Point{{x1, y1}, {x2, y2}}, false)
}

// Point is a place in a picture, or a value on two axes.
type Point struct{ X, Y float64 }

// Path draws a line through points, or the shape that they enclose.
func (p *Picture) Path(class string, points []Point, closed bool) {
	fmt.Fprintf(&p.body, `<path class="%s" d="`, class)
	for i, at := range points {
		command := byte('L')
		if i == 0 {
			command = 'M'
		}
		fmt.Fprintf(&p.body, "%c%s %s", command, pixels(at.X), pixels(at.Y))
	}
	if closed {
		p.body.WriteByte('z')
	}
	p.body.WriteString("\"/>\n")
}

// Rect draws a rectangle; the pointer shows what it is.
func (p *Picture) Rect(class string, x, y, w, h float64, what string) {
	p.rect(fmt.Sprintf(`class="%s"`, class), x, y, w, h, what)
}

func (p *Picture) rect(look string, x, y, w, h float64, what string) {
	fmt.Fprintf(&p.body, `<rect %s x="%s" y="%s" width="%s" height="%s"`, look, pixels(x), pixels(y), pixels(w), pixels(h))
	if what == "" {
		p.body.WriteString("/>\n")
		return
	}
	fmt.Fprintf(&p.body, "><title>%s</title></rect>\n", html.EscapeString(what))
}

// pattern defines the hatching of idle areas.
func (p *Picture) pattern() {
	fmt.Fprintf(&p.body, `<defs><pattern id="%s-idle" width="6" height="6" patternUnits="userSpaceOnUse"><path class="idle" d="M0 6L6 0"/></pattern></defs>`+"\n", p.Name)
}

// hatch draws an idle area.
func (p *Picture) hatch(x, y, w, h float64, what string) {
	p.rect(fmt.Sprintf(`class="frame" fill="url(#%s-idle)"`, p.Name), x, y, w, h, what)
}

// Circle draws a circle.
func (p *Picture) Circle(class string, x, y, r float64) {
	fmt.Fprintf(&p.body, `<circle class="%s" cx="%s" cy="%s" r="%s"/>`+"\n", class, pixels(x), pixels(y), pixels(r))
}

// runs is how many lines and marks can be told apart.
const runs = 6

// Run returns the class of the colour of a number.
func Run(number int) string { return "r" + strconv.Itoa(number%runs) }

// Mark draws a point: each number has a shape of its own.
func (p *Picture) Mark(class string, number int, x, y float64) {
	shape := []string{
		"m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", "m0 -4.6l4.6 4.6l-4.6 4.6l-4.6 -4.6z", "m-3.6 -3.6h7.2v7.2h-7.2z",
		"m0 -4.6l4.4 7.8h-8.8z", "m0 4.6l4.4 -7.8h-8.8z", "m-4.5 -1.7h9v3.4h-9z",
	}[number%runs]
	fmt.Fprintf(&p.body, `<path class="%s" d="M%s %s%s"/>`+"\n", class, pixels(x), pixels(y), shape)
}

// Write writes text at a place; the anchor is start, middle or end.
func (p *Picture) Write(class, anchor string, x, y float64, text string) {
	fmt.Fprintf(&p.body, `<text class="%s" text-anchor="%s" x="%s" y="%s">%s</text>`+"\n", class, anchor, pixels(x), pixels(y), html.EscapeString(text))
}

// name writes a name to the left of a place and shortens it if it is too long;
// the pointer shows all of it.
func (p *Picture) name(class string, x, y float64, text string, most int) {
	runes := []rune(text)
	switch {
	case text == "":
		return
	case len(runes) <= most:
		p.Write(class, "end", x, y, text)
		return
	}
	fmt.Fprintf(&p.body, `<text class="%s" text-anchor="end" x="%s" y="%s">%s<title>%s</title></text>`+"\n",
		class, pixels(x), pixels(y), html.EscapeString(string(runes[:most-1])+"…"), html.EscapeString(text))
}

// inside writes a label in the middle of a rectangle, smaller if needed. It
// leaves out a label that does not fit.
func (p *Picture) inside(class string, x, y, w, h float64, label string) {
	switch {
	case label == "" || h < 10 || wide(label, 10) > w:
	case wide(label, 12) > w || h < 14:
		p.Write(class+" small", "middle", x+w/2, y+h/2+3.5, label)
	default:
		p.Write(class+" name", "middle", x+w/2, y+h/2+4.2, label)
	}
}

// wide estimates the width of a text: a little more than in DejaVu Sans, which is wider than
// most fonts.
func wide(text string, size float64) float64 {
	ems := 0.0
	for _, r := range text {
		switch {
		case strings.ContainsRune(" .,:;!'|()[]ijlftrI-·", r):
			ems += 0.42
		case strings.ContainsRune("mMW%…—", r):
			ems++
		case strings.ContainsRune("w±×+=<>→", r):
			ems += 0.84
		case unicode.IsUpper(r):
			ems += 0.74
		default:
			ems += 0.64
		}
	}
	return ems * size
}

// down draws a small triangle that points down at a place.
func (p *Picture) down(x, y float64) {
	p.Path("head ink", []Point{{x, y}, {x - 4, y - 7}, {x + 4, y - 7}}, true)
}

// Arrow draws an arrow from one place to another, with room around both.
func (p *Picture) Arrow(x1, y1, x2, y2, room float64) {
	length := math.Hypot(x2-x1, y2-y1)
	dx, dy := (x2-x1)/length, (y2-y1)/length
	tipX, tipY := x2-dx*room, y2-dy*room
	p.Line("line ink", x1+dx*room, y1+dy*room, tipX-dx*6, tipY-dy*6)
	p.Path("head ink", []Point{{tipX, tipY}, {tipX - dx*9 - dy*4, tipY - dy*9 + dx*4}, {tipX - dx*9 + dy*4, tipY - dy*9 - dx*4}}, true)
}

// pixels formats a coordinate.
func pixels(x float64) string { return format.Trimmed(x, 2) }

// upright writes text upwards, centred at a height.
func (p *Picture) upright(x, y float64, text string) {
	fmt.Fprintf(&p.body, `<text text-anchor="middle" transform="translate(%s %s)rotate(-90)">%s</text>`+"\n", pixels(x), pixels(y), html.EscapeString(text))
}
