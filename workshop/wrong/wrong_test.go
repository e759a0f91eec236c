package wrong

import (
	"os"
	"slices"
	"strings"
	"testing"

	"lockstep/faults"
	"lockstep/workshop"
)

// Each wrong lock is failed by the exercise it belongs to, at the check that its
// mistake is about, in words that speak of it. With -v the test shows what a
// learner gets to read.
func TestWrongLocksAreCaught(t *testing.T) {
	t.Parallel()
	locks := All()
	if os.Getenv(allEnv) == "" { // they take long; of each check and exercise the first is tried all the same
		seen := map[string]bool{}
		locks = slices.DeleteFunc(locks, func(lock Lock) bool {
			what := lock.Exercise.Name + lock.Check
			defer func() { seen[what] = true }()
			return seen[what]
		})
	}
	for _, lock := range locks {
		t.Run(lock.Exercise.Name+"/"+lock.Name, func(t *testing.T) {
			t.Parallel()
			if lock.Name == "the server's clock for an owner" && os.Getenv(faults.ServerEnv) != "" {
				t.Skip("the clock of a real server is not fake")
			}
			if !lock.Exercise.Playable() {
				t.Skip("a real server carries no subscriptions")
			}
			if raced && lock.Exercise.Name != workshop.E8.Name {
				t.Skip("these run on the engine that all others run on")
			}
			c := check(t, lock.Exercise, lock.Check)
			r := lock.Entry().Examine(c)
			if r.OK {
				t.Fatalf("%s\n%s lets it pass:\n\n%s", lock.Mistake, c.Name, r)
			}
			if !strings.Contains(r.String(), lock.Says) {
				t.Errorf("%s\n%s should say %q:\n\n%s", lock.Mistake, c.Name, lock.Says, r)
			}
			if testing.Verbose() {
				t.Logf("%s\n\n%s: %s\n\n%s", lock.Mistake, c.Name, c.Story, r)
			}
		})
	}
}

// A search does not wait for a lease of years to end.
func TestSearchWithALeaseOfYears(t *testing.T) {
	t.Parallel()
	for _, lock := range All() {
		if lock.Name == "a Duration to EX" {
			r := lock.Entry().Examine(check(t, lock.Exercise, "Schedules"))
			if !strings.Contains(r.String(), "nobody gets the lock any more") {
				t.Error(r)
			}
		}
	}
}

// A check that every wrong lock fails says nothing about its mistake: what a lock
// has right, it is not failed for.
func TestWrongLocksAreNotFailedForEverything(t *testing.T) {
	t.Parallel()
	if raced {
		t.Skip("these run on the engine that all others run on")
	}
	for _, lock := range All() {
		t.Run(lock.Exercise.Name+"/"+lock.Name, func(t *testing.T) {
			t.Parallel()
			quick := []string{"BadInput", "OtherKey", "FreeLock"}
			if !slices.ContainsFunc(quick, func(name string) bool {
				return lock.Entry().Examine(check(t, lock.Exercise, name)).OK
			}) {
				t.Errorf("it fails each of %v", quick)
			}
		})
	}
}

// A check that no wrong lock fails guards nothing.
func TestEveryCheckGuardsSomething(t *testing.T) {
	t.Parallel()
	fails := map[string]bool{}
	for _, lock := range All() {
		fails[lock.Check] = true
	}
	for _, e := range workshop.All() {
		for _, c := range e.Checks() {
			if e.Stage.Sell != nil && slices.ContainsFunc(e.Wins, func(w workshop.Check) bool { return w.Name == c.Name }) {
				continue // of a shop: workshop.TestWrongFences
			}
			if !fails[c.Name] {
				t.Errorf("%s asks for %s, and no wrong lock is caught by it: add one to a file of this package", e.Name, c.Name)
				fails[c.Name] = true // once is enough
			}
		}
	}
}

// The list can be read, and told apart.
func TestEachHasAName(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, lock := range All() {
		if lock.Name == "" || lock.Mistake == "" || lock.Says == "" {
			t.Errorf("%q says too little of itself", lock.Name)
		}
		if seen[lock.Name] {
			t.Errorf("two are called %q", lock.Name)
		}
		seen[lock.Name] = true
	}
	if len(seen) < 45 {
		t.Errorf("only %d wrong locks", len(seen))
	}
}

func check(t *testing.T, e workshop.Exercise, name string) workshop.Check {
	t.Helper()
	for _, c := range e.Checks() {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("%s does not ask for %s", e.Name, name)
	return workshop.Check{}
}
