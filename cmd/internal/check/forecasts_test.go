package check

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/foresight"
	"slurm-ostrich/ostrich"
)

// TestCheckForecasts: how often answers of the last 30 days held, and what to do where they did not.
func TestCheckForecasts(t *testing.T) {
	const now = ostrich.Time(40*86400 + 5)
	pool := func(name string, asked, held int) string {
		return fmt.Sprintf(`{"name":%q,"correction":{},"questions":[],"days":[{"day":5,"asked":1000,"held":0},{"day":35,"asked":%d,"held":%d}],"places":[]}`, name, asked, held)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l := checklist{Config: configuration.Config{Cluster: "c", Journal: filepath.Join(file, "journal")}}
	if l.checkForecasts(now); l.found != nil {
		t.Errorf("without a folder: %+v", l.found)
	}
	for _, tt := range []struct{ cluster, pools, want string }{
		{"c", pool("", 5200, 4212), "ok held 81 % of 5200 times in 30 days"},
		{"c", pool("", 19, 0), "ok 19 answers of the last 30 days are known, and it takes 20"},
		{"c", pool("gpu", 200, 120) + "," + pool("main", 100, 70), "warn pool gpu: held 60.0 % of 200 times in 30 days, and at least 70 % were to; ok pool main: held 70 %"},
		{"c", pool("", 1000, 696), "warn held 69.6 % of 1000 times"},
		{"c", pool("", 99, 50), "ok held 51 % of 99 times in 30 days"}, // explain still shows odds
		{"other", pool("", 100, 80), "warn "},
	} {
		l := checklist{Config: configuration.Config{Cluster: "c", Journal: filepath.Join(t.TempDir(), "journal")}}
		if l.checkForecasts(now); l.found != nil {
			t.Errorf("without a file: %+v", l.found)
		}
		text := fmt.Sprintf(`{"version":2,"cluster":%q,"pools":[%s]}`, tt.cluster, tt.pools)
		if err := os.WriteFile(foresight.Path(l.Journal), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		l.checkForecasts(now)
		var got []string
		for _, f := range l.found {
			if (f.Result == OK) != (f.Fix == "") {
				t.Errorf("%+v", f)
			}
			got = append(got, string(f.Result)+" "+f.Found)
		}
		for i, want := range strings.Split(tt.want, "; ") {
			if i >= len(got) || !strings.HasPrefix(got[i], want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		}
	}
}
