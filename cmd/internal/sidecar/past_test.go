package sidecar

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
)

// Without a journal nothing was written, and a journal of another cluster says nothing of
// this one.
func TestPastWithoutJournal(t *testing.T) {
	c := configuration.Default()
	c.Cluster, c.Journal = "here", ""
	foreign := configuration.Default()
	foreign.Cluster, foreign.Journal = "here", "/"
	foreign.SetCluster("there")
	for _, config := range []configuration.Config{c, foreign} {
		if writes, err := NewPast(config).Writes([]ostrich.JobID{1}); writes != nil || err != nil {
			t.Errorf("%s: %v, %v", config.Cluster, writes, err)
		}
	}
	c.Journal = "/"
	if _, err := NewPast(c).Writes([]ostrich.JobID{1}); err == nil {
		t.Error("a folder is no journal, and no error")
	}
}

// A connection that fails is tried again, but not at once.
func TestPastWithoutDatabase(t *testing.T) {
	c := configuration.Default()
	c.Cluster, c.Database.Addresses = "here", []string{filepath.Join(t.TempDir(), "none")}
	p := NewPast(c)
	for range 2 {
		_, _, first := p.Find(t.Context(), 1, -1, -1)
		if first == nil {
			t.Error("found a job without a database")
		}
		if _, _, err := p.Find(t.Context(), 1, -1, -1); err != first { //nolint:errorlint // the same one: it is not asked
			t.Errorf("asked again at once: %v", err)
		}
		p.until = time.Now()
		if _, _, err := p.Find(t.Context(), 1, -1, -1); err == nil || err == first { //nolint:errorlint // another one
			t.Errorf("not asked again: %v", err)
		}
		if err := p.Started(t.Context(), 1, 2, func(*accounting.Row) { t.Error("a row without a database") }); err == nil {
			t.Error("no error")
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	p.failed, p.until = nil, time.Time{}
	if _, _, err := p.Find(gone, 1, -1, -1); err == nil || p.failed != nil {
		t.Errorf("a client that has gone: %v, and nobody else asks for %v", err, p.failed)
	}
	p.asking <- struct{}{} // somebody asks
	impatient, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, _, err := p.Find(impatient, 1, -1, -1); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while another question is asked: %v", err)
	}
	<-p.asking
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
