package main

import (
	"testing"

	"slurm-ostrich/cmd/internal/scripttest"
)

func TestMain(m *testing.M) {
	scripttest.Main(m, map[string]func(){"ostrichd": main, "listening": listening, "fetch": fetch})
}

// TestScripts runs testdata/script; -update writes what is printed into them.
func TestScripts(t *testing.T) {
	scripttest.Run(t, "compare", "names", "once", "outage", "page", "slurm2411")
}
