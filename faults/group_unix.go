//go:build unix

package faults

import (
	"os/exec"
	"syscall"
)

// apart keeps a command out of the reach of ctrl-C: a search that is interrupted
// still needs its server, to show what it has found.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
