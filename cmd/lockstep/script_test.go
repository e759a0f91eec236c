package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
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
	testscript.Main(m, map[string]func(){"lockstep": main})
}

// The scripts are what a person types, and what they see.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
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

// exits runs a command that must end with an exit status.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits status command [args…]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != want {
		ts.Fatalf("it ended with %v, want exit status %d", err, want)
	}
}

// refuses runs a command that must refuse its input: one line on standard error,
// nothing on standard output, exit status 2.
func refuses(ts *testscript.TestScript, neg bool, args []string) {
	exits(ts, neg, append([]string{"2"}, args...))
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("it wrote to standard output: %q", out)
	}
	said := ts.ReadFile("stderr")
	if !strings.HasPrefix(said, "lockstep: ") || strings.Index(said, "\n") != len(said)-1 {
		ts.Fatalf("it said %q, want one line", said)
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
