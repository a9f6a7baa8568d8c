package format

import (
	"strings"
	"testing"
)

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"":                        "",
		"ann-1_b":                 "ann-1_b",
		`q"u'o\te %s%n <b>&`:      `q"u'o\te %s%n <b>&`,
		"Zoë, 日本":                 "Zoë, 日本",
		"a\nb\tc\rd":              `a\nb\tc\rd`,
		"\x1b[2Jgone\a\x7f":       `\x1b[2Jgone\a\x7f`,
		"c1 \u009b31m":            `c1 \u009b31m`,
		"left\u202eright\u2028up": `left\u202eright\u2028up`,
		"half \xc3 \xff":          `half \xc3 \xff`,
	} {
		if got := Plain(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// A name adds neither lines nor columns to a table.
func TestHostileTable(t *testing.T) {
	table := Table{Header: []string{"USER", "N"}}
	table.Add("a\nroot", "1")
	table.Add("a\tb\x1b[31m", "2")
	table.Add("a|b", "3")
	for _, tt := range []struct {
		parsable bool
		width    int
		want     string
	}{
		{false, 0, "USER          N\na\\nroot       1\na\\tb\\x1b[31m  2\na|b           3\n"},
		{false, 10, "USER\n    N\na\\nroot\n    1\na\\tb\\x1b[31m\n    2\na|b\n    3\n"},
		{true, 0, "USER|N\na\\nroot|1\na\\tb\\x1b[31m|2\na\\x7cb|3\n"},
	} {
		var b strings.Builder
		if err := table.Write(&b, true, tt.parsable, tt.width); err != nil || b.String() != tt.want {
			t.Errorf("%v, %d: %v\n%s\nwant\n%s", tt.parsable, tt.width, err, b.String(), tt.want)
		}
	}
}
