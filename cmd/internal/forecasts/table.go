package forecasts

import (
	"fmt"
	"math"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/forecast"
)

// Result is what came of forecasts, as --json has it.
type Result struct {
	Rows []*Row `json:"forecasts"`
}

// Row is what came of the forecasts of a replay.
type Row struct {
	Log    string `json:"log"`
	Policy string `json:"policy"`
	Counted
	ByWait []Band  `json:"by_wait"`
	Ends   Counted `json:"ends"` // of campaigns

	Squeue    Figures `json:"squeue"`     // by limits under conservative backfilling
	TwoStarts Figures `json:"two_starts"` // by expected lengths and by limits under EASY
	QBETS     Figures `json:"qbets"`
}

// Counted are Figures with what an interval missed.
type Counted struct {
	Figures
	Margin *float64 `json:"held_margin"` // half of a 95 % interval of Held; null from less than two weeks
	Early  int      `json:"early"`       // questions of which the truth was before the interval, and after it
	Late   int      `json:"late"`
}

// Figures say how good answers were. What cannot be said is null.
type Figures struct {
	Asked int      `json:"asked"`
	Held  *float64 `json:"held"`         // part of the jobs that started in the interval of 10 to 90 %
	Loss  *float64 `json:"pinball_loss"` // mean over the three odds, in seconds
	Error *float64 `json:"median_error"` // of the moment of 50 %, in seconds
}

// Band is how often answers held for jobs that waited for so long from the question on.
type Band struct {
	Below ostrich.Duration `json:"below"` // seconds; 0 for all that waited longer
	Asked int              `json:"asked"`
	Held  *float64         `json:"held"`
}

func counted(s *forecast.Score) Counted {
	return Counted{figures(s), number(s.Margin()), s.Early, s.Late}
}

func figures(s *forecast.Score) Figures {
	return Figures{Asked: s.All.Asked, Held: number(s.All.Part()), Loss: number(s.MeanLoss()), Error: number(s.MedianError())}
}

// number is a figure, nil for none.
func number(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}

// Tables returns a table with a row for each replay, one of how often the interval held by how long jobs waited, and one of
// the ends of campaigns.
func (r *Result) Tables() []format.Table {
	t := format.Table{
		Header: []string{"LOG", "POLICY", "ASKED", "HELD", "EARLY", "LATE", "PINBALL", "ERROR", "/SQUEUE", "/TWO", "/QBETS", "TWO_HELD", "QBETS_HELD"}, Names: 2,
		Pairs: map[int][2]string{3: {"HELD", "HELD_MARGIN"}},
	}
	ends := format.Table{Header: []string{"LOG", "POLICY", "ENDS", "HELD", "EARLY", "LATE", "PINBALL", "ERROR"}, Names: 2, Pairs: t.Pairs}
	waits := format.Table{Header: []string{"LOG", "POLICY", "<10min", "<1h", "<6h", "<24h", "LONGER"}, Names: 2}
	for _, row := range r.Rows {
		t.Add(append(row.cells(row), ratio(row.Loss, row.Squeue.Loss), ratio(row.Loss, row.TwoStarts.Loss), ratio(row.Loss, row.QBETS.Loss),
			percent(row.TwoStarts.Held), percent(row.QBETS.Held))...)
		ends.Add(row.Ends.cells(row)...)
		cells := format.Cells(row.Log, row.Policy)
		for _, b := range row.ByWait {
			cells = append(cells, percent(b.Held))
		}
		waits.Rows = append(waits.Rows, cells)
	}
	return []format.Table{t, waits, ends}
}

// cells are the figures in a line of a row.
func (c *Counted) cells(r *Row) []any {
	part := func(n int) format.Cell { return percent(number(float64(n) / float64(c.Asked))) }
	return []any{r.Log, r.Policy, c.Asked, c.held(), part(c.Early), part(c.Late), elapsed(c.Loss), elapsed(c.Error)}
}

// held is how often the interval held, with its margin.
func (c *Counted) held() format.Cell {
	if c.Held == nil {
		return format.None()
	}
	if c.Margin == nil {
		return format.Pair(*c.Held, math.NaN(), fmt.Sprintf("%.0f%%", 100**c.Held))
	}
	return format.Pair(*c.Held, *c.Margin, fmt.Sprintf("%.0f%%±%.0f%%", 100**c.Held, 100**c.Margin))
}

func percent(x *float64) format.Cell {
	if x == nil || math.IsNaN(*x) {
		return format.None()
	}
	return format.PercentCell(*x, 0)
}

func elapsed(x *float64) format.Cell {
	return format.Maybe(x, func(x float64) format.Cell { return format.ElapsedCell(ostrich.Duration(math.Round(x))) })
}

// ratio is one loss divided by another.
func ratio(a, b *float64) format.Cell {
	if a == nil || b == nil || !(*b > 0) {
		return format.None()
	}
	return format.Value(*a / *b, fmt.Sprintf("%.2f", *a / *b))
}
