package slurm

import (
	"os/exec"
	"syscall"
)

// endWithUs makes a command end when this process is killed, so that nothing goes on
// writing. To Linux the command's parent is the thread that starts it, and the command ends
// with that thread: whoever starts it is locked to the thread until the command has ended.
func endWithUs(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL }
