package slurm

import (
	"os"
	"testing"
	"time"

	"slurm-ostrich/priority/slurm/slurmtest"
)

func TestMain(m *testing.M) { os.Exit(slurmtest.Main(m, time.Now())) }

// fake is a Slurm of the test's own.
type fake struct {
	Commands
	*slurmtest.Slurm
}

func newFake(t *testing.T, queue ...string) *fake {
	t.Helper()
	s := slurmtest.New(t, queue...)
	return &fake{Commands{Dir: s.Folder, Timeout: 20 * time.Second}, s}
}
