package wakeup

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// lookEvery is how often a waiter looks at a lock that has no lease: somebody
// else's key, or a mistake.
const lookEvery = time.Second

// What Redis answers to PTTL, as go-redis passes it on.
const (
	isFree  = -2
	noLease = -1
)

// releaseAndWake answers with the number of keys it deleted: 1, or 0 when the
// lock is free or somebody else's.
var releaseAndWake = redis.NewScript(`
-- releaseAndWake: delete the lock if it is still its owner's, and tell who waits.
-- KEYS[1] the lock   ARGV[1] the owner's token   ARGV[2] the waiters' channel
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
	return 0
end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', ARGV[2], 'free')
return 1
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
// error of ctx when that ends, and any error of Redis at once.
//
// A waiter holds a connection of its own while it waits.
func (l *Lock) Lock(ctx context.Context) error {
	ok, err := l.TryLock(ctx)
	if err != nil || ok {
		return err
	}
	calls := l.rdb.Subscribe(ctx, l.channel())
	defer func() { _ = calls.Close() }() // what it could not send, the server learns from the end of the connection
	if _, err := calls.Receive(ctx); err != nil {
		return fmt.Errorf("wait for %s: %w", l.key, err)
	}
	// From here on no call is missed. The lock may have come free before, so the
	// first thing to do is to try again.
	for {
		ok, err := l.TryLock(ctx)
		if err != nil || ok {
			return err
		}
		left, err := l.left(ctx)
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("acquire %s: %w", l.key, ctx.Err())
		case <-calls.Channel():
		case <-time.After(left): // a dead holder calls nobody
		}
	}
}

// left is how long the lock may stay, if nobody unlocks it.
func (l *Lock) left(ctx context.Context) (time.Duration, error) {
	left, err := l.rdb.PTTL(ctx, l.key).Result()
	switch {
	case err != nil:
		return 0, fmt.Errorf("wait for %s: %w", l.key, err)
	case left == isFree:
		return 0, nil
	case left == noLease:
		return lookEvery, nil
	}
	return left, nil
}

// channel is where the waiters of this lock listen.
func (l *Lock) channel() string { return l.key + ":free" }

// Unlock frees the lock if it is this handle's, and wakes who waits for it. It
// returns ErrNotHeld if the lock is not this handle's, or is no more.
func (l *Lock) Unlock(ctx context.Context) error {
	deleted, err := releaseAndWake.Run(ctx, l.rdb, []string{l.key}, l.token, l.channel()).Int()
	if err != nil {
		return fmt.Errorf("release %s: %w", l.key, err)
	}
	if deleted == 0 {
		return fmt.Errorf("release %s: %w", l.key, ErrNotHeld)
	}
	return nil
}
