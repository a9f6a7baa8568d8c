package solver

import (
	"os/exec"
	"syscall"
)

// endWithUs makes a program end when this process is killed. To Linux its parent is the thread
// that starts it: whoever does is locked to the thread until the program has ended.
func endWithUs(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL }
