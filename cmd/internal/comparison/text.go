package comparison

import (
	"fmt"
	"strings"

	"slurm-ostrich/cmd/internal/format"
)

// mostRows is how many rows of a table about users are shown unless it is long.
const mostRows = 10

// TextTables are the Tables as a terminal shows them.
func (c *Comparison) TextTables(long bool) []format.Table {
	tables := c.Tables(long)
	for i := range tables {
		t := &tables[i]
		if t.Users && len(t.Rows) > mostRows && !long {
			t.Title = fmt.Sprintf("%s: %d of %d users, all with --long", t.Title, mostRows, len(t.Rows))
			t.Rows = t.Rows[:mostRows]
		}
		for k, h := range t.Header {
			t.Header[k] = strings.ToUpper(h)
		}
	}
	return tables
}

// Sentences say in words what changed, below the tables.
func (c *Comparison) Sentences() string {
	var b strings.Builder
	section := func(title string, sentences []string) {
		if len(sentences) > 0 {
			fmt.Fprintf(&b, "\n%s\n", title)
		}
		for _, s := range sentences {
			fmt.Fprintf(&b, "  %s\n", s)
		}
	}
	for _, change := range c.Changes {
		section(change.Run+", compared with "+c.Baseline, change.Sentences)
	}
	if c.Lengths != "" {
		section("Lengths", []string{c.Lengths})
	}
	section("Notes", c.Notes)
	return b.String()
}
