package solver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// most is how much a program may print, and its solution may be long.
const most = 16 << 20

var errLong = fmt.Errorf("it printed more than %d MiB", most>>20)

// execute runs the program to its end, and returns what it printed. The program is
// a process group of its own, so that what it has started ends with it.
func (c *cbc) execute(arguments []string, stop func() bool) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(c.ctx, c.limit+c.grace, fmt.Errorf("it did not end within its limit of %v", c.limit))
	defer cancel()
	path, err := exec.LookPath(program)
	if err != nil {
		return nil, errors.New("it is not installed")
	}
	cmd := exec.CommandContext(ctx, path, arguments...)
	printed := &limited{cancel: cancel}
	cmd.Stdout, cmd.Stderr = printed, printed
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	endWithUs(cmd)
	runtime.LockOSThread() // see endWithUs
	defer runtime.UnlockOSThread()
	cmd.Cancel = func() error {
		killed := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		if errors.Is(killed, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return killed
	}
	cmd.WaitDelay = time.Second // a child that has left the group may hold the pipe
	if err = cmd.Start(); err != nil {
		if ctx.Err() != nil {
			err = ended(ctx)
		}
		return nil, err
	}
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		watch(ctx, stop, cancel)
	}()
	err = cmd.Wait()
	stopped, why := ctx.Err() != nil, ended(ctx)
	cancel()
	<-watched
	switch {
	case printed.over:
		return nil, errLong
	case stopped:
		return nil, why
	case err != nil:
		return nil, fmt.Errorf("%w: %s", err, lastLine(printed.text.Bytes()))
	}
	return printed.text.Bytes(), nil
}

// ended says why ctx, which ended the program, has ended.
func ended(ctx context.Context) error {
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return cause
	}
	return errors.New("it was stopped")
}

// watch ends ctx when stop says so.
func watch(ctx context.Context, stop func() bool, cancel func()) {
	if stop == nil {
		return
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if stop() {
				cancel()
				return
			}
		}
	}
}

// limited keeps what a program prints, and ends it when that is too much.
type limited struct {
	text   bytes.Buffer
	over   bool
	cancel func()
}

func (l *limited) Write(b []byte) (int, error) {
	if l.text.Len()+len(b) > most {
		l.over = true
		l.cancel()
		return len(b), nil
	}
	return l.text.Write(b)
}

// readFile reads a file of limited length.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && len(text) > most {
		err = errLong
	}
	return text, err
}

func lastLine(text []byte) string {
	line := strings.TrimSpace(string(text))
	line = line[strings.LastIndexByte(line, '\n')+1:]
	if line == "" {
		return "it said nothing"
	}
	const long = 200
	if len(line) > long {
		return strings.ToValidUTF8(line[:long], "") + "…"
	}
	return line
}
