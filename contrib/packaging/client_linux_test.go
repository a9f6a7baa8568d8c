package packaging_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// clientOf returns the package of the client alone that is built with a package.
func clientOf(file string) string {
	folder, name := filepath.Split(file)
	return folder + strings.Replace(name, "ostrich", "ostrich-client", 1)
}

// clientAlone looks at what the packages of the client hold: the commands of users and where
// they ask, in less than 8 MB, and nothing of the daemon.
func clientAlone(t *testing.T, folder, deb, rpm string) {
	for _, file := range []string{deb, rpm} {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() >= 8_000_000 {
			t.Errorf("%s has %d bytes", file, info.Size())
		}
		t.Attr("size"+filepath.Ext(file), strings.TrimSpace(run(t, "stat", "-c", "%s", file)))
	}
	run(t, "dpkg-deb", "--extract", deb, folder)
	static(t, folder+"/usr/bin/ostrich")
	help := run(t, folder+"/usr/bin/ostrich", "--help")
	for command, want := range map[string]bool{"plan": true, "campaigns": true, "shares": true, "explain": true, "forecast": true, "reset": false, "check": false, "simulate": false} {
		if got := strings.Contains(help, "\n   "+command+" "); got != want {
			t.Errorf("the client has the command %s: %t", command, got)
		}
		page := folder + "/usr/share/man/man1/ostrich-" + command + ".1.gz"
		if _, err := os.Stat(page); (err == nil) != want {
			t.Errorf("%s: %v", page, err)
		}
	}
	if got := strings.TrimSpace(run(t, "find", folder, "-name", "*ostrichd*")); got != "" {
		t.Errorf("of the daemon there is %s", got)
	}
	if got := run(t, "dpkg-deb", "--info", deb, "conffiles"); got != "/etc/ostrich/client.yaml\n" {
		t.Errorf("configuration files of the deb: %q", got)
	}
	if has := run(t, "dpkg-deb", "--field", deb, "Conflicts", "Replaces"); has != "Conflicts: ostrich\nReplaces: ostrich\n" {
		t.Errorf("the deb: %s", has)
	}
	t.Run("RPM", func(t *testing.T) {
		has(t, "rpm")
		if got := run(t, "rpm", "-qpc", rpm); got != "/etc/ostrich/client.yaml\n" {
			t.Errorf("configuration files of the rpm: %q", got)
		}
		if got := run(t, "rpm", "-qp", "--qf", "[%{CONFLICTNAME}][%{OBSOLETENAME}]", rpm); got != "ostrich" {
			t.Errorf("the rpm conflicts with, and obsoletes: %q", got)
		}
	})
}
