package drafts

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// WholeSeconds is the fourth article's lease: given in milliseconds, divided by
// 1000 and cut. 999 ms become EXPIRE 0, and that deletes the key at once
// (LeaseTruncated). v3_expire sends milliseconds, and refuses what they can't
// say.
type WholeSeconds struct{ *stringLock }

// NewWholeSeconds returns a handle on the lock that key names.
func NewWholeSeconds(rdb *redis.Client, key string, lease time.Duration) WholeSeconds {
	return WholeSeconds{newString(rdb, key, lease)}
}

// TryLock takes the lock if it is free and reports whether it did.
func (l WholeSeconds) TryLock(ctx context.Context) (bool, error) {
	ok, err := l.rdb.SetNX(ctx, l.key, l.token, 0).Result()
	if err != nil || !ok {
		return false, err
	}
	// Not rdb.Expire: go-redis would make one second of it.
	return true, l.rdb.Do(ctx, "EXPIRE", l.key, l.lease.Milliseconds()/1000).Err()
}

// Lock takes the lock, and waits for it as long as ctx lasts.
func (l WholeSeconds) Lock(ctx context.Context) error { return poll(ctx, l.key, l.TryLock) }
