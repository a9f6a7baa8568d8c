package lengths

import (
	"cmp"
	"fmt"
	"math"

	"slurm-ostrich/ostrich/scalar"
)

// Duration is a length of time in seconds.
type Duration = scalar.Duration

// Request is what is asked for when a job is submitted, as far as it says how long one of
// its tasks will run.
type Request struct {
	Limit Duration // at least 1
	Procs int      // of one task, at least 1
	Class uint64   // a number for what the job does; 0 where nothing is known
	Hint  Duration // what the user says; 0 if nothing
}

// Predictor estimates how long a job will run. The result is at least a second and
// at most the time limit.
type Predictor uint8

const (
	// ByLimit uses the time limit. It is the zero value.
	ByLimit Predictor = iota
	// ByLast uses the length of the user's job that ended last.
	ByLast
	// ByLastTwo uses the mean of the user's two jobs that ended last (Tsafrir).
	ByLastTwo
	// BySmoothing uses the exponentially smoothed length of the user's jobs,
	// with factor Smoothing (Iosup et al., section 3.7).
	BySmoothing
	// Alike uses the shortest length that two thirds of the user's latest jobs of the
	// same class, width and limit did not exceed, see Request.Class. For a job like none
	// before, it uses the geometric mean of ByLastTwo and of the part of the limit that
	// the user's jobs used; for a user's first jobs, the part that all users' jobs used.
	Alike
	// ByAdaptive smooths the lengths of the user's jobs with a factor that adapts
	// to the errors so far (Trigg and Leach; this and the next ones: Iosup et al.,
	// Table 4).
	ByAdaptive
	// ByRegression regresses on the user's last five lengths.
	ByRegression
	// ByMeanTen uses the mean of the user's ten jobs that ended last.
	ByMeanTen
	// ByMean uses the mean of all of the user's jobs that have ended.
	ByMean
)

// PredictorNames lists the predictors in the order of their constants.
var PredictorNames = []string{"limit", "last", "last-two", "smoothing", "alike", "adaptive", "regression", "mean-ten", "mean"}

// Smoothing is the weight of the newest length in BySmoothing.
const Smoothing = 0.5

func (p Predictor) String() string { return scalar.NameOf(PredictorNames, uint8(p)) }

// Validate returns what is wrong with the predictor.
func (p Predictor) Validate() error {
	if int(p) >= len(PredictorNames) {
		return fmt.Errorf("predictor %d: unknown", p)
	}
	return nil
}

// record remembers how long the latest of some jobs of a user ran.
type record struct {
	count        int
	last, before Duration
	smoothed     float64
	alike        *alike  // of Alike
	used         Used    // of Alike
	series       *series // of ByAdaptive and those after it
	hinted       recent  // lengths in thousandths of what the user said
}

func (l *record) add(d Duration) {
	if l.count == 0 {
		l.smoothed = float64(d)
	} else {
		l.smoothed += Smoothing * (float64(d) - l.smoothed)
	}
	l.last, l.before = d, l.last
	l.count++
}

// lastTwo returns the mean of the latest two lengths, or the only one.
func (l *record) lastTwo() Duration {
	if l.count > 1 {
		return (l.last + l.before) / 2
	}
	return l.last
}

// Used is how much of their limits jobs have used: the geometric mean, in which
// the latest ones count. The zero value is that of no jobs.
type Used struct {
	count int
	log   float64 // of the mean
}

// latestUsed limits the memory of the mean: each new job weighs at least 1/latestUsed.
// It was measured with Alike (docs/adr/0002).
const latestUsed = 20

// Count returns the number of jobs.
func (s *Used) Count() int { return s.count }

func (s *Used) add(limit, ran Duration) {
	if limit < 1 {
		return // a Forecast has no limits
	}
	s.count++
	s.log += (math.Log(float64(max(1, min(ran, limit)))/float64(limit)) - s.log) / float64(min(s.count, latestUsed))
}

// fewUsed is how many jobs at their limits count beside those of all users.
const fewUsed = 5

// newcomer is how much of a limit a user's first job is expected to use: the less is
// known of other users' jobs, the closer to the whole limit.
func (s *Used) newcomer(limit Duration) Duration {
	return Duration(float64(limit) * math.Exp(s.log*float64(s.count)/float64(s.count+fewUsed)))
}

// of is how much of a limit is expected to be used.
func (s *Used) of(limit Duration) Duration { return Duration(float64(limit) * math.Exp(s.log)) }

// learn records how long a job of a user that has ended ran; all are the jobs of all users.
func (p Predictor) learn(l *record, all *Used, r *Request, ran Duration) {
	l.add(ran)
	if p > Alike {
		l.series = l.series.with(float64(ran))
	}
	if p == Alike {
		l.used.add(r.Limit, ran)
		all.add(r.Limit, ran)
		l.alike = l.alike.owned()
		c, wide := classOf(r)
		l.alike.add(wide, ran)
		if c != wide {
			l.alike.add(c, ran)
		}
	}
	if r.Hint > 0 {
		l.hinted.add(ran * 1000 / r.Hint)
	}
}

// predict returns the expected length of a job of a user whose earlier jobs are
// known; all are the jobs of all users.
//
// What the user says of the job comes first: taken at its word until a job with a
// hint has ended, and then times the factor within which two thirds of the user's
// latest such jobs ended.
func (p Predictor) predict(l *record, all *Used, r *Request) Duration {
	d := r.Limit
	switch {
	case r.Hint > 0:
		d = r.Hint
		if l.hinted.count > 0 {
			d = Duration(float64(d) * float64(max(l.hinted.expected(), 1000)) / 1000)
		}
	case p == Alike:
		c, wide := classOf(r)
		switch past := cmp.Or(l.alike.of(c), l.alike.of(wide)); {
		case past != nil:
			d = past.expected()
		case l.used.count > 0: // halfway between two guesses, neither of which is good
			d = Duration(math.Sqrt(float64(max(1, l.used.of(r.Limit))) * float64(max(1, l.lastTwo()))))
		case l.count > 0: // a Forecast
			d = l.lastTwo()
		case all.count > 0:
			d = all.newcomer(r.Limit)
		}
	case l.count == 0 || p == ByLimit:
	case p == ByLast:
		d = l.last
	case p == ByLastTwo:
		d = l.lastTwo()
	case p == BySmoothing:
		d = Duration(l.smoothed)
	default:
		// No mean or forecast is near the longest Duration.
		d = Duration(max(0, min(l.series.next(p), math.MaxInt64/2)))
	}
	return max(1, min(d, r.Limit))
}

// Forecast predicts a series of lengths one by one. Set Predictor first: the zero value,
// ByLimit, never predicts, as a series has no limits.
type Forecast struct {
	Predictor Predictor
	past      record
}

// Add records the next length.
func (f *Forecast) Add(ran Duration) { f.Predictor.learn(&f.past, &Used{}, &Request{}, ran) }

// Next returns the expected length of the next job, at least a second. It returns false
// before the first length, and always with ByLimit.
func (f *Forecast) Next() (Duration, bool) {
	return f.Predictor.predict(&f.past, &Used{}, &Request{Limit: math.MaxInt64}), f.past.count > 0 && f.Predictor != ByLimit
}
