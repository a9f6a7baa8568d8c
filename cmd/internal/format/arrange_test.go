package format

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func jobs() *Table {
	return &Table{Header: []string{"JOBID", "USER", "RANK", "WORK"}, Rows: [][]Cell{
		Cells("100", "bob", "2", "10.20"),
		Cells("11_[1-4]", "alice", "", "9.50"),
		Cells("9_2", "carol", "10", "9.5"),
		Cells("20", "bob", "1", "-3"),
	}}
}

func ids(t *Table) string {
	var all []string
	for _, r := range t.Rows {
		all = append(all, r[0].Text)
	}
	return strings.Join(all, " ")
}

func TestSort(t *testing.T) {
	for keys, want := range map[string]string{
		"jobid":      "9_2 11_[1-4] 20 100",
		"-JobId":     "100 20 11_[1-4] 9_2",
		"user,rank":  "11_[1-4] 20 100 9_2",
		"user,-rank": "11_[1-4] 100 20 9_2",
		"rank":       "20 100 9_2 11_[1-4]",
		"-rank":      "9_2 100 20 11_[1-4]",
		"+work":      "20 11_[1-4] 9_2 100",
		"-work,user": "100 11_[1-4] 9_2 20",
	} {
		table := jobs()
		if err := table.Sort(strings.Split(keys, ",")); err != nil || ids(table) != want {
			t.Errorf("%s: %s %v, want %s", keys, ids(table), err, want)
		}
	}
	want := `no column "usr": there are JOBID, USER, RANK and WORK; did you mean "USER"?`
	if err := jobs().Sort([]string{"-usr"}); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestChoose(t *testing.T) {
	table := jobs()
	if err := table.Choose([]string{"work", "Jobid"}); err != nil || strings.Join(table.Header, " ") != "WORK JOBID" || strings.Join(Texts(table.Rows[1], Cell.String), " ") != "9.50 11_[1-4]" {
		t.Errorf("%v %q", err, table.Rows)
	}
	if err := table.Choose([]string{"user"}); err == nil {
		t.Error("a column that is gone is chosen")
	}
}

// The order of words is one: sorting does not depend on how the rows stood before.
func TestCompareWords(t *testing.T) {
	cell := rapid.StringMatching(`[0-2a-b_.]{1,5}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := cell.Draw(t, "a"), cell.Draw(t, "b"), cell.Draw(t, "c")
		if compareWords(a, b) != -compareWords(b, a) || (compareWords(a, b) == 0) != (a == b) {
			t.Errorf("%q %q: %d %d", a, b, compareWords(a, b), compareWords(b, a))
		}
		if compareWords(a, b) < 0 && compareWords(b, c) < 0 && compareWords(a, c) >= 0 {
			t.Errorf("%q < %q < %q, but not the first and the last", a, b, c)
		}
	})
}
