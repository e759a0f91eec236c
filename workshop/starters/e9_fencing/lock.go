// Package fencing is your lock and your shop for the exercise e9_fencing.
// README.md tells what to build, and lock_test.go has a line for each check.
package fencing

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
var releaseIfOwner = redis.NewScript(`
-- releaseIfOwner: delete the lock if it is still its owner's.
-- KEYS[1] the lock   ARGV[1] the owner
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
	owner string
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
	return &Lock{rdb: rdb, key: key, owner: rand.Text(), lease: lease}, nil
}

// TryLock takes the lock if it is free and reports whether it did. It does not
// wait. After an error it is not known whether the lock was taken; if it was,
// it ends with its lease.
func (l *Lock) TryLock(ctx context.Context) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, fmt.Errorf("acquire %s: %w", l.key, err)
	}
	ok, err := l.rdb.SetNX(ctx, l.key, l.owner, l.lease).Result()
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
func (l *Lock) Unlock(ctx context.Context) error {
	deleted, err := releaseIfOwner.Run(ctx, l.rdb, []string{l.key}, l.owner).Int()
	if err != nil {
		return fmt.Errorf("release %s: %w", l.key, err)
	}
	if deleted == 0 {
		return fmt.Errorf("release %s: %w", l.key, ErrNotHeld)
	}
	return nil
}

// Token is the number of this handle's current hold, or of its last one.
//
// Your turn: it is higher than that of every hold before it, whoever had it
// (TestTokenGrows, TestTokenInOrder), and on whichever server
// (TestTokenIsShared).
func (l *Lock) Token() int64 { return 0 }

// Errors of a shop.
var (
	// ErrSoldOut means that no stock is left.
	ErrSoldOut = errors.New("shop: sold out")
	// ErrStale means that a later holder has sold already.
	ErrStale = errors.New("shop: a later holder has sold already")
)

// Shop sells one item, whose stock is in Redis. It is what the lock protects.
type Shop struct {
	rdb   *redis.Client
	stock string
}

// NewShop returns the shop whose stock a key has.
func NewShop(rdb *redis.Client, stock string) *Shop {
	return &Shop{rdb: rdb, stock: stock}
}

// Sell sells one item for the holder whose hold has token, and returns how many
// are left. The error is ErrSoldOut, or comes from Redis.
//
// Your turn: the shop takes whatever comes. Refuse whom a later holder has
// overtaken, with ErrStale (TestStopTheWorld, TestStaleSale, TestHalfSale,
// TestTenthHold), and nobody else (TestSecondSale).
func (s *Shop) Sell(ctx context.Context, token int64) (left int, err error) {
	left, err = s.rdb.Get(ctx, s.stock).Int()
	if err != nil {
		return 0, fmt.Errorf("sell %s: %w", s.stock, err)
	}
	if left <= 0 {
		return 0, fmt.Errorf("sell %s: %w", s.stock, ErrSoldOut)
	}
	left--
	if err := s.rdb.Set(ctx, s.stock, left, 0).Err(); err != nil {
		return 0, fmt.Errorf("sell %s: %w", s.stock, err)
	}
	return left, nil
}
