package packaging_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"slurm-ostrich/contrib/book"
)

// repository runs what docs/packages.md says of a repository of one's own: packages
// of a folder are published, apt installs them from there and dnf finds them, if the
// index is as it was signed. Settings and journal outlive upgrade and downgrade.
func repository(t *testing.T, work, packages, later string) {
	has(t, "apt-ftparchive", "createrepo_c", "gpg")
	text, err := os.ReadFile("../../docs/packages.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := book.Parse(strings.ReplaceAll(string(text), "https://repo.example.org/", "file:///srv/"))
	if err != nil {
		t.Fatal(err)
	}
	var scripts []string // how to publish; how to install by apt, by dnf
	for _, b := range blocks {
		if b.Where == "package" {
			var script strings.Builder
			for _, c := range b.Commands {
				script.WriteString(c.Text + "\n")
			}
			scripts = append(scripts, script.String())
		}
	}
	if len(scripts) != 3 {
		t.Fatalf("docs/packages.md has %d blocks to run, want 3", len(scripts))
	}
	folder := filepath.Join(work, "repository")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	s := newSandbox(t, folder)
	prepare(t, s)
	sh := func(script string) string {
		return s.run(t, "bash", "-ec", "export GNUPGHOME=/root/gnupg\n"+script)
	}
	sh(`rm -rf /etc/apt/sources.list /etc/apt/sources.list.d/* /tmp/packages
		mkdir -p -m 700 $GNUPGHOME
		mkdir -p /etc/apt/keyrings /etc/yum.repos.d
		gpg --batch --quiet --passphrase '' --quick-generate-key packages@example.org`)
	publish := func(from string) {
		t.Helper()
		// The sandbox has a /tmp of its own, and lays its files over the machine's.
		sh("mkdir -p /tmp/packages && cp " + from + "/*.deb " + from + "/*.rpm /tmp/packages\n" + scripts[0])
	}
	const config, journal = "# Ours.\nmode: observe\n", "{}\n"
	is := func(when, version string) {
		t.Helper()
		if got := s.run(t, "ostrich", "--version"); !strings.Contains(got, " "+version+" ") {
			t.Errorf("%s: %s, want %s", when, got, version)
		}
		if got := sh("cat /etc/ostrich/ostrich.yaml /var/lib/ostrich/journal.jsonl"); got != config+journal && when != "installed" {
			t.Errorf("%s, settings and journal are\n%s", when, got)
		}
	}
	publish(packages)
	sh(scripts[1])
	s.write(t, "/var/lib/ostrich/journal.jsonl", journal)
	is("installed", "v1.0.0")
	s.write(t, "/etc/ostrich/ostrich.yaml", config)
	publish(later)
	sh("apt-get update && apt-get -y -o Dpkg::Options::=--force-confold upgrade")
	is("upgraded", "v1.1.0")
	sh("apt-get -y -o Dpkg::Options::=--force-confold --allow-downgrades install 'ostrich=1.0.0*'")
	is("downgraded", "v1.0.0")
	sh("apt-get -y purge ostrich")
	if s.exists(t, "/etc/ostrich") || s.exists(t, "/var/lib/ostrich") {
		t.Error("purge leaves files")
	}
	sh("echo 'Package: evil' >>/srv/ostrich/deb/Packages && rm -rf /var/lib/apt/lists/*")
	if out, err := s.try(t, "apt-get", "update"); err == nil || !strings.Contains(out, "Hash Sum mismatch") {
		t.Errorf("apt takes an index that was changed: %v\n%s", err, out)
	}

	if _, err := exec.LookPath("dnf"); err != nil {
		t.Log("LEFT OUT: no dnf")
		return
	}
	// What Debian has is unknown to rpm, so dnf finds the package but cannot install it.
	if got := sh(strings.ReplaceAll(scripts[2], "dnf install", "dnf -y list --showduplicates")); !strings.Contains(got, " 1.0.0-1 ") || !strings.Contains(got, " 1.1.0-1 ") {
		t.Errorf("dnf finds\n%s", got)
	}
	sh("echo >>/srv/ostrich/rpm/repodata/repomd.xml && dnf clean all")
	if out, err := s.try(t, "dnf", "-y", "makecache"); !strings.Contains(out, "Bad GPG signature") {
		t.Errorf("dnf takes an index that was changed: %v\n%s", err, out)
	}
}
