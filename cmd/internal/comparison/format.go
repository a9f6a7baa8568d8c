package comparison

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
)

// amount writes a value of the measure.
func (d *Difference) amount(x float64) string {
	switch d.Unit {
	case "s":
		return length(x)
	case "part":
		return percent(x)
	case "pairs":
		return fmt.Sprintf("%.0f", x)
	case "index":
		return fmt.Sprintf("%.3f", x)
	}
	return number(x)
}

// signed writes a difference of the measure.
func (d *Difference) signed(x float64) string {
	switch d.Unit {
	case "s":
		return signedLength(x)
	case "part":
		return withSign(x, strings.TrimSuffix(percent(math.Abs(x)), " %")) + " points"
	case "index":
		return withSign(x, fmt.Sprintf("%.3f", math.Abs(x)))
	}
	return signed(x)
}

// withSign puts a sign before the text of a number, unless that shows 0.
func withSign(x float64, text string) string {
	switch {
	case !strings.ContainsAny(text, "123456789"):
		return text
	case x > 0:
		return "+" + text
	case x < 0:
		return "−" + text
	}
	return text
}

func signed(x float64) string       { return withSign(x, number(math.Abs(x))) }
func signedLength(x float64) string { return withSign(x, length(math.Abs(x))) }

// between writes an interval; the unit stands once if it is the same.
func between(i *report.Interval, unit string) string {
	if i == nil {
		return "–"
	}
	d := Difference{Unit: unit}
	low, high := d.signed(i.Low), d.signed(i.High)
	if n, what, ok := strings.Cut(low, " "); ok && strings.HasSuffix(high, " "+what) {
		low = n
	}
	return low + " to " + high
}

// number writes a number in about three digits.
func number(x float64) string {
	text := ""
	switch a := math.Abs(x); {
	case a == math.Trunc(a) || a >= 100:
		return grouped(x)
	case a < 0.1:
		text = fmt.Sprintf("%.3f", x)
	case a < 10:
		text = fmt.Sprintf("%.2f", x)
	default:
		text = fmt.Sprintf("%.1f", x)
	}
	return strings.Replace(text, "-", "−", 1)
}

// grouped writes a whole number with spaces between thousands.
func grouped(x float64) string {
	digits := fmt.Sprintf("%.0f", math.Abs(x))
	var parts []string
	for len(digits) > 3 {
		parts = append(parts, digits[len(digits)-3:])
		digits = digits[:len(digits)-3]
	}
	parts = append(parts, digits)
	slices.Reverse(parts)
	text := strings.Join(parts, "\u00a0")
	if x < 0 && text != "0" {
		return "−" + text
	}
	return text
}

// coreHours writes an amount of work with its unit.
func coreHours(x float64) string {
	switch text := grouped(x); text {
	case "0":
		return "below 1 core-hour"
	case "1":
		return "1 core-hour"
	default:
		return text + " core-hours"
	}
}

// length writes a length of time, 0 or more seconds.
func length(seconds float64) string {
	switch {
	case seconds < 90:
		return fmt.Sprintf("%.0f s", seconds)
	case seconds < 90*60:
		return tenth(seconds/60) + " min"
	case seconds < 48*3600:
		return tenth(seconds/3600) + " h"
	}
	return tenth(seconds/86400) + " d"
}

// tenth writes a number with one digit behind the point, unless that is 0.
func tenth(x float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0") }

// percent writes a part of a whole.
func percent(part float64) string { return fmt.Sprintf("%.1f %%", 100*part) }

// plural is a number of things in words.
func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// moment writes a time of the jobs.
func moment(t ostrich.Time, in *time.Location) string {
	if in == nil {
		sign := ""
		if t < 0 {
			sign, t = "−", -t
		}
		return fmt.Sprintf("%sday %d %02d:%02d", sign, t/86400, t/3600%24, t/60%60)
	}
	return time.Unix(int64(t), 0).In(in).Format("2006-01-02 15:04")
}

// plain joins words to "a, b and c".
func plain(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}
