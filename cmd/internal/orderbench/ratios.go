package orderbench

import (
	"fmt"
	"math"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/report/confidence"
)

// Ratio is a figure divided by that of the first policy. Error is its standard
// error; nil if it is not known, as with one part.
type Ratio struct {
	Ratio float64  `json:"ratio"`
	Error *float64 `json:"error"`

	freedom float64 // degrees of freedom of the error
}

// reach returns how far the 95 % interval reaches each way; NaN if it is not known.
func (r *Ratio) reach() float64 {
	if r.Error == nil {
		return math.NaN()
	}
	return confidence.Mean{Error: *r.Error, Freedom: r.freedom}.Reach()
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
	Ratios   Ratios `json:"-"`        // fields of their own
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
	means := make([][][]confidence.Mean, len(b.policies)) // by policy and log
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
		all := make([]confidence.Mean, len(measures))
		for i := range all {
			logs := make([]confidence.Mean, len(b.logs))
			for l := range logs {
				logs[l] = means[p][l][i]
			}
			all[i] = confidence.MeanOfMeans(logs)
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

func average(figures []Measures) Measures {
	mean := make(Measures, len(measures))
	for _, f := range figures {
		for i, x := range f {
			mean[i] += x
		}
	}
	for i := range mean {
		mean[i] /= float64(len(figures))
	}
	return mean
}

// ratios turns logarithms into the ratios of a policy.
func (b *Bench) ratios(policy int, logs []confidence.Mean) PolicyRatios {
	r := PolicyRatios{Policy: b.policies[policy].Label, Settings: b.policies[policy].Canonical}
	for _, log := range logs {
		r.Ratios = append(r.Ratios, ratio(log))
	}
	return r
}

// ratio returns the ratio whose logarithm was estimated.
func ratio(log confidence.Mean) Ratio {
	r := Ratio{Ratio: math.Exp(log.Mean)}
	if !math.IsNaN(log.Error) {
		spread := r.Ratio * log.Error
		r.Error, r.freedom = &spread, log.Freedom
	}
	return r
}

// compared returns the mean logarithms of the ratios of figures to those of the
// first policy.
func compared(figures, first []Measures, shakes int) []confidence.Mean {
	means := make([]confidence.Mean, len(measures))
	for i := range means {
		parts := make([]float64, len(figures)/shakes)
		for n := range figures {
			own, other := figures[n][i], first[n][i]
			parts[n/shakes] += math.Log(max(own, measures[i].Least)) - math.Log(max(other, measures[i].Least))
		}
		for p := range parts {
			parts[p] /= float64(shakes)
		}
		means[i] = confidence.MeanOf(parts)
	}
	return means
}

// pairs are the columns of ratios with their errors in a table, after columns of names.
func pairs(names int) map[int][2]string {
	list := make(map[int][2]string, len(measures))
	for i, m := range measures {
		list[names+i] = [2]string{m.Head, m.Head + "-ERROR"}
	}
	return list
}

func heads() []string { return format.Texts(measures, func(m report.Benched) string { return m.Head }) }

func names() []string { return format.Texts(measures, func(m report.Benched) string { return m.Name }) }

// String formats the ratio with its standard error, to a hundredth.
func (r *Ratio) String() string { return r.text("±") }

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
