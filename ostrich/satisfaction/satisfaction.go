// Package satisfaction says how long users accept to wait for a job, by how long
// the job runs: Schlagkamp, Hofmann, Eufinger and Ferreira da Silva, "Increasing
// Waiting Time Satisfaction in Parallel Job Scheduling via a Flexible MILP
// Approach" (2016), section V.A.
//
// What a user accepts makes a due date of each job: the last moment at which it may
// start ([Acceptance.Due]). What a schedule makes of it is the job's lateness, and
// from that its tardiness and its unified lateness.
package satisfaction

import (
	"fmt"
	"math"

	"slurm-ostrich/ostrich"
)

// minute is the unit of Table I, in seconds.
const minute = 60

// Acceptance is what users accept: the response time r(p) = c1·p + c2 of a job that
// runs for p (equation 21), from its submission to its end. The zero value accepts
// no wait and is not valid.
type Acceptance struct {
	Name   string  // "median", ".25" or ".75"; "" for a site's own
	Slope  float64 // c1
	Offset float64 // c2, in minutes; it may be negative
	Reading
}

// The regressions of Table I: of the answers of 23 users, what the median accepts,
// and the quartiles. Lower is what three of four accept, Upper what one of four
// does.
var (
	Median = Acceptance{Name: "median", Slope: 1.70, Offset: 29.51}
	Lower  = Acceptance{Name: ".25", Slope: 1.14, Offset: -166.19}
	Upper  = Acceptance{Name: ".75", Slope: 2.28, Offset: 215.75}
)

// Reading is how equation 22 is read, which contradicts equations 23 and 24.
type Reading uint8

const (
	// ByRatio reads S(p) = max{r(p)/p, 1}. With it S(p)·p in equations 23 and 24 is
	// the response time that is accepted, and (S(p)−1)·p the wait. It is the zero
	// value.
	ByRatio Reading = iota
	// Literal reads S(p) = max{(r(p)−p)/p, 1}, as equation 22 is printed. The median
	// then tolerates no wait for jobs of more than 98.37 min.
	Literal
)

// Response returns r(p) of equation 21 in seconds. It is negative for short jobs if
// the offset is.
func (a Acceptance) Response(p ostrich.Duration) float64 {
	return a.Slope*float64(p) + a.Offset*minute
}

// Wait returns the wait that is accepted for a job that runs for p, (S(p)−1)·p in
// seconds.
func (a Acceptance) Wait(p ostrich.Duration) float64 {
	own := float64(p)
	if a.Reading == Literal {
		own *= 2 // (S(p)−1)·p = r(p) − p − p
	}
	return max(0, a.Response(p)-own)
}

// longest is the longest wait in seconds that makes a due date.
const longest = 1 << 53

// Due returns the last whole second in which a job that runs for p may start, so
// that its user has not waited longer than accepted since eligible: its submission,
// or when it could run first.
func (a Acceptance) Due(eligible ostrich.Time, p ostrich.Duration) ostrich.Time {
	const rounding = 1e-6 // what floating point may lack of a whole second
	return eligible + ostrich.Time(math.Floor(min(a.Wait(p)+rounding, longest)))
}

// Lateness returns L = r − S(p)·p of a job, by how much it starts, and so ends, after
// its due date; negative before it. Since start and due date are whole seconds, it
// may be up to a second more than with the due date as printed.
func Lateness(start, due ostrich.Time) ostrich.Duration { return ostrich.Duration(start - due) }

// Tardiness returns T = max(0, L), equation 24.
func Tardiness(late ostrich.Duration) ostrich.Duration { return max(0, late) }

// Unified returns the unified lateness U = min(1, max(0, L)), equation 23: 1 for a job
// that is late and 0 for one in time. Whole seconds leave nothing between.
func Unified(late ostrich.Duration) int { return int(min(1, max(0, late))) }

// Validate returns what is wrong with the acceptance: a negative slope, a number out of
// range or NaN, an unknown reading, or that no wait is accepted for any job.
func (a Acceptance) Validate() error {
	const most = 1e9
	switch {
	case math.IsNaN(a.Slope) || a.Slope > most:
		return fmt.Errorf("c1 = %v: want a number up to %v", a.Slope, most)
	case a.Slope < 0:
		return fmt.Errorf("c1 = %v is negative: a longer job would have to end sooner", a.Slope)
	case math.IsNaN(a.Offset) || math.Abs(a.Offset) > most:
		return fmt.Errorf("c2 = %v: want a number of minutes up to %v", a.Offset, most)
	case a.Reading > Literal:
		return fmt.Errorf("reading %d of equation 22: unknown", a.Reading)
	}
	if own := 1 + float64(a.Reading); a.Slope <= own && a.Offset <= 0 {
		return fmt.Errorf("c1 = %v, c2 = %v min: S(p) is 1 for every length, so no wait is accepted for any job; want c1 above %v or c2 above 0",
			a.Slope, a.Offset, own)
	}
	return nil
}
