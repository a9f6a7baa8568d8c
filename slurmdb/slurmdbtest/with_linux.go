package slurmdbtest

import (
	"os/exec"
	"syscall"
)

// endWithUs makes the server end when the tests are killed.
func endWithUs(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
