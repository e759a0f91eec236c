package drafts

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// ResetExpire is the first article's resetExpire(): each entry starts a timer of
// its own that renews the lease, and starts itself anew as long as it finds the
// owner in the lock. No unlock stops it. Inner locks pile timers up, and a flow
// that locks again before they fire keeps them all (RenewalPiledUp).
// v7_watchdog has one watchdog for a hold, and waits for its end.
type ResetExpire struct{ *hashLock }

// NewResetExpire returns a handle on the lock that key names.
func NewResetExpire(rdb *redis.Client, key string, lease time.Duration) ResetExpire {
	return ResetExpire{newHash(rdb, key, lease)}
}

// TryLock takes or re-enters the lock, and starts one more timer.
func (l ResetExpire) TryLock(ctx context.Context) (bool, error) {
	ok, err := l.hashLock.TryLock(ctx)
	if ok {
		go l.resetExpire() // ends when it finds the lock gone; an error it ignores
	}
	return ok, err
}

// Lock takes the lock, and waits for it as long as ctx lasts.
func (l ResetExpire) Lock(ctx context.Context) error { return poll(ctx, l.key, l.TryLock) }

func (l ResetExpire) resetExpire() {
	for {
		time.Sleep(l.lease / 3)
		held, err := l.renew(context.Background())
		if err == nil && !held {
			return
		}
	}
}
