package report

// Interval is a confidence interval.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Excludes reports whether a value lies outside.
func (i Interval) Excludes(x float64) bool { return x < i.Low || x > i.High }
