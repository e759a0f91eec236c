package main

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"lockstep"
	"lockstep/hazards"
	"lockstep/stages"
)

// lesson is a line of a stage's lock_test.go: a hazard, a version that it breaks,
// and one that it leaves whole.
type lesson struct {
	folder, test  string
	hazard        hazards.Hazard
	breaks, holds stages.Stage
}

var lessonLine = regexp.MustCompile(
	`func Test(\w+)\(t \*testing\.T\)\s*{\s*hazards\.(\w+)\.Lesson\(t, stages\.(\w+), stages\.(\w+)\)`)

// lessons reads the lessons where they are written down, so that a command to
// run one is true. They come in the order of the stages.
func lessons() ([]lesson, error) {
	files, err := fs.Glob(lockstep.Sources, "*/lock_test.go")
	if err != nil {
		return nil, err
	}
	var all []lesson
	for _, file := range files {
		text, err := fs.ReadFile(lockstep.Sources, file)
		if err != nil {
			return nil, err
		}
		for _, m := range lessonLine.FindAllStringSubmatch(string(text), -1) {
			l := lesson{folder: path.Dir(file), test: m[1]}
			if l.hazard, err = findHazard(m[2]); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			l.breaks, l.holds = stageCalled(m[3]), stageCalled(m[4])
			all = append(all, l)
		}
	}
	return all, nil
}

// stageCalled is the stage in a variable of package stages, whose name its own
// begins with: V4, V5Watch, TwoCommands.
func stageCalled(variable string) stages.Stage {
	for _, s := range slices.Concat(stages.All(), stages.Drafts()) {
		if strings.HasPrefix(fold(s.Name), fold(variable)) {
			return s
		}
	}
	return stages.Stage{}
}

// lessonOf is the lesson of a hazard: the one that shows a stage, if it is given
// and there is one, or else the first. It is nil where there is none at all.
func lessonOf(h hazards.Hazard, stage string) (*lesson, error) {
	all, err := lessons()
	if err != nil {
		return nil, err
	}
	var found *lesson
	for _, l := range all {
		if l.hazard.Name != h.Name {
			continue
		}
		if l.breaks.Name == stage || l.holds.Name == stage {
			return &l, nil
		}
		if found == nil {
			found = &l
		}
	}
	return found, nil
}

// command runs the lesson.
func (l lesson) command() string { return fmt.Sprintf("go test ./%s -run %s", l.folder, l.test) }
