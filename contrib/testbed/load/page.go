package main

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A page has the tables between two comments. The text around them is written by
// hand and stays.
const (
	tableBegin = "<!-- table: %s -->" // a scenario, or allScenarios
	tableEnd   = "<!-- end of table -->"
)

// allScenarios marks the table with one line for each scenario.
const allScenarios = "all scenarios"

var tableMark = regexp.MustCompile(`(?m)^<!-- table: (.+) -->$`)

// fillPage replaces the tables of a page. Tables of scenarios that were not
// measured stay. A scenario without a mark only has its line in the table of all.
func fillPage(page string, cells []Cell) (string, error) {
	marked := make(map[string]bool)
	for _, m := range tableMark.FindAllStringSubmatch(page, -1) {
		if marked[m[1]] {
			return "", fmt.Errorf("two tables of %s", m[1])
		}
		marked[m[1]] = true
	}
	if !marked[allScenarios] {
		return "", fmt.Errorf("no line "+tableBegin, allScenarios)
	}
	tables := map[string]string{allScenarios: matrixTable(cells, marked)}
	for _, c := range cells {
		tables[c.Scenario] = c.table()
	}
	var b strings.Builder
	for rest := page; ; {
		at := tableMark.FindStringSubmatchIndex(rest)
		if at == nil {
			b.WriteString(rest)
			return b.String(), nil
		}
		name := rest[at[2]:at[3]]
		length := strings.Index(rest[at[1]:], "\n"+tableEnd+"\n")
		if length < 0 || tableMark.MatchString(rest[at[1]:at[1]+length]) {
			return "", fmt.Errorf("the table of %s has no line %s", name, tableEnd)
		}
		b.WriteString(rest[:at[1]])
		if table, ok := tables[name]; ok {
			// Markdown needs an empty line before and after a table.
			b.WriteString("\n\n" + table)
		} else {
			b.WriteString(rest[at[1] : at[1]+length])
		}
		rest = rest[at[1]+length:]
	}
}

// matrixTable returns a table with one line for each scenario. The names of scenarios with
// a section link to it.
func matrixTable(cells []Cell, sections map[string]bool) string {
	if len(cells) == 0 {
		return ""
	}
	a, b := cells[0].Runs[0], cells[0].Runs[1]
	var text strings.Builder
	fmt.Fprintf(&text, "| scenario | seeds | mean stretch: %s | %s | ratio | p95: ratio | max: ratio | who pays |\n|---|---|---|---|---|---|---|---|\n", a, b)
	for _, c := range cells {
		name := c.Scenario
		if sections[name] {
			name = fmt.Sprintf("[%s](#%[1]s)", name)
		}
		fmt.Fprintf(&text, "| %s | %d | %.2f | %.2f | %s | %s | %s | %s |\n",
			name, len(c.Seeds), c.All.Mean.First, c.All.Mean.Second, c.All.Mean, c.All.P95, c.All.Max, c.pay())
	}
	return text.String()
}

// String formats the ratio with its interval, bold if the second run is worse by
// more than chance.
func (m Measure) String() string {
	switch {
	case m.Low == 0:
		return fmt.Sprintf("%.2f", m.Ratio)
	case m.worse():
		return fmt.Sprintf("**%.2f** [%.2f, %.2f]", m.Ratio, m.Low, m.High)
	}
	return fmt.Sprintf("%.2f [%.2f, %.2f]", m.Ratio, m.Low, m.High)
}

// pay names the users whose mean stretch is worse in the second run, the worst
// first.
func (c *Cell) pay() string {
	worse := slices.DeleteFunc(slices.Clone(c.Users), func(f Figures) bool { return !f.Mean.worse() })
	slices.SortStableFunc(worse, func(x, y Figures) int { return cmp.Compare(y.Mean.Ratio, x.Mean.Ratio) })
	var names []string
	for _, f := range worse {
		names = append(names, fmt.Sprintf("%s %.2f", f.User, f.Mean.Ratio))
	}
	return cmp.Or(strings.Join(names, ", "), "nobody")
}

// table returns a table with one line for each user of a scenario.
func (c *Cell) table() string {
	a, b := c.Runs[0], c.Runs[1]
	deadlines := c.All.Deadlines[0]+c.All.Deadlines[1] > 0
	var text strings.Builder
	row := func(line, met string) {
		text.WriteString(line)
		if deadlines {
			text.WriteString(met)
		}
		text.WriteString("\n")
	}
	row(fmt.Sprintf("| user | campaigns | mean stretch: %s | %s | ratio | max stretch: %[1]s | %[2]s | mean flow: %[1]s | %[2]s |", a, b),
		fmt.Sprintf(" deadlines met: %s | %s |", a, b))
	row("|---|---|---|---|---|---|---|---|---|", "---|---|")
	for _, f := range append(slices.Clone(c.Users), c.All) {
		campaigns := strconv.Itoa(f.Campaigns[0])
		if f.Campaigns[0] != f.Campaigns[1] {
			campaigns = fmt.Sprintf("%d, %d", f.Campaigns[0], f.Campaigns[1])
		}
		row(fmt.Sprintf("| %s | %s | %.2f | %.2f | %s | %.2f | %.2f | %.1f s | %.1f s |", cmp.Or(f.User, "all"), campaigns,
			f.Mean.First, f.Mean.Second, f.Mean, f.Max.First, f.Max.Second, f.Flow.First, f.Flow.Second),
			fmt.Sprintf(" %s | %s |", part(f.Met[0], f.Deadlines[0]), part(f.Met[1], f.Deadlines[1])))
	}
	fmt.Fprintf(&text, "\nSeeds: %d. From the first submission to the last end: %.0f s and %.0f s.", len(c.Seeds), c.Seconds.First, c.Seconds.Second)
	for _, f := range c.Floods {
		fmt.Fprintf(&text, " Meanwhile %.1f and %.1f of %d processors worked for %s, whom nobody waits for.", f.Processors.First, f.Processors.Second, c.Processors, f.User)
	}
	text.WriteString("\n")
	return text.String()
}
