package demo

import (
	"fmt"
	"strings"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/memslurm"
	"slurm-ostrich/ostrich"
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
	line := func(name, about string, p, q fared) {
		row := fmt.Sprintf("%-12s %9d %9d   %8.2f %8.2f   %8.2f %8.2f   %9.1f %9.1f   %s", name,
			p.Campaigns, q.Campaigns, p.Mean, q.Mean, p.Max, q.Max, p.MeanFlow, q.MeanFlow, about)
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

func hours(d ostrich.Duration) float64 { return float64(d) / 3600 }

// Document is what --json writes.
type Document struct {
	Emulated   bool        `json:"emulated"` // always true
	Seed       uint64      `json:"seed"`
	Hours      int         `json:"hours"`
	Fairshare  string      `json:"fairshare"`
	Processors int         `json:"processors"`
	Jobs       int         `json:"jobs"`
	Runs       [2]measured `json:"runs"`
}

// Document returns what --json writes.
func (r *Result) Document() Document {
	return Document{
		Emulated: true, Seed: r.Seed, Hours: r.Hours, Fairshare: memslurm.RuleNames[r.Rule], Processors: procs, Jobs: r.Total, Runs: r.both,
	}
}
