package workshop_test

import (
	"testing"

	"lockstep/workshop"
	"lockstep/workshop/starters"
)

// A learner begins with what the exercise is about: the starter fails its first
// check.
func TestStartersFail(t *testing.T) {
	entries := starters.Entries()
	if len(entries) != len(workshop.All()) {
		t.Fatalf("%d starters for %d exercises", len(entries), len(workshop.All()))
	}
	for i, e := range workshop.All() {
		if entries[i].Exercise.Name != e.Name {
			t.Fatalf("the starter of %s is in the place of %s", entries[i].Exercise.Name, e.Name)
		}
		if r := entries[i].Examine(e.Checks()[0]); r.OK || r.Timeline == nil || r.Timeline.Verdict == "" {
			t.Errorf("%s shows nothing at first:\n%s", e.Name, r)
		}
	}
}
