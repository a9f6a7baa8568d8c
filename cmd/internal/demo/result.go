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
	var rows []report.BriefRow
	for i, u := range r.Users {
		rows = append(rows, report.BriefRow{Name: u.Name, Runs: r.pair(i), More: u.Account + ": " + u.About})
	}
	rows = append(rows, report.BriefRow{Name: "all", Runs: r.pair(len(r.Users))})
	b.WriteString(report.BriefTable([2]string{x, y}, [2]string{}, rows))
	fmt.Fprintf(&b, "\n%-22s %9s %9s\n", "", x, y)
	for _, f := range r.figures() {
		fmt.Fprintf(&b, "%-22s %9s %9s\n", f.Name, f.Cells[0], f.Cells[1])
	}
	fmt.Fprintln(&b, tail)
	return b.String()
}

// pair returns what both runs were for a user; after the last user, for all.
func (r *Result) pair(user int) (pair [2]report.Brief) {
	for i := range r.both {
		if pair[i] = r.both[i].All.Brief; user < len(r.Users) {
			pair[i] = r.both[i].Users[user].Brief
		}
	}
	return pair
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
