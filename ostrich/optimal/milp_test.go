package optimal_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/optimal"
)

// TestPaperModelSize counts the columns and rows for 30 jobs on 100 processors.
func TestPaperModelSize(t *testing.T) {
	in := optimal.Instance{Procs: 100}
	for i := range 30 {
		in.Jobs = append(in.Jobs, optimal.Job{Procs: i + 1, Length: 60})
	}
	m, err := optimal.NewModel(&in, optimal.SumT, optimal.Paper)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]int)
	letter := regexp.MustCompile(`^[a-z]+[0-9]*`)
	for _, c := range m.Columns {
		got[letter.FindString(c.Name)]++
	}
	for _, r := range m.Rows {
		got[letter.FindString(r.Name)]++
	}
	want := map[string]int{
		"x": 3000, "y": 870, "t": 30, "e15": 30, "e16": 43_500, "e17": 435, "e18": 870, "e19": 3000,
		"late": 30, "by": 30, // tardiness
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("columns and rows (-want +got):\n%s", diff)
	}
}

// solved solves a file with glpsol, which writes one number a column.
func solved(t rapid.TB, dir, format string, m *optimal.Model) float64 {
	t.Helper()
	var text bytes.Buffer
	write := m.WriteLP
	if format == "--freemps" {
		write = m.WriteMPS
	}
	if err := write(&text); err != nil {
		t.Fatal(err)
	}
	model, solution := filepath.Join(dir, "model"), filepath.Join(dir, "solution")
	if err := os.WriteFile(model, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	said, err := exec.CommandContext(context.Background(), "glpsol", format, model, "--write", solution).CombinedOutput()
	if err != nil {
		t.Fatalf("glpsol: %v: %s\n%s", err, said, text.String())
	}
	answer, err := os.ReadFile(solution)
	if err != nil {
		t.Fatalf("%v: %s\n%s", err, said, text.String())
	}
	for line := range strings.SplitSeq(string(answer), "\n") {
		if f := strings.Fields(line); len(f) == 6 && f[0] == "s" && f[1] == "mip" && f[4] == "o" {
			value, err := strconv.ParseFloat(f[5], 64)
			if err != nil {
				t.Fatal(err)
			}
			return value
		}
	}
	t.Fatalf("no optimum: %s\n%s\n%s", answer, said, text.String())
	return 0
}

// TestModelsHaveTheOptimum compares both formulations, in both formats, with the own
// solver.
func TestModelsHaveTheOptimum(t *testing.T) {
	if _, err := exec.LookPath("glpsol"); errors.Is(err, exec.ErrNotFound) {
		t.Skip("glpsol (Debian's glpk-utils) is not installed")
	}
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		in := drawInstance(4).Draw(t, "instance")
		o := optimal.Objective(rapid.IntRange(0, len(optimal.ObjectiveNames)-1).Draw(t, "objective"))
		if len(in.Jobs) == 0 {
			return
		}
		r, err := optimal.Own{}.Solve(&in, o, optimal.Budget{Nodes: optimal.Unlimited})
		if err != nil {
			t.Fatal(err)
		}
		for f, formulation := range optimal.FormulationNames {
			m, err := optimal.NewModel(&in, o, optimal.Formulation(f))
			if err != nil {
				t.Fatal(err)
			}
			for _, format := range []string{"--lp", "--freemps"} {
				if got := solved(t, dir, format, m); math.Abs(got-r.Value) > 1e-5*(1+r.Value) {
					t.Fatalf("%s, %s: %v is %v, and by the own solver %v", formulation, format, o, got, r.Value)
				}
			}
		}
	})
}
