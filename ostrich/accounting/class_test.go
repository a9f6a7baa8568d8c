package accounting_test

import (
	"bytes"
	"hash/fnv"
	"testing"

	"slurm-ostrich/ostrich/accounting"
)

// TestClassIsStable pins the values: a predictor that was restarted must find
// the classes it knew.
func TestClassIsStable(t *testing.T) {
	for _, tt := range []struct {
		name string
		want uint64
	}{
		{"", 0},
		{"7", 0xcbf29ce484222325},
		{"a", 0xaf63dc4c8601ec8c},
		{"foobar", 0x85944171f73967e8},
		{"foo17bar", 0x85944171f73967e8},
		{"0foobar00", 0x85944171f73967e8},
		{"Foobar", 0x6dfc1485d1731ac8},
	} {
		if got := accounting.NameClass([]byte(tt.name)); got != tt.want {
			t.Errorf("class of %q = %#x, want %#x", tt.name, got, tt.want)
		}
	}
	for script, want := range map[uint64]uint64{0: 0, 1: 0xc709bb3119a0df9e, 1 << 63: 0xe604023a248f503f} {
		if got := accounting.ScriptClass(script); got != want {
			t.Errorf("class of script %d = %#x, want %#x", script, got, want)
		}
	}
}

func TestClassTakesAnyName(t *testing.T) {
	long := bytes.Repeat([]byte("\x00\xff\n12"), 1<<19)
	h := fnv.New64a()
	if _, err := h.Write(bytes.Repeat([]byte("\x00\xff\n"), 1<<19)); err != nil {
		t.Fatal(err)
	}
	if got, want := accounting.NameClass(long), h.Sum64(); got != want {
		t.Errorf("class = %#x, want %#x", got, want)
	}
}
