package drafts

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// WonButSaidNo is the first article's tryLock(): it calls the form that takes a
// time limit, drops its answer, and returns false. The caller walks away, and
// the watchdog renews for ever a lock that nobody believes to hold
// (WonButSaidNo). v7_watchdog returns what Redis said.
type WonButSaidNo struct{ *renewing }

// NewWonButSaidNo returns a handle on the lock that key names.
func NewWonButSaidNo(rdb *redis.Client, key string, lease time.Duration) WonButSaidNo {
	return WonButSaidNo{&renewing{hashLock: newHash(rdb, key, lease)}}
}

// TryLock takes the lock if it can, and says that it could not.
func (l WonButSaidNo) TryLock(ctx context.Context) (bool, error) {
	_, err := l.tryLock(ctx)
	return false, err
}

func (l WonButSaidNo) tryLock(ctx context.Context) (bool, error) {
	ok, err := l.hashLock.TryLock(ctx)
	if ok {
		l.entered()
	}
	return ok, err
}

// Lock takes the lock, and waits for it as long as ctx lasts.
func (l WonButSaidNo) Lock(ctx context.Context) error { return poll(ctx, l.key, l.tryLock) }
