package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"slurm-ostrich/ostrich/report/confidence"
)

// Measure is one figure of both runs over the seeds: its geometric means, and the
// ratio of the second run's to the first's.
type Measure struct {
	First  float64 `json:"first"`
	Second float64 `json:"second"`
	Ratio  float64 `json:"ratio"` // Second / First
	// Low and High are the 95 % interval of the ratio, by Student's distribution
	// of the logarithms of the seeds' ratios; 0: fewer than two seeds.
	Low  float64 `json:"low,omitempty"`
	High float64 `json:"high,omitempty"`
}

// least replaces a figure of zero, which has no logarithm.
const least = 0.01

// measured summarises a figure of both runs of each seed.
func measured(seeds [][2]float64) Measure {
	if len(seeds) == 0 {
		return Measure{}
	}
	n := float64(len(seeds))
	var means [2]float64 // of the logarithms
	logs := make([]float64, len(seeds))
	for i, pair := range seeds {
		a, b := math.Log(max(pair[0], least)), math.Log(max(pair[1], least))
		means[0] += a / n
		means[1] += b / n
		logs[i] = b - a
	}
	mean := means[1] - means[0]
	m := Measure{First: math.Exp(means[0]), Second: math.Exp(means[1]), Ratio: math.Exp(mean)}
	if len(seeds) < 2 {
		return m
	}
	half := confidence.MeanOf(logs).Reach()
	m.Low, m.High = math.Exp(mean-half), math.Exp(mean+half)
	return m
}

// worse reports whether the second run's figure is higher by more than chance.
// With one seed, which says nothing about chance, it reports whether it is
// higher.
func (m Measure) worse() bool {
	if m.Low > 0 {
		return m.Low > 1
	}
	return m.Ratio > 1
}

// Figures summarises the campaigns of one user, or of all, over the seeds.
type Figures struct {
	User      string  `json:"user"`      // "" for all
	Campaigns [2]int  `json:"campaigns"` // of all seeds
	Mean      Measure `json:"mean_stretch"`
	P95       Measure `json:"p95_stretch"`
	Max       Measure `json:"max_stretch"`
	Flow      Measure `json:"mean_flow"` // seconds
	Deadlines [2]int  `json:"deadlines"` // campaigns with a deadline
	Met       [2]int  `json:"met"`       // those of them that ended in time
}

// Flood is what a user in the background was served.
type Flood struct {
	User       string  `json:"user"`
	Processors Measure `json:"processors"` // that worked for the user while the others were there
}

// Cell is one scenario with the comparisons of all its seeds.
type Cell struct {
	Scenario   string    `json:"scenario"`
	About      string    `json:"about"`
	Processors int       `json:"processors"`
	Runs       [2]string `json:"runs"`
	Seeds      []uint64  `json:"seeds"`
	All        Figures   `json:"all"`
	Users      []Figures `json:"users"`            // by name
	Floods     []Flood   `json:"floods,omitempty"` // by name
	Seconds    Measure   `json:"seconds"`          // from the first submission to the last end
}

// ReadMatrix reads comparisons of several seeds of several scenarios, and
// returns the scenarios by name.
func ReadMatrix(paths []string) ([]Cell, error) {
	byName := make(map[string][]Comparison)
	for _, path := range paths {
		var c Comparison
		if err := readJSON(path, &c); err != nil {
			return nil, err
		}
		if c.Scenario == "" || len(c.Runs[0].Campaigns) == 0 || len(c.Runs[1].Campaigns) == 0 {
			return nil, fmt.Errorf("%s: not the comparison of two runs that load compare --json writes", path)
		}
		byName[c.Scenario] = append(byName[c.Scenario], c)
	}
	cells := make([]Cell, 0, len(byName))
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		c, err := newCell(byName[name])
		if err != nil {
			return nil, err
		}
		cells = append(cells, c)
	}
	return cells, nil
}

