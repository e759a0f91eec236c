package watchdog

import (
	"context"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// renewIfOwner answers with 1 when it renewed the lease, or with gone. It never
// makes a key, so it can't bring a lock back to life.
const gone = 0

var renewIfOwner = redis.NewScript(`
-- renewIfOwner: begin the lease again if the lock is still its owner's.
-- KEYS[1] the lock   ARGV[1] the owner   ARGV[2] the lease in ms
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
	return 0
end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`)

// hold is the time from the first entry to the last unlock of a handle.
type hold struct {
	stop    context.CancelFunc
	stopped chan struct{} // closed when the watchdog has ended
	lost    chan struct{}
	lose    func() // closes lost, once
}

// Lost returns a channel that is closed when the watchdog finds that the
// current hold, or the last one, is over before its Unlock: somebody deleted
// the key, or no renewal got through for a whole lease. Work that can stop
// should stop then. It is nil, and never ready, before the first hold.
//
// It tells what is past. A holder that is frozen for longer than its lease
// hears of it too late (StopTheWorld): this is a warning, not a fence.
func (l *Lock) Lost() <-chan struct{} {
	if l.hold == nil {
		return nil
	}
	return l.hold.lost
}

// watch starts the watchdog of a new hold whose lease began at renewed or
// later. The goroutine is the hold's own: it ends with hold.end, or when the
// lock is lost.
func (l *Lock) watch(renewed time.Time) *hold {
	ctx, stop := context.WithCancel(context.Background())
	lost := make(chan struct{})
	h := &hold{stop: stop, stopped: make(chan struct{}), lost: lost, lose: sync.OnceFunc(func() { close(lost) })}
	go l.renew(ctx, h, renewed)
	return h
}

// renew begins the lease again every third of it. A renewal that fails is tried
// again every tenth, as long as the lease lasts: one lost reply is not the end.
func (l *Lock) renew(ctx context.Context, h *hold, renewed time.Time) {
	defer close(h.stopped)
	wait := l.lease / 3
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		asked, end := time.Now(), renewed.Add(l.lease)
		if !asked.Before(end) {
			h.lose()
			return
		}
		answer, err := l.renewBefore(ctx, end)
		switch {
		case err != nil:
			wait = max(0, min(l.lease/10, time.Until(end)))
		case answer == gone:
			h.lose()
			return
		default:
			renewed, wait = asked, l.lease/3
		}
	}
}

func (l *Lock) renewBefore(ctx context.Context, end time.Time) (int, error) {
	ctx, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	return renewIfOwner.Run(ctx, l.rdb, []string{l.key}, l.owner, l.lease.Milliseconds()).Int()
}

// end stops the watchdog and waits until a renewal that is under way is over,
// or ctx is.
func (h *hold) end(ctx context.Context) {
	h.stop()
	select {
	case <-h.stopped:
	case <-ctx.Done():
	}
}
