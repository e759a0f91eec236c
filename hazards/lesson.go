package hazards

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lockstep/stages"
)

// CheckEnv is the environment variable that, set to "check", makes every run of
// a lesson a check: for tools that name tests with -run by themselves.
const CheckEnv = "LOCKSTEP_LESSONS"

// Lesson shows the hazard twice: breaking one stage, and leaving another whole.
// The subtests have the stages' names.
//
// In a run of the whole suite it passes when both halves come out as they
// should. When -run names the lesson, somebody asked to see the bug: then the
// half that breaks is reported as the failure it is, and both timelines are
// shown. See [CheckEnv] for how to turn that off.
func (h Hazard) Lesson(t *testing.T, breaks, holds stages.Stage) {
	t.Helper()
	asked := Asked(t)
	seen := false // the half that breaks has been shown
	t.Run(breaks.Name, func(t *testing.T) {
		r := h.mustRun(t, breaks, Breaks)
		if asked || testing.Verbose() {
			say(t, "\n%s on %s: %s\n\n%s\n", h.Name, breaks, h.Story, r.Timeline)
		}
		if asked {
			seen = true
			t.Fail()
		}
	})

	var whole *Result
	t.Run(holds.Name, func(t *testing.T) {
		r := h.mustRun(t, holds, Holds)
		whole = &r
	})
	// What follows is the parent's, because go test hides what a subtest says
	// that passes.
	if whole != nil && (asked || testing.Verbose()) {
		say(t, "\n%s on %s\n\n%s✓ %s\n", h.Name, holds, whole.Timeline, whole.Why)
	}
	if seen {
		lesson := strings.TrimPrefix(t.Name(), "Test")
		say(t, "\nThis failure is the lesson: %s breaks %s, and the suite checks that it does.\n"+
			"The fix alone:  go test ./%s -v -run '%s/%s'\n", h.Name, breaks, folder(), lesson, holds)
	}
}

// say prints to the test's output as it stands, without a file and a line.
func say(t *testing.T, format string, args ...any) {
	t.Helper()
	if _, err := fmt.Fprintf(t.Output(), format, args...); err != nil {
		t.Fatal(err)
	}
}

// mustRun plays the hazard and insists on the outcome, and on the reason that
// the table gives for it.
func (h Hazard) mustRun(t *testing.T, stage stages.Stage, want Outcome) Result {
	t.Helper()
	got, err := h.Run(stage)
	if err == nil {
		err = h.agree(stage, want, got.Cell)
	}
	if err != nil && Asked(t) && h.mended(stage, want, got.Cell) {
		t.Fatalf("%s holds now: %s no longer breaks it. If that was the exercise, you are done.\n\n%s",
			stage, h.Name, got.Timeline)
	}
	if err != nil {
		t.Fatalf("%v\n\n%s", err, got.Timeline)
	}
	return got
}

// mended reports whether a stage holds that a lesson shows breaking, and that the
// table expects to break: somebody has repaired it.
func (h Hazard) mended(stage stages.Stage, lesson Outcome, got Cell) bool {
	return lesson == Breaks && h.Expected(stage).Outcome == Breaks && got.Outcome == Holds
}

// agree says where the lesson, the table and what came out are at odds.
func (h Hazard) agree(stage stages.Stage, lesson Outcome, got Cell) error {
	switch table := h.Expected(stage); {
	case table == (Cell{}):
		return fmt.Errorf("the table of %s has no row for %s: there it %s: %s", h.Name, stage, got.Outcome, got.Why)
	case table.Outcome != lesson:
		return fmt.Errorf("the table expects that %s %s on %s, and this lesson that it %s", h.Name, table.Outcome, stage, lesson)
	case table != got:
		return fmt.Errorf("%s on %s should come out as %q (%s), and came out as %q (%s)",
			h.Name, stage, table.Outcome, table.Why, got.Outcome, got.Why)
	}
	return nil
}

// Asked reports whether somebody asked to see this test or the one it belongs
// to: an alternative of -run's pattern names it by its first element, which would
// not match just any name, as "." and "Test" do.
func Asked(t *testing.T) bool {
	t.Helper()
	if os.Getenv(CheckEnv) == "check" {
		return false
	}
	run := flag.Lookup("test.run")
	if run == nil || run.Value.String() == "" {
		return false
	}
	test, _, _ := strings.Cut(t.Name(), "/")
	return names(run.Value.String(), test)
}

// names reports whether pattern, as -run has it, names test.
func names(pattern, test string) bool {
	return slices.ContainsFunc(firstElements(pattern), func(element string) bool {
		re, err := regexp.Compile(element)
		if err != nil {
			return false // go test has said so already
		}
		for _, anyName := range []string{"Test", "TestBdfhj", "TestZyxwv"} {
			if re.MatchString(anyName) {
				return false
			}
		}
		return re.MatchString(test)
	})
}

// firstElements are the parts of a -run pattern that a test's own name has to
// match one of. go test takes it apart at each bar outside of brackets, and each
// part at its slashes, of which the rest is for subtests.
func firstElements(pattern string) []string {
	var elements []string
	for _, alternative := range splitOutside(pattern, '|') {
		elements = append(elements, splitOutside(alternative, '/')[0])
	}
	return elements
}

// splitOutside splits a regular expression at a mark that stands outside of
// brackets and behind no backslash.
func splitOutside(pattern string, mark byte) []string {
	var parts []string
	class, group, start := 0, 0, 0
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case c == '[':
			class++
		case c == ']':
			class = max(0, class-1) // one without a partner is legal
		case class > 0: // all else in a class stands for itself
		case c == '(':
			group++
		case c == ')':
			group--
		case c == mark && group == 0:
			parts = append(parts, pattern[start:i])
			start = i + 1
		}
	}
	return append(parts, pattern[start:])
}

// folder is the folder whose tests are running, from the root. go test runs them
// there.
func folder() string {
	wd, err := os.Getwd()
	if err != nil {
		return "..."
	}
	for root := wd; root != filepath.Dir(root); root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			return strings.TrimPrefix(filepath.ToSlash(wd[len(root):]), "/")
		}
	}
	return "..."
}
