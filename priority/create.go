package priority

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// create opens a file for reading and writing and creates it if need be. One
// that root creates belongs to the owner of its folder, so that the daemon's
// user can open what root's commands leave.
func create(path string, flag int) (*os.File, error) {
	flag |= os.O_CREATE | os.O_RDWR
	// A file that was there, or where a link leads, keeps its owner.
	file, err := os.OpenFile(path, flag|os.O_EXCL, 0o640)
	if errors.Is(err, fs.ErrExist) {
		return os.OpenFile(path, flag, 0o640)
	}
	if err != nil || os.Geteuid() != 0 {
		return file, err
	}
	var folder syscall.Stat_t
	if err = syscall.Stat(filepath.Dir(path), &folder); err == nil {
		err = file.Chown(int(folder.Uid), int(folder.Gid))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: owner: %w", path, errors.Join(err, file.Close()))
	}
	return file, nil
}
