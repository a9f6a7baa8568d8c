package forecast

import (
	"math"
	"slices"

	"slurm-ostrich/ostrich"
)

// Bands are the lengths of waits that a Score tells apart, each up to and without so many seconds; the
// last one is that of all longer ones.
var Bands = []ostrich.Duration{600, 3600, 6 * 3600, 24 * 3600, math.MaxInt64}

// Band counts answers.
type Band struct {
	Asked int `json:"asked"`
	Held  int `json:"held"` // the job started between the moments of 10 and 90 %, both included
}

func (b *Band) add(held bool) {
	b.Asked++
	if held {
		b.Held++
	}
}

// Part returns which part of the answers held; NaN without any.
func (b Band) Part() float64 { return float64(b.Held) / float64(b.Asked) }

// Score says how good answers were. The zero value has none. It may be kept as JSON.
type Score struct {
	All    Band     `json:"all"`
	ByWait [5]Band  `json:"by_wait"` // by how long the job waited from the question on, see Bands
	Early  int      `json:"early"`   // jobs that started before the moment of 10 %
	Late   int      `json:"late"`    // and after that of 90 %
	Loss   float64  `json:"loss"`    // sum of Pinball in seconds, over the three odds
	Errors []int64  `json:"errors"`  // between the moment of 50 % and the start, in seconds, without sign
	Weeks  []InWeek `json:"weeks"`   // of the questions, in the order in which they were added
}

// InWeek are the answers of a week.
type InWeek struct {
	Week int64 `json:"week"` // since 1970
	Band
}

// Add adds an answer: the moments of odds of 10, 50 and 90 % for a question at a moment, and when
// the job started.
func (s *Score) Add(at ostrich.Time, odds [3]ostrich.Time, start ostrich.Time) {
	held := odds[0] <= start && start <= odds[2]
	s.All.add(held)
	i, _ := slices.BinarySearch(Bands, ostrich.Duration(start-at)+1)
	s.ByWait[i].add(held)
	switch {
	case start < odds[0]:
		s.Early++
	case start > odds[2]:
		s.Late++
	}
	for k, percent := range Shown {
		s.Loss += Pinball(percent, odds[k], start)
	}
	s.Errors = append(s.Errors, int64(max(start-odds[1], odds[1]-start)))
	week := int64(at) / (7 * 24 * 3600)
	if n := len(s.Weeks); n == 0 || s.Weeks[n-1].Week != week {
		s.Weeks = append(s.Weeks, InWeek{Week: week})
	}
	s.Weeks[len(s.Weeks)-1].add(held)
}

// Pinball is the loss of having said that a job starts by a moment with odds of so many per cent, in
// seconds: p for each second that it starts later, 1−p for each that it starts earlier (Koenker, Bassett 1978).
// It is least, on average, if the odds are right.
func Pinball(percent int, by, start ostrich.Time) float64 {
	p := float64(percent) / 100
	if start >= by {
		return p * float64(start-by)
	}
	return (1 - p) * float64(by-start)
}

// MeanLoss returns the mean of Pinball in seconds; NaN without an answer.
func (s *Score) MeanLoss() float64 { return s.Loss / float64(3*s.All.Asked) }

// MedianError returns the median of Errors in seconds, the lower one of two; NaN without an answer.
func (s *Score) MedianError() float64 {
	if len(s.Errors) == 0 {
		return math.NaN()
	}
	return float64(slices.Sorted(slices.Values(s.Errors))[(len(s.Errors)-1)/2])
}

// Margin returns the half of a 95 % interval of All.Part. Answers of one week are taken to go together,
// as one flood of jobs makes many of them miss, and weeks to be independent: it is 1.96 standard
// errors of a ratio over weeks. NaN with fewer than two.
func (s *Score) Margin() float64 {
	n, p, sum := float64(len(s.Weeks)), s.All.Part(), 0.0
	if n < 2 {
		return math.NaN()
	}
	for _, w := range s.Weeks {
		d := float64(w.Held) - p*float64(w.Asked)
		sum += d * d
	}
	return 1.96 * math.Sqrt(sum*n/(n-1)) / float64(s.All.Asked)
}
