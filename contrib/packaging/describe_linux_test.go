package packaging_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// describe says what build would build in a folder, and with what error.
func describe(t *testing.T, folder string, env ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(folder, "contrib/packaging/build"), "--describe")
	cmd.Env = append(bare(), env...)
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// bare is an environment without the machine's variables for builds.
func bare() []string {
	var env []string
	for _, v := range os.Environ() {
		switch name, _, _ := strings.Cut(v, "="); {
		case name == "VERSION", name == "COMMIT", name == "SOURCE_DATE_EPOCH", name == "MAINTAINER", name == "HOMEPAGE",
			strings.HasPrefix(name, "GIT_"), strings.HasPrefix(name, "NOTIFY_"), strings.HasPrefix(name, "OSTRICH_"):
		default:
			env = append(env, v)
		}
	}
	return env
}

// The version of a build is what the tags say. Packages of later commits are
// later.
func TestDescribe(t *testing.T) {
	for _, program := range []string{"git", "bash"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("no " + program)
		}
	}
	script, err := os.ReadFile("build")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, "contrib/packaging"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "contrib/packaging/build"), script, 0o700); err != nil {
		t.Fatal(err)
	}
	git := git(t, folder)
	// What is wanted of a refusal begins with whatever the shell says of the line.
	expect := func(want string, env ...string) {
		t.Helper()
		got, err := describe(t, folder, env...)
		if refused := strings.HasPrefix(want, ".*"); !regexp.MustCompile("^"+want+"$").MatchString(got) || (err != nil) != refused {
			t.Errorf("got %q %v, want %s", got, err, want)
		}
	}

	expect(".*VERSION: build: not in a clone of git, so it must be given")
	expect(".*SOURCE_DATE_EPOCH: build: not in a clone.*", "VERSION=1.0.0")
	expect("1.0.0 unknown 5", "VERSION=v1.0.0", "SOURCE_DATE_EPOCH=5")
	expect("1.0.0 abc 5", "VERSION=1.0.0", "SOURCE_DATE_EPOCH=5", "COMMIT=abc")

	git("init", "-q")
	git("add", ".")
	git("commit", "-q", "-m", "one")
	const hash = "[0-9a-f]{12}"
	expect(`0\.0\.0\+1\.g` + hash + " " + hash + " 1700000000")
	git("tag", "v1.2.0")
	expect(`1\.2\.0 ` + hash + " 1700000000")
	git("commit", "-q", "--allow-empty", "-m", "two")
	expect(`1\.2\.0\+1\.g` + hash + " " + hash + " 1700000000")
	git("tag", "nightly") // not a version
	git("tag", "v2.0.0-rc.1")
	expect(`2\.0\.0-rc\.1 ` + hash + " 1700000000")
	if err := os.WriteFile(filepath.Join(folder, "new"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	expect(`2\.0\.0-rc\.1\+0\.g` + hash + `\.dirty ` + hash + " 1700000000")
	expect("3.0.0 "+hash+" 1", "VERSION=3.0.0", "SOURCE_DATE_EPOCH=1")
	expect(".*VERSION three: must be like .*", "VERSION=three")
	expect(".*SOURCE_DATE_EPOCH today: must be a number of seconds", "SOURCE_DATE_EPOCH=today")
	expect(".*COMMIT HEAD: must be a hash", "COMMIT=HEAD")
}

// Invalid arguments are refused before anything is built.
func TestBuildArguments(t *testing.T) {
	for args, want := range map[string]string{
		"":                                "--out DIR: say where to (see --help)",
		"--out":                           "--out: needs a value",
		"--out .":                         "lies in the tree",
		"--out ../../bin":                 "lies in the tree",
		"--out /nowhere/x --arch mips":    "--arch mips: must be amd64 or arm64",
		"--out /nowhere/x --format a":     "--format a: must be deb, rpm or tar",
		"--out /nowhere/x --quickly":      "--quickly: unknown argument (see --help)",
		"--out /nowhere/x --arch amd64,x": "--arch x: must be amd64 or arm64",
		"--out /nowhere/x --arch ''":      "--arch: empty; must be amd64, arm64 or both",
		"--out /nowhere/x --format ''":    "--format: empty; must be some of deb, rpm and tar",
	} {
		given := strings.Fields(args)
		for i := range given {
			given[i] = strings.Trim(given[i], "'")
		}
		cmd := exec.CommandContext(t.Context(), "./build", given...)
		cmd.Env = []string{"PATH=/usr/bin:/bin"} // without Go: what is not refused fails otherwise
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("build %s: %v, %s; want %s", args, err, out, want)
		}
	}
}

// A removal goes on where the state is gone or cannot be written, and writes through no link that
// the daemon's user has put there.
func TestRemoval(t *testing.T) {
	script, err := os.ReadFile("deb/prerm")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	text := strings.NewReplacer("/run/systemd/system", folder, "/var/lib/ostrich", folder+"/state", "deb-systemd-invoke", "true").Replace(string(script))
	remove := func() {
		t.Helper()
		if out, err := exec.CommandContext(t.Context(), "sh", "-c", text, "prerm", "remove").CombinedOutput(); err != nil {
			t.Errorf("%v, %s", err, out)
		}
	}
	remove()
	marker, precious := filepath.Join(folder, "state/.removed"), filepath.Join(folder, "precious")
	if _, err := os.Stat(marker); err != nil {
		t.Errorf("postinst does not know that it was removed: %v", err)
	}
	if err := errors.Join(os.RemoveAll(marker), os.WriteFile(precious, []byte("kept"), 0o600), os.Symlink(precious, marker)); err != nil {
		t.Fatal(err)
	}
	remove()
	if got, err := os.ReadFile(precious); string(got) != "kept" {
		t.Errorf("behind the link is %q, %v", got, err)
	}
}