// newCell combines the seeds of a scenario. They must be different seeds of the
// same two runs on machines of one size.
func newCell(list []Comparison) (Cell, error) {
	slices.SortFunc(list, func(a, b Comparison) int { return cmp.Compare(a.Seed, b.Seed) })
	first := &list[0]
	c := Cell{
		Scenario: first.Scenario, About: first.Runs[0].About, Processors: first.Processors,
		Runs: [2]string{first.Runs[0].Run, first.Runs[1].Run},
	}
	var seconds [][2]float64
	users, floods := make(map[string]bool), make(map[string]bool)
	for i := range list {
		next := &list[i]
		if runs := [2]string{next.Runs[0].Run, next.Runs[1].Run}; next.Processors != c.Processors || runs != c.Runs {
			return Cell{}, fmt.Errorf("%s: seed %d is of %v on %d processors, seed %d of %v on %d",
				c.Scenario, first.Seed, c.Runs, c.Processors, next.Seed, runs, next.Processors)
		}
		if i > 0 && next.Seed == list[i-1].Seed {
			return Cell{}, fmt.Errorf("%s: seed %d twice", c.Scenario, next.Seed)
		}
		c.Seeds = append(c.Seeds, next.Seed)
		var pair [2]float64
		for side, r := range next.Runs {
			pair[side] = float64(r.seconds())
			for _, campaign := range r.Campaigns {
				users[campaign.User] = true
			}
			for _, b := range r.Background {
				floods[b.User] = true
			}
		}
		seconds = append(seconds, pair)
	}
	c.Seconds = measured(seconds)
	c.All = figures("", list)
	for _, name := range slices.Sorted(maps.Keys(users)) {
		c.Users = append(c.Users, figures(name, list))
	}
	for _, name := range slices.Sorted(maps.Keys(floods)) {
		c.Floods = append(c.Floods, flood(name, list))
	}
	return c, nil
}

// figures summarises the campaigns of a user, or of all if user is "", from all
// seeds in which both runs have some.
func figures(user string, seeds []Comparison) Figures {
	f := Figures{User: user}
	var mean, p95, highest, flow [][2]float64
	for _, c := range seeds {
		var s [2]Summary
		var tail [2]float64
		for side, r := range c.Runs {
			var stretches []float64
			for _, campaign := range r.Campaigns {
				if user == "" || campaign.User == user {
					s[side].add(campaign)
					stretches = append(stretches, campaign.Stretch)
				}
			}
			tail[side] = percentile(stretches, 95)
			f.Campaigns[side] += s[side].Campaigns
			f.Deadlines[side] += s[side].Deadlines
			f.Met[side] += s[side].Met
		}
		if s[0].Campaigns == 0 || s[1].Campaigns == 0 {
			continue
		}
		mean = append(mean, [2]float64{s[0].Mean, s[1].Mean})
		p95 = append(p95, tail)
		highest = append(highest, [2]float64{s[0].Max, s[1].Max})
		flow = append(flow, [2]float64{s[0].MeanFlow, s[1].MeanFlow})
	}
	f.Mean, f.P95, f.Max, f.Flow = measured(mean), measured(p95), measured(highest), measured(flow)
	return f
}

// percentile returns the p-th percentile of the values, which it sorts; 0 without values.
// It interpolates between two values: otherwise the 95th percentile of fewer than twenty
// would always be the highest.
func percentile(values []float64, p int) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	at, rest := (len(values)-1)*p/100, (len(values)-1)*p%100
	if rest == 0 {
		return values[at]
	}
	return values[at] + (values[at+1]-values[at])*float64(rest)/100
}

// flood returns the mean number of processors that worked for a user in the
// background.
func flood(user string, seeds []Comparison) Flood {
	var processors [][2]float64
	for _, c := range seeds {
		var pair [2]float64
		for side, r := range c.Runs {
			for _, b := range r.Background {
				if b.User == user {
					pair[side] += float64(b.Work) / float64(max(r.seconds(), 1))
				}
			}
		}
		processors = append(processors, pair)
	}
	return Flood{User: user, Processors: measured(processors)}
}
