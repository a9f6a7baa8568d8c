package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rs/zerolog"

	"slurm-ostrich/cmd/internal/foresight"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/forecast"
)

// telling is a sidecar that tells events.
type telling struct {
	*world
	hear func(ostrich.Event)
}

func (s *telling) Hear(hear func(ostrich.Event)) { s.hear = hear }

// TestForesightKept: what was learned is beside the journal; a file that is none of ours is an error in the log and
// learned anew, and without a journal, or before its folder is there, there is no file.
func TestForesightKept(t *testing.T) {
	dir := t.TempDir()
	path := foresight.Path(filepath.Join(dir, "journal.jsonl"))
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := newWorld()
	d := w.daemon
	d.config.Cluster, d.config.Journal = "c", filepath.Join(dir, "journal.jsonl")
	s := &telling{world: w}
	d.foresee(s)
	if s.hear == nil || d.metrics.described.foresight == nil {
		t.Fatal("it hears nothing")
	}
	if got := w.logged(t, zerolog.WarnLevel); len(got) != 1 {
		t.Errorf("logged: %q", got)
	}
	const id, at = 7, 1_700_000_000
	is := d.foreseeing.of
	s.hear(ostrich.Event{At: at, Kind: ostrich.Submit, Job: ostrich.Job{ID: id, User: 1, Procs: 1, Estimate: 60, Submit: at}})
	d.keep() // nothing has changed
	if text, err := os.ReadFile(path); err != nil || string(text) != "{" {
		t.Errorf("%q, %v", text, err)
	}
	if r := is.Record("", foresight.Starts, at); r.Of != 0 {
		t.Errorf("%+v", r)
	}

	// The settings name another folder, which is not there, and then none.
	for _, journal := range []string{filepath.Join(dir, "none", "journal.jsonl"), ""} {
		d.config.Journal = journal
		d.foresee(s)
		d.keep()
	}
	if got := w.logged(t, zerolog.WarnLevel); len(got) != 1 {
		t.Errorf("logged: %q", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); err == nil {
		t.Error("a folder was made")
	}
	if d.foreseeing.of != is {
		t.Error("what was learned is lost")
	}
	files, err := os.ReadDir(dir)
	if err != nil || !slices.ContainsFunc(files, func(f os.DirEntry) bool { return f.Name() == filepath.Base(path) }) || len(files) != 1 {
		t.Errorf("files: %v, %v", files, err)
	}
}

// TestForesightStandsBy: a daemon that stands by leaves the file to the one that enforces.
func TestForesightStandsBy(t *testing.T) {
	w := newWorld()
	d := w.daemon
	d.config.Cluster, d.config.Journal = "c", filepath.Join(t.TempDir(), "journal")
	d.foresee(&telling{world: w})
	const at = 1_700_000_000
	for i := range ostrich.Time(2) { // at the first, history is read
		err := d.foreseeing.of.Look(at+60*i, []foresight.Queue{{Jobs: []ostrich.JobID{7}, Ask: func(places []int) ([]forecast.Draws, error) {
			return slices.Repeat([]forecast.Draws{{Now: at, Starts: []ostrich.Time{at + 100}, Ends: []ostrich.Time{at + 100}}}, len(places)), nil
		}}})
		if err != nil {
			t.Fatal(err)
		}
		d.foreseeing.of.Step(ostrich.Event{At: at + 30, Kind: ostrich.Submit, Job: ostrich.Job{ID: 7, User: 1, Procs: 1, Estimate: 60, Submit: at + 30}})
	}
	for _, idle := range []bool{true, false} {
		d.foreseeing.idle = idle
		d.keep()
		if _, err := os.Stat(d.foreseeing.file); (err != nil) != idle {
			t.Errorf("stands by: %v, and %v", idle, err)
		}
	}
}
