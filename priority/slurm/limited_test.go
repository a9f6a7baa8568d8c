package slurm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"slurm-ostrich/priority"
)

// pretend makes a command of Slurm's out of a script.
func pretend(t *testing.T, dir, name, script string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
}

// TestEndlessOutput: a command that does not stop printing is ended long before
// its time is over, and says so.
func TestEndlessOutput(t *testing.T) {
	if testing.Short() {
		t.Skip("prints 256 MB")
	}
	dir := t.TempDir()
	s := Commands{Dir: dir, Timeout: 5 * time.Minute}
	began := time.Now()
	pretend(t, dir, "squeue", "yes")
	_, err := s.Running(t.Context())
	if !errors.Is(err, ErrOutput) || errors.Is(err, context.DeadlineExceeded) || err.Error() != "squeue: too much output: it printed more than 256 MiB and was ended" {
		t.Errorf("standard output: %v", err)
	}
	pretend(t, dir, "squeue", "echo first >&2; yes again >&2")
	_, err = s.Running(t.Context())
	if !errors.Is(err, ErrOutput) || !strings.Contains(err.Error(), "64 KiB of messages") || !strings.Contains(err.Error(), "first; again") || len(err.Error()) > 1000 {
		t.Errorf("standard error: %v", err)
	}
	for name, script := range map[string]string{
		"endless lines": "yes >&2",
		"one long line": "yes | tr -d '\\n' >&2",
	} {
		pretend(t, dir, "scontrol", script)
		pretend(t, dir, "squeue", "")
		pretend(t, dir, "sprio", "")
		r, err := s.Update(t.Context(), priority.SiteFactor, []priority.Change{{Job: 1, Submit: 1, To: 5}, {Job: 2, Submit: 1, To: 5}})
		if !errors.Is(err, ErrOutput) || r.Count(priority.Applied) > 0 {
			t.Errorf("scontrol, %s: %v, %+v", name, err, r)
		}
	}
	if took := time.Since(began); took > 4*time.Minute {
		t.Errorf("it took %v", took)
	}
}

// TestLargestQueue: 100 000 jobs with a comment of 1 kB each are read.
func TestLargestQueue(t *testing.T) {
	if testing.Short() {
		t.Skip("prints 100 MB")
	}
	dir := t.TempDir()
	const jobs = 100_000
	pretend(t, dir, "squeue", fmt.Sprintf(`awk -v mark="$(expr "$*" : '.* -o \(.*\)%%A.*')" 'BEGIN { c = sprintf("%%1000s", "x"); for (i = 1; i <= %d; i++) printf "%%s%%d\037%%d\037%%s\n", mark, i, i, c }'`, jobs))
	comments, err := (Commands{Dir: dir, Timeout: time.Minute}).Comments(t.Context())
	if err != nil || len(comments) != jobs {
		t.Errorf("%d comments, %v", len(comments), err)
	}
}
