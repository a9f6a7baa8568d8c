package statuspage

import (
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/ostrich"
)

// jobOdds are the odds of the start of a job.
type jobOdds struct {
	Job string
	*view.Odds
}

// oddsOf returns the odds that an answer tells.
func oddsOf(is *view.Answer) []jobOdds {
	var list []jobOdds
	for _, e := range is.Jobs {
		if e.Odds.Told() {
			list = append(list, jobOdds{e.Job, e.Odds})
		}
	}
	return list
}

// oddsBar is drawn from the moment by which a job starts with odds of 10 % to that of 90 %, on an
// axis that begins now. Places are parts of the axis, 0 to 1.
type oddsBar struct {
	jobOdds

	From, Middle, To float64
}

// Width is that of the bar. It can be seen even where the moments are one.
func (o oddsBar) Width() float64 { return max(o.To-o.From, 0.005) }

// OddsBars draws the odds of jobs on one axis.
func (b *builder) OddsBars(jobs []jobOdds) []oddsBar {
	ends := make([]float64, len(jobs))
	for i, j := range jobs {
		ends[i] = float64(j.P90)
	}
	axis := newScale(b.clock, ends)
	place := func(t ostrich.Time) float64 { return min(max(axis.part(float64(t)), 0), 1) }
	bars := make([]oddsBar, len(jobs))
	for i, j := range jobs {
		bars[i] = oddsBar{j, place(j.P10), place(j.P50), place(j.P90)}
	}
	return bars
}
