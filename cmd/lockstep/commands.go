package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"

	"lockstep/faults"
	"lockstep/hazards"
)

// duration is how long something took in real time: the one thing in the output
// of a test that is not the same each time.
var duration = regexp.MustCompile(`\b\d+\.\d+s\)|\t\d+\.\d+s$`)

// output is what a command of the text prints, run from the root, as a block.
// Its outcome is checked where the text says what it promises.
func output(words []string) (string, error) {
	if len(words) == 0 || words[0] != "go" {
		return "", fmt.Errorf("run which go command?")
	}
	line := strings.Join(words, " ")
	cmd := exec.Command("go", words[1:]...)
	cmd.Dir = fromRoot(".")
	cmd.Env = append(os.Environ(), faults.ServerEnv+"=", hazards.CheckEnv+"=")
	out, err := cmd.CombinedOutput()
	if err != nil && len(out) == 0 {
		return "", fmt.Errorf("%s: %w", line, err)
	}
	return fenced("text", "$ "+line+"\n"+settled(string(out))), nil
}

// settled is the output of go test without what differs from run to run.
func settled(out string) string {
	var b strings.Builder
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, " \n")
		line = duration.ReplaceAllStringFunc(line, func(d string) string {
			if strings.HasSuffix(d, ")") {
				return "…)"
			}
			return ""
		})
		b.WriteString(line + "\n")
	}
	return b.String()
}
