// Package scalar has the numbers with a meaning that all parts of the virtual schedule
// share: times, work and ids. Package ostrich calls them by the same names.
package scalar

import (
	"fmt"
	"slices"
	"strconv"
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
