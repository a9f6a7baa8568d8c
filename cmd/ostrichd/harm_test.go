package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"slurm-ostrich/cmd/internal/sidecar"
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
