package format

import (
	"fmt"
	"math"
	"time"

	"slurm-ostrich/ostrich"
)

// Moment formats a time as Slurm's commands do, in local time: "-" if it is not
// set, "never" if it is infinite.
func Moment(t float64) string {
	switch {
	case math.IsInf(t, 0):
		return "never"
	case t <= 0:
		return "-"
	}
	return time.Unix(int64(t), 0).Format("2006-01-02T15:04:05")
}

// When is Moment for a time that is nil if it is infinite, see Finite.
func When(t *float64) string {
	if t == nil {
		return Moment(math.Inf(1))
	}
	return Moment(*t)
}

// Elapsed formats a length of time as Slurm does, [days-]hours:minutes:seconds.
func Elapsed(d ostrich.Duration) string {
	text := fmt.Sprintf("%02d:%02d:%02d", d/3600%24, d/60%60, d%60)
	if days := d / (24 * 3600); days > 0 {
		text = fmt.Sprintf("%d-%s", days, text)
	}
	return text
}

// Length formats a length of time of 0 or more seconds in one unit: "1.5 h".
func Length(seconds float64) string {
	switch {
	case seconds < 90:
		return fmt.Sprintf("%.0f s", seconds)
	case seconds < 90*60:
		return Trimmed(seconds/60, 1) + " min"
	case seconds < 48*3600:
		return Trimmed(seconds/3600, 1) + " h"
	}
	return Trimmed(seconds/86400, 1) + " d"
}

// Span formats a length of time of 0 or more seconds in whole numbers of at most
// two units: "1 h 30 min".
func Span(seconds float64) string {
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
