// Package forecasts measures how good forecasts of starts and of ends of campaigns are: it replays jobs under a policy, asks package
// forecast in between, and shows how often the answers held, beside three other ways to answer.
package forecasts

import (
	"cmp"
	"errors"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/forecast"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
)

// Settings say how often is asked.
type Settings struct {
	Questions int    // of a replay, about: half as jobs come, half at full hours
	Seed      uint64 // of the draws
}

// Learning is how long is only learned from, from the first submission on.
const Learning = ostrich.Time(7 * 24 * 3600)

// atOne is how many jobs are asked for at a full hour.
const atOne = 2

// errFixed is the error of a policy that cannot be watched.
var errFixed = errors.New("forecasts are tested under policies that rank job by job while jobs come and go, such as fairshare and ostrich")

// Test replays campaigns on a machine with a policy, asks in between, and returns what came of
// it. Progress of the machine is called by the replay in which it asks.
func Test(m sim.Machine, campaigns []sim.Campaign, s Settings) (*Row, error) {
	if m.Policy == nil {
		return nil, errFixed
	}
	progress := m.Progress
	m.Progress = nil
	jobs, err := m.Run(campaigns)
	if err != nil {
		return nil, err
	}
	how := sampling(jobs, s)
	m, watch := forecast.Over(m, campaigns, how)
	m.Progress = progress
	if _, err = m.Run(campaigns); err != nil {
		if errors.Is(err, forecast.ErrWatch) {
			err = errFixed
		}
		return nil, err
	}
	asks, err := watch.Asks()
	if err != nil {
		return nil, err
	}
	return rowOf(asks), nil
}

// sampling returns when to ask, so that as many questions are asked as are wanted.
func sampling(jobs []report.Job, s Settings) forecast.Sampling {
	jobs = slices.Clone(jobs)
	slices.SortFunc(jobs, func(a, b report.Job) int {
		return cmp.Or(cmp.Compare(a.Submit, b.Submit), cmp.Compare(a.ID, b.ID))
	})
	waited, hours, last := 0, 0, ostrich.Time(0) // hours in which somebody waited
	for i := range jobs {
		j := &jobs[i]
		if j.Start > j.Submit {
			waited++
		}
		if from, to := max(j.Submit/3600, last), j.Start/3600; to > from {
			hours += int(to - from)
			last = to
		}
	}
	how := forecast.Sampling{
		Every: max(1, 2*waited/max(1, s.Questions)), Hours: ostrich.Duration(max(1, 2*atOne*hours/max(1, s.Questions))), AtOne: atOne,
		Seed: s.Seed,
	}
	if len(jobs) > 0 {
		how.From = jobs[0].Submit + Learning
	}
	return how
}

// rowOf adds up what came of questions.
func rowOf(asks []*forecast.Ask) *Row {
	var r [4]forecast.Score
	for _, a := range asks {
		middle := a.Two[0] + (a.Two[1]-a.Two[0])/2
		for k, answer := range [4][3]ostrich.Time{a.Odds, {a.Limits, a.Limits, a.Limits}, {a.Two[0], middle, a.Two[1]}, a.Bounds} {
			r[k].Add(a.At, answer, a.Start)
		}
	}
	var ends forecast.Score
	for _, a := range asks {
		if a.End != 0 {
			ends.Add(a.At, a.Ends, a.End)
		}
	}
	row := &Row{Ends: counted(&ends), Counted: counted(&r[0]), Squeue: figures(&r[1]), TwoStarts: figures(&r[2]), QBETS: figures(&r[3])}
	row.Squeue.Held = nil // it names one moment
	for i, b := range r[0].ByWait {
		row.ByWait = append(row.ByWait, Band{Below: below(i), Asked: b.Asked, Held: number(b.Part())})
	}
	return row
}

// below is the upper end of a band of waits, 0 for the last one.
func below(i int) ostrich.Duration {
	if i == len(forecast.Bands)-1 {
		return 0
	}
	return forecast.Bands[i]
}

// Named sets the names of a row.
func (r *Row) Named(log, policy string) *Row {
	r.Log, r.Policy = log, policy
	return r
}
