package main

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"slurm-ostrich/cmd/internal/check"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/priority/slurm/slurmtest"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

// TestJournalGone: a daemon that finds its own values and no journal says what it sees, orders
// the jobs within a term, and gives them back.
func TestJournalGone(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2411)
	h := settle(t, db, db.Server.Socket)
	t.Setenv("FAKE_SLURM", h.slurm.Folder)
	d := h.daemon
	d.config.Interval = 6 * time.Second // a term of 3 s
	db.Size(8, 2, h.now-86400, 0)
	for id := 1; id <= 20; id++ {
		h.wait(id, 1000+id%4, 100-int64(id), db)
	}
	h.works(1)
	stop := func() {
		t.Helper()
		if err := d.close(); err != nil {
			t.Fatal(err)
		}
		d.release()
		if err := os.Remove(d.config.Journal); err != nil {
			t.Fatal(err)
		}
		d.news, d.sidecar = news{}, nil
		h.log.Reset()
	}
	values := h.site()
	stop()
	h.works(1)
	if got := ready(d); !strings.Contains(got, "20 jobs are not ordered") || !strings.Contains(got, "ostrich reset --all") {
		t.Errorf("/readyz: %q", got)
	}
	if got := samples(t, d.metrics)["ostrich_orphaned_jobs"]; got != "20" || !strings.Contains(h.log.String(), "jobs have values that only a daemon gives") {
		t.Errorf("%s orphans, log %s", got, h.log.String())
	}
	found := ""
	for _, f := range check.Run(t.Context(), d.config, "", "root") {
		if f.Name == "values" {
			found = f.Found + "; " + f.Fix
		}
	}
	if !strings.Contains(found, "20 jobs") || !strings.Contains(found, "reset --all") {
		t.Errorf("check: %q", found)
	}
	time.Sleep(3100 * time.Millisecond)
	h.works(1)
	if got := ready(d); got != "ok\n" {
		t.Errorf("/readyz after a term: %q", got)
	}
	c := d.metrics.described.cycle
	if c == nil || c.Plan.Summary.Managed != 20 || c.Adopted != 20 || !strings.Contains(h.log.String(), "took over values") {
		t.Errorf("not ordered: log %s", h.log.String())
	}

	// Another writer really writes.
	stop()
	h.works(1)
	text := h.slurm.Get("queue")
	h.slurm.Set("queue", strings.Replace(text, "site="+values["7"], "site="+strconv.Itoa(1<<30+77), 1))
	time.Sleep(3100 * time.Millisecond)
	h.works(2)
	if got := ready(d); !strings.Contains(got, "another writer changes them") || d.metrics.described.cycle.Adopted != 0 {
		t.Errorf("/readyz beside another writer: %q", got)
	}

	stop()
	h.works(1)
	time.Sleep(3100 * time.Millisecond)
	h.works(1)
	if err := d.close(); err != nil {
		t.Fatal(err)
	}
	d.release()
	if _, _, err := sidecar.Reset(t.Context(), d.config, 1, false, false, func(error) {}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(h.slurm.Get("queue")) {
		if j, err := slurmtest.ParseJob(strings.Fields(line)); err != nil || j.Or("site", "0") != "0" {
			t.Errorf("after a reset: %s (%v)", line, err)
		}
	}
}
