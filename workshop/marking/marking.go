// Package marking runs the exercises of a learner and says what came of them.
//
// What a learner's code does, the marker goes on, and has a mark for it. Each
// exercise runs in a process of its own, which package workshop watches from
// inside: an endless loop, or memory without end, ends with the place where it
// is. From outside there is a limit on the time of all, and on what each prints.
//
// An exercise passes if each of its checks has said so, under a seal that only
// the marker and package workshop know. A program that ends early, for whatever
// reason, has not passed the rest.
//
// The tests are the marker's. A submission's own test files are left out, and its
// other files take the place of the marker's by an overlay of go build; nothing
// is copied into the checkout.
//
// None of this is a jail. The code runs with the rights of whoever marks it, and
// can read and write what they can.
package marking

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"lockstep/workshop"
)

// Outcome is what came of an exercise or of a check.
type Outcome string

// The outcomes of an exercise.
const (
	Passes       Outcome = "passes"
	Fails        Outcome = "fails"
	DoesNotBuild Outcome = "does not build"
	GaveUp       Outcome = "gave up" // it ended early, or was ended: an endless loop, a crash, an exit
	Untouched    Outcome = "untouched"
	Missing      Outcome = "missing"
)

// NotRun is the outcome of a check that did not come to its end, and of an
// exercise when the marker was interrupted.
const NotRun Outcome = "not run"

// Mark is what came of an exercise.
type Mark struct {
	Exercise string  `json:"exercise"`
	Outcome  Outcome `json:"outcome"`
	Checks   []Check `json:"checks,omitempty"` // in the exercise's order; none if it was not run

	// Said is what the compiler said, or what ended the program.
	Said string `json:"said,omitempty"`
}

// Check is what came of one check.
type Check struct {
	Name    string  `json:"name"`
	Outcome Outcome `json:"outcome"`
	Said    string  `json:"said,omitempty"` // as the test printed it: the story, the timeline, what was lost
}

// First is the first check that did not pass.
func (m Mark) First() (Check, bool) {
	for _, c := range m.Checks {
		if c.Outcome != Passes {
			return c, true
		}
	}
	return Check{}, false
}

// Broken lists the checks that ran to their end and did not pass.
func (m Mark) Broken() []Check {
	return slices.DeleteFunc(slices.Clone(m.Checks), func(c Check) bool { return c.Outcome != Fails })
}

// Failing counts the checks that did not pass.
func (m Mark) Failing() int {
	n := 0
	for _, c := range m.Checks {
		if c.Outcome != Passes {
			n++
		}
	}
	return n
}

// Limits bound what is marked. Each is DefaultLimits' own if it is zero.
type Limits struct {
	Time   time.Duration // real, of all that is marked together, with what it takes to build it
	Check  time.Duration // real, of one check
	Output int           // bytes that an exercise may print
	AtOnce int           // programs that are built and run at the same time; as many as there are processors
}

// DefaultLimits are enough for every lock that is not stuck, on a slow machine.
var DefaultLimits = Limits{Time: 3 * time.Minute, Check: 10 * time.Second, Output: 16 << 20}

// ErrNoCheckout means that there is no checkout of Lockstep where one was looked
// for.
var ErrNoCheckout = errors.New("this is no checkout of Lockstep, where the exercises are")

var isRoot = regexp.MustCompile(`(?m)^module lockstep\s*$`)

// Root finds the root of the checkout that dir is in.
func Root(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		switch {
		case err == nil && isRoot.Match(text):
			return dir, nil
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return "", err
		case dir == filepath.Dir(dir):
			return "", ErrNoCheckout
		}
		dir = filepath.Dir(dir)
	}
}

// Folder finds the folder with the exercises in a submission: a clone of Lockstep
// has it within, and anything else is it. ok is false if no exercise is there.
func Folder(submission string) (dir string, ok bool) {
	for _, dir := range []string{filepath.Join(submission, "exercises"), submission} {
		for _, e := range workshop.All() {
			if info, err := os.Stat(filepath.Join(dir, e.Name)); err == nil && info.IsDir() {
				return dir, true
			}
		}
	}
	return "", false
}

// Marker marks exercises by the tests of a checkout.
type Marker struct {
	Root   string
	Limits Limits
}

// Untouched reports whether dir has the starter of an exercise, and nothing that
// the learner has written.
func (m Marker) Untouched(e workshop.Exercise, dir string) bool {
	files, err := read(dir)
	return err == nil && files.same(workshop.Starter(e.Name))
}

// Mark runs an exercise whose files are in dir. The error says that it could not
// be run; whatever the learner's code does is a mark.
func (m Marker) Mark(ctx context.Context, e workshop.Exercise, dir string) (Mark, error) {
	marks, err := m.mark(ctx, []workshop.Exercise{e}, func(workshop.Exercise) string { return dir })
	if err != nil {
		return Mark{}, err
	}
	return marks[0], nil
}

// MarkAll marks exercises whose folders are in dir, in the order given. They are
// built together, which is quicker than one after the other; what is untouched
// is not built. If ctx ends before them, the marks are those that there are, the
// others NotRun, and the error is that of ctx.
func (m Marker) MarkAll(ctx context.Context, all []workshop.Exercise, dir string) ([]Mark, error) {
	folder := func(e workshop.Exercise) string { return filepath.Join(dir, e.Name) }
	untouched := map[string]bool{}
	var begun []workshop.Exercise
	for _, e := range all {
		if untouched[e.Name] = m.Untouched(e, folder(e)); !untouched[e.Name] {
			begun = append(begun, e)
		}
	}
	marked, err := m.mark(ctx, begun, folder)
	marks := make([]Mark, 0, len(all))
	for _, e := range all {
		if untouched[e.Name] {
			marks = append(marks, Mark{Exercise: e.Name, Outcome: Untouched})
			continue
		}
		marks, marked = append(marks, marked[0]), marked[1:]
	}
	return marks, err
}

// mark marks exercises whose files are in the folders named: those that can't be
// run at once, and the others together. There is a mark for each, error or not.
func (m Marker) mark(ctx context.Context, all []workshop.Exercise, folder func(workshop.Exercise) string) ([]Mark, error) {
	marks := make([]Mark, len(all))
	fit := map[string]files{}
	for i, e := range all {
		files, err := read(folder(e))
		borrowed := files.borrowed()
		marks[i] = Mark{Exercise: e.Name, Outcome: NotRun}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			marks[i].Outcome, marks[i].Said = Missing, fmt.Sprintf("there is no %s", folder(e))
		case err != nil:
			marks[i].Outcome, marks[i].Said = DoesNotBuild, err.Error()
		case borrowed != "":
			marks[i].Outcome, marks[i].Said = Fails, borrowed
		default:
			fit[e.Name] = files
		}
	}
	results, err := m.test(ctx, fit)
	for i, e := range all {
		if r := results[e.Name]; r != nil {
			marks[i] = r.mark(e)
		}
	}
	return marks, err
}
