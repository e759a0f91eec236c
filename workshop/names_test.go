package workshop

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lockstep/hazards"
)

// -run matches parts of names, so no check's name may be part of another's, nor
// of a hazard's.
func TestNamesCanBeToldApart(t *testing.T) {
	t.Parallel()
	var names []string
	for _, h := range hazards.All() {
		names = append(names, h.Name)
	}
	for _, e := range All() {
		names = append(names, checksOf(e)...)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for _, a := range names {
		for _, b := range names {
			if a != b && strings.Contains(a, b) {
				t.Errorf("-run %s runs %s too", b, a)
			}
		}
	}
}

var asked = regexp.MustCompile(`(?m)^func Test(\w+)\(t \*testing\.T\) +\{ mine\.(?:Survives\(t, (?:hazards|workshop)\.(\w+)|(SurvivesSearch)\(t)\) \}$`)

// An exercise's test has a line for each of its checks, and no other.
func TestExercisesAskForEachCheck(t *testing.T) {
	t.Parallel()
	for _, e := range All() {
		source, err := os.ReadFile(filepath.Join("..", "exercises", e.Name, "lock_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		var has []string
		for _, line := range asked.FindAllStringSubmatch(string(source), -1) {
			has = append(has, line[1])
			if line[3] == "" && line[1] != line[2] {
				t.Errorf("%s: Test%s asks for %s", e.Name, line[1], line[2])
			}
		}
		if tests := strings.Count(string(source), "\nfunc Test"); tests != len(has) {
			t.Errorf("%s has %d tests, and %d lines that ask for a check", e.Name, tests, len(has))
		}
		wants := checksOf(e)
		for _, name := range wants {
			if !slices.Contains(has, name) {
				t.Errorf("exercises/%s/lock_test.go has no line for %s, which its stage survives: add one", e.Name, name)
			}
		}
		for _, name := range has {
			if !slices.Contains(wants, name) {
				t.Errorf("%s has a line for %s, which is not asked there", e.Name, name)
			}
		}
	}
}

// checksOf names an exercise's checks.
func checksOf(e Exercise) []string {
	var names []string
	for _, c := range e.Checks() {
		names = append(names, c.Name)
	}
	return names
}
