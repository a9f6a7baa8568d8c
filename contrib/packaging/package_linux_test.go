package packaging_test

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"slurm-ostrich/contrib/book"
	"slurm-ostrich/contrib/internal/minutes"
)

const howToRun = "packages are built and installed only if OSTRICH_TEST_SLURM=1 is set, as root on Debian (contrib/test does both)"

// need skips where packages cannot be built and installed.
func need(t *testing.T) {
	t.Helper()
	switch {
	case os.Getenv("OSTRICH_TEST_SLURM") != "1" || os.Geteuid() != 0:
		t.Skip(howToRun)
	case testing.Short():
		t.Skip("-short: building packages takes minutes")
	case runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64":
		t.Skip("packages are for amd64 and arm64")
	}
	has(t, "dpkg-deb", "git", "go", "gzip", "tar")
	minutes.Need(t)
}

// has skips where a program is missing.
func has(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skip("LEFT OUT: no " + p)
		}
	}
}

// run returns what a program prints, and fails the test if it fails.
func run(t *testing.T, program string, args ...string) string {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", program, strings.Join(args, " "), err, out, stderr.Bytes())
	}
	return string(out)
}

// build runs the build script of a tree, as a release would.
func build(ctx context.Context, tree, out, version string, options ...string) error {
	cmd := exec.CommandContext(ctx, filepath.Join(tree, "contrib/packaging/build"), append([]string{"--out", out}, options...)...)
	cmd.Env = append(bare(), "VERSION="+version, "COMMIT=0123456789ab", "SOURCE_DATE_EPOCH=1700000000")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build of %s: %w\n%s", tree, err, out)
	}
	return nil
}

// copyTree copies what git knows, and what it would, to another folder, which
// is no clone.
func copyTree(t *testing.T, to string) {
	t.Helper()
	const root = "../.."
	for file := range strings.SplitSeq(run(t, "git", "-c", "safe.directory=*", "-C", root, "ls-files", "-z", "-co", "--exclude-standard"), "\x00") {
		from, dest := filepath.Join(root, file), filepath.Join(to, file)
		info, err := os.Stat(from)
		if file == "" || errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
			continue
		}
		content, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(dest), 0o755), os.WriteFile(dest, content, info.Mode().Perm())); err != nil {
			t.Fatal(err)
		}
	}
}

// The packages of two folders are the same bytes; they hold what they should,
// and what Debian's, systemd's and the manual's own tools find no fault with.
// Then one is installed, upgraded, downgraded, removed and purged beside a real
// Slurm, on a copy of this machine that is thrown away, and once more from a signed
// repository.
func TestPackages(t *testing.T) {
	need(t)
	work, err := os.MkdirTemp("/var/tmp", "ostrich-package-") //nolint:usetesting // the work of a testbed must be where its users may look
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if bad := os.RemoveAll(work); bad != nil {
			t.Error(bad)
		}
	})
	// Daemons and users look into it.
	if err = os.Chmod(work, 0o755); err != nil {
		t.Fatal(err)
	}
	path := func(name string) string { return filepath.Join(work, name) }
	copyTree(t, path("tree"))
	copyTree(t, path("later"))
	// A later version, whose settings are others.
	settings := path("later/contrib/ostrich.yaml")
	content, err := os.ReadFile(settings)
	if err == nil {
		err = os.WriteFile(settings, append(content, "\n# One more line.\n"...), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	// The first fills Go's cache for the others. All at once would compile every module three times.
	if err := build(t.Context(), "../..", path("one"), "1.0.0"); err != nil {
		t.Fatal(err)
	}
	builds := make(chan error)
	go func() { builds <- build(t.Context(), path("tree"), path("again"), "1.0.0") }()
	go func() {
		builds <- build(t.Context(), path("later"), path("two"), "1.1.0", "--arch", runtime.GOARCH)
	}()
	if err := errors.Join(<-builds, <-builds); err != nil {
		t.Fatal(err)
	}

	deb := path("one/ostrich_1.0.0_" + runtime.GOARCH + ".deb")
	rpm := path("one/ostrich-1.0.0." + map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH] + ".rpm")
	later := func(file string) string {
		return path("two/" + strings.Replace(filepath.Base(file), "1.0.0", "1.1.0", 1))
	}
	run(t, "dpkg-deb", "--extract", deb, path("files"))
	t.Run("Reproducible", func(t *testing.T) { same(t, path("one"), path("again")) })
	t.Run("Static", func(t *testing.T) {
		for _, program := range []string{"usr/bin/ostrich", "usr/sbin/ostrichd"} {
			static(t, path("files/"+program))
			if got := run(t, path("files/"+program), "--version"); !strings.HasSuffix(got, " version v1.0.0 (commit 0123456789ab)\n") {
				t.Errorf("%s --version: %q", program, got)
			}
		}
	})
	t.Run("Links", func(t *testing.T) {
		pages := strings.Fields(run(t, "find", path("files/usr/share/doc/ostrich"), "-name", "*.md"))
		if len(pages) < 30 {
			t.Errorf("%d pages are packaged: %q", len(pages), pages)
		}
		for _, page := range pages {
			if dead, err := book.Dead(page); err != nil || len(dead) > 0 {
				t.Errorf("%s: %q %v", page, dead, err)
			}
		}
	})
	t.Run("Lintian", func(t *testing.T) {
		has(t, "lintian")
		cmd := exec.CommandContext(t.Context(), "lintian", "--no-cfg", "--allow-root", "--fail-on=error,warning", deb, clientOf(deb))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("lintian: %v\n%s", err, out)
		}
	})
	t.Run("RPM", func(t *testing.T) {
		has(t, "rpm")
		rpmContents(t, rpm, path("files"))
	})
	t.Run("Client", func(t *testing.T) { clientAlone(t, path("client"), clientOf(deb), clientOf(rpm)) })
	t.Run("Manual", func(t *testing.T) {
		has(t, "mandoc")
		pages, err := filepath.Glob(path("files/usr/share/man/man?/*.gz"))
		if err != nil || len(pages) < 4 {
			t.Fatalf("%q %v", pages, err)
		}
		run(t, "gzip", append([]string{"--decompress"}, pages...)...)
		for i := range pages {
			pages[i] = strings.TrimSuffix(pages[i], ".gz")
		}
		run(t, "mandoc", append([]string{"-Tlint", "-W", "warning"}, pages...)...)
	})
	t.Run("Unit", func(t *testing.T) {
		has(t, "systemd-analyze")
		// 0 is a closed box, 10 is root.
		for name, unit := range map[string]string{"exposure": unitFile, "exposure-by-night": nightlyUnit + ".service"} {
			out := run(t, "systemd-analyze", "security", "--offline=true", "--threshold=15", path("files"+unit))
			t.Attr(name, strings.TrimSpace(out[strings.LastIndexByte(strings.TrimSpace(out), '\n')+1:]))
		}
	})
	t.Run("Life", func(t *testing.T) {
		minutes.Need(t)
		life(t, work, deb, later(deb), rpm, later(rpm))
	})
	t.Run("Repository", func(t *testing.T) { repository(t, work, filepath.Dir(deb), filepath.Dir(later(deb))) })
}

