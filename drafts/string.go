package drafts

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// stringLock is a sound lock on a string, as in v5_lua_release; drafts spoil it.
type stringLock struct {
	rdb   *redis.Client
	key   string
	token string
	lease time.Duration
}

func newString(rdb *redis.Client, key string, lease time.Duration) *stringLock {
	return &stringLock{rdb: rdb, key: key, token: rand.Text(), lease: lease}
}

// TryLock takes the lock if it is free and reports whether it did.
func (l *stringLock) TryLock(ctx context.Context) (bool, error) {
	return l.rdb.SetNX(ctx, l.key, l.token, l.lease).Result()
}

// Lock takes the lock, and waits for it as long as ctx lasts.
func (l *stringLock) Lock(ctx context.Context) error { return poll(ctx, l.key, l.TryLock) }

var releaseIfOwner = redis.NewScript(`
-- releaseIfOwner: delete the lock if it is still its owner's.
if redis.call('GET', KEYS[1]) == ARGV[1] then
	return redis.call('DEL', KEYS[1])
end
return 0
`)

// Unlock frees the lock, or returns ErrNotHeld.
func (l *stringLock) Unlock(ctx context.Context) error {
	deleted, err := releaseIfOwner.Run(ctx, l.rdb, []string{l.key}, l.token).Int()
	if err == nil && deleted == 0 {
		err = ErrNotHeld
	}
	if err != nil {
		return fmt.Errorf("release %s: %w", l.key, err)
	}
	return nil
}
