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

// acquireAndCount answers with the token of the hold that begins, or with taken.
const taken = 0

var acquireAndCount = redis.NewScript(`
-- acquireAndCount: take the lock if it is free, and count its holds.
-- KEYS[1] the lock   KEYS[2] the count   ARGV[1] the owner   ARGV[2] the lease in ms
if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
	return 0
end
return redis.call('INCR', KEYS[2])
`)

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
	token int64
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
	// The braces keep both keys in one slot of a Redis Cluster.
	keys := []string{l.key, "fence:{" + l.key + "}"}
	token, err := acquireAndCount.Run(ctx, l.rdb, keys, l.owner, l.lease.Milliseconds()).Int64()
	if err != nil {
		return false, fmt.Errorf("acquire %s: %w", l.key, err)
	}
	if token == taken {
		return false, nil
	}
	l.token = token
	return true, nil
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

// Token is the number of this handle's current hold, or of its last one: higher
// than that of every hold before it, whoever had it. It is 0 before the first.
// Send it along with all that the lock is to protect.
func (l *Lock) Token() int64 { return l.token }

// writeUnlessStale answers with 1 when it has written, or with stale.
const stale = 0

var writeUnlessStale = redis.NewScript(`
-- writeUnlessStale: set the stock, unless a later holder has done so.
-- KEYS[1] the stock   KEYS[2] the highest token seen   ARGV[1] the new stock   ARGV[2] the writer's token
if tonumber(ARGV[2]) < tonumber(redis.call('GET', KEYS[2]) or '0') then
	return 0
end
redis.call('SET', KEYS[2], ARGV[2])
redis.call('SET', KEYS[1], ARGV[1])
return 1
`)

// Errors of a shop.
var (
	// ErrSoldOut means that no stock is left.
	ErrSoldOut = errors.New("shop: sold out")
	// ErrStale means that a later holder has sold already: the seller's lock is
	// no more, and what it has read may be out of date.
	ErrStale = errors.New("shop: a later holder has sold already")
)

// Shop sells one item, whose stock is in Redis. It is what the lock protects, and
// it looks at who writes.
type Shop struct {
	rdb   *redis.Client
	stock string
}

// NewShop returns the shop whose stock a key has.
func NewShop(rdb *redis.Client, stock string) *Shop {
	return &Shop{rdb: rdb, stock: stock}
}

// Sell sells one item for the holder whose hold has token, and returns how many
// are left. The error is ErrSoldOut or ErrStale, and then nothing was sold, or it
// comes from Redis, and then that is not known.
func (s *Shop) Sell(ctx context.Context, token int64) (left int, err error) {
	left, err = s.rdb.Get(ctx, s.stock).Int()
	if err != nil {
		return 0, fmt.Errorf("sell %s: %w", s.stock, err)
	}
	if left <= 0 {
		return 0, fmt.Errorf("sell %s: %w", s.stock, ErrSoldOut)
	}
	left--
	keys := []string{s.stock, "seen:{" + s.stock + "}"}
	answer, err := writeUnlessStale.Run(ctx, s.rdb, keys, left, token).Int()
	if err != nil {
		return 0, fmt.Errorf("sell %s: %w", s.stock, err)
	}
	if answer == stale {
		return 0, fmt.Errorf("sell %s: %w", s.stock, ErrStale)
	}
	return left, nil
}
