// Package watchdog is your lock for the exercise e7_watchdog. README.md tells what to
// build, and lock_test.go has a line for each check.
package watchdog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// retryEvery is how long a waiter sleeps between two tries.
const retryEvery = 20 * time.Millisecond

// acquireOrReenter answers with entered, or with 0 when another owner holds it.
const entered = 1

var acquireOrReenter = redis.NewScript(`
-- acquireOrReenter: take the lock, or enter it once more as its owner.
-- KEYS[1] the lock   ARGV[1] the owner   ARGV[2] the lease in ms
if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then
	redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
	redis.call('PEXPIRE', KEYS[1], ARGV[2])
	return 1
end
return 0
`)

// releaseOnce answers with the entries that are left, or with notHeld.
const notHeld = -1

var releaseOnce = redis.NewScript(`
-- releaseOnce: leave the lock once; the last to leave frees it.
-- KEYS[1] the lock   ARGV[1] the owner
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
	return -1
end
local left = redis.call('HINCRBY', KEYS[1], ARGV[1], -1)
if left == 0 then
	redis.call('DEL', KEYS[1])
end
return left
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
	owner string
	lease time.Duration
	lost  chan struct{}
}

// New returns a handle on the lock that key names, for owner: one flow of
// control, and no other in any process. All handles of one owner enter the lock
// together. Redis drops the lock by itself when the lease ends. Nothing is sent
// yet. The error is ErrNoClient, ErrNoKey, ErrNoOwner or ErrLease.
func New(rdb *redis.Client, key, owner string, lease time.Duration) (*Lock, error) {
	switch {
	case rdb == nil:
		return nil, ErrNoClient
	case key == "":
		return nil, ErrNoKey
	case owner == "":
		return nil, ErrNoOwner
	case lease < time.Millisecond || lease%time.Millisecond != 0:
		return nil, fmt.Errorf("%w: got %v", ErrLease, lease)
	}
	return &Lock{rdb: rdb, key: key, owner: owner, lease: lease, lost: make(chan struct{})}, nil
}

// TryLock takes the lock if it is free, or enters it once more if it is the
// owner's already, and reports whether it did. Either renews the lease. It does
// not wait. After an error it is not known whether the lock was taken; if it
// was, it ends with its lease.
//
// Your turn: whoever is inside works as long as the work takes. Renew the lease
// meanwhile (TestExpiryMidBusiness), for those who are inside and for nobody else
// (TestWaiterRenewsNothing, TestNoRevival, TestLateRenewal), each entry no more
// than it needs (TestRenewalPiledUp), and try again what fails once
// (TestRenewalGivesUp).
// An entry that go-redis sends twice counts once (TestLostReply).
func (l *Lock) TryLock(ctx context.Context) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, fmt.Errorf("acquire %s: %w", l.key, err)
	}
	answer, err := acquireOrReenter.Run(ctx, l.rdb, []string{l.key}, l.owner, l.lease.Milliseconds()).Int()
	if err != nil {
		return false, fmt.Errorf("acquire %s: %w", l.key, err)
	}
	return answer == entered, nil
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

// Unlock leaves the lock once; the last of as many calls as there were entries
// frees it. It returns ErrNotHeld if the lock is not the owner's, or is no more.
// One call too many, on whichever of the owner's handles, is no error as long as
// the owner is inside: it takes away the entry of another, and may free the lock.
//
// Your turn: with the last one, the renewal is over (TestRenewalEnds). And it
// frees the lock when ctx is over already, as that of a deferred call often is
// (TestCancelledUnlock). Sent twice by go-redis, it counts once (TestRepeatedUnlock).
func (l *Lock) Unlock(ctx context.Context) error {
	left, err := releaseOnce.Run(ctx, l.rdb, []string{l.key}, l.owner).Int()
	if err != nil {
		return fmt.Errorf("release %s: %w", l.key, err)
	}
	if left == notHeld {
		return fmt.Errorf("release %s: %w", l.key, ErrNotHeld)
	}
	return nil
}

// Lost returns a channel that is closed when the lock is found to be gone before
// its last Unlock.
//
// Your turn: nobody closes it yet (TestToldOfLoss).
func (l *Lock) Lost() <-chan struct{} { return l.lost }
