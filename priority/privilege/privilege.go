// Package privilege lets root write files with no more rights than the users have
// who could change the path to them.
//
// Root's commands open files in folders of other users: the daemon's journal, an
// output that the command line names. The owner of such a folder can put a link
// there, and root would follow it to any file. So root acts as the first user
// other than root who owns a folder, a link or a file on the path: a link of that
// user leads only where that user could go.
package privilege

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Owner is the user whose rights open files. The zero value is the user who runs
// the process.
type Owner struct{ UID, GID int }

// mostLinks is how many links a path may lead through, as in Linux.
const mostLinks = 40

// Of returns the owner as whom root opens a path, which need not exist: that of
// the first folder, link or file on the path that is not root's. It is the zero
// value if the whole path is root's, and for users other than root.
func Of(path string) (Owner, error) {
	if os.Geteuid() != 0 {
		return Owner{}, nil
	}
	if !filepath.IsAbs(path) {
		folder, err := os.Getwd()
		if err != nil {
			return Owner{}, fmt.Errorf("%s: owner: %w", path, err)
		}
		path = folder + "/" + path // not cleaned: ".." must leave the folder that a link leads to
	}
	at, rest, links := "/", path, 0
	for rest != "" {
		var name string
		name, rest, _ = strings.Cut(rest, "/")
		switch name {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		info, err := os.Lstat(next)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			return Owner{}, nil // opening it will report the error
		}
		if err != nil {
			return Owner{}, fmt.Errorf("%s: owner: %w", path, err)
		}
		if is, ok := info.Sys().(*syscall.Stat_t); ok && is.Uid != 0 {
			return Owner{int(is.Uid), int(is.Gid)}, nil
		}
		if info.Mode().Type() != fs.ModeSymlink {
			at = next
			continue
		}
		target, err := os.Readlink(next)
		if links++; err == nil && links > mostLinks {
			err = syscall.ELOOP
		}
		if err != nil {
			return Owner{}, fmt.Errorf("%s: owner: %w", path, err)
		}
		if filepath.IsAbs(target) {
			at = "/"
		}
		rest = target + "/" + rest
	}
	return Owner{}, nil
}

// Do runs a function with the rights of the path's owner, see Of.
func Do(path string, do func() error) error {
	owner, err := Of(path)
	if err != nil {
		return err
	}
	return owner.Do(do)
}

// Do runs a function with the owner's rights to files. If it cannot get them, it
// returns an error and does not run the function.
func (o Owner) Do(do func() error) error {
	if o == (Owner{}) {
		return do()
	}
	return as(o, do)
}
