package main

import (
	"os"
	"strings"
)

// self is how this program was called, for the commands that it tells people to
// run. go run keeps it in a folder of the build cache, where the shell does not
// look for it.
func self() string {
	if path, err := os.Executable(); err == nil && strings.Contains(path, "go-build") {
		return "go run ./cmd/lockstep"
	}
	return "lockstep"
}

// try names a command of this program to run next, on a line of its own: a
// command that is broken in two can't be copied.
func try(why, command string) string { return why + "\n    " + self() + " " + command + "\n" }
