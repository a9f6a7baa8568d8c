package slurm

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// Readable returns why another user may not read a file, whose path is absolute. Only root may ask.
func Readable(ctx context.Context, u *user.User, path string) error {
	groups, err := u.GroupIds()
	var ids []uint32
	for _, text := range append([]string{u.Uid, u.Gid}, groups...) {
		id, bad := strconv.ParseUint(text, 10, 32)
		err = errors.Join(err, bad)
		ids = append(ids, uint32(id))
	}
	if err != nil {
		return fmt.Errorf("the groups of %s: %w", u.Username, err)
	}
	test := exec.CommandContext(ctx, "test", "-r", path)
	test.Dir = "/"
	test.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: ids[0], Gid: ids[1], Groups: ids[2:]}}
	if err = test.Run(); err == nil {
		return nil
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 {
		return fmt.Errorf("%s: user %s may not read it", path, u.Username)
	}
	return fmt.Errorf("%s: whether user %s may read it: %w", path, u.Username, err)
}
