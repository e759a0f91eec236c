package drafts

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// FixedLease is the second article's unlock(): where entries are left, it sets
// the lease to ten seconds, whatever was asked for. The rest of the outer work
// runs unprotected (LeaseCutShort). v6_reentrant_hash leaves the lease alone.
type FixedLease struct{ *hashLock }

// NewFixedLease returns a handle on the lock that key names.
func NewFixedLease(rdb *redis.Client, key string, lease time.Duration) FixedLease {
	return FixedLease{newHash(rdb, key, lease)}
}

var releaseAndExpire = redis.NewScript(`
-- releaseAndExpire: leave the lock once; if entries are left, ten seconds are enough for anybody.
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
	return -1
end
local left = redis.call('HINCRBY', KEYS[1], ARGV[1], -1)
if left > 0 then
	redis.call('EXPIRE', KEYS[1], 10)
else
	redis.call('DEL', KEYS[1])
end
return left
`)

// Unlock leaves the lock once, or returns ErrNotHeld.
func (l FixedLease) Unlock(ctx context.Context) error { return l.leave(ctx, releaseAndExpire) }
