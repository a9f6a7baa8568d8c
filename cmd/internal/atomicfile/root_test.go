package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestRootWritesAsTheFoldersOwner: what root writes into a user's folder is that
// user's, and a link there leads nowhere else than that user could write.
func TestRootWritesAsTheFoldersOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root writes as somebody else; run the test as root")
	}
	top := t.TempDir()
	theirs, secret := filepath.Join(top, "theirs"), filepath.Join(top, "secret")
	err := errors.Join(
		os.Chmod(filepath.Dir(top), 0o755), os.Mkdir(theirs, 0o755), os.WriteFile(secret, []byte("root's"), 0o644),
		os.Symlink(secret, filepath.Join(theirs, "link")), os.Symlink(top, filepath.Join(theirs, "folder")),
		os.Symlink(filepath.Join(top, "new"), filepath.Join(theirs, "dangling")),
	)
	for _, path := range []string{"", "link", "folder", "dangling"} {
		err = errors.Join(err, os.Lchown(filepath.Join(theirs, path), 12345, 54321))
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Join(theirs, "a.csv"), text("rows")); err != nil {
		t.Fatal(err)
	}
	var is syscall.Stat_t
	if err := syscall.Stat(filepath.Join(theirs, "a.csv"), &is); err != nil || is.Uid != 12345 || is.Gid != 54321 {
		t.Errorf("belongs to %d:%d, %v", is.Uid, is.Gid, err)
	}
	for _, path := range []string{"link", "folder/secret", "folder/new"} {
		if err := Write(filepath.Join(theirs, path), text("theirs")); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: %v, want no permission", path, err)
		}
	}
	// A link that leads to nothing is neither followed nor replaced.
	if err := Write(filepath.Join(theirs, "dangling"), text("theirs")); err == nil {
		t.Error("a link to what does not exist: written")
	}
	if got, err := os.ReadFile(secret); string(got) != "root's" || err != nil {
		t.Errorf("root's file holds %q, %v", got, err)
	}
	if _, err := os.Lstat(filepath.Join(top, "new")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file of root's was created: %v", err)
	}
}
