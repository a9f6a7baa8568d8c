package plural_test

import (
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"

	"slurm-ostrich/ostrich/plural"
)

// TestSprintf: nouns and verbs go with the count before them, and other formats are fmt's.
func TestSprintf(t *testing.T) {
	for _, test := range []struct {
		format string
		args   []any
		want   string
	}{
		{"%d line{|s} of job steps {is|are} left out", []any{1}, "1 line of job steps is left out"},
		{"%d line{|s} of job steps {is|are} left out", []any{0}, "0 lines of job steps are left out"},
		{"%d job{|s} in %d file{|s}", []any{2, int64(1)}, "2 jobs in 1 file"},
		{"%s job{|s}, 100 %%, %-4d quer{y|ies}", []any{"1", 7}, "1 job, 100 %, 7    queries"},
		{"%.1f {day|days} of {a}", []any{1.0}, "1.0 day of {a}"},
		{"no count: {x|y}, %q", []any{"{p|q}"}, `no count: y, "{p|q}"`},
		{"of {a}: %d job{|s}", []any{1}, "of {a}: 1 job"},
		{"a { and {b %d job{|s}}", []any{2}, "a { and {b 2 jobs}"},
		{"100 %% of %d job{|s}, {a||b}", []any{1}, "100 % of 1 job, a"},
		{"", nil, ""},
	} {
		if got := plural.Sprintf(test.format, test.args...); got != test.want {
			t.Errorf("%q: got %q, want %q", test.format, got, test.want)
		}
	}
	if err := plural.Errorf("%d byte{|s}: %w", 1, io.EOF); !errors.Is(err, io.EOF) || err.Error() != "1 byte: EOF" {
		t.Errorf("%v", err)
	}
}

// TestVet: go vet finds what is wrong in formats, also those of functions that pass theirs on.
func TestVet(t *testing.T) {
	said, err := exec.CommandContext(t.Context(), "go", "vet", "-printf", "./testdata/short").CombinedOutput()
	for _, want := range []string{"plural.Sprintf format %s reads arg #2", "plural.Errorf format %w reads arg #2", "note format %s reads arg #2"} {
		if err == nil || !strings.Contains(string(said), want) {
			t.Errorf("no %q in what it says: %v\n%s", want, err, said)
		}
	}
}
