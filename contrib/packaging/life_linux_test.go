package packaging_test

import (
	"bytes"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// systemctl stands in for systemd's, which does not run in a sandbox, and
// notes what the packages' scripts ask for. Everything is enabled.
const systemctl = `#!/bin/sh
echo "$*" >>/run/systemctl.log
case "$*" in
*is-enabled*) echo enabled ;;
esac
`

// life installs the package, runs the daemon as its unit says beside a real
// Slurm, upgrades to a later version, goes back, removes and purges it.
func life(t *testing.T, work, deb, later, rpm, laterRPM string) {
	s := newSandbox(t, work)
	prepare(t, s)
	before, accounts := s.changes(t), s.accounts(t)
	if len(before) > 0 {
		t.Fatalf("the sandbox is not as the machine: %q", before)
	}

	installs(t, s, deb)
	bed := testbed(t, s, work)
	configure(t, s, bed)
	if out, err := s.try(t, "runuser", "-u", "ostrich", "--", "ostrich", "check"); err != nil {
		t.Errorf("ostrich check as the user of the package: %v\n%s", err, out)
	}
	s.run(t, "runuser", "-u", "ob-alice", "--", "env", "SLURM_CONF="+bed+"/etc/slurm.conf",
		"sbatch", "--chdir=/", "--output=/dev/null", "--time=20", "--array=1-8", "--wrap=sleep 1000")
	s.run(t, "runuser", "-u", "ob-bob", "--", "env", "SLURM_CONF="+bed+"/etc/slurm.conf",
		"sbatch", "--chdir=/", "--output=/dev/null", "--time=10", "--array=1-4", "--wrap=sleep 500")
	works(t, s, work, "v1.0.0")
	upgrades(t, s, later)
	works(t, s, work, "v1.1.0")
	upgrades(t, s, deb)
	works(t, s, work, "v1.0.0")
	s.run(t, filepath.Join(work, "tree/contrib/testbed/debian/down"), "--dir", bed)

	removes(t, s)
	returns(t, s, deb)
	removes(t, s)
	s.run(t, "dpkg", "--purge", "ostrich")
	nothingLeft(t, s, accounts, "purge")
	clientInstead(t, s, deb)
	nothingLeft(t, s, accounts, "purge of the client")

	if _, err := exec.LookPath("rpm"); err == nil {
		installsRPM(t, s, rpm)
		upgradesRPM(t, s, rpm, laterRPM)
	}
}

// prepare makes the sandbox a machine that has never seen OStrich, and from here
// on does not see what testbeds do to the users of the real one. No policy
// denies what the scripts ask of systemd.
func prepare(t *testing.T, s *sandbox) {
	t.Helper()
	s.run(t, "sh", "-ec", `for file in passwd group shadow gshadow; do cp /etc/$file /tmp/$file && cat /tmp/$file >/etc/$file; done
		! getent passwd ostrich || userdel ostrich
		! getent group ostrich || groupdel ostrich
		rm -rf /var/lib/ostrich-testbed.d /usr/sbin/policy-rc.d
		mkdir -p /run/systemd/system && : >/run/systemctl.log`)
	s.write(t, "/usr/bin/systemctl", systemctl)
	s.run(t, "chmod", "755", "/usr/bin/systemctl")
}

// asked returns what the scripts have asked of systemd since the last call.
func asked(t *testing.T, s *sandbox) string {
	t.Helper()
	return s.run(t, "sh", "-c", "cat /run/systemctl.log && : >/run/systemctl.log")
}

func installs(t *testing.T, s *sandbox, deb string) {
	t.Helper()
	if out := s.run(t, "dpkg", "--install", deb); !strings.Contains(out, "neither started nor enabled") {
		t.Errorf("dpkg does not say that the daemon is not started:\n%s", out)
	}
	if got := asked(t, s); !strings.Contains(got, "daemon-reload") || strings.Contains(got, "start") || strings.Contains(got, "enable") {
		t.Errorf("the first installation asks systemd for:\n%s", got)
	}
	for path, want := range map[string]string{
		"/etc/ostrich": "755 root:root", "/etc/ostrich/ostrich.yaml": "640 root:ostrich", "/var/lib/ostrich": "750 ostrich:ostrich",
		"/usr/bin/ostrich": "755 root:root", "/usr/sbin/ostrichd": "755 root:root", unitFile: "644 root:root",
	} {
		if got := s.mode(t, path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	if got := s.run(t, "getent", "passwd", "ostrich"); !strings.HasSuffix(got, ":/var/lib/ostrich:/usr/sbin/nologin\n") {
		t.Errorf("the user: %s", got)
	}
	if got := s.run(t, "runuser", "-u", "ostrich", "--", "ostrichd", "--show-config"); !strings.Contains(got, "mode: observe") {
		t.Errorf("the settings as installed:\n%s", got)
	}
}

// testbed brings a Slurm up in the sandbox, whose operator is the user of the
// package.
func testbed(t *testing.T, s *sandbox, work string) string {
	t.Helper()
	bed := filepath.Join(work, "bed")
	up := filepath.Join(work, "tree/contrib/testbed/debian/up")
	s.run(t, up, "--dir", bed, "--nodes", "2", "--cpus", "2")
	return bed
}

// configure writes what an administrator would.
func configure(t *testing.T, s *sandbox, bed string) {
	t.Helper()
	s.write(t, "/etc/ostrich/ostrich.yaml", "# Ours.\nmode: enforce\ninterval: 1s\ndatabase:\n  address: "+bed+"/run/mysql/mysqld.sock\n"+
		"  password_file: "+bed+"/etc/ostrich.password\nslurm:\n  conf: "+bed+"/etc/slurm.conf\n")
}

// works starts the daemon as the unit says, and waits until it is ready, has
// written to its journal, and says so.
func works(t *testing.T, s *sandbox, work, version string) {
	t.Helper()
	unit := s.unit(t)
	for key, want := range map[string]string{"User": "ostrich", "Group": "ostrich", "Type": "notify", "StateDirectory": "ostrich"} {
		if unit[key] != want {
			t.Errorf("the unit has %s=%s, want %s", key, unit[key], want)
		}
	}
	socket := filepath.Join(work, "notify")
	messages, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(messages.Close(), os.Remove(socket)); err != nil {
			t.Error(err)
		}
	}()
	ready := make(chan struct{})
	go func() {
		// All are read to the end, as systemd does: a daemon waits for that.
		for message, said := make([]byte, 4096), false; ; {
			n, err := messages.Read(message)
			if err != nil {
				return
			}
			if !said && strings.Contains(string(message[:n]), "READY=1") {
				said = true
				close(ready)
			}
		}
	}()
	if err := os.Chmod(socket, 0o777); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	cmd := s.command(t, "setpriv", append([]string{
		"--reuid=" + unit["User"], "--regid=" + unit["Group"], "--init-groups",
		"--no-new-privs", "--bounding-set=-all", "--inh-caps=-all",
		"env", "NOTIFY_SOCKET=" + socket, "HOME=/var/lib/ostrich",
		"sh", "-c", "umask " + unit["UMask"] + `; echo $$ >/tmp/ostrichd.pid; exec "$@"`, "sh",
	}, strings.Fields(unit["ExecStart"])...)...)
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-ready:
	case err := <-ended:
		t.Fatalf("%s ended: %v\n%s", unit["ExecStart"], err, log.String())
	case <-time.After(3 * time.Minute):
		t.Fatal("gave up waiting: the daemon says READY=1")
	}
	until(t, "readyz", func() bool { return strings.Contains(s.get(t, "/readyz"), " 200 ") })
	until(t, "the journal", func() bool {
		_, err := s.try(t, "test", "-s", "/var/lib/ostrich/journal.jsonl")
		return err == nil
	})
	if got := s.mode(t, "/var/lib/ostrich/journal.jsonl"); !strings.HasSuffix(got, "0 ostrich:ostrich") {
		t.Errorf("the journal is %s, want ostrich's, and closed to others", got)
	}
	if got := s.get(t, "/metrics"); !strings.Contains(got, version) {
		t.Errorf("/metrics does not name the version %s", version)
	}
	s.run(t, "sh", "-c", "kill $(cat /tmp/ostrichd.pid)")
	if err := <-ended; err != nil {
		t.Errorf("the daemon ended with %v\n%s", err, log.String())
	}
}

// unit are the settings of the unit in the sandbox.
func (s *sandbox) unit(t *testing.T) map[string]string {
	t.Helper()
	settings := make(map[string]string)
	for line := range strings.Lines(s.run(t, "cat", unitFile)) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(key, "#") {
			settings[key] = value
		}
	}
	return settings
}

