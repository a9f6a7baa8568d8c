// Package atomicfile writes files completely or not at all.
package atomicfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"slurm-ostrich/priority/privilege"
)

// Write calls write with a new file beside path, and moves it to path when it is
// complete. If anything fails, the old file at path stays as it is. Write follows
// symbolic links, and an existing file keeps its permissions. It refuses a link to what
// does not exist, as /dev/stdout is in a process whose standard output is closed: root
// would put a file in the place of the machine's.
//
// To a pipe, a terminal or a device, Write writes directly: a file must not
// replace these. The same holds for a file that is this process's standard output
// or error, as /dev/stdout may be.
//
// Root writes as the user who owns the path, see package privilege: a link in a
// user's folder leads nowhere that the user could not write.
func Write(path string, write func(io.Writer) error) error { return WriteNew(path, 0o666, write) }

// WriteNew is Write. A file that was not there before gets these permissions, less the umask. Of one that was there,
// others lose those that fresh does not have, as an older release may have given them.
func WriteNew(path string, fresh fs.FileMode, write func(io.Writer) error) error {
	if err := Check(path); err != nil {
		return err
	}
	before, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return replace(path, path, fresh, 0, write)
	case err != nil:
		return err
	}
	for _, own := range []*os.File{os.Stdout, os.Stderr} {
		if now, bad := own.Stat(); bad == nil && os.SameFile(before, now) {
			return write(own)
		}
	}
	if !before.Mode().IsRegular() {
		var f *os.File
		err = privilege.Do(path, func() (bad error) {
			f, bad = os.OpenFile(path, os.O_WRONLY, 0)
			return bad
		})
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	return replace(path, target, fresh, before.Mode().Perm()&^(0o006&^fresh), write)
}

// Check reports early what would make Write fail: path is a folder or a link to what does
// not exist, or its folder does not exist.
func Check(path string) error {
	wrong := func(why error) error { return &fs.PathError{Op: "write", Path: path, Err: why} }
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return wrong(syscall.EISDIR)
	case err == nil:
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if _, err := os.Lstat(path); err == nil {
		return wrong(errors.New("a link to what does not exist"))
	}
	switch info, err := os.Stat(filepath.Dir(path)); {
	case errors.Is(err, fs.ErrNotExist):
		return wrong(fmt.Errorf("there is no folder %s", filepath.Dir(path)))
	case err != nil:
		return err
	case !info.IsDir():
		return wrong(syscall.ENOTDIR)
	}
	return nil
}

// replace moves a new file to the target, which path leads to. Without a mode the
// file gets those of a fresh one, less the umask.
func replace(path, target string, fresh, mode fs.FileMode, write func(io.Writer) error) error {
	owner, err := privilege.Of(path)
	if err != nil {
		return err
	}
	beside := filepath.Join(filepath.Dir(target), "."+filepath.Base(target)+"."+rand.Text())
	var f *os.File
	err = owner.Do(func() (bad error) {
		if f, bad = os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fresh); bad == nil && mode != 0 {
			bad = f.Chmod(mode)
		}
		return bad
	})
	if f == nil {
		return about(path, err)
	}
	if err == nil {
		err = write(f)
	}
	if err == nil {
		err = f.Sync() // else it may be empty after a power cut, under its name already
	}
	if bad := f.Close(); err == nil {
		err = bad
	}
	if err == nil {
		err = owner.Do(func() error { return os.Rename(beside, target) })
	}
	if err != nil {
		return errors.Join(about(path, err), owner.Do(func() error { return os.Remove(beside) }))
	}
	return nil
}

// about makes an error of the file system name path, which the caller knows, and
// not the temporary file.
func about(path string, err error) error {
	var file *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &file):
		return &fs.PathError{Op: file.Op, Path: path, Err: file.Err}
	case errors.As(err, &link):
		return &fs.PathError{Op: link.Op, Path: path, Err: link.Err}
	}
	return err
}
