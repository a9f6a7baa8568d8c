package slurm

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseShares(t *testing.T) {
	// Slurm 22.05, sshare -a -l -n -P with the columns of shareColumns.
	const out = "root||86|||0.000000|\n" +
		" root|root|0|0.500000|0.000000|1.000000|inf\n" +
		" physics||86|0.500000|1.000000||0.500000\n" +
		"  physics|alice|86|0.333333|1.000000|0.250000|0.333333\n"
	got, err := parseShares(out)
	if err != nil {
		t.Fatal(err)
	}
	want := []Share{
		{Account: "root", RawUsage: 86},
		{Account: "root", User: "root", NormShares: 0.5, FairShare: 1, LevelFS: math.Inf(1)},
		{Account: "physics", RawUsage: 86, NormShares: 0.5, Effective: 1, LevelFS: 0.5},
		{Account: "physics", User: "alice", RawUsage: 86, NormShares: 0.333333, Effective: 1, FairShare: 0.25, LevelFS: 0.333333},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, bad := range []string{"root|x\n", "a|b|many|0|0|0|0\n", "a|b|nan|0|0|0|0\n"} {
		if _, err := parseShares(bad); err == nil || !strings.HasPrefix(err.Error(), "sshare: ") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func FuzzParseShares(f *testing.F) {
	f.Add(" physics|alice|86|0.333333|1.000000|0.250000|inf\n")
	f.Fuzz(func(t *testing.T, out string) {
		list, err := parseShares(out)
		if err == nil && len(list) > strings.Count(out, "\n")+1 {
			t.Errorf("%d lines from %q", len(list), out)
		}
	})
}
