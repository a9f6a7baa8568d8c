package simulation

import (
	"fmt"
	"strings"
	"testing"

	"slurm-ostrich/ostrich/accounting/sacct"
)

// FuzzUnlike: no beginning of a file is too odd to be looked at, and a dump and a log
// are not taken for something else.
func FuzzUnlike(f *testing.F) {
	f.Add("; MaxProcs: 4\n")
	f.Add("1|2|3|4|5|6")
	f.Add("\n \n------- -----\n")
	f.Add("a;b;c;d;e;f\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, option := range []string{"swf", "sacct"} {
			unlike(option, []byte(text))
		}
		if !strings.ContainsAny(text, "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f") {
			if what := unlike("sacct", []byte("1|2|3|4|5\n"+text)); what != "" {
				t.Errorf("a dump %s", what)
			}
			if what := unlike("swf", []byte("; a log\n"+text)); what != "" {
				t.Errorf("a log %s", what)
			}
		}
	})
}

// TestRefusedJSON: what helps is offered where something is left to read.
func TestRefusedJSON(t *testing.T) {
	for _, c := range []struct {
		fault   sacct.Fault
		advised bool
	}{
		{sacct.Fault{File: "x", Line: 2, Column: 5, Why: "a job without job_id"}, true},
		{sacct.Fault{File: "x", Line: 2, Column: 5, Why: "the file ends, where a value was expected", Ends: true}, false},
	} {
		err := refused("sacct", "x", []byte(`{"jobs": [{"name": "a|b|c|d|e"`), false, fmt.Errorf("compare: %w", &c.fault))
		if advised := strings.HasSuffix(err.Error(), "; --lenient skips malformed jobs"); advised != c.advised || strings.Contains(err.Error(), "lines") {
			t.Errorf("%v", err)
		}
	}
}

func TestUnlike(t *testing.T) {
	for _, tt := range []struct{ name, option, text, want string }{
		{"nothing", "sacct", "", ""},
		{"another text", "sacct", "hello\nworld\n", ""},
		{"names in Latin-1", "sacct", "7|M\xfcller|x|y|z\n" + strings.Repeat("x", 200), ""},
		{"a stray character", "swf", strings.Repeat("x", 200) + "\x1b", ""},
		{"semicolons", "sacct", "1;2;3;4;5\n", "seems to be separated by semicolons: name its columns with --columns and --delimiter, or run sacct again as docs/compare.md has it"},
		{"tabs", "swf", "a\tb\tc\td\te\n", "seems to be separated by tabs: a log in the Standard Workload Format has 18 numbers in a line, separated by blanks"},
		{"a log with tabs", "swf", strings.Repeat("1\t", 18) + "\n", ""},
		{"JSON for a log", "swf", "[1]\n", "seems to be JSON: a log in the Standard Workload Format has 18 numbers in a line"},
		{"YAML of 22.05", "sacct", "%YAML 1.1\n--- !!map\n!!str meta: !!map\n", "seems to be YAML: run sacct again with --json in place of --yaml"},
		{"YAML without tags", "sacct", "---\njobs:\n- account: a\n", "seems to be YAML: run sacct again with --json in place of --yaml"},
		{"YAML without a head", "sacct", "!!str jobs: !!seq\n", "seems to be YAML: run sacct again with --json in place of --yaml"},
		{"a dump with semicolons", "sacct", "JobID;User;c;d;e;f\n1;2;3\n", ""},
		{"sacct as it prints", "swf", "\n  JobID  User\n------- -----\n", "seems to be what sacct prints without --parsable2: run sacct again as docs/compare.md has it"},
		{"zip", "sacct", "PK\x03\x04", "is compressed with zip: unpack it first; only gzip is read as it is"},
		{"UTF-16", "sacct", "\xff\xfeJ\x00o\x00b\x00", "is text in UTF-16: save it as UTF-8"},
		{"carriage returns alone", "swf", "; MaxProcs: 8\r1 2 3\r", "has a carriage return at the end of each line, and nothing else: put new lines in their place"},
		{"a prompt", "sacct", "[root@head ~]# sacct\n", ""},
		{"control characters", "sacct", "ab\x01\x02\x03", "is not text"},
	} {
		if got := unlike(tt.option, []byte(tt.text)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
