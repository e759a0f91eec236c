package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"

	"lockstep/faults"
)

func TestMain(m *testing.M) {
	// A search that a test runs in this process starts this binary as its
	// helper. It must be one then, and not begin with the tests again.
	if len(os.Args) > 1 && os.Args[1] == helperName {
		main()
		return
	}
	// Worlds live for milliseconds and leave much behind: let the garbage of many
	// be collected at once.
	debug.SetGCPercent(800)
	testscript.Main(uncoloured{m}, map[string]func(){"lockstep": main})
}

// uncoloured are the tests, whatever the user's terminal wants. A command in a
// process of its own has the environment of its script.
type uncoloured struct{ tests *testing.M }

func (u uncoloured) Run() int {
	if err := os.Setenv("NO_COLOR", "1"); err != nil {
		panic(err)
	}
	return u.tests.Run()
}

// The scripts are what a person types, and what they see.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"succeeds": succeeds,
			"exits":    exits,
			"refuses":  refuses,
			"fits":     fits,
			"json":     jsonHas,
			"checkout": makeCheckout,
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv(faults.ServerEnv, os.Getenv(faults.ServerEnv))
			env.Setenv("GORACE", "atexit_sleep_ms=0") // else each command takes a second to end
			return goHere(env)
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "marks": // programs of learners are built and run
				return skipHere() == "", nil
			case "servers": // processes are started, and waited for in real time
				return os.Getenv(allEnv) != "" || os.Getenv(faults.ServerEnv) != "", nil
			}
			return false, fmt.Errorf("there is no condition %q", name)
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// goHere lets a script use the go command in this checkout, as $CHECKOUT.
func goHere(env *testscript.Env) error {
	checkout, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	env.Setenv("CHECKOUT", checkout)
	for _, name := range []string{"HOME", "LOCALAPPDATA", "GOPATH", "GOCACHE", "GOMODCACHE", "GOPROXY"} { // of the user, if set
		if value, ok := os.LookupEnv(name); ok {
			env.Setenv(name, value)
		}
	}
	return nil
}

// An answer is what a command wrote, and how it ended.
type answer struct {
	status    int
	out, errs string
}

// ask runs a command: lockstep in this process, where a start costs nothing, or
// any program in one of its own, after exec. In this process it has the folder and
// the environment of the tests, and nothing to read: what looks at those of the
// script takes exec.
func ask(ts *testscript.TestScript, words []string) answer {
	switch {
	case words[0] == "lockstep":
		if slices.ContainsFunc(words, setsServer) {
			ts.Fatalf("--server is for all of a process: use exec")
		}
		var out, errs strings.Builder
		status := run(words[1:], strings.NewReader(""), io.MultiWriter(&out, ts.Stdout()), io.MultiWriter(&errs, ts.Stderr()))
		return answer{status, out.String(), errs.String()}
	case words[0] == "exec" && len(words) > 1:
		status := 0
		err := ts.Exec(words[1], words[2:]...)
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			status = exit.ExitCode()
		} else {
			ts.Check(err)
		}
		return answer{status, ts.ReadFile("stdout"), ts.ReadFile("stderr")}
	}
	ts.Fatalf("%s is neither lockstep nor exec and a program", strings.Join(words, " "))
	return answer{}
}

func setsServer(word string) bool { return strings.HasPrefix(word, "--server") }

// succeeds runs a command that must succeed.
func succeeds(ts *testscript.TestScript, neg bool, args []string) {
	exits(ts, neg, append([]string{"0"}, args...))
}

// exits runs a command that must end with an exit status.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: succeeds command [args…], or exits status command [args…]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := ask(ts, args[1:]); got.status != want {
		ts.Fatalf("it ended with %d, want %d", got.status, want)
	}
}

// refuses runs a command that must refuse its input: one line on standard error,
// nothing on standard output, exit status 2.
func refuses(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: refuses command [args…]")
	}
	got := ask(ts, args)
	if got.status != 2 {
		ts.Fatalf("it ended with %d, want 2", got.status)
	}
	if got.out != "" {
		ts.Fatalf("it wrote to standard output: %q", got.out)
	}
	if !strings.HasPrefix(got.errs, "lockstep: ") || strings.Index(got.errs, "\n") != len(got.errs)-1 {
		ts.Fatalf("it said %q, want one line", got.errs)
	}
}

// fits checks that what the last command wrote is readable on a terminal of 80
// columns.
func fits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: fits")
	}
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		if line = strings.TrimSuffix(line, "\n"); utf8.RuneCountInString(line) > 80 || strings.Contains(line, "\t") {
			ts.Fatalf("too wide: %q", line)
		}
	}
}

// jsonHas checks a value in the JSON that the last command wrote. A path is names
// and numbers with dots between; len is how many there are.
func jsonHas(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: json path value")
	}
	var at any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &at))
	for step := range strings.SplitSeq(args[0], ".") {
		switch here := at.(type) {
		case map[string]any:
			at = here[step]
		case []any:
			if step == "len" {
				at = float64(len(here))
				continue
			}
			i, err := strconv.Atoi(step)
			ts.Check(err)
			if i >= len(here) {
				ts.Fatalf("there are only %d at %s of %s", len(here), step, args[0])
			}
			at = here[i]
		default:
			at = nil
		}
	}
	got, ok := at.(string)
	if !ok {
		text, err := json.Marshal(at)
		ts.Check(err)
		got = string(text)
	}
	if got != args[1] {
		ts.Fatalf("%s is %s, want %s", args[0], got, args[1])
	}
}
