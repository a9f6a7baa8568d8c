package sweep_test

import (
	"os"
	"path/filepath"
	"testing"

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
