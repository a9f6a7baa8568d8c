package sidecar

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// TestOrphans: a daemon whose journal is gone takes over the values that the one before left,
// after a term in which nobody changed them; reset gives all of them back.
func TestOrphans(t *testing.T) {
	for _, tt := range []struct {
		name    string
		edit    func(*configuration.Config)
		disturb func(w *site) // between two looks
		adopted int
		left    int
	}{
		{"nobody else", nil, nil, 5, 0},
		{"another writer changes a value", nil, func(w *site) { w.Pending[1].Site += 7 }, 0, 5},
		{"another writer gives a small value", nil, func(w *site) { w.Pending[1].Site = 55 }, 0, 4},
		{"another writer gives one to a new job", nil, func(w *site) {
			w.submit(6, 6, ostrich.Time(time.Now().Unix())+60, "main")
			w.Pending[5].Site = w.Pending[0].Site + 1
		}, 0, 6},
		{"somebody makes a value 0", nil, func(w *site) { w.Pending[1].Site = 0 }, 4, 0},
		{"a job starts", nil, func(w *site) { w.Pending = w.Pending[:4] }, 4, 0},
		{"takeover", func(c *configuration.Config) { c.Takeover = true }, nil, 5, 0},
		{"a lock of files", func(c *configuration.Config) { c.From = configuration.Sacct }, nil, 0, 5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newSite()
				for i := range 5 {
					w.submit(i+1, i+1, 9001, "main")
				}
				events := w.Events
				path := filepath.Join(t.TempDir(), "journal")
				var s server
				daemon := func() *Sidecar {
					w.Events = events
					sc := w.start(t, func(c *configuration.Config) {
						c.Journal = path
						if tt.edit != nil {
							tt.edit(c)
						}
					})
					sc.lead = s.lead()
					sc.lead.ofFile = sc.config.From == configuration.Sacct
					t.Cleanup(func() { _ = sc.lead.Release() })
					return sc
				}
				first := daemon()
				run(t, first, true)
				if err := first.journal.Close(); err != nil {
					t.Fatal(err)
				}
				if err := first.lead.Release(); err != nil {
					t.Fatal(err)
				}
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
				second := daemon()
				c := run(t, second, true)
				if tt.name == "takeover" {
					equal(t, "taken over at once", 5, c.Adopted)
				} else {
					equal(t, "left alone at first", 5, c.Orphans)
					equal(t, "in a hurry", tt.name != "a lock of files", c.Hurry)
				}
				adopted := c.Adopted
				if tt.disturb != nil {
					tt.disturb(w)
				}
				for range 4 {
					time.Sleep(2 * time.Second)
					c = run(t, second, true)
					adopted += c.Adopted
				}
				equal(t, "taken over", tt.adopted, adopted)
				equal(t, "left alone", tt.left, c.Orphans)
				equal(t, "contested", tt.left > 0 && tt.name != "a lock of files", c.Contested)
				if tt.adopted == 0 {
					return
				}
				equal(t, "managed", len(w.Pending), c.Plan.Summary.Managed)
				changes, err := second.knowing().Reset(w.Pending, nil, false)
				if err != nil {
					t.Fatal(err)
				}
				for _, one := range changes {
					equal(t, "given back", int64(0), one.To)
				}
				equal(t, "jobs that reset gives back", len(w.Pending), len(changes))
			})
		})
	}
}

// TestNoOrphans: values that others may have given are theirs, however many there are.
func TestNoOrphans(t *testing.T) {
	for _, tt := range []struct {
		name string
		site int64
		left int // that may be ours as well
		edit func(*configuration.Config)
	}{
		{"a plugin's", 4711, 0, nil},
		{"a plugin's, in mode weight", 900, 5, func(c *configuration.Config) { c.Priority.Mode, c.Priority.Weight = priority.Weight, 1000 }},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newSite()
			for i := range 5 {
				w.submit(i+1, i+1, 9001, "main")
				w.Pending[i].Site = tt.site + int64(i)
			}
			var s server
			sc := w.start(t, func(c *configuration.Config) {
				c.Journal = filepath.Join(t.TempDir(), "journal")
				if tt.edit != nil {
					tt.edit(c)
				}
			})
			sc.lead = s.lead()
			defer func() { _ = sc.lead.Release() }()
			for range 4 {
				c := run(t, sc, true)
				if c.Orphans != tt.left || c.Adopted != 0 || len(c.Outcomes) != 0 {
					t.Errorf("%s: %d orphans, %d taken over, %d writes", tt.name, c.Orphans, c.Adopted, len(c.Outcomes))
				}
				time.Sleep(10 * time.Second)
			}
		})
	}
}

// TestHighValuesOfOthers: where the journal knows what was written, a value that it does not
// know is somebody else's, as high as it may be.
func TestHighValuesOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newSite()
		for i := range 5 {
			w.submit(i+1, i+1, 9001, "main")
		}
		events, path := w.Events, filepath.Join(t.TempDir(), "journal")
		var s server
		for range 2 {
			w.Events = events
			sc := w.start(t, func(c *configuration.Config) { c.Journal = path })
			sc.lead = s.lead()
			for range 5 {
				if c := run(t, sc, true); c.Adopted != 0 || c.Orphans != 0 {
					t.Errorf("%d orphans, %d taken over", c.Orphans, c.Adopted)
				}
				time.Sleep(2 * time.Second)
			}
			if len(w.Pending) == 5 {
				w.submit(6, 6, 9002, "main")
				w.Pending[5].Site = w.Pending[0].Site + 1
			}
			if err := sc.journal.Close(); err != nil {
				t.Fatal(err)
			}
			if err := sc.lead.Release(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestDoubtEnds: an hour after another writer last changed a value, what is left is taken over,
// and nobody is said to change it. Nothing stays of jobs that have left the queue.
func TestDoubtEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newSite()
		for i := range 5 {
			w.submit(i+1, i+1, 9001, "main")
			w.Pending[i].Site = 1<<30 + 5 - int64(i)
		}
		var s server
		sc := w.start(t, func(c *configuration.Config) { c.Journal = filepath.Join(t.TempDir(), "journal") })
		sc.lead = s.lead()
		defer func() { _ = sc.lead.Release() }()
		run(t, sc, true)
		equal(t, "values that are known", 5, len(sc.orphans.seen))
		w.Pending = w.Pending[:4]
		w.Pending[1].Site += 7
		time.Sleep(2 * time.Second)
		c := run(t, sc, true)
		equal(t, "known after one has started", 4, len(sc.orphans.seen))
		equal(t, "contested", true, c.Contested)
		equal(t, "in a hurry", false, c.Hurry)
		time.Sleep(longestDoubt)
		c = run(t, sc, true)
		equal(t, "taken over", 4, c.Adopted)
		equal(t, "contested after an hour", false, c.Contested)
		equal(t, "known at the end", 0, len(sc.orphans.seen))
	})
}
