// Package slurmtest is a fake of Slurm's commands, for tests. They are a program of
// their own, fakeslurm, which the package's TestMain builds:
//
//	func TestMain(m *testing.M) { os.Exit(slurmtest.Main(m)) }
//
// The state is a folder of files, which the environment names as FAKE_SLURM. All
// are optional:
//
//   - queue has a job a line, as words key=value, see [Job].
//   - config is added to "scontrol show config", where the last line of a key
//     counts. Its SLURM_VERSION decides how squeue behaves.
//   - partitions, qos, users and federation are what scontrol shows of them,
//     associations, events and preempt (of QOS) what sacctmgr does, and sshare is
//     sshare's output. admins has lines of user and AdminLevel.
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
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Epoch is the time from which the times of a queue count.
const Epoch = 1700000000

const folder = "FAKE_SLURM"

// Slurm is a fake Slurm of one test.
type Slurm struct {
	Folder string // of its commands and of their files

	t testing.TB
}

// built is the program that stands in for the commands, for the time of Main.
var built string

// Main builds the fake commands, runs the tests of a package and returns the exit
// code. The program is built without the race detector, under which each of the
// thousands of processes would take five times as long.
func Main(m interface{ Run() int }) int {
	dir, err := os.MkdirTemp("", "fakeslurm")
	if err != nil {
		complain(err.Error())
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }() // what stays is in a temporary folder
	built = filepath.Join(dir, "fakeslurm")
	build := exec.CommandContext(context.Background(), "go", "build", "-buildvcs=false", "-o", built, "slurm-ostrich/priority/slurm/slurmtest/fakeslurm")
	if said, err := build.CombinedOutput(); err != nil {
		complain(fmt.Sprintf("%v: %v\n%s", build, err, said))
		return 1
	}
	return m.Run()
}

// Link puts the commands into a folder.
func Link(folder string) error {
	for _, name := range commands {
		if err := os.Symlink(built, filepath.Join(folder, name)); err != nil {
			return err
		}
	}
	return nil
}

// New makes a fake Slurm of a folder of its own. The queue has the given lines.
func New(t testing.TB, queue ...string) *Slurm {
	t.Helper()
	s := &Slurm{Folder: t.TempDir(), t: t}
	if err := Link(s.Folder); err != nil {
		t.Fatal(err)
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
