package comparison

import (
	"fmt"
	"math"
	"strings"
	"time"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
)

// valueCell and changeCell are amount and change as cells of a table.
func valueCell(u report.Unit, x float64) format.Cell  { return format.Value(x, amount(u, x)) }
func changeCell(u report.Unit, x float64) format.Cell { return format.Value(x, change(u, x)) }

// amount formats a value of a measure.
func amount(u report.Unit, x float64) string {
	switch u {
	case "s":
		return length(x)
	case "part":
		return format.Percent(x)
	case "pairs", "count":
		return fmt.Sprintf("%.0f", x)
	case "index":
		return fmt.Sprintf("%.3f", x)
	}
	return format.Number(x)
}

// change formats a difference of a measure.
func change(u report.Unit, x float64) string {
	switch u {
	case "s":
		return signedLength(x)
	case "part":
		return format.Signed(x, strings.TrimSuffix(format.Percent(math.Abs(x)), " %")) + " points"
	case "index":
		return format.Signed(x, fmt.Sprintf("%.3f", math.Abs(x)))
	}
	return signed(x)
}

// length formats a length of time that may be negative.
func length(x float64) string {
	if x < 0 {
		return signedLength(x)
	}
	return format.Length(x)
}

func signed(x float64) string       { return format.Signed(x, format.Number(math.Abs(x))) }
func signedLength(x float64) string { return format.Signed(x, format.Length(math.Abs(x))) }

func numberCell(x float64) format.Cell  { return format.Value(x, format.Number(x)) }
func hundredths(x float64) format.Cell  { return format.Value(x, fmt.Sprintf("%.2f", x)) }
func lengthCell(x float64) format.Cell  { return format.Value(x, length(x)) }
func percentCell(x float64) format.Cell { return format.Value(x, format.Percent(x)) }

// hoursCell returns core-hours as a cell. Little work is not none.
func hoursCell(x float64) format.Cell {
	text := format.Grouped(x)
	if x > 0 && text == "0" {
		text = "<1"
	}
	return format.Value(x, text)
}

// intervalCell returns between as a cell.
func intervalCell(i *report.Interval, unit report.Unit) format.Cell {
	return format.Maybe(i, func(i report.Interval) format.Cell { return format.Pair(i.Low, i.High, between(&i, unit)) })
}

func tau(x float64) string { return format.Signed(min(x, 0), fmt.Sprintf("%.3f", math.Abs(x))) }

func tauCell(i *report.Interval) format.Cell {
	return format.Maybe(i, func(i report.Interval) format.Cell { return format.Pair(i.Low, i.High, tau(i.Low)+" to "+tau(i.High)) })
}

// between formats an interval; a common unit stands once.
func between(i *report.Interval, unit report.Unit) string {
	low, high := change(unit, i.Low), change(unit, i.High)
	if n, what, ok := strings.Cut(low, " "); ok && strings.HasSuffix(high, " "+what) {
		low = n
	}
	return low + " to " + high
}

// coreHours formats an amount of work with its unit.
func coreHours(x float64) string {
	switch text := format.Grouped(x); text {
	case "0":
		return "below 1 core-hour"
	case "1":
		return "1 core-hour"
	default:
		return text + " core-hours"
	}
}

// momentCell returns the moment as a cell. Programs read a time as Slurm writes it, or
// the seconds since the start of a log.
func momentCell(t ostrich.Time, in *time.Location) format.Cell {
	if in == nil {
		return format.Value(float64(t), moment(t, in))
	}
	return format.Shown(moment(t, in), time.Unix(int64(t), 0).In(in).Format("2006-01-02T15:04:05"))
}

func secondCell(t ostrich.Time, in *time.Location) format.Cell {
	if in == nil {
		return format.Value(float64(t), fmt.Sprintf("%s:%02d", moment(t, in), t%60))
	}
	return format.Value(float64(t), time.Unix(int64(t), 0).In(in).Format("01-02 15:04:05"))
}

// moment formats a time of the jobs.
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
