package slurm

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"slurm-ostrich/priority"
)

// asParent makes TestKilledParent the process that is killed: it runs the commands of a
// folder, until they end, in a burst of writes or one by one.
const asParent = "KILLED_PARENT"

// parent runs a command that hangs.
func parent(ctx context.Context, s Commands, kind string) error {
	switch kind {
	case "burst":
		_, err := s.Update(ctx, priority.SiteFactor, changes(1))
		return err
	case "query":
		_, err := s.output(ctx, "scontrol", "show", "config")
		return err
	default:
		return s.Run(ctx, io.Discard, "sacct")
	}
}

// running returns how many commands of a folder are running.
func running(t *testing.T, folder string) (n int) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range all {
		if line, err := os.ReadFile(path); err == nil && strings.HasPrefix(string(line), folder+"/") { // others come and go
			n++
		}
	}
	return n
}

// becomes waits until so many commands of a folder are running.
func becomes(t *testing.T, folder string, n int, patience time.Duration) bool {
	t.Helper()
	for deadline := time.Now().Add(patience); running(t, folder) != n; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}

// No command outlives a daemon that is killed.
func TestKilledParent(t *testing.T) {
	if kind := os.Getenv(asParent); kind != "" {
		s := Commands{Dir: os.Getenv("FAKE_SLURM"), Timeout: time.Minute}
		t.Fatalf("the command ended: %v", parent(t.Context(), s, kind))
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"burst", "query", "list"} {
		f := newFake(t, "id=1 hang=yes")
		if kind != "burst" {
			f.Set("hang-scontrol", "")
			f.Set("hang-sacct", "")
		}
		cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestKilledParent$")
		cmd.Env = append(os.Environ(), asParent+"="+kind, "TMPDIR="+t.TempDir()) // what it builds stays when it is killed
		if err = cmd.Start(); err != nil {
			t.Fatal(err)
		}
		started := becomes(t, f.Folder, 1, 20*time.Second)
		if err = cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // It was killed.
		if !started || !becomes(t, f.Folder, 0, 500*time.Millisecond) {
			t.Errorf("%s: started: %t, %d commands run after the daemon was killed", kind, started, running(t, f.Folder))
		}
	}
}
