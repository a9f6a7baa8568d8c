// Package slurmtest is a fake of Slurm's commands, for tests. A test's binary
// stands in for them when it is called by one of their names:
//
//	func TestMain(m *testing.M) { os.Exit(slurmtest.Main(m, time.Now())) }
//
// The state is a folder of files, which the environment names as FAKE_SLURM. All
// are optional:
//
//   - queue has a job a line, as words key=value, see [Job].
//   - config is added to "scontrol show config", where the last line of a key
//     counts. Its SLURM_VERSION decides how squeue behaves.
//   - partitions, qos and federation are what scontrol shows of them,
//     associations and events what sacctmgr does, and sshare is sshare's output.
//     admins has lines of user and AdminLevel.
//   - accounting has a row of sacct's a line, as words of a [Job], see [Sacct].
//   - dbd is the number of messages that wait for slurmdbd; clock is slurmctld's
//     time, or now.
//   - fail-COMMAND is the message with which the command fails; hang-COMMAND
//     makes it hang, after that message.
//   - The commands write used-COMMAND, a line for each run, used-hang if scontrol
//     hangs, and log: the lines that scontrol read and did not reject.
//
// Unlike Slurm, the fake does not split an array: it knows no job by a name of some
// tasks of a record.
package slurmtest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Epoch is the time from which the times of a queue count.
const Epoch = 1700000000

const folder = "FAKE_SLURM"

// Slurm is a fake Slurm of one test.
type Slurm struct {
	Folder string // of its commands and of their files

	t testing.TB
}

// Main runs the tests of a package, or the command by whose name it was called, and
// returns the exit code.
func Main(m *testing.M, now time.Time) int {
	if name := filepath.Base(os.Args[0]); slices.Contains(Commands, name) {
		return Run(name, os.Args[1:], now)
	}
	return m.Run()
}

// New links the commands to the test's binary. The queue has the given lines.
func New(t testing.TB, queue ...string) *Slurm {
	t.Helper()
	s := &Slurm{Folder: t.TempDir(), t: t}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Commands {
		if err := os.Symlink(self, filepath.Join(s.Folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv(folder, s.Folder)
	s.Set("queue", strings.Join(queue, "\n"))
	return s
}

// Set writes one of the files.
func (s *Slurm) Set(file, text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.Folder, file), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// Get reads one of the files, which is empty if it is not there.
func (s *Slurm) Get(file string) string { return state{dir: s.Folder}.text(file, "") }

// Ran returns how often a command has run to its end, or for "hang" how often
// scontrol has hung.
func (s *Slurm) Ran(command string) int { return state{dir: s.Folder}.ran(command) }
