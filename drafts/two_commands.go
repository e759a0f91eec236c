package drafts

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// TwoCommands is the fourth article's lock: SETNX, and then EXPIRE. A holder
// that dies between the two leaves a lock without a lease (TwoCommands).
// v3_expire sends both as one command, which Redis has had since 2.6.12 (2013).
type TwoCommands struct{ *stringLock }

// NewTwoCommands returns a handle on the lock that key names.
func NewTwoCommands(rdb *redis.Client, key string, lease time.Duration) TwoCommands {
	return TwoCommands{newString(rdb, key, lease)}
}

// TryLock takes the lock if it is free and reports whether it did.
func (l TwoCommands) TryLock(ctx context.Context) (bool, error) {
	ok, err := l.rdb.SetNX(ctx, l.key, l.token, 0).Result()
	if err != nil || !ok {
		return false, err
	}
	return true, l.rdb.PExpire(ctx, l.key, l.lease).Err()
}

// Lock takes the lock, and waits for it as long as ctx lasts.
func (l TwoCommands) Lock(ctx context.Context) error { return poll(ctx, l.key, l.TryLock) }

// TwoCommandsPatched adds the fourth article's patch: whoever fails to get the
// lock looks whether it has a lease, and gives it one if not. The lock comes
// free one lease after the next try, however long its holder has been dead by
// then (LateLease), and each waiter pays for it with two commands a try instead
// of one. v3_expire has nothing to patch.
type TwoCommandsPatched struct{ TwoCommands }

// NewTwoCommandsPatched returns a handle on the lock that key names.
func NewTwoCommandsPatched(rdb *redis.Client, key string, lease time.Duration) TwoCommandsPatched {
	return TwoCommandsPatched{NewTwoCommands(rdb, key, lease)}
}

// noLease is Redis's answer to TTL for a key that never expires, as go-redis
// passes it on.
const noLease = -1

// TryLock takes the lock if it is free and reports whether it did.
func (l TwoCommandsPatched) TryLock(ctx context.Context) (bool, error) {
	ok, err := l.TwoCommands.TryLock(ctx)
	if err != nil || ok {
		return ok, err
	}
	left, err := l.rdb.TTL(ctx, l.key).Result()
	if err == nil && left == noLease {
		err = l.rdb.PExpire(ctx, l.key, l.lease).Err()
	}
	return false, err
}

// Lock takes the lock, and waits for it as long as ctx lasts.
func (l TwoCommandsPatched) Lock(ctx context.Context) error { return poll(ctx, l.key, l.TryLock) }
