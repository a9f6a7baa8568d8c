package main

import (
	"testing"

	"slurm-ostrich/cmd/internal/cmdtest"
)

func TestMain(m *testing.M) { cmdtest.Main(m, map[string]func(){"ostrich": main, "served": served}) }

// TestScripts runs testdata/script; -update writes what is printed into them.
func TestScripts(t *testing.T) { cmdtest.Run(t) }
