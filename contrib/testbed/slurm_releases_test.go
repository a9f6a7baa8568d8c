package testbed_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// releases are the Debian releases whose Slurm is not that of Debian 12, with its
// version.
var releases = []struct{ suite, version string }{{"trixie", "24.11."}, {"forky", "26.05."}}

// onReleases are the tests that run on each of them.
var onReleases = []string{"TestBasic", "TestMultifactor", "TestMany", "TestOutages", "TestDemo", "TestDump", "TestTakeover", "TestWithoutMunge"}

// TestReleases runs tests of this package against the Slurm of other Debian
// releases, each in a root of its own.
func TestReleases(t *testing.T) {
	needSlurm(t)
	if _, err := exec.LookPath("debootstrap"); err != nil {
		t.Skip("no debootstrap: no other release of Debian")
	}
	for _, r := range releases {
		part(t, r.suite, func(t *testing.T) {
			t.Parallel()
			run := func(args ...string) (string, error) {
				cmd := exec.CommandContext(t.Context(), "./release", append([]string{r.suite, "--"}, args...)...)
				// What has begun is not cut short.
				cmd.Env = append(os.Environ(), "OSTRICH_TEST_UNTIL=")
				out, err := cmd.CombinedOutput()
				return string(out), err
			}
			out, err := run("slurmctld", "-V")
			if err != nil {
				t.Fatalf("release %s: %v\n%s", r.suite, err, last(out))
			}
			lines := strings.Split(strings.TrimSpace(out), "\n")
			version := lines[len(lines)-1]
			if !strings.Contains(version, r.version) {
				t.Fatalf("%s has %q, not Slurm %s", r.suite, version, r.version)
			}
			report(t, "slurm", "%s", version)
			out, err = run("go", "test", "-count=1", "-v", "-timeout=30m", "-parallel=3", "-run", "^("+strings.Join(onReleases, "|")+")$", "./contrib/testbed")
			if err != nil {
				t.Errorf("%s: %v\n%s", version, err, last(out))
			}
			for _, name := range onReleases {
				if !strings.Contains(out, "--- PASS: "+name+" ") {
					t.Errorf("%s: %s did not pass", version, name)
				}
			}
		})
	}
}

// last is what a command printed of failures, and its end.
func last(out string) string {
	var said strings.Builder
	for line := range strings.Lines(out) {
		if strings.Contains(line, "_test.go:") || strings.Contains(line, "--- FAIL") {
			said.WriteString(line)
		}
	}
	return said.String() + "…\n" + out[max(0, len(out)-8000):]
}
