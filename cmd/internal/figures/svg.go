package figures

import (
	"bytes"
	"fmt"
	"html"
	"math"

	"slurm-ostrich/cmd/internal/format"
)

// style is that of all drawings. It is scoped to them, since they stand side
// by side on one page. The shades differ in lightness as well as in hue, so
// that they stay apart in print and for those who see few colours.
const style = `
.drawing text{font:12px system-ui,"Helvetica Neue",Arial,sans-serif;fill:#1b1e23}
.drawing text.small{font-size:10px}
.drawing text.muted{fill:#596070}
.drawing text.title{font-weight:600}
.drawing .ground{fill:#fff}
.drawing .grid{stroke:#e1e4e9}
.drawing .axis{stroke:#6b7280;fill:none}
.drawing .arrow{stroke:#3d4451;stroke-width:1.3;fill:none}
.drawing .head,.drawing .mark{fill:#3d4451}
.drawing .dashed{stroke:#3d4451;stroke-dasharray:5 3;fill:none}
.drawing .dotted{stroke:#3d4451;stroke-width:1.3;stroke-dasharray:1 3;fill:none}
.drawing .idle{stroke:#a4abb7;stroke-width:.8}
.drawing .frame{fill:none;stroke:#a4abb7;stroke-width:.8}
.drawing .s1{fill:#1f4e79}
.drawing .s2{fill:#e69f00}
.drawing .s3{fill:#cfe3f5}
.drawing .s1,.drawing .s2,.drawing .s3{stroke:#fff;stroke-width:1}
.drawing .s3{stroke:#6b8fb3}
.drawing text.on1{fill:#fff;stroke:#1f4e79}
.drawing text.on2{fill:#14171c;stroke:#e69f00}
.drawing text.on3{fill:#14171c;stroke:#cfe3f5}
.drawing text.on1,.drawing text.on2,.drawing text.on3{stroke-width:4;paint-order:stroke}
.drawing .faded{opacity:.45}
@media screen and (prefers-color-scheme:dark){
.drawing text{fill:#e4e7ec}
.drawing text.muted{fill:#a7afbd}
.drawing .ground{fill:#16181d}
.drawing .grid{stroke:#2c313a}
.drawing .axis{stroke:#8d95a3}
.drawing .arrow,.drawing .dashed,.drawing .dotted{stroke:#cfd4dd}
.drawing .head,.drawing .mark{fill:#cfd4dd}
.drawing .idle,.drawing .frame{stroke:#59606d}
.drawing .s1{fill:#2f6da6}
.drawing text.on1{fill:#fff;stroke:#2f6da6}
.drawing text.on2,.drawing text.on3{fill:#14171c}
.drawing .s1,.drawing .s2,.drawing .s3{stroke:#16181d}
}
`

// drawing is an SVG that is being written. Coordinates are in pixels, from
// the upper left corner.
type drawing struct {
	name, text    string
	width, height float64
	body          bytes.Buffer
}

// svg is the whole file.
func (d *drawing) svg() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" class="drawing" role="img" width="%s" height="%[2]s" viewBox="0 0 %[1]s %[2]s">`+"\n",
		pixels(d.width), pixels(d.height))
	fmt.Fprintf(&b, "<title>%s</title>\n<style>%s</style>\n", html.EscapeString(d.text), style)
	fmt.Fprintf(&b, `<defs><pattern id="%s-idle" width="6" height="6" patternUnits="userSpaceOnUse"><path class="idle" d="M0 6L6 0"/></pattern></defs>`+"\n", d.name)
	fmt.Fprintf(&b, `<rect class="ground" width="%s" height="%s"/>`+"\n", pixels(d.width), pixels(d.height))
	b.Write(d.body.Bytes())
	b.WriteString("</svg>\n")
	return b.Bytes()
}

func (d *drawing) line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(&d.body, `<path class="%s" d="M%s %sL%s %s"/>`+"\n", class, pixels(x1), pixels(y1), pixels(x2), pixels(y2))
}

// rect draws a rectangle; what it is shows where the pointer rests on it.
func (d *drawing) rect(class string, x, y, w, h float64, what string) {
	fmt.Fprintf(&d.body, `<rect class="%s" x="%s" y="%s" width="%s" height="%s">`, class, pixels(x), pixels(y), pixels(w), pixels(h))
	if what != "" {
		fmt.Fprintf(&d.body, "<title>%s</title>", html.EscapeString(what))
	}
	d.body.WriteString("</rect>\n")
}

// hatch draws a rectangle in which nothing happens.
func (d *drawing) hatch(x, y, w, h float64, what string) {
	fmt.Fprintf(&d.body, `<rect class="frame" x="%s" y="%s" width="%s" height="%s" style="fill:url(#%s-idle)"><title>%s</title></rect>`+"\n",
		pixels(x), pixels(y), pixels(w), pixels(h), d.name, html.EscapeString(what))
}

func (d *drawing) circle(class string, x, y, r float64) {
	fmt.Fprintf(&d.body, `<circle class="%s" cx="%s" cy="%s" r="%s"/>`+"\n", class, pixels(x), pixels(y), pixels(r))
}

// write puts text at a place; the anchor is start, middle or end.
func (d *drawing) write(class, anchor string, x, y float64, text string) {
	fmt.Fprintf(&d.body, `<text class="%s" text-anchor="%s" x="%s" y="%s">%s</text>`+"\n",
		class, anchor, pixels(x), pixels(y), html.EscapeString(text))
}

// inside writes a label in the middle of a rectangle, smaller where it must be,
// and not at all where it does not fit.
func (d *drawing) inside(class string, x, y, w, h float64, label string) {
	long := float64(len([]rune(label)))
	switch {
	case label == "" || h < 10 || long*5.8 > w:
		return
	case long*7 > w || h < 14:
		d.write(class+" small", "middle", x+w/2, y+h/2+3.5, label)
	default:
		d.write(class, "middle", x+w/2, y+h/2+4.2, label)
	}
}

// down draws a small triangle that points at a place from above.
func (d *drawing) down(x, y float64) {
	fmt.Fprintf(&d.body, `<path class="mark" d="M%s %sl-4 -7h8z"/>`+"\n", pixels(x), pixels(y))
}

// arrow draws an arrow from one place to another, with room around both.
func (d *drawing) arrow(x1, y1, x2, y2, room float64) {
	length := math.Hypot(x2-x1, y2-y1)
	dx, dy := (x2-x1)/length, (y2-y1)/length
	tipX, tipY := x2-dx*room, y2-dy*room
	d.line("arrow", x1+dx*room, y1+dy*room, tipX-dx*6, tipY-dy*6)
	fmt.Fprintf(&d.body, `<path class="head" d="M%s %sL%s %sL%s %sz"/>`+"\n", pixels(tipX), pixels(tipY),
		pixels(tipX-dx*9-dy*4), pixels(tipY-dy*9+dx*4), pixels(tipX-dx*9+dy*4), pixels(tipY-dy*9-dx*4))
}

// legend names the shades at a height.
func (d *drawing) legend(x, y float64, users []shade) {
	for _, u := range users {
		d.rect(fmt.Sprintf("s%d", u.shade), x, y-10, 14, 12, "")
		d.write("", "start", x+20, y, u.name)
		x += 36 + 6.6*float64(len([]rune(u.name)))
	}
}

// shade says who has a shade: 1 is dark, 2 medium and 3 light.
type shade struct {
	shade int
	name  string
}

// pixels is a coordinate, to a hundredth.
func pixels(x float64) string { return format.Trimmed(x, 2) }

// amount is a number as it stands in a text.
func amount(x float64) string { return format.Trimmed(x, 2) }
