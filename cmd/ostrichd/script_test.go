package main

import (
	"testing"

	"slurm-ostrich/cmd/internal/cmdtest"
)

func TestMain(m *testing.M) {
	cmdtest.Main(m, map[string]func(){"ostrichd": main, "listening": listening, "fetch": fetch})
}

// TestScripts runs testdata/script; -update writes what is printed into them.
func TestScripts(t *testing.T) { cmdtest.Run(t) }
