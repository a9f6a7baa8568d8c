package sidecar

import (
	"errors"
	"path/filepath"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/slurmdb"
)

// Without a journal nothing was written, and a journal of another cluster says nothing of
// this one.
func TestPastWithoutJournal(t *testing.T) {
	c := Default()
	c.Cluster, c.Journal = "here", ""
	foreign := Default()
	foreign.Cluster, foreign.Journal = "here", "/"
	foreign.SetCluster("there")
	for _, config := range []Config{c, foreign} {
		if writes, err := NewPast(config).Writes([]ostrich.JobID{1}); writes != nil || err != nil {
			t.Errorf("%s: %v, %v", config.Cluster, writes, err)
		}
	}
	c.Journal = "/"
	if _, err := NewPast(c).Writes([]ostrich.JobID{1}); err == nil {
		t.Error("a folder is no journal, and no error")
	}
}

// A connection that fails is tried again with the next question.
func TestPastWithoutDatabase(t *testing.T) {
	c := Default()
	c.Cluster, c.Database.Address = "here", filepath.Join(t.TempDir(), "none")
	p := NewPast(c)
	for range 2 {
		if _, _, err := p.Find(t.Context(), 1, -1, -1); err == nil {
			t.Error("found a job without a database")
		}
		if err := p.Started(t.Context(), 1, 2, func(*slurmdb.Row) { t.Error("a row without a database") }); err == nil {
			t.Error("no error")
		}
	}
	c.Database.PasswordFile = "/none"
	if _, _, err := NewPast(c).Find(t.Context(), 1, -1, -1); err == nil || p.Close() != nil {
		t.Error("no password file, and no error")
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.Find(t.Context(), 1, -1, -1); !errors.Is(err, errClosed) {
		t.Errorf("asked after it was closed: %v", err)
	}
}
