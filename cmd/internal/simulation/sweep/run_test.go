package sweep

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/cmd/internal/simulation"
)

// TestColumns: the table has all that the summary has, under its names.
func TestColumns(t *testing.T) {
	raw, err := json.Marshal(simulation.Summary{})
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(raw, &fields); err != nil {
		t.Fatal(err)
	}
	want := []string{"point", "seed"}
	for name, value := range fields {
		parts, nested := value.(map[string]any)
		if name == "satisfaction" {
			for _, of := range []string{"jobs", "campaigns"} {
				for part := range parts["all"].(map[string]any)[of].(map[string]any) {
					if part != "count" {
						want = append(want, of+"_"+part)
					}
				}
			}
			continue
		}
		for part := range parts {
			want = append(want, name+"_"+part)
		}
		if !nested && name != "seconds" && name != "jobs_per_second" {
			want = append(want, name)
		}
	}
	got := slices.Clone(pointColumns)
	for _, c := range measures(&simulation.Summary{}) {
		got = append(got, c.name)
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-summary +columns:\n%s", diff)
	}
}
