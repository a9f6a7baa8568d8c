// Package amount writes amounts for people, in the words that the commands and
// the daemon share.
package amount

import (
	"fmt"
	"math"
	"time"

	"slurm-ostrich/ostrich"
)

// Moment writes a time as Slurm's commands do, in local time: "-" for one that
// is not set, "never" for an infinite one.
func Moment(t float64) string {
	switch {
	case math.IsInf(t, 0):
		return "never"
	case t <= 0:
		return "-"
	}
	return time.Unix(int64(t), 0).Format("2006-01-02T15:04:05")
}

// When is Moment of a time that is nil where it is infinite, see Finite.
func When(t *float64) string {
	if t == nil {
		return Moment(math.Inf(1))
	}
	return Moment(*t)
}

// Finite is a number for JSON, which knows no infinity: nil stands for never.
func Finite(x float64) *float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return &x
}

// Plural is a number of things in words: "1 job", "2 jobs".
func Plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// CoreHours is work in processor-hours.
func CoreHours(w ostrich.Work) float64 { return float64(w) / 3600 }
