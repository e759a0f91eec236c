package wrong

import (
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"lockstep/workshop"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(800) // worlds live for a millisecond
	os.Exit(m.Run())
}

// Each wrong lock is failed by the exercise it belongs to, at the check that its
// mistake is about, in words that speak of it.
func TestWrongLocksAreCaught(t *testing.T) {
	for _, lock := range All() {
		t.Run(lock.Exercise.Name+"/"+lock.Name, func(t *testing.T) {
			t.Parallel()
			r := examine(t, lock, lock.Check)
			if r.OK {
				t.Fatalf("%s: %s lets it pass.\n\n%s", lock.Mistake, lock.Check, r)
			}
			if !strings.Contains(r.String(), lock.Says) {
				t.Errorf("%s\n%s should say %q:\n\n%s", lock.Mistake, lock.Check, lock.Says, r)
			}
			t.Logf("%s\n\n%s: %s\n\n%s", lock.Mistake, lock.Check, story(lock), r)
		})
	}
}

func story(lock Lock) string {
	for _, c := range lock.Exercise.Checks() {
		if c.Name == lock.Check {
			return c.Story
		}
	}
	return ""
}

// examine runs one check on a wrong lock.
func examine(t *testing.T, lock Lock, check string) workshop.Result {
	t.Helper()
	for _, c := range lock.Exercise.Checks() {
		if c.Name == check {
			return lock.Entry().Examine(c)
		}
	}
	t.Fatalf("%s does not ask for %s", lock.Exercise.Name, check)
	return workshop.Result{}
}
