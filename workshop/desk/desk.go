// Package desk knows how far a learner is in the workshop, and keeps what
// they have done.
//
// How far somebody is comes from running their locks and from nothing else. A
// [Mark] is remembered with a fingerprint of all that it depends on: the
// learner's folder, the sources of this module, the program that gave it. If any
// of that changes, the exercise runs again. So a list of exercises is quick, a
// restart goes on where one was, and no flag says what isn't so.
//
// The memory is in exercises/.lockstep, which git ignores. It can be deleted at
// any time: all but the hints revealed, the exercises skipped, and the copies of
// what once passed or was reset, comes back by itself.
package desk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"lockstep/workshop"
	"lockstep/workshop/marking"
)

// Folder is where the exercises are, from the root of a checkout.
const Folder = "exercises"

// memory is where things are remembered, from the folder of the exercises. The go
// command and the watcher look into no folder whose name begins so.
const memory = ".lockstep"

// Desk is where a learner works: a checkout, with their locks and their progress
// in it.
type Desk struct {
	Root string

	// Examine runs the exercise whose files are in dir.
	Examine func(ctx context.Context, e workshop.Exercise, dir string) (marking.Mark, error)
}

// At finds the desk that dir is at: the checkout that it is the root of, or
// within. The error is marking.ErrNoCheckout, or says what is missing of one.
func At(dir string) (*Desk, error) {
	root, err := marking.Root(dir)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(root, Folder, "go.mod")); err != nil {
		return nil, fmt.Errorf("%s has no %s/go.mod; git checkout -- %s brings back what is lost", root, Folder, Folder)
	}
	return &Desk{Root: root, Examine: marking.Marker{Root: root}.Mark}, nil
}

// Exercises is the folder with the folders of the exercises.
func (d *Desk) Exercises() string { return filepath.Join(d.Root, Folder) }

// File is the path of a file of an exercise.
func (d *Desk) File(e workshop.Exercise, name string) string {
	return filepath.Join(d.Exercises(), e.Name, name)
}

// kept is the path of what is remembered of an exercise under a name.
func (d *Desk) kept(e workshop.Exercise, name string) string {
	return filepath.Join(d.Exercises(), memory, e.Name, name)
}

// ErrLost means that something of an exercise is not where it should be.
var ErrLost = errors.New("is not there")

// whole checks that all that an exercise needs is there.
func (d *Desk) whole(e workshop.Exercise) error {
	for _, name := range []string{"", "lock.go", "lock_test.go"} {
		path := filepath.Join(Folder, e.Name, name)
		_, err := os.Stat(filepath.Join(d.Root, path))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			back := "git checkout -- " + path + " brings it back"
			if name == "lock.go" { // which the program has itself
				back = "lockstep exercise reset " + e.Name + " brings the starter back"
			}
			return fmt.Errorf("%s %w; %s", path, ErrLost, back)
		case err != nil:
			return err
		}
	}
	return nil
}

// untouched reports whether the learner has written nothing yet.
func (d *Desk) untouched(e workshop.Exercise) bool {
	return marking.Marker{Root: d.Root}.Untouched(e, d.File(e, ""))
}

// given reports whether a file came with the exercise. All others are the
// learner's own.
func given(name string) bool {
	return name == "lock.go" || name == "lock_test.go" || name == "README.md"
}
