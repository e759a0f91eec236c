package drafts

import (
	"context"
	"time"
)

// renewing is a hashLock with a sound watchdog of the simplest kind: one for a
// hold, stopped by the last unlock.
type renewing struct {
	*hashLock
	entries int
	stop    context.CancelFunc

	// giveUp makes the first failed renewal the last.
	giveUp bool
}

func (l *renewing) entered() {
	l.entries++
	if l.entries > 1 {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	l.stop = stop
	go l.watch(ctx) // ends with the last unlock, or when the lock is gone
}

func (l *renewing) watch(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(l.lease / 3):
		}
		held, err := l.renew(ctx)
		if err != nil && l.giveUp || err == nil && !held {
			return
		}
	}
}

// Unlock leaves the lock once, or returns ErrNotHeld.
func (l *renewing) Unlock(ctx context.Context) error {
	if l.entries == 1 {
		l.stop()
	}
	l.entries = max(0, l.entries-1)
	return l.hashLock.Unlock(ctx)
}
