package sweep

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/cmd/internal/replay"
)

// TestColumns: the table has all that the summary has, under its names.
func TestColumns(t *testing.T) {
	raw, err := json.Marshal(replay.Summary{})
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
	for _, c := range measures(&replay.Summary{}) {
		got = append(got, c.name)
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-summary +columns:\n%s", diff)
	}
}

// TestChunk: tasks share the points out, each point to one of them.
func TestChunk(t *testing.T) {
	for _, far := range [][2]int{{2, math.MaxInt}, {math.MaxInt, math.MaxInt}, {math.MaxInt, 2}} {
		if first, end := chunk(10, far[0], far[1]); first != 10 || end != 10 {
			t.Errorf("task %d of %d points: %d to %d", far[1], far[0], first, end)
		}
	}
	if first, end := chunk(10, math.MaxInt, 0); first != 0 || end != 10 {
		t.Errorf("one task of all: %d to %d", first, end)
	}
	rapid.Check(t, func(t *rapid.T) {
		n, perTask := rapid.IntRange(0, 200).Draw(t, "points"), rapid.IntRange(1, 30).Draw(t, "per task")
		next := 0
		for task := range (n + perTask - 1) / perTask {
			first, end := chunk(n, perTask, task)
			if first != next || end <= first || end-first > perTask {
				t.Fatalf("task %d: %d to %d, expected from %d on", task, first, end, next)
			}
			next = end
		}
		if next != n {
			t.Fatalf("%d of %d points", next, n)
		}
		if first, end := chunk(n, perTask, (n+perTask-1)/perTask); first != end {
			t.Fatalf("beyond the last: %d to %d", first, end)
		}
	})
}
