package live

import (
	"fmt"
	"slices"
	"strings"

	"slurm-ostrich/cmd/internal/format"
)

// Tables returns the report for people, without tables of nothing.
func (r *Report) Tables() []format.Table {
	all, users := r.Campaigns.Promise.tables()
	list := []format.Table{nightsTable(r.Nights), r.orderTable(), r.campaignsTable(), r.brokenTable(), all, users, r.lastTable()}
	return slices.DeleteFunc(list, func(t format.Table) bool { return len(t.Rows) == 0 })
}

// Notes say what the report does not know.
func (r *Report) Notes() (list []string) {
	if len(r.Classes) > 0 {
		list = append(list, fmt.Sprintf("Jobs are of %d classes (%s). The comparison knows no classes: it takes the campaigns of each as if they had their pool alone, "+
			"so for all but the first, bounds are too early and ρ is too large.", len(r.Classes), strings.Join(r.Classes, "; ")))
	}
	if len(r.Nights) == 0 {
		list = append(list, NoNight)
	}
	return list
}

// Verdict returns what the nightly comparisons found in words, "" for nothing.
func (r *Report) Verdict() string {
	var b strings.Builder
	for _, n := range r.Nights {
		if len(n.Verdict) > 0 {
			fmt.Fprintf(&b, "The %s before %s: %s\n", n.Period, format.Moment(float64(n.To)), strings.Join(n.Verdict, "\n"))
		}
	}
	return b.String()
}

func (r *Report) orderTable() format.Table {
	t := format.Table{
		Title: fmt.Sprintf("%s, mode %s, %s to %s: OStrich's order and Slurm's", r.Cluster, r.Mode,
			format.Moment(float64(r.Since)), format.Moment(float64(r.Time))),
		Header: []string{"FIGURE", "NOW", "HOUR", "DAY"},
	}
	add := func(name string, a Average) {
		t.Add(name, fmt.Sprintf("%.2f", a.Now), fmt.Sprintf("%.2f", a.Hour), fmt.Sprintf("%.2f", a.Day))
	}
	add("rank correlation", r.Order.Tau)
	for _, o := range r.Order.Overlap {
		name := fmt.Sprintf("first %d in common", o.First)
		if o.Depth == "slurm" {
			name += " (as deep as Slurm looks)"
		}
		add(name, o.Average)
	}
	first, shift := []any{"starts among the first that fitted", ""}, []any{"ranks from the head at a start", ""}
	for _, w := range r.Starts.Ranks {
		first, shift = append(first, fmt.Sprintf("%.2f", w.First)), append(shift, fmt.Sprintf("%.1f", w.Shift))
	}
	t.Add(first...)
	t.Add(shift...)
	return t
}

func (r *Report) campaignsTable() format.Table {
	t := format.Table{
		Title:  "Finished campaigns",
		Header: []string{"CAMPAIGNS", "KEPT", "BROKEN", "NONE", "STRETCH", "<=1.15", "<=2", "<=20"},
	}
	k := &r.Campaigns
	t.Add(k.Finished, k.Kept, k.Broken, k.Unbounded, k.Stretch.meanCell(), k.Stretch.upToCell(1.15), k.Stretch.upToCell(2), k.Stretch.upToCell(20))
	return t
}

func (r *Report) brokenTable() format.Table {
	t := format.Table{Title: "Broken bounds, by reason", Header: []string{"REASON", "FIRST", "ALL", "MEANING"}}
	for _, b := range r.Campaigns.BrokenBy {
		if b.Any > 0 {
			t.Add(b.Reason, b.First, b.Any, b.Meaning)
		}
	}
	return t
}

func (p *Promise) tables() (all, users format.Table) {
	if p.Campaigns == 0 { // with a known rho
		return all, users
	}
	part := func(x float64) format.Cell { return format.PercentCell(x, 0) }
	all = format.Table{
		Title:  "Campaigns of the last 24 hours beside an equally shared machine",
		Header: []string{"CAMPAIGNS", "RHO<=1", "MEAN", "P50", "P95", "MAX"},
	}
	all.Add(p.Campaigns, part(p.Le1), fmt.Sprintf("%.2f", p.Mean), fmt.Sprintf("%.2f", p.P50), fmt.Sprintf("%.2f", p.P95), fmt.Sprintf("%.2f", p.Max))
	users = format.Table{
		Title:  "Users furthest from an equal share",
		Header: []string{"USER", "CAMPAIGNS", "RHO<=1", "MEAN", "MAX"},
	}
	for _, u := range p.Users {
		users.Add(owner(u.Account, u.User), u.Campaigns, part(u.Le1), fmt.Sprintf("%.2f", u.Mean), fmt.Sprintf("%.2f", u.Max))
	}
	return all, users
}

// owner names a user, and the account if it counts.
func owner(account, user string) string { return strings.TrimPrefix(account+"/"+user, "/") }

func (r *Report) lastTable() format.Table {
	t := format.Table{
		Title:  "The campaigns that finished last",
		Header: []string{"CAMPAIGN", "USER", "POOL", "SUBMITTED", "ENDED", "FLOW", "STRETCH", "BOUND", "KEPT", "REASONS"},
	}
	if len(r.Classes) > 0 {
		t.Header = append(t.Header, "CLASS")
	}
	for _, f := range r.Campaigns.Last {
		bound, kept := "never", ""
		if f.Bound != nil {
			bound, kept = format.Moment(*f.Bound), "yes"
			if f.Broken {
				kept = "no"
			}
		}
		cells := []any{
			f.Campaign, owner(f.Account, f.User), f.Pool, format.Moment(float64(f.Submitted)), format.Moment(float64(f.Ended)), format.ElapsedCell(f.Flow),
			fmt.Sprintf("%.2f", f.Stretch), bound, kept, strings.Join(f.Reasons, ","),
		}
		if len(r.Classes) > 0 {
			cells = append(cells, f.Class)
		}
		t.Add(cells...)
	}
	return t
}

// meanCell returns the mean of what the histogram counts, an empty cell of nothing.
func (h *Histogram) meanCell() format.Cell {
	if h.Count == 0 {
		return format.Cell{}
	}
	mean := h.Sum / float64(h.Count)
	return format.Value(mean, fmt.Sprintf("%.2f", mean))
}

// upToCell returns the part of what the histogram counts that is up to a limit of one
// of its buckets, an empty cell where there is none.
func (h *Histogram) upToCell(limit float64) format.Cell {
	for _, b := range h.Buckets {
		if b.Limit == limit && h.Count > 0 {
			return format.PercentCell(float64(b.Count)/float64(h.Count), 0)
		}
	}
	return format.Cell{}
}
