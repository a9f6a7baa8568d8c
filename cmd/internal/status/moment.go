package status

import (
	"fmt"
	"math"
	"time"
)

// clock tells the page's readers when something is.
type clock struct {
	now time.Time // in the zone of the page
}

// moment is a time for the page: Absolute for people, ISO for programs, and
// Relative to now. Without ISO it is no time but a word such as never.
type moment struct{ ISO, Absolute, Relative string }

// at is a moment from seconds of Unix time: 0 is none, +Inf never.
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

// maybe is a moment that may be null, which is never.
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

// offset is the time zone's distance from UTC: UTC+01:00.
func (c clock) offset() string { return "UTC" + c.now.Format("-07:00") }

// relative tells how far away a moment is.
func relative(d time.Duration) string {
	switch {
	case d >= time.Second:
		return "in " + span(d.Seconds())
	case d <= -time.Second:
		return span(-d.Seconds()) + " ago"
	}
	return "now"
}

// span writes a length of time of 0 or more seconds in at most two units.
func span(seconds float64) string {
	s := int64(math.Round(seconds))
	switch {
	case s < 90:
		return fmt.Sprintf("%d s", s)
	case s < 90*60:
		return fmt.Sprintf("%d min", (s+30)/60)
	case s < 48*3600:
		m := (s + 30) / 60
		if m%60 == 0 {
			return fmt.Sprintf("%d h", m/60)
		}
		return fmt.Sprintf("%d h %d min", m/60, m%60)
	}
	h := (s + 1800) / 3600
	if h%24 == 0 || h >= 14*24 {
		return fmt.Sprintf("%d d", (h+12)/24)
	}
	return fmt.Sprintf("%d d %d h", h/24, h%24)
}
