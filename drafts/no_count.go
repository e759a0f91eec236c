package drafts

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// NoCount lets its owner in again without counting how often. The inner unlock
// frees the outer's lock (InnerUnlock). v6_reentrant_hash counts.
type NoCount struct{ *stringLock }

// NewNoCount returns a handle on the lock that key names.
func NewNoCount(rdb *redis.Client, key string, lease time.Duration) NoCount {
	return NoCount{newString(rdb, key, lease)}
}

var acquireAsOwner = redis.NewScript(`
-- acquireAsOwner: take the lock if it is free or the owner's already.
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then
	return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`)

// TryLock takes or re-enters the lock and reports whether it did.
func (l NoCount) TryLock(ctx context.Context) (bool, error) {
	return acquireAsOwner.Run(ctx, l.rdb, []string{l.key}, l.token, l.lease.Milliseconds()).Bool()
}

// Lock takes the lock, and waits for it as long as ctx lasts.
func (l NoCount) Lock(ctx context.Context) error { return poll(ctx, l.key, l.TryLock) }