// get asks the daemon, whose network nobody outside can reach.
func (s *sandbox) get(t *testing.T, path string) string {
	t.Helper()
	out, _ := s.try(t, "bash", "-c", `exec 3<>/dev/tcp/127.0.0.1/9343; printf 'GET %s HTTP/1.0\r\nHost: localhost\r\n\r\n' "$0" >&3; cat <&3`, path)
	return out
}

// until waits for something, for minutes if need be.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(3 * time.Minute); !is(); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("gave up waiting: %s", what)
		}
	}
}

// upgrades installs another version over one that is in use, a later or an earlier
// one: what the administrator wrote stays.
func upgrades(t *testing.T, s *sandbox, deb string) {
	t.Helper()
	was, journal := s.run(t, "cat", "/etc/ostrich/ostrich.yaml"), s.run(t, "cat", "/var/lib/ostrich/journal.jsonl")
	asked(t, s)
	out := s.run(t, "dpkg", "--force-confold", "--install", deb)
	if strings.Contains(out, "neither started nor enabled") {
		t.Errorf("an upgrade speaks as the first installation does:\n%s", out)
	}
	if got := s.run(t, "cat", "/etc/ostrich/ostrich.yaml"); got != was {
		t.Errorf("the settings after the upgrade:\n%s", got)
	}
	if got := s.mode(t, "/etc/ostrich/ostrich.yaml"); got != "640 root:ostrich" {
		t.Errorf("the settings are %s after the upgrade", got)
	}
	if !s.exists(t, "/etc/ostrich/ostrich.yaml.dpkg-dist") {
		t.Error("the new settings are not beside the old ones")
	}
	if got := s.run(t, "cat", "/var/lib/ostrich/journal.jsonl"); got != journal {
		t.Error("the upgrade changed the journal")
	}
	if got := asked(t, s); !strings.Contains(got, "try-restart ostrichd.service") || strings.Contains(got, "stop ") {
		t.Errorf("the upgrade asks systemd for:\n%s", got)
	}
}

