package svg

import "math"

// Rows shows values on one axis, row by row: marks with intervals, or bars from
// 0.
type Rows struct {
	Name, Text string // as in Picture
	Title      string // above it
	Width      float64
	X          Axis
	Bars       bool
	Rows       []Row
}

// Row has a lane for each value.
type Row struct {
	Name   string
	Values []Value
}

// Value is a value with its interval.
type Value struct {
	Name      string // before its lane, or ""
	Class     string // of its colour: "r1"
	Number    int    // of its mark
	At        float64
	Low, High float64 // NaN for no interval
	Hollow    bool
	Label     string // behind a bar
}

// The most letters that names may have.
const (
	mostName  = 50
	mostValue = 20
)

// Draw draws the rows.
func (r *Rows) Draw() *Picture {
	const lane, gap = 14.0, 8.0
	p := &Picture{Name: r.Name, Text: r.Text, Width: r.Width}
	top, bottom, names, values, right := 10.0, 10.0, 0.0, 0.0, r.Width-26
	if r.Title != "" {
		p.Write("title", "start", 8, 14, r.Title)
		top, bottom = 26, 26
	}
	for _, row := range r.Rows {
		names = max(names, wide(row.Name, 12))
		for _, v := range row.Values {
			values = max(values, wide(v.Name, 10))
			if r.Bars {
				right = min(right, r.Width-wide(v.Label, 11)-8)
			}
		}
		bottom += lane*float64(len(row.Values)) + gap
	}
	names = min(names, wide("m", 12)*mostName) + 10
	left := names
	if values > 0 {
		left += min(values, wide("m", 10)*mostValue) + 12
	}
	p.Height = bottom + r.X.height()
	r.X.place(left, right)
	r.X.above(p, top, bottom)
	r.X.below(p, bottom)
	p.Line("zero", r.X.pixel(0), top, r.X.pixel(0), bottom)
	y := top
	for i, row := range r.Rows {
		height := lane*float64(len(row.Values)) + gap
		p.name("name", names-8, y+height/2+4, row.Name, mostName)
		for k := range row.Values {
			v, middle := &row.Values[k], y+gap/2+lane*(float64(k)+0.5)
			p.name("small", left-8, middle+4, v.Name, mostValue)
			if r.Bars {
				v.bar(p, &r.X, middle)
			} else {
				v.mark(p, &r.X, middle)
			}
		}
		y += height
		if len(row.Values) > 1 && i+1 < len(r.Rows) && !r.Bars {
			p.Line("grid", 0, y, right, y)
		}
	}
	return p
}

func (v *Value) mark(p *Picture, axis *Axis, y float64) {
	if !math.IsNaN(v.Low) {
		p.Line("whisker "+v.Class, axis.pixel(v.Low), y, axis.pixel(v.High), y)
	}
	class := "dot "
	if v.Hollow {
		class = "hollow "
	}
	p.Mark(class+v.Class, v.Number, axis.pixel(v.At), y)
}

func (v *Value) bar(p *Picture, axis *Axis, y float64) {
	p.Rect("bar "+v.Class, axis.pixel(0), y-6, axis.pixel(v.At)-axis.pixel(0), 12, "")
	p.Write("", "start", axis.pixel(v.At)+4, y+4, v.Label)
}
