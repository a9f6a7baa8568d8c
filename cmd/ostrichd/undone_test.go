package main

import (
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/priority"
)

// Undone writes are logged once when it begins, and once when none was for
// ten minutes.
func TestUndoneIsToldOnce(t *testing.T) {
	var log strings.Builder
	now := time.Unix(1000, 0)
	d := &daemon{log: zerolog.New(&log), now: func() time.Time { return now }}
	planned := &sidecar.Cycle{Plan: sidecar.Plan{Summary: priority.Summary{Undone: 3}}}
	read := &sidecar.Cycle{Outcomes: []priority.Change{{Status: priority.Undone}, {Status: priority.Applied}}}
	none := &sidecar.Cycle{}
	for _, c := range []*sidecar.Cycle{none, planned, none, read, none, none, none} {
		d.undone(c)
		now = now.Add(4 * time.Minute)
	}
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], `"warn","jobs":3`) || !strings.Contains(lines[1], `"info"`) {
		t.Errorf("%q", lines)
	}
}

// A single cycle that does not come into force is an error.
func TestUndoneOnce(t *testing.T) {
	c := &sidecar.Cycle{Outcomes: []priority.Change{{Status: priority.Undone}, {Status: priority.Applied}}}
	if err := notChanged(c); err == nil || !strings.Contains(err.Error(), "1 of 2 priorities undone") {
		t.Errorf("%v", err)
	}
	c.Outcomes = c.Outcomes[1:]
	if err := notChanged(c); err != nil {
		t.Error(err)
	}
}
