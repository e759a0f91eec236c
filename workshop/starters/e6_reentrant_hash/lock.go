// Package reentrant is your lock for the exercise e6_reentrant_hash. README.md tells what to
// build, and lock_test.go has a line for each check.
package reentrant

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// retryEvery is how long a waiter sleeps between two tries.
const retryEvery = 20 * time.Millisecond

// releaseIfOwner answers with the number of keys it deleted: 1, or 0 when the
// lock is free or somebody else's. No other command runs between its lines.
//
// Your turn: with an owner who is inside more than once, this is no longer what
// an Unlock means.
var releaseIfOwner = redis.NewScript(`
-- releaseIfOwner: delete the lock if it is still its owner's.
-- KEYS[1] the lock   ARGV[1] the owner's token
if redis.call('GET', KEYS[1]) == ARGV[1] then
	return redis.call('DEL', KEYS[1])
end
return 0
`)

// Errors of New, and of Unlock.
var (
	// ErrNoClient means that New got no Redis client.
	ErrNoClient = errors.New("lock: no Redis client")
	// ErrNoKey means that New got an empty key.
	ErrNoKey = errors.New("lock: empty key")
	// ErrNoOwner means that New got an empty owner.
	ErrNoOwner = errors.New("lock: empty owner")
	// ErrLease means that New got a lease that Redis can't keep.
	ErrLease = errors.New("lock: the lease must be whole milliseconds, at least one")
	// ErrNotHeld means that Unlock found the lock free or somebody else's.
	ErrNotHeld = errors.New("lock: not held")
)

// Lock is one flow of control's handle on a lock. It is not for sharing: make
// one for each request, they cost nothing.
type Lock struct {
	rdb   *redis.Client
	key   string
	token string
	lease time.Duration
}

// New returns a handle on the lock that key names, for owner: one flow of
// control, and no other in any process. Redis drops the lock by itself when the
// lease ends. Nothing is sent yet. The error is ErrNoClient, ErrNoKey or
// ErrLease.
//
// Your turn: nobody looks at owner yet. All handles of one owner are to enter
// the lock together. Refuse an empty one with ErrNoOwner (TestEmptyOwner).
func New(rdb *redis.Client, key, owner string, lease time.Duration) (*Lock, error) {
	switch {
	case rdb == nil:
		return nil, ErrNoClient
	case key == "":
		return nil, ErrNoKey
	case lease < time.Millisecond || lease%time.Millisecond != 0:
		return nil, fmt.Errorf("%w: got %v", ErrLease, lease)
	}
	return &Lock{rdb: rdb, key: key, token: rand.Text(), lease: lease}, nil
}

// TryLock takes the lock if it is free and reports whether it did. It does not
// wait. After an error it is not known whether the lock was taken; if it was,
// it ends with its lease.
//
// Your turn: the owner who is inside gets in once more (TestReentry), and has
// the whole lease again (TestInnerLease). It is inside when the entry reaches
// Redis, and not only when it asks (TestLateEntry).
func (l *Lock) TryLock(ctx context.Context) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, fmt.Errorf("acquire %s: %w", l.key, err)
	}
	ok, err := l.rdb.SetNX(ctx, l.key, l.token, l.lease).Result()
	if err != nil {
		return false, fmt.Errorf("acquire %s: %w", l.key, err)
	}
	return ok, nil
}

// Lock takes the lock, and waits for it as long as ctx lasts. It returns the
// error of ctx when that ends between two tries, and any error of TryLock at
// once.
func (l *Lock) Lock(ctx context.Context) error {
	for {
		ok, err := l.TryLock(ctx)
		if err != nil || ok {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("acquire %s: %w", l.key, ctx.Err())
		case <-time.After(retryEvery):
		}
	}
}

// Unlock frees the lock if it is this handle's, and returns ErrNotHeld if it is
// not, or is no more.
//
// Your turn: the last of as many calls as there were entries frees the lock, and
// one more is refused (TestInnerUnlock, TestAllUnlocked). Those before it leave
// the lease as it is (TestLeaseCutShort), and one that comes late leaves another's
// lock alone (TestLateExit).
func (l *Lock) Unlock(ctx context.Context) error {
	deleted, err := releaseIfOwner.Run(ctx, l.rdb, []string{l.key}, l.token).Int()
	if err != nil {
		return fmt.Errorf("release %s: %w", l.key, err)
	}
	if deleted == 0 {
		return fmt.Errorf("release %s: %w", l.key, ErrNotHeld)
	}
	return nil
}
