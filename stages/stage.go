// Package stages lists the versions of the lock in order, with what each adds
// and how to make one, behind one small interface: the seven stages, the mutex
// that comes before them, and the drafts, which are wrong turns on the way.
//
// A new stage or draft is an entry here; hazards, matrix and command find it by
// that.
package stages

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Lock is what all versions have in common.
type Lock interface {
	// TryLock takes the lock if it can at once, and reports whether it did.
	TryLock(ctx context.Context) (bool, error)

	// Lock takes the lock, and waits for it as long as ctx lasts.
	Lock(ctx context.Context) error

	// Unlock gives the lock back.
	Unlock(ctx context.Context) error
}

// Flow is a flow of control that wants a lock: a request that a service handles.
type Flow struct {
	Redis  *redis.Client // of its service
	Key    string
	Lease  time.Duration // for versions that have one
	Thread int           // its number within its service, from 1
	Owner  string        // of its locks, for versions that its owner may enter again; if empty, each has one of its own

	NoOwner bool // New is to get an empty owner, and to refuse it
}

// Stage is one version of the lock: a stage, the mutex before them, or a draft.
type Stage struct {
	Name string // the folder of a stage: v4_owner
	Adds string // in a few words

	// New makes a lock for a flow.
	New func(Flow) (Lock, error)

	// PerService means that a service makes one lock for all its flows.
	PerService bool

	// Lease means that the lock ends by itself when its lease does.
	Lease bool

	// Listens means that its waiters listen for a call: it needs a server that
	// carries messages, as the embedded one does here and a real one does not.
	Listens bool

	// The commands that take the lock, free it and renew it, as a fault names
	// them: the first words of the command, or the name of the script. Empty
	// where the version sends none. Release is the last step of an Unlock.
	Acquire, Release, Renew string

	// Rests means that nothing of a hold goes on after the release that frees the
	// lock. A search has fewer states to tell apart then.
	Rests bool

	// NotHeld is the error of an Unlock that had nothing to unlock; nil where it
	// can't know.
	NotHeld error

	// Do is how callers of this version bracket their business, if they don't
	// do it as [Do] does.
	Do func(ctx context.Context, lock Lock, business Business) (answer string, err error)

	// Sell sells one item of a stock under a held lock, and returns how many are
	// left, for versions whose shop looks at who sells; nil where it takes every
	// write. It refuses with Stale. Write is the command that writes the stock, as a
	// fault names it.
	Sell  func(ctx context.Context, lock Lock, rdb *redis.Client, stock string) (left int, err error)
	Stale error
	Write string

	// Draft names the source that takes this wrong turn; empty for a stage.
	Draft string

	// Like is the stage that a draft does as well as, but for its own mistake. Those
	// that renew leave more of v7 out, to be small; the rows of the hazards say what.
	Like string
}

// String is the stage's name.
func (s Stage) String() string { return s.Name }

// Business is what a caller does while it holds the lock. The answer is what the
// customer gets to see.
type Business = func(ctx context.Context) (answer string, err error)

// Do does business under lock, as every caller should: the unlock is deferred,
// so that neither an error nor a panic leaves the lock behind. It returns the
// errors of lock, business and unlock.
func Do(ctx context.Context, lock Lock, business Business) (answer string, err error) {
	if err := lock.Lock(ctx); err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, lock.Unlock(ctx)) }()
	return business(ctx)
}

// Bracket does business under lock as callers of this version do.
func (s Stage) Bracket(ctx context.Context, lock Lock, business Business) (string, error) {
	if s.Do != nil {
		return s.Do(ctx, lock, business)
	}
	return Do(ctx, lock, business)
}
