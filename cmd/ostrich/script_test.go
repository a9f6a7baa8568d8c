package main

import (
	"testing"

	"slurm-ostrich/cmd/internal/scripttest"
)

func TestMain(m *testing.M) {
	scripttest.Main(m, map[string]func(){"ostrich": main, "served": served, "answering": answering})
}

// TestScripts runs testdata/script; -update writes what is printed into them.
func TestScripts(t *testing.T) {
	scripttest.Run(t, "bench", "compare_input", "compare_live", "demo", "socket", "sweep")
}
