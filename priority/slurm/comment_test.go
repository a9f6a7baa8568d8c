package slurm

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseComments(t *testing.T) {
	const mark = "\x1e0123\x1e"
	record := func(fields ...string) string { return mark + strings.Join(fields, "\x1f") + "\n" }
	out := record("7", "7", "expect=5m") +
		record("8", "8", "(null)") +
		record("9", "5", "two\nlines\x1f and \x1e more") +
		record("10", "10", "")
	got, err := parseComments(out, mark)
	want := []Comment{{7, 7, "expect=5m"}, {8, 8, ""}, {9, 5, "two\nlines\x1f and \x1e more"}, {10, 10, ""}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	for text, want := range map[string]string{
		record("x", "7", "c"):      `squeue: job id "x": not a job id`,
		record("7", "", "c"):       `squeue: job 7: array job id "": not a job id`,
		record("7", "7"):           `2 fields, want 3`,
		"what is this\n":           `unexpected output "what is this"`,
		"CLUSTER: c1\n" + record(): `1 field, want 3`,
	} {
		if _, err := parseComments(text, mark); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q in it", text, err, want)
		}
	}
}

func FuzzParseComments(f *testing.F) {
	const mark = "\x1e0123\x1e"
	f.Add(mark + "7\x1f7\x1fexpect=5m\n" + mark + "8\x1f8\x1f(null)\n")
	f.Fuzz(func(t *testing.T, out string) {
		comments, err := parseComments(out, mark)
		if err == nil && len(comments) != strings.Count(out, mark) {
			t.Errorf("%d comments of %d records", len(comments), strings.Count(out, mark))
		}
	})
}
