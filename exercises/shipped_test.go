// Package exercises has a folder for each exercise. Its own test is not for
// learners: it asks whether the exercises are as they should be handed out.
package exercises

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lockstep/workshop"
)

// TestMain leaves the tests out where a learner is at work: make exercises says
// that these are the exercises as they are handed out.
func TestMain(m *testing.M) {
	if os.Getenv("LOCKSTEP_EXERCISES") != "shipped" {
		return
	}
	m.Run()
}

// A folder has three files, and its lock.go is the starter.
func TestStartersAreHandedOut(t *testing.T) {
	for _, e := range workshop.All() {
		entries, err := os.ReadDir(e.Name)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
		if want := []string{"README.md", "lock.go", "lock_test.go"}; !slices.Equal(names, want) {
			t.Errorf("%s has %v, want %v", e.Name, names, want)
		}
		if read(t, e.Name, "lock.go") != workshop.Starter(e.Name) {
			t.Errorf("%s/lock.go is not workshop/starters/%[1]s/lock.go: copy the one over the other", e.Name)
		}
	}
}

// The checks come in one order: that of the table in the README, of the tests, and of
// what a learner is shown.
func TestOrderOfChecks(t *testing.T) {
	for _, e := range workshop.All() {
		_, table, _ := strings.Cut(read(t, e.Name, "README.md"), "| shown by |")
		table, _, _ = strings.Cut(table, "\n\n")
		at := 0
		for _, c := range e.Wins {
			found := regexp.MustCompile(`\b` + c.Name + `\b`).FindStringIndex(table[at:])
			if found == nil {
				t.Errorf("%s: the README's table has no %s, or has it too early", e.Name, c.Name)
				continue
			}
			at += found[1]
		}
		var tests, checks []string
		for _, m := range regexp.MustCompile(`(?m)^func Test(\w+)`).FindAllStringSubmatch(read(t, e.Name, "lock_test.go"), -1) {
			tests = append(tests, m[1])
		}
		for _, c := range e.Checks() {
			checks = append(checks, c.Name)
		}
		if !slices.Equal(tests, checks) {
			t.Errorf("%s: the tests come in the order\n%v\nand the checks in\n%v", e.Name, tests, checks)
		}
	}
}

// firstSight is the first block of a README that an exercise has printed.
var firstSight = regexp.MustCompile("(?s)<!-- lockstep: exercise (\\w+) (\\w+) -->\n```text\n(.*?)```\n<!-- end -->")

// As it is handed out, every exercise fails. What a learner sees first is what
// the README shows, to the letter.
func TestAsHandedOutTheyFail(t *testing.T) {
	failed := run(t)
	for _, e := range workshop.All() {
		block := firstSight.FindStringSubmatch(read(t, e.Name, "README.md"))
		if block == nil || block[1] != e.Name {
			t.Errorf("%s: the README does not show what comes first", e.Name)
			continue
		}
		r := failed[e.Name]
		if len(r.failed) == 0 {
			t.Errorf("%s passes, and there is nothing to do", e.Name)
			continue
		}
		if first := r.failed[0]; first != "Test"+block[2] || first != "Test"+e.Wins[0].Name {
			t.Errorf("%s fails first in %s; the README shows %s, and it is about %s", e.Name, first, block[2], e.Wins[0].Name)
		}
		if said := r.said["Test"+block[2]].String(); !strings.Contains(said, block[3]) {
			t.Errorf("%s: the README shows:\n%s\ngo test says:\n%s", e.Name, block[3], said)
		}
		if !strings.Contains(block[3], "✗") {
			t.Errorf("%s: no step is marked in what the README shows", e.Name)
		}
	}
}

// With the stage in the place of the learner's lock, every exercise passes, and
// says what the README promises.
func TestStagesSolveThem(t *testing.T) {
	replace := map[string]string{}
	for _, e := range workshop.All() {
		files, err := filepath.Glob(filepath.Join("..", e.Stage.Name, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		after, err := filepath.Glob(filepath.Join("..", "beyond", e.Stage.Name, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range slices.Concat(files, after) {
			if name := filepath.Base(file); name != "doc.go" && !strings.HasSuffix(name, "_test.go") {
				replace[absolute(t, filepath.Join(e.Name, name))] = absolute(t, file)
			}
		}
	}
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		t.Fatal(err)
	}
	passed := run(t, "-overlay="+overlay)
	for _, e := range workshop.All() {
		r := passed[e.Name]
		for _, test := range r.failed {
			t.Errorf("%s: %s fails %s:\n%s", e.Name, e.Stage, test, r.said[test])
		}
		ok := regexp.MustCompile(`(?m)^    (ok  \tlockstep/exercises/` + e.Name + `)$`).FindStringSubmatch(read(t, e.Name, "README.md"))
		if ok == nil || !strings.Contains(r.said[""].String(), ok[1]) {
			t.Errorf("%s: the README does not show how it ends:\n%s", e.Name, r.said[""])
		}
	}
}

// result is what go test told of an exercise.
type result struct {
	failed []string                 // tests, in order
	said   map[string]*bytes.Buffer // by test, without go test's indentation; "" is the rest
}

// run runs the tests of all exercises with one command.
func run(t *testing.T, flags ...string) map[string]*result {
	t.Helper()
	args := append([]string{"test", "-json", "-vet=off", "-ldflags=-s -w"}, flags...) // quicker
	all := map[string]*result{}
	for _, e := range workshop.All() {
		args = append(args, "./"+e.Name)
		all[e.Name] = &result{said: map[string]*bytes.Buffer{}}
	}
	cmd := exec.CommandContext(t.Context(), "go", args...)
	// A server of the reader's may round an answer otherwise.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "LOCKSTEP_") })
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		var event struct{ Action, Package, Test, Output string }
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			t.Fatalf("%v: %s", err, lines.Bytes())
		}
		r := all[strings.TrimPrefix(event.Package, "lockstep/exercises/")]
		switch {
		case event.Action == "build-output":
			t.Error(event.Output)
		case r == nil:
		case event.Action == "fail" && event.Test != "":
			r.failed = append(r.failed, event.Test)
		case event.Action == "output":
			if r.said[event.Test] == nil {
				r.said[event.Test] = &bytes.Buffer{}
			}
			r.said[event.Test].WriteString(strings.TrimPrefix(event.Output, "    "))
		}
	}
	return all
}

func read(t *testing.T, exercise, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(exercise, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
