package bot

import "math"

// System is a row of Table 3: the parameters of the model for a system.
type System struct {
	Name        string       // T1 to T7, or avg
	Users       Zipf         // who submits a bag
	InterArrive Distribution // log2 of the seconds between two bags in peak hours
	Cycle       Distribution // half hour of the day in which a bag comes, from DayBegins on
	Size        Distribution // log2 of the tasks of a bag
	RunTime     Distribution // log2 of the mean run time of its tasks, in seconds
	Variance    Distribution // log2 of the variance of their run times
}

// Systems is Table 3. The log of T4 has no users: T4 has those of avg.
var Systems = []System{
	{"T1", Zipf{1.25, 333}, weibull(4.06, 7.91), gamma(2.62, 0.13), weibull(1.75, 2.91), normal(1.78, 3.87), weibull(1.64, 10.21)},
	{"T2", Zipf{1.39, 481}, weibull(4.27, 8.42), weibull(1.57, 20.54), gamma(2.47, 1.64), normal(2.31, 4.97), normal(5.54, 9.56)},
	{"T3", Zipf{1.30, 379}, weibull(4.94, 8.48), weibull(1.64, 25.42), weibull(2.02, 1.58), normal(3.50, 3.51), gamma(1.79, 0.29)},
	{"T4", Zipf{1.31, 368}, weibull(3.87, 7.33), weibull(1.72, 25.49), weibull(1.78, 1.51), gamma(3.55, 0.47), normal(6.41, 11.73)},
	{"T5", Zipf{1.25, 412}, weibull(4.17, 7.65), weibull(2.44, 28.99), weibull(1.37, 1.89), normal(3.06, 7.45), weibull(1.93, 13.65)},
	{"T6", Zipf{1.32, 216}, weibull(4.05, 6.48), weibull(1.71, 23.86), normal(1.33, 2.71), logNormal(1.82, 0.34), weibull(2.85, 14.21)},
	{"T7", Zipf{1.36, 387}, normal(1.97, 8.00), weibull(1.62, 22.18), weibull(1.80, 2.17), normal(2.76, 9.04), weibull(2.86, 16.58)},
	{"avg", Zipf{1.31, 368}, weibull(4.25, 7.86), weibull(1.79, 24.16), weibull(1.76, 2.11), normal(2.73, 6.10), weibull(2.05, 12.25)},
}

// SystemNames returns the names of Systems.
func SystemNames() []string {
	names := make([]string, len(Systems))
	for i := range Systems {
		names[i] = Systems[i].Name
	}
	return names
}

func weibull(shape, scale float64) Distribution {
	return Distribution{Weibull, [3]float64{shape, scale}}
}

func normal(sigma, mu float64) Distribution { return Distribution{Normal, [3]float64{sigma, mu}} }

func gamma(shape, rate float64) Distribution { return Distribution{Gamma, [3]float64{shape, rate}} }

func logNormal(mu, sigma float64) Distribution { return Distribution{LogNormal, [3]float64{mu, sigma}} }

func (s *System) characteristics() []*Distribution {
	return []*Distribution{&s.InterArrive, &s.Cycle, &s.Size, &s.RunTime, &s.Variance}
}

// Characteristics are the names of what is fitted, in the order of Table 3.
var Characteristics = []string{"inter-arrival", "cycle", "size", "run-time", "variance"}

// The half hours of a day. The paper takes the daily cycle from Lublin and
// Feitelson, whose day begins at 5 in the morning, when the fewest jobs come.
// Counted from there the log of T6 comes nearest to its row.
const (
	halfHour  = 1800
	halfHours = 48
	day       = halfHours * halfHour
	DayBegins = 5 * 3600 // seconds after midnight
	PeakFrom  = 8 * 3600
	PeakUntil = 17 * 3600
)

// clock runs as fast as bags come: in the mean of the peak hours one second a
// second.
type clock [halfHours]float64 // by half hour since midnight

// newClock returns the clock of a daily cycle.
func newClock(cycle Distribution) clock {
	var c clock
	peak := 0.0
	for s := range c {
		k := (s + halfHours - DayBegins/halfHour) % halfHours
		c[s] = cycle.CDF(float64(k+1)) - cycle.CDF(float64(k))
		if s >= PeakFrom/halfHour && s < PeakUntil/halfHour {
			peak += c[s] / ((PeakUntil - PeakFrom) / halfHour)
		}
	}
	for s := range c {
		c[s] /= peak
	}
	return c
}

// steady is the clock of a day on which bags come alike at all hours.
var steady = func() (c clock) {
	for s := range c {
		c[s] = 1
	}
	return c
}()

// day returns how long the clock runs in a day, in seconds.
func (c *clock) day() float64 {
	whole := 0.0
	for _, rate := range c {
		whole += rate * halfHour
	}
	return whole
}

// until returns how long the clock runs from a midnight until t, in seconds.
func (c *clock) until(t float64) float64 {
	days := math.Floor(t / day)
	ran := days * c.day()
	for s, left := 0, t-days*day; left > 0; s++ {
		ran += c[s] * min(left, halfHour)
		left -= halfHour
	}
	return ran
}

// after returns the moment at which the clock has run for some seconds more than
// at t, both in seconds after a midnight.
func (c *clock) after(t, seconds float64) float64 {
	whole := c.day()
	days := math.Floor(seconds / whole)
	t += days * day
	seconds -= days * whole
	for {
		slot := int64(t / halfHour)
		end := float64((slot + 1) * halfHour)
		rate := c[slot%halfHours]
		if left := (end - t) * rate; left < seconds {
			seconds -= left
			t = end
			continue
		}
		return t + seconds/rate
	}
}
