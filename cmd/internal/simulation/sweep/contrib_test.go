package sweep

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTable5: the grids of HPDC 2008, Table 5, are grids, and OStrich and FairCamp
// take part in each.
func TestTable5(t *testing.T) {
	for name, points := range map[string]int{
		"hpdc2008-5.1": 7 * 5 * 8 * 3, "hpdc2008-5.2": 12 * 5 * 8 * 3, "hpdc2008-5.3": 7 * 5 * (4*5 + 4) * 3,
		"hpdc2008-5.4": 7 * 5 * 10, "hpdc2008-5.5": 7 * 5 * 3 * 3,
	} {
		path := filepath.Join("..", "..", "..", "..", "contrib", "sweeps", name+".yaml")
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Read(path, raw)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = readTraces(f); err != nil {
			t.Error(err)
		}
		g, err := f.Expand()
		if err != nil {
			t.Fatal(err)
		}
		if len(g.Points) != points {
			t.Errorf("%s: %d points, want %d", name, len(g.Points), points)
		}
		for _, s := range []string{"OStrich", "FairCamp"} {
			if !slices.ContainsFunc(g.Points, func(p Point) bool { return p.Option("selection") == s }) {
				t.Errorf("%s: no point has --selection %s", name, s)
			}
		}
	}
}

// TestArrays: the scripts of job arrays say what they were not given.
func TestArrays(t *testing.T) {
	for _, tt := range []struct{ script, task, want string }{
		{"array.sh", "SLURM_ARRAY_TASK_ID=0", "is PER_TASK"},
		{"array.sh FILE DIR 3", "SLURM_ARRAY_TASK_ID=", "run it with sbatch --array"},
		{"bench-array.sh DIR", "SLURM_ARRAY_TASK_ID=0", "is PER_TASK"},
		{"bench-array.sh DIR 3", "SLURM_ARRAY_TASK_ID=", "run it with sbatch --array"},
	} {
		cmd := exec.CommandContext(t.Context(), "sh", strings.Fields(tt.script)...)
		cmd.Dir, cmd.Env = filepath.Join("..", "..", "..", "..", "contrib", "sweeps"), append(os.Environ(), tt.task)
		if text, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(text), tt.want) {
			t.Errorf("%s with %s: %v, %s, want %s", tt.script, tt.task, err, text, tt.want)
		}
	}
}
