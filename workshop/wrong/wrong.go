package wrong

import (
	"slices"

	"lockstep/stages"
	"lockstep/workshop"
)

// Lock is a wrong lock.
type Lock struct {
	Name    string // what people call the mistake
	Mistake string // what it is, and where one meets it

	Exercise workshop.Exercise // the first that should catch it
	Check    string            // that must fail there
	Says     string            // part of what that must say

	New func(stages.Flow) (stages.Lock, error)
}

// String is the lock's name.
func (l Lock) String() string { return l.Name }

// Entry is the lock, handed in for an exercise.
func (l Lock) Entry() workshop.Entry {
	return workshop.Entry{Exercise: l.Exercise, New: l.New, ErrNotHeld: errNotHeld}
}

// All lists the wrong locks, in the order of the exercises. Some keep something
// outside of their handles; each list has its own.
func All() []Lock {
	return slices.Concat(notInRedis(), acquiring(), waiting(), unlocking(), leases(), owners(), scripts(), reentry(), renewals(), waking())
}
