package demo

import (
	"fmt"
	"strings"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/memslurm"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
)

// Result is both runs as they stand, measured.
type Result struct {
	*demo
	both [2]measured
}

// result measures the runs as they stand.
func (d *demo) result() *Result {
	r := &Result{demo: d}
	for i, run := range d.snapshot() {
		r.both[i] = d.measure(run)
	}
	return r
}

// about says what was run, line by line, for the table and the page.
func (r *Result) about() []string {
	rule := "Fair Tree"
	if r.Rule == memslurm.Classic {
		rule = "NO_FAIR_TREE"
	}
	wrote := fmt.Sprintf("wrote %s in %s", format.Plural(r.both[1].Writes, "value"), format.Plural(r.both[1].Cycles, "cycle"))
	return []string{
		fmt.Sprintf("An emulated Slurm of %d nodes with %d processors each, and the same %d campaigns with %d jobs in all in both runs (seed %d).",
			nodes, cpus, len(r.Load), r.Total, r.Seed),
		fmt.Sprintf("stock: priority/multifactor, Age %d, FairShare %d (%s); two users share an account, and what it has used.", weightAge, weightFairshare, rule),
		fmt.Sprintf("ostrich: the same, and every %d s the cycle of ostrichd --apply, which %s.", cycleEvery, wrote),
		"Emulated: slurmctld, the accounting tables, the clock. The daemon's own code: the cycle, campaigns, virtual schedule, order, plan.",
	}
}

// Text returns the table for people.
func (r *Result) Text() string {
	var b strings.Builder
	for _, line := range r.about() {
		fmt.Fprintln(&b, line)
	}
	fmt.Fprintf(&b, "Stretch is flow time over max(W/m, longest job).\n%s\n\n", caveat)
	x, y := r.both[0].Name, r.both[1].Name
	fmt.Fprintf(&b, "%-12s %19s   %17s   %17s   %19s\n", "", "campaigns", "mean stretch", "max stretch", "mean flow (s)")
	fmt.Fprintf(&b, "%-12s %9s %9s   %8s %8s   %8s %8s   %9s %9s\n", "user", x, y, x, y, x, y, x, y)
	line := func(name, about string, p, q report.User) {
		row := fmt.Sprintf("%-12s %9d %9d   %8.2f %8.2f   %8.2f %8.2f   %9.1f %9.1f   %s", name,
			p.Campaigns, q.Campaigns, p.MeanStretch, q.MeanStretch, p.MaxStretch, q.MaxStretch, meanFlow(p), meanFlow(q), about)
		fmt.Fprintln(&b, strings.TrimRight(row, " "))
	}
	for i, u := range r.Users {
		line(u.Name, u.Account+": "+u.About, r.both[0].Users[i], r.both[1].Users[i])
	}
	line("all", "", r.both[0].All, r.both[1].All)
	fmt.Fprintf(&b, "\n%-22s %9s %9s\n", "", x, y)
	for _, f := range r.figures() {
		fmt.Fprintf(&b, "%-22s %9s %9s\n", f.Name, f.Cells[0], f.Cells[1])
	}
	fmt.Fprintln(&b, tail)
	return b.String()
}

// figureRow is a line about the runs as a whole.
type figureRow struct {
	Name  string
	Cells [2]string
}

func (r *Result) row(name, format string, of func(*measured) any) figureRow {
	return figureRow{name, [2]string{fmt.Sprintf(format, of(&r.both[0])), fmt.Sprintf(format, of(&r.both[1]))}}
}

// figures returns the lines about the runs as a whole.
func (r *Result) figures() []figureRow {
	return []figureRow{
		r.row("utilisation", "%.3f", func(m *measured) any { return m.Utilisation }),
		r.row(fmt.Sprintf("in the first %d h", r.Hours), "%.3f", func(m *measured) any { return m.Early }),
		r.row("makespan (h)", "%.1f", func(m *measured) any { return hours(m.Makespan) }),
	}
}

// caveat is what one load does not show.
const caveat = "One load shows one load: --seed draws another. Under --fairshare classic the stock mean stretch is\n" +
	"much nearer, and with --users 8 one user's tests wait behind the same user's long runs."

// tail is why the utilisations differ.
const tail = "Utilisation counts until the last job has ended. It is low if a user is left alone then with small jobs, because\n" +
	"that user's campaigns waited before. How full the machine is while all submit, the line below it says."

func meanFlow(u report.User) float64 {
	if u.Campaigns == 0 {
		return 0
	}
	return u.Flow / float64(u.Campaigns)
}

func hours(d ostrich.Duration) float64 { return float64(d) / 3600 }

// userJSON is how the campaigns of one user, or of all, fared.
type userJSON struct {
	User      string  `json:"user"` // "" for all
	Account   string  `json:"account"`
	About     string  `json:"about"`
	Campaigns int     `json:"campaigns"`
	Jobs      int     `json:"jobs"`
	Mean      float64 `json:"mean_stretch"`
	Max       float64 `json:"max_stretch"`
	MeanFlow  float64 `json:"mean_flow"` // seconds
}

// campaignJSON is a campaign that has ended.
type campaignJSON struct {
	User    string           `json:"user"`
	Jobs    int              `json:"jobs"`
	Submit  ostrich.Time     `json:"submit"`
	End     ostrich.Time     `json:"end"`
	Work    ostrich.Work     `json:"work"`
	Longest ostrich.Duration `json:"longest"`
	Stretch float64          `json:"stretch"`
}

// runJSON is one of the runs.
type runJSON struct {
	Run         string           `json:"run"`
	Cycles      int              `json:"cycles"`
	Writes      int              `json:"writes"`
	Utilisation float64          `json:"utilisation"`
	Early       float64          `json:"utilisation_early"` // in the first hours
	Makespan    ostrich.Duration `json:"makespan"`          // seconds
	Users       []userJSON       `json:"users"`
	All         userJSON         `json:"all"`
	Campaigns   []campaignJSON   `json:"campaigns"`
}

// Document is what --json writes.
type Document struct {
	Emulated   bool       `json:"emulated"` // always true
	Seed       uint64     `json:"seed"`
	Hours      int        `json:"hours"`
	Fairshare  string     `json:"fairshare"`
	Processors int        `json:"processors"`
	Jobs       int        `json:"jobs"`
	Runs       [2]runJSON `json:"runs"`
}

// Document returns what --json writes.
func (r *Result) Document() Document {
	o := Document{
		Emulated: true, Seed: r.Seed, Hours: r.Hours, Fairshare: memslurm.RuleNames[r.Rule], Processors: procs, Jobs: r.Total,
	}
	user := func(name, account, about string, u report.User) userJSON {
		return userJSON{name, account, about, u.Campaigns, u.Jobs, u.MeanStretch, u.MaxStretch, meanFlow(u)}
	}
	names := make(map[ostrich.UserID]string)
	for i := range r.both {
		m, run := &r.both[i], &o.Runs[i]
		*run = runJSON{
			Run: m.Name, Cycles: m.Cycles, Writes: m.Writes, Utilisation: m.Utilisation, Early: m.Early, Makespan: m.Makespan,
			All: user("", "", "", m.All),
		}
		for k, u := range r.Users {
			names[u.UID] = u.Name
			run.Users = append(run.Users, user(u.Name, u.Account, u.About, m.Users[k]))
		}
		for k := range m.Campaigns {
			c := &m.Campaigns[k]
			run.Campaigns = append(run.Campaigns, campaignJSON{names[c.User], c.Jobs, c.Submit, c.End, c.Work, c.Longest, c.Stretch(procs)})
		}
	}
	return o
}
