package privilege

import (
	"fmt"
	"runtime"
	"syscall"
)

// as runs a function on a thread of its own that has the owner's rights to files
// and not root's. The thread ends with it.
func as(o Owner, do func() error) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: Go ends the thread with the goroutine
		if err := become(o); err != nil {
			done <- fmt.Errorf("act as user %d: %w", o.UID, err)
			return
		}
		done <- do()
	}()
	return <-done
}

// become changes only the calling thread, which the functions of package syscall
// do not: it drops supplementary groups and sets group and user for the file
// system. Leaving user root drops root's capabilities over files.
func become(o Owner) error {
	if _, _, failed := syscall.RawSyscall(syscall.SYS_SETGROUPS, 0, 0, 0); failed != 0 {
		return failed
	}
	for _, set := range []struct {
		call uintptr
		id   int
	}{{syscall.SYS_SETFSGID, o.GID}, {syscall.SYS_SETFSUID, o.UID}} {
		// The call returns the previous id, whether it succeeded or not.
		_, _, _ = syscall.RawSyscall(set.call, uintptr(set.id), 0, 0)
		if now, _, _ := syscall.RawSyscall(set.call, ^uintptr(0), 0, 0); int(now) != set.id {
			return syscall.EPERM
		}
	}
	return nil
}
