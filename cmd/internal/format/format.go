// Package format formats numbers, lengths of time and tables for people, in the
// words that the commands, the pages and the daemon share.
package format

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich"
)

// The spaces between thousands: narrow on the daemon's pages, wide in
// comparisons.
const (
	narrow = "\u202f"
	wide   = "\u00a0"
)

// Finite returns a number for JSON, which has no infinity: nil stands for never.
func Finite(x float64) *float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return &x
}

// CoreHours returns work in processor-hours.
func CoreHours(w ostrich.Work) float64 { return float64(w) / 3600 }

// Plural formats a number of things: "1 job", "2 jobs". It is for a bare noun after a count. A sentence of which other words
// go by the count as well, or whose nouns take no s, is one format of plural.Sprintf.
func Plural(n int, what string) string { return strconv.Itoa(n) + " " + noun(n, what) }

// Counted is Plural with narrow spaces between thousands.
func Counted(n int, what string) string { return Count(n) + " " + noun(n, what) }

func noun(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return what
}

// Count formats a whole number with narrow spaces between thousands.
func Count(n int) string { return spaced(strconv.Itoa(n), narrow) }

// Grouped formats the whole number nearest to x with spaces between thousands.
func Grouped(x float64) string { return spaced(strconv.FormatFloat(x, 'f', 0, 64), wide) }

// spaced puts spaces between the thousands of a whole number.
func spaced(digits, space string) string {
	digits, negative := strings.CutPrefix(digits, "-")
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + space + digits[i:]
	}
	if negative && digits != "0" {
		return "−" + digits
	}
	return digits
}

// Number formats a number to about three digits.
func Number(x float64) string {
	digits := 1
	switch a := math.Abs(x); {
	case a == math.Trunc(a) || a >= 99.95:
		return Grouped(x)
	case a < 0.0995:
		digits = 3
	case a < 9.995:
		digits = 2
	}
	text := strconv.FormatFloat(math.Abs(x), 'f', digits, 64)
	if x < 0 {
		return Signed(x, text)
	}
	return text
}

// Rounded formats a number of 0 or more to about three digits, at most two of
// them after the point, with narrow spaces between thousands.
func Rounded(x float64) string {
	switch {
	case x == math.Trunc(x) && x < 1e15:
		return Count(int(x))
	case x < 9.995:
		return strconv.FormatFloat(x, 'f', 2, 64)
	case x < 99.95:
		return strconv.FormatFloat(x, 'f', 1, 64)
	case x < 1e15:
		return Count(int(x + 0.5))
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// Trimmed formats a number with at most so many digits after the point.
func Trimmed(x float64, digits int) string {
	s := strconv.FormatFloat(x, 'f', digits, 64)
	if digits > 0 {
		s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	}
	if s == "-0" {
		return "0"
	}
	return s
}

// Percent formats a part of a whole.
func Percent(part float64) string { return fmt.Sprintf("%.1f %%", 100*part) }

// Signed puts the sign of x before the text of |x|, unless that shows 0.
func Signed(x float64, text string) string {
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

// Texts returns the texts of things, in their order.
func Texts[T, U any](list []T, text func(T) U) []U {
	texts := make([]U, len(list))
	for i, one := range list {
		texts[i] = text(one)
	}
	return texts
}

// List joins words to "a, b and c".
func List(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
