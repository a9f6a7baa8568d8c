package packaging_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// git returns a function that runs git in a folder, as the same author at the
// same moment, whatever the machine's settings.
func git(t *testing.T, folder string) func(args ...string) {
	return func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", folder}, args...)...)
		cmd.Env = append(bare(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
			"GIT_AUTHOR_NAME=alice", "GIT_AUTHOR_EMAIL=alice@example.org", "GIT_AUTHOR_DATE=1700000000 +0100",
			"GIT_COMMITTER_NAME=alice", "GIT_COMMITTER_EMAIL=alice@example.org", "GIT_COMMITTER_DATE=1700000000 +0100")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

// Programs that go build makes in a clone say the version of its tag and its
// commit, without any flag; in an archive of git, the commit.
func TestVersionFromTheBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: building both programs anew takes half a minute")
	}
	has(t, "git", "go")
	clone, bin := t.TempDir(), t.TempDir()
	copyTree(t, clone)
	git := git(t, clone)
	git("init", "-q")
	git("add", ".")
	git("commit", "-q", "-m", "one")

	expect := func(version string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "go", "build", "-o", bin+"/", "./cmd/...")
		cmd.Dir, cmd.Env = clone, append(bare(), "GOFLAGS=-buildvcs=true")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go build: %v\n%s", err, out)
		}
		for _, program := range []string{"ostrich", "ostrichd"} {
			want := regexp.MustCompile("^" + program + " version " + version + ` \(commit [0-9a-f]{12}\)\n$`)
			if got := run(t, filepath.Join(bin, program), "--version"); !want.MatchString(got) {
				t.Errorf("%s --version: %q, want %s", program, got, want)
			}
		}
	}
	expect(`v0\.0\.0-20231114221320-[0-9a-f]{12}`)
	git("tag", "v0.1.0")
	expect(`v0\.1\.0`)

	// An archive says its commit too, though not its version.
	git("archive", "--output", filepath.Join(bin, "sources.tar"), "HEAD")
	sources := t.TempDir()
	run(t, "tar", "-C", sources, "-xf", filepath.Join(bin, "sources.tar"))
	cmd := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", bin+"/", "./cmd/ostrich")
	cmd.Dir, cmd.Env = sources, bare()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	head := run(t, "git", "-C", clone, "rev-parse", "HEAD")[:12]
	if got, want := run(t, filepath.Join(bin, "ostrich"), "--version"), "ostrich version (devel) (commit "+head+")\n"; got != want {
		t.Errorf("of an archive: %q, want %q", got, want)
	}
}
