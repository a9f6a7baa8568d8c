package tools_test

import (
	"testing"

	"slurm-ostrich/ostrich/accounting/tools"
)

// TestAnyDigits: to the known tools all digits are alike, and a site's own may tell one from another.
func TestAnyDigits(t *testing.T) {
	for pattern, want := range map[string]bool{
		``: true, `^p\d+_(?P<class>.+)$`: true, `^(?P<class>[a-z0-9]+)[^_]*-[0-9]{2}`: true, `^(?P<class>p2)`: false, `^(?P<class>p)[0-4]`: false, `^(?P<class>a|b[^7])`: false,
	} {
		var rows []tools.Row
		if pattern != "" {
			rows = []tools.Row{{Name: "own", Patterns: []tools.Source{{Text: pattern}}}}
		}
		table, err := tools.With(rows)
		if err != nil {
			t.Fatal(err)
		}
		if got := table.AnyDigits(); got != want {
			t.Errorf("%s: %v, want %v", pattern, got, want)
		}
	}
}
