package workshop

import (
	"context"
	"fmt"
	"testing"

	"github.com/redis/go-redis/v9"

	"lockstep/faults"
	"lockstep/hazards"
	"lockstep/stages"
)

// Entry is a learner's lock, handed in for an exercise.
type Entry struct {
	Exercise Exercise

	// New makes a lock for a flow of control.
	New func(stages.Flow) (stages.Lock, error)

	// ErrNotHeld is the error of an Unlock that had nothing to unlock; nil in
	// the exercises before it is asked for.
	ErrNotHeld error

	// Sell sells one item of a stock under a held lock, and ErrStale is how it
	// refuses; nil in the exercises whose shop takes every write.
	Sell     func(ctx context.Context, lock stages.Lock, rdb *redis.Client, stock string) (left int, err error)
	ErrStale error
}

// Survives insists that a hazard, or a promise, leaves the lock whole. If it does
// not, the test shows the timeline; with -v it does so anyway.
func (e Entry) Survives(t *testing.T, h hazards.Hazard) {
	t.Helper()
	e.passes(t, h.Name)
}

// SurvivesSearch insists that no schedule breaks the lock, of those that the
// exercise has searched.
func (e Entry) SurvivesSearch(t *testing.T) {
	t.Helper()
	e.passes(t, schedulesName)
}

func (e Entry) passes(t *testing.T, name string) {
	t.Helper()
	for _, c := range e.Exercise.Checks() {
		if c.Name != name {
			continue
		}
		if !e.Exercise.Playable() {
			t.Skipf("%s is for the embedded server: a real one carries no subscriptions here; unset %s", e.Exercise.Name, faults.ServerEnv)
		}
		begun()
		defer guard(name)()
		r := e.Examine(c)
		if !r.OK || r.Timeline != nil {
			say(t, "\n%s\n", c.Report(r))
		}
		if !r.OK {
			t.Fail()
		} else if seal != "" {
			say(t, "\n%s\n", Sealed(seal, name))
		}
		return
	}
	t.Fatalf("%s asks for no %s", e.Exercise.Name, name)
}

// Examine runs a check on the lock.
func (e Entry) Examine(c Check) Result { return c.examine(e.rehearsed()) }

// say prints to the test's output as it stands, without a file and a line.
func say(t *testing.T, format string, args ...any) {
	t.Helper()
	if _, err := fmt.Fprintf(t.Output(), format, args...); err != nil {
		t.Fatal(err)
	}
}
