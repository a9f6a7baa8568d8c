package comparison

import (
	"fmt"

	"slurm-ostrich/cmd/internal/format"
)

// lengthTable has a row for each predictor.
func (c *Comparison) lengthTable() format.Table {
	t := format.Table{
		Title: "Lengths, predicted when a job was submitted from what had ended by then", Names: 2,
		Header: []string{"predictor", "class", "mean |ln error|", "error by work", "within a factor of 2", "tells jobs below 60 s", "note"},
	}
	for i := range c.Predictors {
		p := &c.Predictors[i]
		class, short, note := p.Class, "–", ""
		if class == "" {
			class = "–"
		}
		if p.ShortAUC != nil {
			short = fmt.Sprintf("%.2f", *p.ShortAUC)
		}
		switch {
		case p.Set && p.Best:
			note = "set, the best"
		case p.Set:
			note = "set"
		case p.Best:
			note = "the best"
		}
		t.Rows = append(t.Rows, []string{
			p.Predictor, class, fmt.Sprintf("%.2f", p.LogError), format.Percent(p.WorkError), format.Percent(p.Within2), short, note,
		})
	}
	return t
}
