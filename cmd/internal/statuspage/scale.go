package statuspage

import (
	"math"
	"slices"
	"time"

	"slurm-ostrich/cmd/internal/format"
)

// scale is a time axis that begins now.
type scale struct {
	clock clock
	span  time.Duration
}

const (
	// A few campaigns that end next month must not squeeze the rest of the
	// schedule into the first pixels: the axis ends after this part of them.
	axisQuantile = 0.9
	mostTicks    = 8
	phoneGap     = 0.2 // of the width, between labels on a phone
)

// spans are the lengths an axis may have, besides whole numbers of 28 days.
var spans = []time.Duration{
	10 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour, 12 * time.Hour, 24 * time.Hour,
	2 * 24 * time.Hour, 4 * 24 * time.Hour, 7 * 24 * time.Hour, 14 * 24 * time.Hour, 28 * 24 * time.Hour,
}

// newScale chooses an axis by the ends of what it is to show, in seconds of Unix
// time.
func newScale(c clock, ends []float64) scale {
	s := scale{clock: c, span: spans[2]}
	ends = slices.DeleteFunc(slices.Clone(ends), func(end float64) bool { return math.IsInf(end, 0) || math.IsNaN(end) })
	if len(ends) == 0 {
		return s
	}
	slices.Sort(ends)
	last := ends[int(math.Ceil(axisQuantile*float64(len(ends))))-1] - float64(c.now.Unix())
	for _, s.span = range spans {
		if s.span.Seconds() >= last {
			return s
		}
	}
	const month = 28 * 24 * 3600
	s.span = time.Duration(min(math.Ceil(last/month), 12*200)) * month * time.Second
	return s
}

// part returns where a moment lies on the axis: 0 is now, 1 its end.
func (s scale) part(t float64) float64 {
	return (t - float64(s.clock.now.Unix())) / s.span.Seconds()
}

// tick is a mark on the axis.
type tick struct {
	X, Label, Anchor string
	Odd              bool // left out where there is little room
}

// ticks returns marks at round times of the day.
func (s scale) ticks() []tick {
	list := []tick{{X: "0", Label: "now", Anchor: "start"}}
	steps := []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour}
	step, days := time.Duration(0), 1
	for _, step = range steps {
		if s.span/step < mostTicks {
			break
		}
	}
	if s.span/step >= mostTicks {
		step = 0
		for s.span/(time.Duration(days)*24*time.Hour) >= mostTicks {
			days *= 2
		}
	}
	now := s.clock.now
	at := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	for wide := 0.0; ; {
		if step == 0 {
			at = at.AddDate(0, 0, days)
		} else {
			at = at.Add(step)
		}
		x := s.part(float64(at.Unix()))
		if x > 0.97 {
			return list
		}
		if x < 0.08 {
			continue // too near to "now"
		}
		label := at.Format("15:04")
		if step == 0 || at.Hour() == 0 && at.Minute() == 0 {
			label = at.Format("2 Jan")
		}
		t := tick{X: percent(x), Label: label, Anchor: "middle", Odd: x < wide+phoneGap}
		if x > 0.92 {
			t.Anchor = "end" // not beyond the edge
		}
		if !t.Odd {
			wide = x
		}
		list = append(list, t)
	}
}

// percent returns a part of the width, for a drawing.
func percent(part float64) string {
	return format.Trimmed(math.Round(part*1e4)/100, 2)
}

// clock writes times for the readers of the page.
type clock struct {
	now time.Time // in the zone of the page
}

// moment is a time for the page: Absolute for people, ISO for programs, and
// Relative to now. Without ISO it is no time but a word such as never.
type moment struct{ ISO, Absolute, Relative string }

// at returns the moment of seconds of Unix time: 0 is none, +Inf never.
func (c clock) at(t float64) moment {
	switch {
	case math.IsInf(t, 0), math.IsNaN(t):
		return moment{Absolute: "never"}
	case t <= 0:
		return moment{Absolute: "–"}
	}
	then := time.Unix(int64(math.Round(t)), 0).In(c.now.Location())
	return moment{ISO: then.Format(time.RFC3339), Absolute: c.absolute(then), Relative: relative(then.Sub(c.now))}
}

// maybe is at for a time that may be nil, which is never.
func (c clock) maybe(t *float64) moment {
	if t == nil {
		return c.at(math.Inf(1))
	}
	return c.at(*t)
}

// absolute leaves out what is the same as now: the day, the year, the zone.
func (c clock) absolute(t time.Time) string {
	layout := "15:04:05"
	switch {
	case t.Year() != c.now.Year():
		layout = "2 Jan 2006 15:04"
	case t.YearDay() != c.now.YearDay():
		layout = "2 Jan 15:04"
	}
	text := t.Format(layout)
	if zone, _ := t.Zone(); zone != c.zone() {
		text += " " + zone
	}
	return text
}

// zone names the time zone, as the head of the page does.
func (c clock) zone() string {
	zone, _ := c.now.Zone()
	return zone
}

// offset returns the time zone's distance from UTC: UTC+01:00.
func (c clock) offset() string { return "UTC" + c.now.Format("-07:00") }

// relative says how far away a moment is.
func relative(d time.Duration) string {
	switch {
	case d >= time.Second:
		return "in " + format.Span(d.Seconds())
	case d <= -time.Second:
		return format.Span(-d.Seconds()) + " ago"
	}
	return "now"
}
