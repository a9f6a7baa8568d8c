package sidecar

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/slurmdb"
)

// TestFileLock: where there is no database, daemons of one journal take turns by a lock
// beside it. It is lost once others would find another file.
func TestFileLock(t *testing.T) {
	c := configuration.Default()
	c.From, c.Journal, c.Interval = configuration.Sacct, filepath.Join(t.TempDir(), "journal.jsonl"), 2*time.Second
	lead := func() *Lead {
		l := new(Lead)
		if err := l.use(&c, slurmdb.Config{}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Release() })
		return l
	}
	turn := func(what string, l *Lead, want bool) {
		t.Helper()
		if ours, err := l.try(t.Context()); ours != want || err != nil {
			t.Errorf("%s: %v, %v", what, ours, err)
		}
	}
	first, second := lead(), lead()
	turn("first", first, true)
	turn("second", second, false)
	if by := second.standsBy(); !strings.Contains(by, "beside the journal") {
		t.Errorf("stands by: %s", by)
	}
	if err := first.Release(); err != nil {
		t.Fatal(err)
	}
	second.others = false // it need not wait here
	turn("second, after the first", second, true)

	if err := os.Remove(c.Journal + writerSuffix); err != nil {
		t.Fatal(err)
	}
	if _, _, err := second.while(t.Context()); err == nil {
		t.Error("writes with a lock that nobody else can find")
	}
	link := filepath.Join(t.TempDir(), "journal.jsonl")
	if err := os.Symlink("/dev/null", link+writerSuffix); err != nil {
		t.Fatal(err)
	}
	c.Journal = link
	if _, err := lead().try(t.Context()); err == nil {
		t.Error("follows a link")
	}
}

// TestSacctWindow: sacct is asked for no more than the virtual schedule looks back on.
func TestSacctWindow(t *testing.T) {
	for _, tt := range []struct {
		from          string
		history, want time.Duration
	}{
		{configuration.Tables, 28 * configuration.Day, 28 * configuration.Day},
		{configuration.Sacct, 28 * configuration.Day, 7 * configuration.Day},
		{configuration.Sacct, 2 * configuration.Day, 2 * configuration.Day},
	} {
		c := configuration.Default()
		c.From, c.Database.History, c.Cluster = tt.from, tt.history, "c1"
		source, err := c.Source()
		if err != nil || source.History != configuration.Seconds(tt.want) {
			t.Errorf("%+v: %d s, %v", tt, source.History, err)
		}
	}
}
