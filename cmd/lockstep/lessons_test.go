package main

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"lockstep"
	"lockstep/hazards"
	"lockstep/stages"
)

// No lesson is left out, however it is written, and each shows what it says.
func TestLessons(t *testing.T) {
	t.Parallel()
	all, err := lessons()
	if err != nil {
		t.Fatal(err)
	}
	files, err := fs.Glob(lockstep.Sources, "*/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	written := 0
	for _, file := range files {
		text, err := fs.ReadFile(lockstep.Sources, file)
		if err != nil {
			t.Fatal(err)
		}
		written += strings.Count(string(text), ".Lesson(")
	}
	if len(all) != written || written == 0 {
		t.Errorf("%d lessons are written down, and %d were read", written, len(all))
	}
	for _, l := range all {
		if l.hazard.Expected(l.breaks).Outcome != hazards.Breaks || l.hazard.Expected(l.holds).Outcome != hazards.Holds {
			t.Errorf("%s shows other than what breaks and what holds", l.command())
		}
	}
}

// Every hazard has a lesson, but for the one that no stage repairs.
func TestEveryHazardHasALesson(t *testing.T) {
	t.Parallel()
	var without []string
	for _, h := range hazards.All() {
		l, err := lessonOf(h, "")
		if err != nil {
			t.Fatal(err)
		}
		if l == nil {
			without = append(without, h.Name)
		}
	}
	if !slices.Equal(without, []string{hazards.StopTheWorld.Name}) {
		t.Errorf("without a lesson: %v", without)
	}
}

// A variable of package stages is found by its name.
func TestStageCalled(t *testing.T) {
	t.Parallel()
	for variable, want := range map[string]stages.Stage{
		"V3": stages.V3, "V5": stages.V5, "V5Watch": stages.V5Watch,
		"TwoCommands": stages.TwoCommands, "TwoCommandsPatched": stages.TwoCommandsPatched, "ThreadID": stages.ThreadID,
	} {
		if got := stageCalled(variable); got.Name != want.Name {
			t.Errorf("%s: got %q, want %s", variable, got.Name, want)
		}
	}
}
