package sweep_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/cmd/internal/replay/sweep"
)

func TestFolder(t *testing.T) {
	f := sweep.Folder(filepath.Join(t.TempDir(), "a", "b"))
	if err := f.Make(); err != nil {
		t.Fatal(err)
	}
	type result struct{ Mean float64 }
	var got result
	if found, err := f.Find("k", &got); found || err != nil {
		t.Errorf("nothing was kept: %v, %v", found, err)
	}
	want := result{1.0 / 3}
	if err := f.Keep("k", want); err != nil {
		t.Fatal(err)
	}
	if found, err := f.Find("k", &got); !found || err != nil || got != want {
		t.Errorf("%v, %v, %v", found, err, got)
	}
	if n, err := f.Count([]string{"j", "k"}); err != nil || n != 1 {
		t.Error(n, err)
	}
	// Of another point, torn, of another form: not taken for a result.
	whole, err := os.ReadFile(f.Path("results", "k.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, raw := range [][]byte{whole, whole[:len(whole)/2], nil, []byte(`{"key": "j", "result": {"Median": 1}}`)} {
		path := f.Path("results", "j.json")
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		found, err := f.Find("j", &got)
		if want := path + ": not the result of a point; remove it to have it computed again"; found || err == nil || err.Error() != want {
			t.Errorf("%q: %v, %v", raw, found, err)
		}
	}
}

func TestIndices(t *testing.T) {
	for want, tasks := range map[string][]int{
		"": nil, "0": {0}, "0-1": {0, 1}, "0,2": {0, 2}, "0-3,7,9-10": {0, 1, 2, 3, 7, 9, 10},
	} {
		if got := sweep.Indices(tasks); got != want {
			t.Errorf("%v: %q, want %q", tasks, got, want)
		}
	}
}

// TestChunk: tasks share the points out, each point to one of them.
func TestChunk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, perTask := rapid.IntRange(0, 200).Draw(t, "points"), rapid.IntRange(1, 30).Draw(t, "per task")
		next := 0
		for task := range (n + perTask - 1) / perTask {
			first, end := sweep.Chunk(n, perTask, task)
			if first != next || end <= first || end-first > perTask {
				t.Fatalf("task %d: %d to %d, expected from %d on", task, first, end, next)
			}
			next = end
		}
		if next != n {
			t.Fatalf("%d of %d points", next, n)
		}
		if first, end := sweep.Chunk(n, perTask, (n+perTask-1)/perTask); first != end {
			t.Fatalf("beyond the last: %d to %d", first, end)
		}
	})
}

// TestScript: the shell hands the words on as they are.
func TestScript(t *testing.T) {
	script := sweep.Script("/bin/echo", "it's $HOME", `"a" \b*`)
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
	cmd.Env = []string{"SLURM_ARRAY_TASK_ID=7", "SLURM_CPUS_PER_TASK=3"}
	out, err := cmd.Output()
	if want := "it's $HOME \"a\" \\b* --task 7 --workers 3\n"; err != nil || string(out) != want {
		t.Errorf("%q, %v, want %q", out, err, want)
	}
}
