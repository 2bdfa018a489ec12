//go:build unix

package upstream

import (
	"os/exec"
	"syscall"
)

// ofItsOwn puts a command into a group of processes of its own, with what it starts.
func ofItsOwn(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// kill ends the group of a command.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // it may be over
