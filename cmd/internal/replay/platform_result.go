package replay

import (
	"fmt"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich/grid"
)

// PlatformSummary is what simulate --json writes of a run on a platform besides.
type PlatformSummary struct {
	Platform     string   `json:"platform"`
	Architecture string   `json:"architecture"`
	Selection    string   `json:"selection"`
	Load         *float64 `json:"load"` // null if all bags come at once
	BagMeasure
	Goodput int64        `json:"goodput"` // processor-seconds of the copies that ended first
	Used    int64        `json:"used"`    // of all copies
	Classes []BagMeasure `json:"classes"` // of bags with at least two tasks, by their size
}

// BagMeasure are the measures of some bags.
type BagMeasure struct {
	Sizes        string  `json:"sizes"` // "all", or a class as "2-4"
	Bags         int     `json:"bags"`
	Tasks        int     `json:"tasks"`
	DoneBags     int     `json:"done_bags"`
	Finished     float64 `json:"finished"`      // part of the tasks
	MS           float64 `json:"ms"`            // mean makespan, in seconds
	NSL          float64 `json:"nsl"`           // mean normalized schedule length
	Stretch      float64 `json:"stretch"`       // mean
	WorstStretch float64 `json:"worst_stretch"` // the largest
}

func newPlatformSummary(x *grid.Experiment, m *grid.Measures) *PlatformSummary {
	s := &PlatformSummary{
		Platform: x.Platform.Name, Architecture: x.Architecture.String(), Selection: x.Selection,
		BagMeasure: bagMeasure("all", &m.Measure), Goodput: int64(m.Goodput), Used: int64(m.Used),
	}
	for i := range m.Classes {
		s.Classes = append(s.Classes, bagMeasure(grid.ClassNames[i], &m.Classes[i]))
	}
	return s
}

func bagMeasure(sizes string, m *grid.Measure) BagMeasure {
	return BagMeasure{
		Sizes: sizes, Bags: m.Bags, Tasks: m.Tasks, DoneBags: m.DoneBags, Finished: m.Finished(),
		MS: m.MS, NSL: m.NSL, Stretch: m.Stretch, WorstStretch: m.WorstStretch,
	}
}

// PlatformHeader is the header of [PlatformCells].
var PlatformHeader = []string{
	"ARCHITECTURE", "SELECTION", "LOAD", "TASKS", "BAGS", "FINISHED", "MS", "NSL", "STRETCH", "MAX", "GOODPUT", "USED", "UTILISATION",
}

// PlatformCells returns the cells of a run on a platform in a table.
func PlatformCells(s *Summary) []any {
	p := s.Clusters
	load := "-"
	if p.Load != nil {
		load = fmt.Sprintf("%.2f", *p.Load)
	}
	hours := func(seconds int64) string { return fmt.Sprintf("%.1f", float64(seconds)/3600) }
	return []any{
		p.Architecture, p.Selection, load, p.Tasks, p.Bags, format.PercentCell(p.Finished, 1), fmt.Sprintf("%.0f", p.MS), fmt.Sprintf("%.3f", p.NSL),
		fmt.Sprintf("%.2f", p.Stretch), fmt.Sprintf("%.2f", p.WorstStretch), hours(p.Goodput), hours(p.Used), format.PercentCell(s.Utilisation, 1),
	}
}

// platformTables returns a row for each run on a platform and, unless only the
// summaries are wanted, one for each class of bags.
func platformTables(list []*Simulation, whole bool) []format.Table {
	t := format.Table{Header: append([]string{"LOG", "POLICY"}, PlatformHeader...)}
	classes := format.Table{Header: []string{"LOG", "POLICY", "ARCHITECTURE", "SELECTION", "SIZES", "BAGS", "FINISHED", "MS", "NSL", "STRETCH", "MAX"}}
	for _, one := range list {
		s := one.Summary()
		t.Add(append([]any{s.Log, s.Policy}, PlatformCells(&s)...)...)
		for _, c := range s.Clusters.Classes {
			classes.Add(s.Log, s.Policy, s.Clusters.Architecture, s.Clusters.Selection, c.Sizes, c.Bags, format.PercentCell(c.Finished, 1),
				fmt.Sprintf("%.0f", c.MS), fmt.Sprintf("%.3f", c.NSL), fmt.Sprintf("%.2f", c.Stretch), fmt.Sprintf("%.2f", c.WorstStretch))
		}
	}
	if !whole {
		return []format.Table{t}
	}
	return []format.Table{t, classes}
}
