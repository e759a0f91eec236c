// Package wakeup is your lock for the exercise e8_wakeup. README.md tells what to
// build, and lock_test.go has a line for each check.
package wakeup

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
// Your turn: who waits has to hear of it (TestWokenAtOnce), even if the holder is
// held up, or dies, halfway (TestHalfwayOut).
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

// New returns a handle on the lock that key names. Redis drops the lock by
// itself when the lease ends. Nothing is sent yet. The error is ErrNoClient,
// ErrNoKey or ErrLease.
func New(rdb *redis.Client, key string, lease time.Duration) (*Lock, error) {
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
//
// Your turn: it asks fifty times a second. It should lie down until it is called
// (TestSilentWait), and never sleep through a lock that is free, whether it came
// free before anybody listened (TestMissedCall) or without a word (TestSilentEnd).
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
