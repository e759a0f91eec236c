package hazards

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"lockstep/stages"
)

// allEnv is the environment variable that has the tests play each lesson more often.
const allEnv = "LOCKSTEP_TEST_ALL"

// times is how often a lesson is played: usually few times.
func times(few, many int) int {
	if os.Getenv(allEnv) != "" {
		return many
	}
	return few
}

// A lesson gives the same timeline each time, however busy the machine is.
func TestLessonsAreStable(t *testing.T) {
	times := times(5, 200)
	for _, l := range lessons(t) {
		t.Run(l.hazard.Name+"/"+l.stage.Name, func(t *testing.T) {
			t.Parallel()
			first := ""
			for range times {
				r, err := l.hazard.Run(l.stage)
				if err != nil {
					t.Fatalf("%v\n\n%s", err, r.Timeline)
				}
				switch got := r.Timeline.String(); {
				case first == "":
					first = got
				case got != first:
					t.Fatalf("one run:\n\n%s\nanother:\n\n%s", first, got)
				}
			}
		})
	}
}

// It is the same on one processor, on two and on eight. This is no parallel test:
// how many there are is a matter of the whole program.
func TestLessonsAreStableOnAnyMachine(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	times := times(1, 3)
	for _, l := range lessons(t) {
		first := ""
		for _, processors := range []int{1, 2, 8} {
			runtime.GOMAXPROCS(processors)
			for range times {
				r, err := l.hazard.Run(l.stage)
				if err != nil {
					t.Fatalf("%v\n\n%s", err, r.Timeline)
				}
				if got := r.Timeline.String(); first == "" {
					first = got
				} else if got != first {
					t.Fatalf("%s on %s, on %d processors:\n\n%s\nand before:\n\n%s", l.hazard.Name, l.stage, processors, got, first)
				}
			}
		}
	}
}

// half is one half of a lesson.
type half struct {
	hazard Hazard
	stage  stages.Stage
}

var lessonCall = regexp.MustCompile(`hazards\.(\w+)\.Lesson\(t, stages\.(\w+), stages\.(\w+)\)`)

// lessons lists the halves of all lessons, as the stages' tests have them.
func lessons(t *testing.T) []half {
	t.Helper()
	files, err := filepath.Glob("../v[0-9]_*/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var all []half
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range lessonCall.FindAllStringSubmatch(string(source), -1) {
			h := hazardNamed(t, call[1])
			for _, variable := range call[2:] {
				l := half{h, stageOf(t, variable)}
				if !slices.ContainsFunc(all, func(o half) bool { return o.hazard.Name == h.Name && o.stage.Name == l.stage.Name }) {
					all = append(all, l)
				}
			}
		}
	}
	return all
}

func hazardNamed(t *testing.T, name string) Hazard {
	t.Helper()
	for _, h := range All() {
		if h.Name == name {
			return h
		}
	}
	t.Fatalf("All does not list the hazard %s", name)
	return Hazard{}
}

var capital = regexp.MustCompile(`\B[A-Z]+`)

// stageOf finds a stage by its variable: V4 is v4_owner, and NoCount no_count.
func stageOf(t *testing.T, variable string) stages.Stage {
	t.Helper()
	snake := strings.ToLower(capital.ReplaceAllString(variable, "_$0"))
	for _, s := range slices.Concat(stages.All(), stages.Drafts()) {
		short, _, _ := strings.Cut(s.Name, "_")
		if s.Name == snake || short == snake || variable == "V5Watch" && s.Name == stages.V5Watch.Name {
			return s
		}
	}
	t.Fatalf("no stage is called %s", variable)
	return stages.Stage{}
}

// Every hazard is taught.
func TestEveryHazardHasALesson(t *testing.T) {
	taught := lessons(t)
	for _, h := range All() {
		if h.Name == StopTheWorld.Name {
			continue // no stage holds yet
		}
		if !slices.ContainsFunc(taught, func(l half) bool { return l.hazard.Name == h.Name }) {
			t.Errorf("no stage's test has a lesson on %s", h.Name)
		}
	}
}

// -run matches parts of names, so no hazard's name may be part of another's.
func TestNamesCanBeToldApart(t *testing.T) {
	for _, a := range All() {
		for _, b := range All() {
			if a.Name != b.Name && strings.Contains(a.Name, b.Name) {
				t.Errorf("-run %s runs %s too", b.Name, a.Name)
			}
		}
	}
}

// A table that says something about a stage that does not exist is out of date.
func TestTableNamesStages(t *testing.T) {
	var known []string
	for _, s := range append(slices.Concat(stages.All(), stages.Drafts()), stages.Fenced) {
		short, _, _ := strings.Cut(s.Name, "_")
		known = append(known, s.Name, short)
	}
	for _, h := range All() {
		for _, row := range h.Expect {
			for _, on := range row.On {
				if !slices.Contains(known, on) {
					t.Errorf("%s expects something of %q, which is no stage", h.Name, on)
				}
			}
		}
	}
}
