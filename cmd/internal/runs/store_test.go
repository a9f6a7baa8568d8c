package runs

import (
	"os"
	"path/filepath"
	"testing"
)

func TestStore(t *testing.T) {
	s := &Store{Dir: filepath.Join(t.TempDir(), "a", "b")}
	if err := s.Make(); err != nil {
		t.Fatal(err)
	}
	type result struct{ Mean float64 }
	var got result
	if found, err := s.Find("k", &got); found || err != nil {
		t.Errorf("nothing was kept: %v, %v", found, err)
	}
	want := result{1.0 / 3}
	if err := s.Keep("k", want); err != nil {
		t.Fatal(err)
	}
	if found, err := s.Find("k", &got); !found || err != nil || got != want {
		t.Errorf("%v, %v, %v", found, err, got)
	}
	// Of another run, torn, of another form: not taken for a result.
	whole, err := os.ReadFile(s.Path("results", "k.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, raw := range [][]byte{whole, whole[:len(whole)/2], nil, []byte(`{"key": "j", "result": {"Median": 1}}`)} {
		path := s.Path("results", "j.json")
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		found, err := s.Find("j", &got)
		if want := path + ": not the result of this run; remove it to have it computed again"; found || err == nil || err.Error() != want {
			t.Errorf("%q: %v, %v", raw, found, err)
		}
	}
	s.Close()
	if err := s.Keep("late", want); err != nil {
		t.Fatal(err)
	}
	if found, err := s.Find("late", &got); found || err != nil {
		t.Errorf("kept after the end: %v, %v", found, err)
	}
}

// TestStoreNowhere: without a folder nothing is kept; a file is no folder.
func TestStoreNowhere(t *testing.T) {
	var got int
	s := &Store{}
	if err := s.Make(); err != nil {
		t.Error(err)
	}
	if err := s.Keep("k", 1); err != nil {
		t.Error(err)
	}
	if found, err := s.Find("k", &got); found || err != nil {
		t.Errorf("%v, %v", found, err)
	}
	path := filepath.Join(t.TempDir(), "runs.jsonl")
	if err := os.WriteFile(path, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := path + ": is a file; results are kept in a folder: name one, or another that is to be made"
	if err := (&Store{Dir: path}).Make(); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if err := (&Store{Dir: filepath.Join(path, "below")}).Make(); err == nil {
		t.Error("below a file: no error")
	}
}

// TestKey: by its parts in their order; the value is that of earlier versions, so that
// the folders of their sweeps are still read.
func TestKey(t *testing.T) {
	if got, want := Key("a", "b"), "7e18f737311b2dc3b2f269dd78396b03"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if Key("a", "b") == Key("b", "a") {
		t.Error("the order of the parts means nothing")
	}
}
