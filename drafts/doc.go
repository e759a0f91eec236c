// Package drafts keeps the wrong turns that the source articles take on the way
// to a good lock. Each is as small as its mistake, and each is beaten by a
// hazard, whose name stands in its comment beside the stage that puts it right.
//
// Nothing here is for use. What the drafts have in common, and what is not the
// mistake, is in the two files string.go and hash.go.
package drafts

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// retryEvery is how long a waiter sleeps between two tries.
const retryEvery = 20 * time.Millisecond

// ErrNotHeld means that Unlock found the lock free or somebody else's.
var ErrNotHeld = errors.New("lock: not held")

// Business is what a caller does while it holds a lock. The answer is what the
// customer gets to see.
type Business = func(ctx context.Context) (answer string, err error)

// locker is a lock as its callers see it.
type locker interface {
	TryLock(ctx context.Context) (bool, error)
	Lock(ctx context.Context) error
	Unlock(ctx context.Context) error
}

// poll tries until it gets the lock, an error, or the end of ctx.
func poll(ctx context.Context, key string, try func(context.Context) (bool, error)) error {
	for {
		ok, err := try(ctx)
		if err != nil || ok {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("acquire %s: %w", key, ctx.Err())
		case <-time.After(retryEvery):
		}
	}
}
