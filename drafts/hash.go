package drafts

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// hashLock is a sound re-entrant lock, as in v6_reentrant_hash; drafts spoil it.
type hashLock struct {
	rdb   *redis.Client
	key   string
	owner string
	lease time.Duration
}

func newHash(rdb *redis.Client, key string, lease time.Duration) *hashLock {
	return &hashLock{rdb: rdb, key: key, owner: rand.Text(), lease: lease}
}

var acquireOrReenter = redis.NewScript(`
-- acquireOrReenter: take the lock, or enter it once more as its owner.
if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then
	redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
	redis.call('PEXPIRE', KEYS[1], ARGV[2])
	return 1
end
return 0
`)

// TryLock takes or re-enters the lock and reports whether it did.
func (l *hashLock) TryLock(ctx context.Context) (bool, error) {
	return acquireOrReenter.Run(ctx, l.rdb, []string{l.key}, l.owner, l.lease.Milliseconds()).Bool()
}

// Lock takes the lock, and waits for it as long as ctx lasts.
func (l *hashLock) Lock(ctx context.Context) error { return poll(ctx, l.key, l.TryLock) }

var releaseOnce = redis.NewScript(`
-- releaseOnce: leave the lock once; the last to leave frees it.
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
	return -1
end
local left = redis.call('HINCRBY', KEYS[1], ARGV[1], -1)
if left == 0 then
	redis.call('DEL', KEYS[1])
end
return left
`)

// Unlock leaves the lock once, or returns ErrNotHeld.
func (l *hashLock) Unlock(ctx context.Context) error { return l.leave(ctx, releaseOnce) }

// leave runs a script that answers as releaseOnce does.
func (l *hashLock) leave(ctx context.Context, script *redis.Script, args ...any) error {
	left, err := script.Run(ctx, l.rdb, []string{l.key}, append([]any{l.owner}, args...)...).Int()
	if err == nil && left < 0 {
		err = ErrNotHeld
	}
	if err != nil {
		return fmt.Errorf("release %s: %w", l.key, err)
	}
	return nil
}

var renewIfOwner = redis.NewScript(`
-- renewIfOwner: begin the lease again if the lock is still its owner's.
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
	return 0
end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`)

func (l *hashLock) renew(ctx context.Context) (bool, error) {
	return renewIfOwner.Run(ctx, l.rdb, []string{l.key}, l.owner, l.lease.Milliseconds()).Bool()
}
