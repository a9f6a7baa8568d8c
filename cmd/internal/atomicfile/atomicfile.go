// Package atomicfile writes files whole or not at all.
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

// Write calls write with a new file beside path and moves it to path once all
// of it is there; if anything fails, what stood at path before is untouched.
// Symbolic links are followed and an existing file keeps its permissions.
//
// A pipe, a terminal or a device takes what write writes as it comes: there is
// nothing to keep whole, and a file must not take its place. So does a file
// that is this process's standard output or error, as /dev/stdout may be.
//
// Root writes as the user to whom the way there belongs, see package privilege: a
// link in a user's folder leads nowhere that the user could not write.
func Write(path string, write func(io.Writer) error) error {
	if err := Check(path); err != nil {
		return err
	}
	before, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return replace(path, path, 0, write)
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
	return replace(path, target, before.Mode().Perm(), write)
}

// Check tells early what Write would find wrong with path: a folder stands
// there, or there is none to hold the file.
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

// replace moves a new file to the target, which path leads to. With no
// permissions given it gets those of any new file, as the umask has it.
func replace(path, target string, mode fs.FileMode, write func(io.Writer) error) error {
	owner, err := privilege.Of(path)
	if err != nil {
		return err
	}
	beside := filepath.Join(filepath.Dir(target), "."+filepath.Base(target)+"."+rand.Text())
	var f *os.File
	err = owner.Do(func() (bad error) {
		if f, bad = os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666); bad == nil && mode != 0 {
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

// about makes an error of the file system one about path, which the caller
// knows, and not about the file beside it.
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