// removes takes the programs away, and leaves settings, journal and user.
func removes(t *testing.T, s *sandbox) {
	t.Helper()
	asked(t, s)
	s.run(t, "dpkg", "--remove", "ostrich")
	if got := asked(t, s); !strings.Contains(got, "stop ostrichd.service") {
		t.Errorf("removal asks systemd for:\n%s", got)
	}
	for path, want := range map[string]bool{
		"/usr/bin/ostrich": false, "/usr/sbin/ostrichd": false, unitFile: false,
		"/etc/ostrich/ostrich.yaml": true, "/var/lib/ostrich/journal.jsonl": true,
	} {
		if got := s.exists(t, path); got != want {
			t.Errorf("%s is there after removal: %t", path, got)
		}
	}
	s.run(t, "getent", "passwd", "ostrich")
}

// returns installs the package after a removal, which has stopped what is enabled.
func returns(t *testing.T, s *sandbox, deb string) {
	t.Helper()
	asked(t, s)
	s.run(t, "dpkg", "--force-confold", "--install", deb)
	if got := asked(t, s); !strings.Contains(got, "--system start ostrichd.service") {
		t.Errorf("installation after a removal asks systemd for:\n%s", got)
	}
}

// clientInstead replaces the whole package by the client alone, whose configuration the purge
// of the whole one leaves.
func clientInstead(t *testing.T, s *sandbox, deb string) {
	t.Helper()
	s.run(t, "dpkg", "--install", deb)
	s.run(t, "dpkg", "--remove", "ostrich")
	s.run(t, "dpkg", "--install", clientOf(deb))
	s.run(t, "dpkg", "--purge", "ostrich")
	for path, want := range map[string]bool{
		"/etc/ostrich/ostrich.yaml": false, "/etc/ostrich/client.yaml": true, "/usr/bin/ostrich": true,
	} {
		if got := s.exists(t, path); got != want {
			t.Errorf("%s is there once the client has replaced the whole package: %t", path, got)
		}
	}
	s.run(t, "dpkg", "--purge", "ostrich-client")
}

