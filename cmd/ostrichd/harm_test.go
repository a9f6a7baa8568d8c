package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"slurm-ostrich/cmd/internal/check"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

// A harmful setting is logged once when it is found and once when it is gone.
func TestHarmfulIsToldOnce(t *testing.T) {
	var log strings.Builder
	d := &daemon{log: zerolog.New(&log)}
	harm := errors.New("PreemptMode=WITHIN")
	for _, found := range []error{nil, harm, harm, nil, nil} {
		d.harmful(&sidecar.Cycle{Harm: found})
	}
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], `"warn"`) || !strings.Contains(lines[0], "PreemptMode=WITHIN") || !strings.Contains(lines[1], `"info"`) {
		t.Errorf("%q", lines)
	}
}

// TestSacctmgrFails: a daemon that starts where QOS preempt and sacctmgr cannot say which writes
// nothing, says why, and orders by class as soon as it can.
func TestSacctmgrFails(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2411)
	h := settle(t, db, db.Server.Socket)
	db.Size(8, 2, h.now-86400, 0)
	h.wait(1, 1001, 100, db)
	h.slurm.Set("config", "PreemptType = preempt/qos\nPreemptMode = REQUEUE\n")
	h.slurm.Set("qos", "QOS=normal(1) Priority=0 \nQOS=urgent(2) Priority=0 \n")
	h.slurm.Set("preempt", "normal|\nurgent|normal\n")
	h.slurm.Set("fail-sacctmgr", "Problem talking to the database")
	h.fails(2, "sacctmgr: exit status 1: Problem talking to the database")
	if got, want := ready(h.daemon), "no cycle has succeeded yet: Slurm does not tell its QOS and what they may preempt, so nothing is written; see ostrichd's log\n"; got != want {
		t.Errorf("/readyz: %q, want %q", got, want)
	}
	if got := h.daemon.status.at(h.daemon.now()).LastError; !strings.HasPrefix(got, "Slurm does not tell its QOS") {
		t.Errorf("last_error: %q", got)
	}
	failed := ""
	for _, f := range check.Run(t.Context(), h.daemon.config, "", "root") {
		if f.Name == "harm" && f.Result == check.Fail {
			failed = f.Found
		}
	}
	if !strings.Contains(failed, "Problem talking to the database") {
		t.Errorf("check: %q", failed)
	}
	if err := os.Remove(filepath.Join(h.slurm.Folder, "fail-sacctmgr")); err != nil {
		t.Fatal(err)
	}
	h.works(1)
	if got := h.daemon.metrics.described.cycle; got == nil || len(got.Plan.Classes) != 2 || len(h.site()) != 1 {
		t.Errorf("after that: %d jobs have values, cycle %v", len(h.site()), got)
	}
}
