package drafts

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// RenewalGivesUp drops its timer when one renewal fails, as Redisson's watchdog
// did up to 3.17: it wrote a line to the log and renewed no more. The work goes
// on, the lease does not (RenewalGivesUp). v7_watchdog tries again for as long as
// the lease lasts.
type RenewalGivesUp struct{ *renewing }

// NewRenewalGivesUp returns a handle on the lock that key names.
func NewRenewalGivesUp(rdb *redis.Client, key string, lease time.Duration) RenewalGivesUp {
	return RenewalGivesUp{&renewing{hashLock: newHash(rdb, key, lease), giveUp: true}}
}

// TryLock takes or re-enters the lock and reports whether it did.
func (l RenewalGivesUp) TryLock(ctx context.Context) (bool, error) {
	ok, err := l.hashLock.TryLock(ctx)
	if ok {
		l.entered()
	}
	return ok, err
}

// Lock takes the lock, and waits for it as long as ctx lasts.
func (l RenewalGivesUp) Lock(ctx context.Context) error { return poll(ctx, l.key, l.TryLock) }
