package report

import (
	"fmt"
	"strings"

	"slurm-ostrich/ostrich"
)

// Brief sums up campaigns in a few figures, 0 without any.
type Brief struct {
	Campaigns int     `json:"campaigns"`
	Jobs      int     `json:"jobs"`
	Mean      float64 `json:"mean_stretch"`
	Max       float64 `json:"max_stretch"`
	MeanFlow  float64 `json:"mean_flow"` // seconds

	stretch, flow float64 // sums
}

// Add adds a campaign.
func (b *Brief) Add(jobs int, flow ostrich.Duration, stretch float64) {
	b.Campaigns++
	b.Jobs += jobs
	b.stretch, b.flow = b.stretch+stretch, b.flow+float64(flow)
	n := float64(b.Campaigns)
	b.Mean, b.Max, b.MeanFlow = b.stretch/n, max(b.Max, stretch), b.flow/n
}

// BriefRow is a row of a table of two runs: of a user, or of all.
type BriefRow struct {
	Name string
	Runs [2]Brief
	More string // at the end of the row
}

// BriefTable returns the text of a table of two runs side by side. more stands at the end
// of the two lines of its head.
func BriefTable(runs, more [2]string, rows []BriefRow) string {
	var text strings.Builder
	line := func(more, form string, cells ...any) {
		fmt.Fprintf(&text, form, cells...)
		if more != "" {
			text.WriteString("   " + more)
		}
		text.WriteByte('\n')
	}
	a, b := runs[0], runs[1]
	line(more[0], "%-12s %19s   %17s   %17s   %19s", "", "campaigns", "mean stretch", "max stretch", "mean flow (s)")
	line(more[1], "%-12s %9s %9s   %8s %8s   %8s %8s   %9s %9s", "user", a, b, a, b, a, b, a, b)
	for _, r := range rows {
		x, y := &r.Runs[0], &r.Runs[1]
		line(r.More, "%-12s %9d %9d   %8.2f %8.2f   %8.2f %8.2f   %9.1f %9.1f", r.Name,
			x.Campaigns, y.Campaigns, x.Mean, y.Mean, x.Max, y.Max, x.MeanFlow, y.MeanFlow)
	}
	return text.String()
}
