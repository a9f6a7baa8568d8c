package nodes_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich/sim/nodes"
)

// TestCompareNames sorts names as slurmctld numbers their nodes.
func TestCompareNames(t *testing.T) {
	want := []string{"a01", "a02", "a10", "b1", "b2", "b2-1", "b10", "c"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, nodes.CompareNames)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func TestParseFeatures(t *testing.T) {
	for _, text := range []string{"a", "a&b", "a|b", "(a|b)&c", "[rack1|rack2]", "[a*2&b*1]", "[(a&b)*2&c*3]", "a&(b|c)"} {
		f, err := nodes.ParseFeatures(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := f.String(); got != text {
			t.Errorf("%q is read as %q: %+v", text, got, f.Terms)
		}
	}
	for text, want := range map[string]string{
		"a&": `constraint "a&": it ends too soon at character 3`, "(a|b": `constraint "(a|b": it ends too soon at character 5`,
		"a*0": `constraint "a*0": no count above 0 at character 2`, "&a": `constraint "&a": '&' is not expected at character 1`,
		"a b)": `constraint "a b)": ')' is not expected at character 4`,
	} {
		if _, err := nodes.ParseFeatures(text); err == nil || err.Error() != want {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}
