package orderbench

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"slurm-ostrich/cmd/internal/format"
)

// Ratio is a figure divided by that of the first policy. Error is its standard
// error; nil if it is not known, as with one part.
type Ratio struct {
	Ratio float64  `json:"ratio"`
	Error *float64 `json:"error"`

	freedom float64 // degrees of freedom of the error
}

// reach returns how far the 95 % interval reaches each way, by Student's t; NaN if it is
// not known.
func (r *Ratio) reach() float64 {
	switch {
	case r.Error == nil:
		return math.NaN()
	case *r.Error == 0:
		return 0
	}
	return *r.Error * distuv.StudentsT{Sigma: 1, Nu: r.freedom}.Quantile(0.975)
}

// Result is the result of a bench.
type Result struct {
	Settings
	Shakes   int            `json:"shakes"`
	Policies []PolicyRatios `json:"policies"` // over all logs; the others are compared with the first one
	Logs     []LogRatios    `json:"logs"`
}

// PolicyRatios are the figures of a policy.
type PolicyRatios struct {
	Policy   string `json:"policy"`   // its label
	Settings string `json:"settings"` // all of them
	Ratios
}

// LogRatios are the figures of the policies on a log.
type LogRatios struct {
	Log      string         `json:"log"`
	Procs    int            `json:"procs"`
	Jobs     int            `json:"jobs"` // in its parts
	Parts    int            `json:"parts"`
	First    Measures       `json:"first"` // of the first policy, the mean over parts and shakes
	Policies []PolicyRatios `json:"policies"`
}

// Result computes the ratios. All runs must be done.
func (b *Bench) Result() *Result {
	r := &Result{Settings: b.settings, Shakes: b.settings.Shakes}
	means := make([][][len(measures)]estimated, len(b.policies)) // by policy and log
	for l := range b.logs {
		figures := b.figures(l)
		one := LogRatios{Log: b.logs[l].Name, Procs: b.logs[l].Procs, Parts: len(b.parts[l]), First: average(figures[0])}
		for _, part := range b.parts[l] {
			one.Jobs += len(part)
		}
		for p := range b.policies {
			logs := compared(figures[p], figures[0], b.settings.Shakes)
			means[p] = append(means[p], logs)
			one.Policies = append(one.Policies, b.ratios(p, logs))
		}
		r.Logs = append(r.Logs, one)
	}
	for p := range b.policies {
		var all [len(measures)]estimated
		for i := range all {
			logs := make([]estimated, len(b.logs))
			for l := range logs {
				logs[l] = means[p][l][i]
			}
			all[i] = overLogs(logs)
		}
		r.Policies = append(r.Policies, b.ratios(p, all))
	}
	return r
}

// figures returns the figures of a log by policy, those of each shake of the first part
// before those of the next.
func (b *Bench) figures(log int) [][]Measures {
	list := make([][]Measures, len(b.policies))
	for p := range list {
		list[p] = make([]Measures, len(b.parts[log])*b.settings.Shakes)
	}
	for i := range b.runs {
		if r := &b.runs[i]; r.log == log {
			list[r.policy][r.Part*b.settings.Shakes+r.Shake] = r.found
		}
	}
	for p := range list {
		list[p] = list[b.same(p)]
	}
	return list
}

// average returns the mean of figures.
func average(figures []Measures) Measures {
	var mean Measures
	for i := range figures {
		for k, x := range figures[i].All() {
			*mean.All()[k] += *x
		}
	}
	for _, x := range mean.All() {
		*x /= float64(len(figures))
	}
	return mean
}

// ratios turns logarithms into the ratios of a policy.
func (b *Bench) ratios(policy int, logs [len(measures)]estimated) PolicyRatios {
	r := PolicyRatios{Policy: b.policies[policy].Label, Settings: b.policies[policy].Canonical}
	for i, x := range r.All() {
		*x = logs[i].ratio()
	}
	return r
}

// estimated is a mean with its standard error, or NaN if it is not known, and the
// degrees of freedom of that.
type estimated struct{ mean, err, freedom float64 }

// ratio returns the ratio whose logarithm was estimated.
func (e estimated) ratio() Ratio {
	r := Ratio{Ratio: math.Exp(e.mean)}
	if !math.IsNaN(e.err) {
		spread := r.Ratio * e.err
		r.Error, r.freedom = &spread, e.freedom
	}
	return r
}

// compared returns the mean logarithms of the ratios of figures to those of the
// first policy.
func compared(figures, first []Measures, shakes int) [len(measures)]estimated {
	var means [len(measures)]estimated
	for i := range means {
		parts := make([]float64, len(figures)/shakes)
		for n := range figures {
			own, other := *figures[n].All()[i], *first[n].All()[i]
			parts[n/shakes] += math.Log(max(own, measures[i].least)) - math.Log(max(other, measures[i].least))
		}
		for p := range parts {
			parts[p] /= float64(shakes)
		}
		means[i] = overParts(parts)
	}
	return means
}

// overParts returns the mean of independent values.
func overParts(values []float64) estimated {
	n := float64(len(values))
	var e estimated
	for _, v := range values {
		e.mean += v / n
	}
	if len(values) < 2 {
		return estimated{mean: e.mean, err: math.NaN()}
	}
	for _, v := range values {
		e.err += (v - e.mean) * (v - e.mean)
	}
	e.err, e.freedom = math.Sqrt(e.err/(n-1)/n), n-1
	return e
}

// overLogs returns the mean of means that each have an error of their own. The degrees
// of freedom are those of Welch and Satterthwaite.
func overLogs(means []estimated) estimated {
	n := float64(len(means))
	var e estimated
	for _, m := range means {
		e.mean += m.mean / n
		e.err += m.err * m.err
		if m.err > 0 {
			e.freedom += m.err * m.err * m.err * m.err / m.freedom
		}
	}
	e.err, e.freedom = math.Sqrt(e.err)/n, e.err*e.err/e.freedom
	return e
}

// pairs are the columns of ratios with their errors in a table, after columns of names.
func pairs(names int) map[int][2]string {
	list := make(map[int][2]string, len(measures))
	for i, m := range measures {
		list[names+i] = [2]string{m.Head, m.Head + "-ERROR"}
	}
	return list
}

func heads() []string { return format.Texts(measures[:], func(m measure) string { return m.Head }) }

func names() []string { return format.Texts(measures[:], func(m measure) string { return m.Name }) }

// String formats the ratio with its standard error, to a hundredth.
func (r *Ratio) String() string { return r.text("±") }

// cell is text as a cell.
func (r *Ratio) cell(sign string) format.Cell {
	spread := math.NaN()
	if r.Error != nil {
		spread = *r.Error
	}
	return format.Pair(r.Ratio, spread, r.text(sign))
}

// text is String with another sign between the two.
func (r *Ratio) text(sign string) string {
	if r.Error == nil {
		return fmt.Sprintf("%.2f", r.Ratio)
	}
	return fmt.Sprintf("%.2f%s%.2f", r.Ratio, sign, *r.Error)
}
