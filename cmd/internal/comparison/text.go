package comparison

import (
	"fmt"
	"strings"

	"slurm-ostrich/cmd/internal/format"
)

// mostRows is how many rows of a table about users are shown unless it is long.
const mostRows = 10

// TextTables returns the Tables as a terminal shows them.
func (c *Comparison) TextTables(long bool) []format.Table {
	tables := c.Tables(long)
	for i := range tables {
		t := &tables[i]
		if t.Users && len(t.Rows) > mostRows && !long {
			t.Title = fmt.Sprintf("%s: %d of %d users, all with --long", t.Title, mostRows, len(t.Rows))
			t.Rows = t.Rows[:mostRows]
		}
	}
	return capitals(tables)
}

// capitals writes the headers of tables in capitals.
func capitals(tables []format.Table) []format.Table {
	for i := range tables {
		tables[i].Header = format.Texts(tables[i].Header, strings.ToUpper)
		for column, names := range tables[i].Pairs {
			tables[i].Pairs[column] = [2]string{strings.ToUpper(names[0]), strings.ToUpper(names[1])}
		}
	}
	return tables
}

// Sentences say in words what changed, below the tables.
func (c *Comparison) Sentences() string {
	var parts []string
	for _, change := range c.Changes {
		parts = append(parts, section(change.Run+", compared with "+c.Baseline, change.Sentences))
	}
	if c.Lengths != "" {
		parts = append(parts, section("Lengths", []string{c.Lengths}))
	}
	return strings.Join(append(parts, section("Notes", c.Notes)), "")
}

// section writes sentences below a title, or nothing.
func section(title string, sentences []string) string {
	if len(sentences) == 0 {
		return ""
	}
	return "\n" + title + "\n  " + strings.Join(sentences, "\n  ") + "\n"
}
