package replay

import (
	"os"
	"path/filepath"
	"testing"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
)

// TestDrawnNext: the draw of the next trial can be printed before it begins, though the
// file has one that is over; while that goes on, it is what is drawn.
func TestDrawnNext(t *testing.T) {
	c := configuration.Default()
	c.Mode, c.Journal, c.Experiment.Until, c.Experiment.Seed = configuration.Observe, filepath.Join(t.TempDir(), "journal"), 3_000_000, 8
	text := `{"time":900000,"drawn":{"period":86400,"washout":7200,"seed":7,"until":2000000},"arms":""}` + "\n"
	if err := os.WriteFile(sidecar.TrialFile(c.Journal), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		next bool
		now  int64
		seed uint64
	}{{true, 2_500_000, 8}, {false, 2_500_000, 7}, {true, 1_500_000, 7}} {
		var o SiteOptions
		d, drawn, _, err := o.Drawn(&c, tt.next, ostrich.Time(tt.now))
		if err != nil || d.Seed != tt.seed || (drawn == nil) != (tt.seed == 8) {
			t.Errorf("%+v: %+v, %+v, %v", tt, d, drawn, err)
		}
	}
}
