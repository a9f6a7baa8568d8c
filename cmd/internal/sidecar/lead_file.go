package sidecar

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"slurm-ostrich/priority/privilege"
)

// Where there is no database, a lock of a file beside the journal decides which daemon
// writes. It works for daemons that share the journal's folder, on one host or on a file
// system that both mount. The kernel frees it when the daemon ends in any way.

// writerSuffix is added to the journal's path.
const writerSuffix = ".writer"

// fileLock is the lock of a file.
type fileLock struct{ file *os.File }

// openFileLock opens the file that the daemons of a journal lock. It creates the file if
// there is none.
func openFileLock(journal string) (lock, error) {
	path := journal + writerSuffix
	var file *os.File
	err := privilege.Do(filepath.Dir(path), func() (err error) {
		file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o640)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &fileLock{file}, nil
}

// Take takes the lock unless another daemon has it, and reports whether we have it.
func (l *fileLock) Take(context.Context) (bool, error) {
	err := syscall.Flock(int(l.file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("%s: lock: %w", l.file.Name(), err)
	}
	return l.Held(context.Background())
}

// Held reports whether the file that we have locked still has its name, so that other
// daemons find it.
func (l *fileLock) Held(context.Context) (bool, error) {
	ours, err := l.file.Stat()
	if err != nil {
		return false, err
	}
	named, err := os.Lstat(l.file.Name())
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(ours, named), err
}

// Close gives the lock back.
func (l *fileLock) Close() error { return l.file.Close() }
