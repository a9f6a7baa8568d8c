package compose_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Without a network there is no base image. What a step that failed has left would be
// taken for one by every later run.
func TestNoNetworkNoImage(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("debootstrap needs root")
	}
	work := t.TempDir()
	for name, script := range map[string]string{
		"debootstrap": "echo 'E: no network' >&2; exit 1",
		"docker":      `echo "$*" >>"$ASKED"; cat >/dev/null`,
	} {
		if err := os.WriteFile(filepath.Join(work, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	asked := filepath.Join(work, "asked")
	cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", `here=$PWD; . ./lib.sh; . ./images.sh; make_base bookworm; echo went on`)
	cmd.Env = append(os.Environ(), "PATH="+work+":"+os.Getenv("PATH"), "TMPDIR="+work, "OSTRICH_MIRROR=http://nowhere.invalid", "ASKED="+asked)
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "E: no network") || !strings.Contains(string(out), "bookworm could not be made") {
		t.Errorf("%v\n%s", err, out)
	}
	if got, err := os.ReadFile(asked); err == nil {
		t.Errorf("the engine was asked to %s", got)
	}
	if left, err := filepath.Glob(filepath.Join(work, "ostrich-base.*")); err != nil || len(left) > 0 {
		t.Errorf("left: %q %v", left, err)
	}
}