const (
	unitFile    = "/usr/lib/systemd/system/ostrichd.service"
	nightlyUnit = "/usr/lib/systemd/system/ostrich-compare" // .service and .timer
)

// same compares two folders of packages, and both with their checksums.
func same(t *testing.T, one, two string) {
	t.Helper()
	list := func(folder string) []string {
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	if a, b := list(one), list(two); len(a) != 11 || !slices.Equal(a, b) {
		t.Fatalf("want eleven files in each folder:\n%q\n%q", a, b)
	}
	for _, name := range list(one) {
		a, err := os.ReadFile(filepath.Join(one, name))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(two, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Errorf("%s of two builds differs", name)
		}
	}
	for _, folder := range []string{one, two} {
		cmd := exec.CommandContext(t.Context(), "sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS")
		cmd.Dir = folder
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("sha256sum in %s: %v\n%s", folder, err, out)
		}
	}
}

// static reports whether a program runs without a library.
func static(t *testing.T, program string) {
	t.Helper()
	f, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // It was only read.
	if libraries, err := f.ImportedLibraries(); err != nil || len(libraries) > 0 {
		t.Errorf("%s needs %q %v", program, libraries, err)
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			t.Errorf("%s needs a loader", program)
		}
	}
}

// rpmContents compares the files of the rpm with those of the deb, and looks
// at what is not the same in both.
func rpmContents(t *testing.T, rpm, files string) {
	t.Helper()
	lines := strings.Split(run(t, "rpm", "-qp", "--qf", `[%{FILEMODES:perms} %{FILEUSERNAME} %{FILEGROUPNAME} %{FILENAMES}\n]`, rpm), "\n")
	for _, want := range []string{
		"-rw-r----- root ostrich /etc/ostrich/ostrich.yaml",
		"drwxr-x--- ostrich ostrich /var/lib/ostrich",
		"-rwxr-xr-x root root /usr/bin/ostrich",
		"-rwxr-xr-x root root /usr/sbin/ostrichd",
		"-rw-r--r-- root root " + unitFile,
		"-rw-r--r-- root root " + nightlyUnit + ".service",
		"-rw-r--r-- root root " + nightlyUnit + ".timer",
		"-rw-r--r-- root root /usr/lib/sysusers.d/ostrich.conf",
		"-rw-r--r-- root root /usr/share/zsh/site-functions/_ostrich",
		"-rw-r--r-- root root /usr/share/zsh/site-functions/_ostrichd",
		"-rw-r--r-- root root /usr/share/licenses/ostrich/LICENSE",
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("the rpm lacks %s", want)
		}
	}
	err := filepath.WalkDir(files, func(path string, d fs.DirEntry, err error) error {
		name := strings.TrimPrefix(path, files)
		for _, debian := range []string{"/usr/share/lintian/", "/usr/share/zsh/", "/usr/share/doc/ostrich/copyright", "/usr/share/doc/ostrich/changelog.Debian"} {
			if strings.HasPrefix(name, debian) {
				return nil
			}
		}
		if err == nil && d.Type().IsRegular() && !slices.ContainsFunc(lines, func(line string) bool { return strings.HasSuffix(line, " "+name) }) {
			t.Errorf("the rpm lacks %s, which the deb has", name)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	for line := range slices.Values(lines) {
		// A package does not own what many share.
		if strings.HasPrefix(line, "d") && !strings.Contains(line, "ostrich") {
			t.Errorf("the rpm owns a folder of the system: %s", line)
		}
	}
	if got := run(t, "rpm", "-qpc", rpm); got != "/etc/ostrich/ostrich.yaml\n" {
		t.Errorf("configuration files of the rpm: %q", got)
	}
	if got := run(t, "rpm", "-qp", "--qf", "%{VERSION}-%{RELEASE} %{BUILDTIME} %{BUILDHOST} %{LICENSE}", rpm); got != "1.0.0-1 1700000000 ostrich Apache-2.0" {
		t.Errorf("the rpm says of itself: %s", got)
	}
}
