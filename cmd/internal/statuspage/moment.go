package statuspage

import (
	"math"
	"time"

	"slurm-ostrich/cmd/internal/format"
)

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
