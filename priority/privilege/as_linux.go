package privilege

import (
	"fmt"
	"runtime"
	"syscall"
)

// as runs a function on a thread of its own that has the owner's rights to
// files, and root's no longer. The thread ends with it.
func as(o Owner, do func() error) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // for good: Go ends the thread with the goroutine
		if err := become(o); err != nil {
			done <- fmt.Errorf("act as user %d: %w", o.UID, err)
			return
		}
		done <- do()
	}()
	return <-done
}

// become changes the calling thread alone, which package syscall's own functions
// do not: no supplementary groups, and group and user for the file system. With
// the user root's capabilities over files go.
func become(o Owner) error {
	if _, _, failed := syscall.RawSyscall(syscall.SYS_SETGROUPS, 0, 0, 0); failed != 0 {
		return failed
	}
	for _, set := range []struct {
		call uintptr
		id   int
	}{{syscall.SYS_SETFSGID, o.GID}, {syscall.SYS_SETFSUID, o.UID}} {
		// The call returns the id from before, whatever came of it.
		_, _, _ = syscall.RawSyscall(set.call, uintptr(set.id), 0, 0)
		if now, _, _ := syscall.RawSyscall(set.call, ^uintptr(0), 0, 0); int(now) != set.id {
			return syscall.EPERM
		}
	}
	return nil
}
