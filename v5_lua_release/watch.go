package luarelease

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// WatchLock is Lock with the release of the fourth article: WATCH the key,
// compare, delete in a transaction. EXEC does nothing if the key has changed
// since WATCH, so the gap between check and delete is closed without Lua.
//
// It costs three round trips where the script needs one, and holds a connection
// from WATCH to EXEC. Choose it where scripts are not allowed, or where the
// decision needs something that only the client knows.
type WatchLock struct{ l *Lock }

// NewWatch is New for a WatchLock.
func NewWatch(rdb *redis.Client, key string, lease time.Duration) (*WatchLock, error) {
	l, err := New(rdb, key, lease)
	if err != nil {
		return nil, err
	}
	return &WatchLock{l}, nil
}

// TryLock is that of Lock.
func (w *WatchLock) TryLock(ctx context.Context) (bool, error) { return w.l.TryLock(ctx) }

// Lock is that of Lock.
func (w *WatchLock) Lock(ctx context.Context) error { return w.l.Lock(ctx) }

// Unlock frees the lock if it is this handle's, and returns ErrNotHeld if it is
// not, or is no more. When the key changes under it, it looks again.
func (w *WatchLock) Unlock(ctx context.Context) error {
	l := w.l
	for {
		err := l.rdb.Watch(ctx, func(tx *redis.Tx) error {
			owner, err := tx.Get(ctx, l.key).Result()
			switch {
			case errors.Is(err, redis.Nil):
				return ErrNotHeld
			case err != nil:
				return err
			case owner != l.token:
				return ErrNotHeld
			}
			_, err = tx.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
				pipe.Del(ctx, l.key)
				return nil
			})
			return err
		}, l.key)
		if errors.Is(err, redis.TxFailedErr) {
			continue
		}
		if err != nil {
			return fmt.Errorf("release %s: %w", l.key, err)
		}
		return nil
	}
}
