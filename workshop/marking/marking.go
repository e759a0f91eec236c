// Package marking runs the exercises of a learner and says what came of them.
//
// Whose code it is does not matter to the marker: each exercise is built and run
// by a go test of its own, in a process of its own, with a limit on its time and
// on what it prints (package workshop limits its memory). An exercise passes if
// each of its checks says so; a program that ends early, for whatever reason,
// has not passed the rest.
//
// The tests are the marker's. A submission's own test files are left out, and its
// other files take the place of the marker's by an overlay of go build; nothing
// is copied into the checkout.
package marking

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
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

// NotRun is the outcome of a check that did not come to its end.
const NotRun Outcome = "not run"

// Mark is what came of an exercise.
type Mark struct {
	Exercise string  `json:"exercise"`
	Outcome  Outcome `json:"outcome"`
	Checks   []Check `json:"checks,omitempty"` // in the exercise's order; none if it does not build

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

// Limits bound one exercise.
type Limits struct {
	Time   time.Duration // real, of the whole exercise, with what it takes to build it
	Check  time.Duration // real, of one check; zero for what package workshop finds enough
	Output int           // bytes that its tests may print
}

// DefaultLimits are enough for every lock that is not stuck, on a slow machine.
var DefaultLimits = Limits{Time: 2 * time.Minute, Output: 16 << 20}

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

// Marker marks exercises by the tests of a checkout.
type Marker struct {
	Root   string
	Limits Limits // DefaultLimits if zero
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
	files, err := read(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Mark{Exercise: e.Name, Outcome: Missing, Said: fmt.Sprintf("there is no %s", dir)}, nil
	case errors.Is(err, errUnfit):
		return Mark{Exercise: e.Name, Outcome: DoesNotBuild, Said: err.Error()}, nil
	case err != nil:
		return Mark{}, err
	}
	if borrowed := files.borrowed(); borrowed != "" {
		return Mark{Exercise: e.Name, Outcome: Fails, Said: borrowed}, nil
	}
	overlay, remove, err := m.overlay(e, files)
	if err != nil {
		return Mark{}, err
	}
	defer remove()
	r, err := m.test(ctx, e, overlay)
	if err != nil {
		return Mark{}, err
	}
	return r.mark(e), nil
}
