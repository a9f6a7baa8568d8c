package privilege

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

const uid, gid = 12345, 54321

// foreign returns a folder of another user's that this user can reach, and one
// of root's.
func foreign(t *testing.T) (theirs, roots string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root acts as somebody else; run the test as root")
	}
	top := t.TempDir()
	theirs, roots = filepath.Join(top, "theirs"), filepath.Join(top, "roots")
	err := errors.Join(os.Chmod(filepath.Dir(top), 0o755), os.Mkdir(theirs, 0o755), os.Mkdir(roots, 0o700), os.Chown(theirs, uid, gid))
	if err != nil {
		t.Fatal(err)
	}
	return theirs, roots
}

func link(t *testing.T, target, name string, of int) {
	t.Helper()
	if err := errors.Join(os.Symlink(target, name), os.Lchown(name, of, of)); err != nil {
		t.Fatal(err)
	}
}

// join gives the process a supplementary group until the test ends.
func join(t *testing.T, group int) {
	t.Helper()
	before, err := syscall.Getgroups()
	if err == nil {
		err = syscall.Setgroups([]int{group})
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Setgroups(before); err != nil {
			t.Error(err)
		}
	})
}

func TestOf(t *testing.T) {
	theirs, roots := foreign(t)
	link(t, "/etc", theirs+"/etc", uid)
	link(t, theirs+"/etc", roots+"/through", 0)
	link(t, "../theirs", roots+"/relative", 0)
	link(t, "loop", roots+"/loop", 0)
	link(t, "/etc/hostname", roots+"/given", uid)
	if err := os.Mkdir(theirs+"/roots", 0o700); err != nil {
		t.Fatal(err)
	}
	other := Owner{uid, gid}
	for path, want := range map[string]Owner{
		theirs:                         other,
		theirs + "/new":                other,
		theirs + "/none/new":           other,
		theirs + "/roots/new":          other, // they can move it away
		theirs + "/etc/passwd":         other,
		roots:                          {},
		roots + "/new":                 {},
		roots + "/through/passwd":      other,
		roots + "/relative/x":          other,
		roots + "/relative/../roots/x": other,
		roots + "/../theirs/x":         other,
		roots + "/given":               {uid, uid},
		"/":                            {},
		"/dev/null":                    {},
	} {
		if got, err := Of(path); got != want || err != nil {
			t.Errorf("%s: %+v, %v; want %+v", path, got, err, want)
		}
	}
	if _, err := Of(roots + "/loop"); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("a loop: %v", err)
	}
	for n := range 41 { // link-0 leads through one link, link-39 through as many as Linux follows
		link(t, fmt.Sprint("link-", n-1), fmt.Sprint(roots, "/link-", n), 0)
	}
	for n, want := range map[int]error{39: nil, 40: syscall.ELOOP} {
		if _, err := Of(fmt.Sprint(roots, "/link-", n)); !errors.Is(err, want) {
			t.Errorf("%d links: %v, want %v", n+1, err, want)
		}
	}
	t.Chdir(theirs)
	if got, err := Of("x"); got != other || err != nil {
		t.Errorf("relative: %+v, %v", got, err)
	}
}

// TestDo: what root does as somebody else is done with that user's rights, and
// root has its own again afterwards.
func TestDo(t *testing.T) {
	theirs, roots := foreign(t)
	secret := filepath.Join(roots, "secret")
	if err := os.WriteFile(secret, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	const extra = 4321 // a supplementary group of root's
	join(t, extra)
	shared, made := filepath.Join(theirs, "shared"), filepath.Join(theirs, "made")
	if err := errors.Join(os.WriteFile(shared, nil, 0o640), os.Chown(shared, 0, extra)); err != nil {
		t.Fatal(err)
	}
	err := Owner{uid, gid}.Do(func() error {
		if _, err := os.ReadFile(secret); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("root's file: %v, want no permission", err)
		}
		if _, err := os.ReadFile(shared); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("a file of root's group: %v, want no permission", err)
		}
		if err := os.WriteFile(filepath.Join(roots, "new"), nil, 0o600); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("root's folder: %v, want no permission", err)
		}
		return os.WriteFile(made, nil, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	var is syscall.Stat_t
	if err := syscall.Stat(made, &is); err != nil || is.Uid != uid || is.Gid != gid {
		t.Errorf("belongs to %d:%d, want %d:%d (%v)", is.Uid, is.Gid, uid, gid, err)
	}
	for range 100 { // on whatever threads there are
		if _, err := os.ReadFile(secret); err != nil {
			t.Fatal(err)
		}
	}
	if err := (Owner{}).Do(func() error { return fs.ErrExist }); !errors.Is(err, fs.ErrExist) {
		t.Errorf("the function's error became %v", err)
	}
}
