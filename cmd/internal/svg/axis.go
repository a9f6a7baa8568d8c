package svg

import (
	"math"
	"strconv"
)

// Axis places values along a line. The zero Axis is linear from 0 to 0.
type Axis struct {
	Title    string
	Min, Max float64
	Ticks    []Tick                // if two have no room, the first one in the list is drawn
	Scale    func(float64) float64 // grows with the value; nil for a linear axis

	first, last float64 // pixels of Min and Max
}

// Tick is a value with a mark on the axis, and a label or "".
type Tick struct {
	At    float64
	Label string
}

// Linear returns an axis with a labelled tick every step.
func Linear(title string, least, most, step float64) Axis {
	a := Axis{Title: title, Min: least, Max: most}
	for i := 0; least+float64(i)*step <= most*(1+1e-9); i++ {
		value := least + float64(i)*step
		a.Ticks = append(a.Ticks, Tick{value, strconv.FormatFloat(value, 'g', 6, 64)})
	}
	return a
}

// UpTo returns an axis from 0 to a round number that is at least the largest value,
// with four to eight steps.
func UpTo(title string, largest float64) Axis {
	if largest <= 0 {
		largest = 1
	}
	step := math.Pow(10, math.Floor(math.Log10(largest)))
	for _, part := range []float64{0.1, 0.2, 0.5, 1} {
		if n := math.Ceil(largest / (step * part)); n <= 8 {
			return Linear(title, 0, n*step*part, step*part)
		}
	}
	return Linear(title, 0, math.Ceil(largest/(2*step))*2*step, 2*step)
}

// Log returns a logarithmic axis with a tick at each digit times a power of ten; 1, 2
// and 5 have labels, and 1 alone on a long axis.
func Log(title string, least, most float64) Axis {
	a := Axis{Title: title, Min: least, Max: most, Scale: math.Log}
	for power := math.Pow(10, math.Floor(math.Log10(least))); power <= most; power *= 10 {
		for digit := 1.0; digit < 10; digit++ {
			tick := Tick{At: digit * power}
			if tick.At < least*(1-1e-9) || tick.At > most*(1+1e-9) {
				continue
			}
			if digit == 1 || (digit == 2 || digit == 5) && most < 1e5*least {
				tick.Label = strconv.FormatFloat(tick.At, 'f', -1, 64)
			}
			a.Ticks = append(a.Ticks, tick)
		}
	}
	return a
}

// Signed returns an axis from −most to most, linear around 0 up to about knee, and
// logarithmic beyond.
func Signed(title string, most, knee float64, label func(float64) string) Axis {
	a := Axis{
		Title: title, Min: -most, Max: most, Ticks: []Tick{{0, "0"}},
		Scale: func(v float64) float64 { return math.Asinh(v / knee) },
	}
	for unit := knee / 100; unit <= most; unit *= 10 {
		for _, digit := range []float64{1, 2, 5} {
			if v := digit * unit; v <= most {
				a.Ticks = append(a.Ticks, Tick{v, label(v)}, Tick{-v, label(-v)})
			}
		}
	}
	return a
}

// Quarters returns a linear axis with ticks at its ends and at three points between.
func Quarters(title string, least, most float64, label func(float64) string) Axis {
	a := Axis{Title: title, Min: least, Max: most}
	for i := range 5 {
		at := least + (most-least)*float64(i)/4
		a.Ticks = append(a.Ticks, Tick{at, label(at)})
	}
	return a
}

func (a *Axis) place(first, last float64) { a.first, a.last = first, last }

// pixel returns the pixel of a value; values beyond an end are at that end.
func (a *Axis) pixel(v float64) float64 {
	scale := a.Scale
	if scale == nil {
		scale = func(v float64) float64 { return v }
	}
	least, most := scale(a.Min), scale(a.Max)
	if most == least {
		return a.first
	}
	return a.first + min(max((scale(v)-least)/(most-least), 0), 1)*(a.last-a.first)
}

// visible returns the ticks whose labels have room, each with the pixels from and
// to between which its label stands.
func (a *Axis) visible(room func(at float64, label string) (from, to float64)) []placed {
	const gap = 10.0
	var list []placed
	near := 1e-9 * (a.Max - a.Min)
next:
	for _, t := range a.Ticks {
		if t.At < a.Min-near || t.At > a.Max+near {
			continue
		}
		one := placed{Tick: t, at: a.pixel(t.At)}
		if t.Label != "" {
			one.from, one.to = room(one.at, t.Label)
			for _, o := range list {
				if o.Label != "" && one.from < o.to+gap && o.from < one.to+gap {
					continue next
				}
			}
		}
		list = append(list, one)
	}
	return list
}

// placed is a tick that is drawn.
type placed struct {
	Tick
	at, from, to float64
}

// across returns the ticks of an axis from left to right.
func (a *Axis) across(p *Picture) []placed {
	return a.visible(func(at float64, label string) (float64, float64) {
		half := wide(label, 11) / 2
		at = min(max(at, half), p.Width-half) // not beyond an edge
		return at - half, at + half
	})
}

// above draws the lines of the grid between two heights.
func (a *Axis) above(p *Picture, top, bottom float64) {
	for _, t := range a.across(p) {
		if t.Label != "" {
			p.Line("grid", t.at, top, t.at, bottom)
		}
	}
}

// below draws the axis below the picture's lowest height.
func (a *Axis) below(p *Picture, bottom float64) {
	for _, t := range a.across(p) {
		if t.Label == "" {
			p.Line("axis", t.at, bottom, t.at, bottom+3)
			continue
		}
		p.Line("axis", t.at, bottom, t.at, bottom+4)
		p.Write("", "middle", (t.from+t.to)/2, bottom+16, t.Label)
	}
	if a.Title != "" {
		p.Write("", "middle", (a.first+a.last)/2, bottom+34, a.Title)
	}
}

// beside draws the axis to the left of what stands between two columns, and the
// lines of the grid.
func (a *Axis) beside(p *Picture, left, right float64) {
	for _, t := range a.visible(func(at float64, _ string) (float64, float64) { return at - 1, at + 1 }) {
		if t.Label == "" {
			p.Line("axis", left-3, t.at, left, t.at)
			continue
		}
		p.Line("grid", left, t.at, right, t.at)
		p.Write("", "end", left-6, t.at+4, t.Label)
	}
	if a.Title != "" {
		p.upright(12, (a.first+a.last)/2, a.Title)
	}
}

// margin returns the room that the axis needs on the left.
func (a *Axis) margin() float64 {
	widest := 0.0
	for _, t := range a.Ticks {
		widest = max(widest, wide(t.Label, 11))
	}
	if a.Title != "" {
		widest += 18
	}
	return math.Ceil(widest) + 10
}

// height returns the room that the axis needs below.
func (a *Axis) height() float64 {
	if a.Title == "" {
		return 24
	}
	return 42
}
