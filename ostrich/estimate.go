package ostrich

import "fmt"

// Predictor estimates how long a job will run. Whatever it says, a job is
// never expected to run longer than its own estimate (its time limit), nor
// less than a second.
type Predictor uint8

const (
	// ByLimit takes the job's own estimate. It is the zero value.
	ByLimit Predictor = iota
	// ByLast takes the length of the user's job that ended last.
	ByLast
	// ByLastTwo takes the mean of the user's two jobs that ended last (Tsafrir).
	ByLastTwo
	// BySmoothing takes the exponentially smoothed length of the user's jobs,
	// with factor Smoothing (Iosup et al., section 3.7).
	BySmoothing
)

// PredictorNames lists the predictors in the order of their constants.
var PredictorNames = []string{"limit", "last", "last-two", "smoothing"}

// Smoothing is the weight of the newest length in BySmoothing.
const Smoothing = 0.5

func (p Predictor) String() string { return nameOf(PredictorNames, uint8(p)) }

// Validate tells what is wrong with the predictor.
func (p Predictor) Validate() error {
	if int(p) >= len(PredictorNames) {
		return fmt.Errorf("predictor %d: unknown", p)
	}
	return nil
}

// lengths remembers how long the latest jobs of a user ran.
type lengths struct {
	count        int
	last, before Duration
	smoothed     float64
}

func (l *lengths) add(d Duration) {
	if l.count == 0 {
		l.smoothed = float64(d)
	} else {
		l.smoothed += Smoothing * (float64(d) - l.smoothed)
	}
	l.last, l.before = d, l.last
	l.count++
}

// predict returns the expected length of a job with the given limit, of a
// user whose earlier jobs are known.
func (p Predictor) predict(l *lengths, limit Duration) Duration {
	d := limit
	if l.count > 0 {
		switch p {
		case ByLimit:
		case ByLast:
			d = l.last
		case ByLastTwo:
			d = l.last
			if l.count > 1 {
				d = (l.last + l.before) / 2
			}
		case BySmoothing:
			d = Duration(l.smoothed)
		}
	}
	return max(1, min(d, limit))
}
