package format

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func written(t interface{ Fatal(...any) }, table *Table, header, parsable bool, width int) string {
	var b strings.Builder
	if err := table.Write(&b, header, parsable, width); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestFold(t *testing.T) {
	table := Table{Header: []string{"JOBID", "USER", "RANK", "WHY"}}
	table.Add("11_[1-4]", "alice", 1, "campaign order")
	table.Add("33", "carol", "", "in reservation maint, which ends at noon")
	for _, tt := range []struct {
		width int
		want  string
	}{
		{63, "JOBID     USER   RANK  WHY\n11_[1-4]  alice  1     campaign order\n33        carol  -     in reservation maint, which ends at noon\n"},
		{62, "JOBID     USER   RANK  WHY\n11_[1-4]  alice  1     campaign order\n33        carol  -     in reservation maint, which ends at\n                       noon\n"},
		{38, "JOBID     USER   RANK  WHY\n11_[1-4]  alice  1     campaign order\n33        carol  -     in reservation\n                       maint, which\n                       ends at noon\n"},
		{24, "JOBID     USER   RANK\n    WHY\n11_[1-4]  alice  1\n    campaign order\n33        carol  -\n    in reservation\n    maint, which ends at\n    noon\n"},
		{1, "JOBID\n    USER\n    RANK\n    WHY\n11_[1-4]\n    alice\n    1\n    campaign\n    order\n33\n    carol\n    -\n    in\n    reservation\n    maint,\n    which ends\n    at noon\n"},
	} {
		if got := written(t, &table, true, false, tt.width); got != tt.want {
			t.Errorf("%d:\n%s\nwant:\n%s", tt.width, got, tt.want)
		}
	}
	// The spaces between thousands do not part words.
	if got := wrap("12\u202f345 jobs of 1\u00a0000", 9); !slices.Equal(got, []string{"12\u202f345", "jobs of", "1\u00a0000"}) {
		t.Errorf("%q", got)
	}
	for width, want := range map[int]string{0: "two words, three", 16: "two words, three", 15: "two words,\nthree", -1: "two words, three"} {
		if got := Fold("two words, three", width); got != want {
			t.Errorf("%d: %q, want %q", width, got, want)
		}
	}
	if got := written(t, &table, true, true, 1); got != written(t, &table, true, true, 0) {
		t.Errorf("columns separated by | are folded:\n%s", got)
	}
}

// No word of any cell is lost, whatever the width; lines fit; and nothing changes
// where there is room.
func TestFoldKeepsAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(1, 8).Draw(t, "columns")
		cell := rapid.StringMatching(`([a-zä0-9_]{1,9}( [a-z]{1,9}){0,4})?`)
		row := rapid.SliceOfN(cell, columns, columns)
		table := Table{Header: row.Draw(t, "header")}
		for _, texts := range rapid.SliceOfN(row, 0, 4).Draw(t, "rows") {
			table.Rows = append(table.Rows, Cells(texts...))
		}
		width := rapid.IntRange(indent+9, 90).Draw(t, "width") // words are up to 9 long
		header := rapid.Bool().Draw(t, "with header")
		free, got := written(t, &table, header, false, 0), written(t, &table, header, false, width)
		long := func(line string) bool { return utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > width }
		if !slices.ContainsFunc(slices.Collect(strings.Lines(free)), long) && got != free {
			t.Fatalf("there is room:\n%s\n%s", free, got)
		}
		words, want := strings.Fields(got), strings.Fields(free)
		slices.Sort(words)
		slices.Sort(want)
		if !slices.Equal(words, want) {
			t.Fatalf("lost words:\n%s\n%s", free, got)
		}
		for line := range strings.Lines(got) {
			if long(line) {
				t.Fatalf("%q is wider than %d:\n%s", line, width, got)
			}
		}
	})
}

// The words of a cell stay one below the other, in their order.
func TestWrap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cell := rapid.StringMatching(`[a-z]{1,9}( [a-z]{1,9}){0,6}`).Draw(t, "cell")
		lines := wrap(cell, rapid.IntRange(1, 30).Draw(t, "width"))
		if got := strings.Join(lines, " "); got != cell {
			t.Errorf("%q: %q", cell, lines)
		}
	})
}