func nothingLeft(t *testing.T, s *sandbox, accounts, after string) {
	t.Helper()
	if left := s.changes(t); len(left) > 0 {
		t.Errorf("left after %s: %q", after, left)
	}
	if got := withoutTestbed(s.accounts(t)); got != withoutTestbed(accounts) {
		t.Errorf("users and groups after %s:\n%s\nbefore:\n%s", after, got, withoutTestbed(accounts))
	}
}

// withoutTestbed leaves out the users of testbeds, which come and go.
func withoutTestbed(accounts string) string {
	var lines []string
	for line := range strings.Lines(accounts) {
		if !strings.HasPrefix(line, "ob-") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// installsRPM looks at what the scripts of the rpm do. Debian's rpm knows no
// packages of this machine.
func installsRPM(t *testing.T, s *sandbox, rpm string) {
	t.Helper()
	asked(t, s)
	if out := s.run(t, "rpm", "--force-debian", "--nodeps", "--install", rpm); !strings.Contains(out, "neither started nor enabled") {
		t.Errorf("rpm does not say that the daemon is not started:\n%s", out)
	}
	if got := asked(t, s); !strings.Contains(got, "daemon-reload") || strings.Contains(got, "start") || strings.Contains(got, "enable") {
		t.Errorf("the first installation of the rpm asks systemd for:\n%s", got)
	}
	for path, want := range map[string]string{"/etc/ostrich/ostrich.yaml": "640 root:ostrich", "/var/lib/ostrich": "750 ostrich:ostrich"} {
		if got := s.mode(t, path); got != want {
			t.Errorf("rpm: %s is %s, want %s", path, got, want)
		}
	}
	s.run(t, "rpm", "--force-debian", "--nodeps", "--erase", "ostrich")
	if got := asked(t, s); !strings.Contains(got, "disable --now ostrichd.service") {
		t.Errorf("erasing the rpm asks systemd for:\n%s", got)
	}
	// Folders that Debian does not have, and that systems with rpm do.
	others := []string{"/usr/share/licenses", "/usr/share/zsh/site-functions"}
	if left := slices.DeleteFunc(s.changes(t), func(path string) bool { return slices.Contains(others, path) }); len(left) > 0 {
		t.Errorf("left after erasing the rpm: %q", left)
	}
}

// upgradesRPM installs a later version over one that is in use, goes back, and erases
// it: what the administrator wrote stays, and so does the journal.
func upgradesRPM(t *testing.T, s *sandbox, rpm, later string) {
	t.Helper()
	const config, journal = "# Ours.\nmode: observe\n", "{}\n"
	s.run(t, "rpm", "--force-debian", "--nodeps", "--install", rpm)
	s.write(t, "/etc/ostrich/ostrich.yaml", config)
	s.write(t, "/var/lib/ostrich/journal.jsonl", journal)
	stays := func(after, settings string) {
		if got := s.run(t, "cat", settings); got != config {
			t.Errorf("rpm: the settings after %s:\n%s", after, got)
		}
		if got := s.run(t, "cat", "/var/lib/ostrich/journal.jsonl"); got != journal {
			t.Errorf("rpm: the journal after %s:\n%s", after, got)
		}
	}
	for _, to := range []struct{ way, file, version string }{{"the upgrade", later, "v1.1.0"}, {"the downgrade", rpm, "v1.0.0"}} {
		asked(t, s)
		s.run(t, "rpm", "--force-debian", "--nodeps", "--upgrade", "--oldpackage", to.file)
		if got := s.run(t, "ostrich", "--version"); !strings.Contains(got, to.version) {
			t.Errorf("rpm: after %s: %s", to.way, got)
		}
		stays(to.way, "/etc/ostrich/ostrich.yaml")
		if got := s.mode(t, "/etc/ostrich/ostrich.yaml"); got != "640 root:ostrich" || !s.exists(t, "/etc/ostrich/ostrich.yaml.rpmnew") {
			t.Errorf("rpm: after %s the settings are %s, or the new ones are not beside them", to.way, got)
		}
		if got := asked(t, s); !strings.Contains(got, "try-restart ostrichd.service") || strings.Contains(got, "disable") {
			t.Errorf("rpm: %s asks systemd for:\n%s", to.way, got)
		}
	}
	s.run(t, "rpm", "--force-debian", "--nodeps", "--erase", "ostrich")
	stays("erasing", "/etc/ostrich/ostrich.yaml.rpmsave")
}
