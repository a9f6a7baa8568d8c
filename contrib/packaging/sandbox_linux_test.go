package packaging_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// sandbox is this machine, copied on write: a file system laid over the real
// one, with processes, sockets, and a network of its own. What is installed in
// it is gone with it.
type sandbox struct {
	upper string // what was written
	root  string // as the processes in it see /
	pid   string // of its first process, as seen from outside
}

// The first process makes the sandbox and waits for the end of its input,
// which comes when the test ends, in whatever way. Then the kernel ends all
// others in it. Where all addresses begin with 127, glibc finds none for Slurm
// to listen on.
const firstProcess = `set -e
	d=$1
	mkdir "$d/upper" "$d/work" "$d/root"
	read -r pid _ </proc/self/stat
	mount -t overlay overlay -o "lowerdir=/,upperdir=$d/upper,workdir=$d/work" "$d/root"
	mkdir -p "$d/root$d"
	mount --rbind "$d" "$d/root$d"
	mount -t proc proc "$d/root/proc"
	mount --rbind /dev "$d/root/dev"
	mount --rbind /sys "$d/root/sys"
	mount -t tmpfs -o mode=755 tmpfs "$d/root/run"
	mount -t tmpfs -o mode=1777 tmpfs "$d/root/tmp"
	ip link set lo up
	ip address add 192.0.2.1/32 dev lo
	echo "ready $pid"
	cat >/dev/null`

// newSandbox makes a sandbox in a folder, or skips where the machine refuses.
func newSandbox(t *testing.T, folder string) *sandbox {
	t.Helper()
	has(t, "unshare", "nsenter", "setpriv", "ip")
	var stderr bytes.Buffer
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "unshare", "--mount", "--pid", "--net", "--ipc", "--uts", "--fork", "--kill-child",
		"bash", "-c", firstProcess, "sandbox", folder)
	cmd.Stderr = &stderr
	leash, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err = cmd.Start(); err != nil {
		t.Skipf("LEFT OUT: no sandbox: %v", err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	pid, ready := strings.CutPrefix(strings.TrimSpace(line), "ready ")
	if err != nil || !ready {
		_ = leash.Close()
		_ = cmd.Wait()
		t.Skipf("LEFT OUT: this machine makes no sandbox: %s", strings.TrimSpace(stderr.String()))
	}
	t.Cleanup(func() {
		_ = leash.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("sandbox: %v %s", err, stderr.String())
		}
	})
	return &sandbox{upper: filepath.Join(folder, "upper"), root: filepath.Join(folder, "root"), pid: pid}
}

// command is a program in the sandbox, as root, with a bare environment.
func (s *sandbox) command(t *testing.T, program string, args ...string) *exec.Cmd {
	t.Helper()
	enter := []string{
		"--target", s.pid, "--mount", "--pid", "--net", "--ipc", "--uts", "chroot", s.root,
		"env", "-i", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LC_ALL=C.UTF-8",
		"DEBIAN_FRONTEND=noninteractive", program,
	}
	return exec.CommandContext(t.Context(), "nsenter", append(enter, args...)...)
}

// try runs a program in the sandbox and returns what it prints.
func (s *sandbox) try(t *testing.T, program string, args ...string) (string, error) {
	t.Helper()
	out, err := s.command(t, program, args...).CombinedOutput()
	return string(out), err
}

// run is try for what must not fail.
func (s *sandbox) run(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := s.try(t, program, args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
	return out
}

// write replaces the content of a file in the sandbox, whose owner and mode
// stay.
func (s *sandbox) write(t *testing.T, path, content string) {
	t.Helper()
	cmd := s.command(t, "tee", path)
	cmd.Stdin, cmd.Stdout = strings.NewReader(content), io.Discard
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// exists reports whether there is such a file in the sandbox.
func (s *sandbox) exists(t *testing.T, path string) bool {
	t.Helper()
	_, err := s.try(t, "test", "-e", path)
	return err == nil
}

// others are what dpkg, rpm, man and the account tools keep for themselves,
// and where this test and the testbed work.
var others = []string{
	"var/lib/dpkg", "var/cache/man", "var/log", "var/lib/rpm", "var/cache/ldconfig", "var/tmp", "run", "tmp", "root",
	"var/lib/ostrich-testbed.d", "etc/passwd-", "etc/group-", "etc/shadow-", "etc/gshadow-", "etc/subuid-", "etc/subgid-", "etc/.pwd.lock",
	"usr/bin/systemctl", "usr/sbin/policy-rc.d",
}

// changes are the paths that are in the sandbox and not on the machine, and
// those that are gone.
func (s *sandbox) changes(t *testing.T) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(s.upper, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(s.upper, path)
		if err != nil {
			return err
		}
		if slices.Contains(others, name) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		_, missing := os.Lstat("/" + name)
		stat, _ := info.Sys().(*syscall.Stat_t)
		switch {
		// What overlayfs leaves where something was removed.
		case info.Mode()&fs.ModeCharDevice != 0 && stat != nil && stat.Rdev == 0:
			if missing == nil {
				found = append(found, "gone: /"+name)
			}
		case missing != nil:
			found = append(found, "/"+name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// accounts are the files that know users.
func (s *sandbox) accounts(t *testing.T) string {
	t.Helper()
	return s.run(t, "cat", "/etc/passwd", "/etc/group", "/etc/shadow", "/etc/gshadow")
}

// mode is a file's mode and owner, as "640 root:ostrich".
func (s *sandbox) mode(t *testing.T, path string) string {
	t.Helper()
	return strings.TrimSpace(s.run(t, "stat", "-c", "%a %U:%G", path))
}
