// Package scalar has the numbers with a meaning that all parts of the virtual schedule
// share: times, work and ids. Package ostrich calls them by the same names. It reads Slurm's amounts, too.
package scalar

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Time is a moment in Unix seconds. The zero value means "not yet", as it
// does in Slurm's accounting tables.
type Time int64

// Duration is a length of time in seconds.
type Duration int64

// Work is an amount of computation in processor-seconds.
type Work float64

// JobID is Slurm's id_job. Slurm reuses an id after a wrap, so it identifies a job only
// among those that have not ended.
type JobID uint32

// UserID identifies what competes for the machine: one line of the virtual schedule.
// With flat shares it is a user's uid, with shares from the association tree the id
// of a user's association.
type UserID uint32

// Departure says when a job leaves, to the place within a second where its end comes
// among other events: it grows with time. Departures come before the arrivals and starts of
// their second, except those of jobs that themselves came or started in it.
type Departure int64

// Departs returns the departure of a job that was submitted, started and ended at the given
// times.
func Departs(submit, start, end Time) Departure {
	d := Departure(2 * end)
	if LeavesLate(submit, start, end) {
		d++
	}
	return d
}

// LeavesLate reports whether a departure at the given time comes after the arrivals and
// starts of its second, as the job came or started in it.
func LeavesLate(submit, start, at Time) bool { return submit == at || start == at }

// After reports whether a job submitted at the given time still meets the
// departing one.
func (d Departure) After(t Time) bool { return d > Departure(2*t) }

// Second is when the job leaves.
func (d Departure) Second() Time { return Time(d >> 1) }

// NameOf returns the i-th name, or its number where there is none.
func NameOf(names []string, i uint8) string {
	if int(i) < len(names) {
		return names[i]
	}
	return strconv.Itoa(int(i))
}

// Named returns the value with the given name. It is for names that a person writes
// into a configuration.
func Named[T ~uint8](names []string, name string) (T, error) {
	i := slices.Index(names, name)
	if i < 0 {
		return 0, fmt.Errorf("%q is none of %v", name, names)
	}
	return T(i), nil
}

// amountLetters stand for powers of 1024 behind a number.
const amountLetters = "KMGTP"

// Amount reads an amount as Slurm writes it, such as "12", "1000M" or "2.50g", whose letters stand
// for powers of 1024. lettered reports whether it has one, ok whether it is an amount at all.
func Amount[T string | []byte](text T) (n float64, lettered, ok bool) {
	scale, digits := 1.0, text
	if last := len(text) - 1; last > 0 && text[last] > '9' {
		if i := strings.IndexByte(amountLetters, text[last]&^0x20); i >= 0 {
			scale, digits, lettered = float64(uint64(1)<<(10*(i+1))), text[:last], true
		}
	}
	point, whole := false, 0
	for i := range len(digits) {
		c := digits[i]
		if c == '.' && !point && i > 0 {
			point = true
		} else if c < '0' || c > '9' {
			return 0, lettered, false
		}
		whole = 10*whole + int(c-'0')
	}
	if len(digits) < 16 && !point && len(digits) > 0 { // most are, and are exact so
		n = float64(whole) * scale
		return n, lettered, n < math.MaxInt64
	}
	n, err := strconv.ParseFloat(string(digits), 64)
	if err != nil || n*scale >= math.MaxInt64 {
		return 0, lettered, false
	}
	return n * scale, lettered, true
}

// Count reads an amount that is a whole number of at most most.
func Count(text string, most int64) (int64, bool) {
	n, _, ok := Amount(text)
	return int64(n), ok && n == math.Trunc(n) && n <= float64(most)
}

// Mebibytes reads an amount of memory in MiB, which is the unit of one without a letter. A part of
// one counts as one.
func Mebibytes(text string) (int64, bool) {
	n, lettered, ok := Amount(text)
	if lettered {
		n /= 1 << 20
	}
	return int64(math.Ceil(n)), ok && n < 1<<53
}

// Inversions counts the pairs that stand in the wrong order, and sorts a.
func Inversions[T cmp.Ordered](a []T) int64 { return inversions(a, make([]T, len(a))) }

func inversions[T cmp.Ordered](a, buf []T) int64 {
	if len(a) < 2 {
		return 0
	}
	mid := len(a) / 2
	n := inversions(a[:mid], buf[:mid]) + inversions(a[mid:], buf[mid:])
	copy(buf, a)
	left, right := buf[:mid], buf[mid:]
	for i := range a {
		if len(right) == 0 || (len(left) > 0 && left[0] <= right[0]) {
			a[i], left = left[0], left[1:]
		} else {
			a[i], right = right[0], right[1:]
			n += int64(len(left))
		}
	}
	return n
}
