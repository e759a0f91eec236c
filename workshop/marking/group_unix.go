//go:build unix

package marking

import (
	"os/exec"
	"syscall"
)

// group gives a command a process group of its own, and ends the group with it:
// the go command, the tests that it runs, and whatever those have started.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// endGroup ends what the tests have started and left.
func endGroup(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // as a rule there is nobody
}
