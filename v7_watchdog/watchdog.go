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
-- renewIfOwner: begin the lease again if the lock is still as its owner took it.
-- KEYS[1] the lock   ARGV[1] the first change, which took it   ARGV[2] the lease in ms
if string.match(redis.call('HGET', KEYS[1], '') or '', '%w*') ~= ARGV[1] then
	return 0
end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`)

// hold is the time from the first entry to the last unlock of a handle.
type hold struct {
	first   string // the change that took the lock, through this handle or another
	stop    context.CancelFunc
	stopped chan struct{} // closed when the watchdog has ended
	lost    chan struct{}
	lose    func() // closes lost, once, if the hold has not been left
}

// Lost returns a channel that is closed when the current hold, or the last one,
// is found to be over before its last Unlock: somebody deleted the key, or no
// renewal got through for a whole lease. Work that can stop should stop then. The
// last Unlock itself never closes it: its ErrNotHeld may mean that its reply was
// lost, and not the lock. Before the first hold the channel is nil, and never
// ready.
//
// It tells what is past. A holder that is frozen for longer than its lease
// hears of it too late (StopTheWorld): this is a warning, not a fence.
func (l *Lock) Lost() <-chan struct{} {
	if l.hold == nil {
		return nil
	}
	return l.hold.lost
}

// watch starts the watchdog of a new hold, of the lock that the change first took,
// whose lease began at renewed or later. The goroutine is the hold's own: it ends
// with hold.end, or when the lock is lost.
func (l *Lock) watch(first string, renewed time.Time) *hold {
	ctx, stop := context.WithCancel(context.Background())
	lost := make(chan struct{})
	h := &hold{first: first, stop: stop, stopped: make(chan struct{}), lost: lost}
	h.lose = sync.OnceFunc(func() {
		if ctx.Err() == nil {
			close(lost)
		}
	})
	go l.renew(ctx, h, renewed)
	return h
}

// renew begins the lease again every third of it. A renewal that fails is tried
// again every tenth, as long as the lease lasts and once more when it has ended:
// one lost reply is not the end.
func (l *Lock) renew(ctx context.Context, h *hold, renewed time.Time) {
	defer close(h.stopped)
	left := func() time.Duration { return l.lease - time.Since(renewed) }
	wait := left() - l.lease*2/3
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		asked := time.Now()
		limit := max(left(), l.lease/10)
		late := time.AfterFunc(limit, h.lose) // go-redis may wait for longer than that
		answer, err := l.renewWithin(ctx, h.first, limit)
		switch {
		case !late.Stop():
			return
		case err == nil && answer == gone:
			h.lose()
			return
		case err == nil:
			renewed, wait = asked, l.lease/3
		case left() <= 0:
			h.lose()
			return
		default:
			wait = min(left(), l.lease/10)
		}
	}
}

func (l *Lock) renewWithin(ctx context.Context, first string, limit time.Duration) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return renewIfOwner.Run(ctx, l.rdb, []string{l.key}, first, l.lease.Milliseconds()).Int()
}

// end stops the watchdog and waits until a renewal that is under way is over, or
// half of unlockTimeout is.
func (h *hold) end() {
	h.stop()
	select {
	case <-h.stopped:
	case <-time.After(unlockTimeout / 2):
	}
}

// over reports whether the hold was lost.
func (h *hold) over() bool {
	select {
	case <-h.lost:
		return true
	default:
		return false
	}
}
