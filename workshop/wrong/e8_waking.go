package wrong

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/stages"
	"lockstep/workshop"
)

// waking lists the locks whose waiters are woken, and not always.
func waking() []Lock {
	return []Lock{
		{
			Name:     "called, and asking all the same",
			Mistake:  "There is a channel, and the ticker of the time before it is still there, to be on the safe side.",
			Exercise: workshop.E8, Check: "SilentWait", Says: "it polls",
			New: on(func(h *handle) stages.Lock { return woken{leased{h}, true, true, 20 * time.Millisecond, callFirst} }),
		},
		{
			Name:     "no call on the way out",
			Mistake:  "The release calls on one of its ways, and this is the other. Who waits is woken by the end of the lease.",
			Exercise: workshop.E8, Check: "WokenAtOnce", Says: "a millisecond later",
			New: on(func(h *handle) stages.Lock { return woken{leased{h}, true, true, 0, callNobody} }),
		},
		{
			Name:     "a try, and then an ear",
			Mistake:  "Try, subscribe, wait. A lock that comes free between the first and the second has called already.",
			Exercise: workshop.E8, Check: "MissedCall", Says: "a call that has been",
			New: on(func(h *handle) stages.Lock { return woken{leased{h}, false, true, 0, callFirst} }),
		},
		{
			Name:     "an ear, and no clock",
			Mistake:  "Only a call wakes. A dead holder does not call.",
			Exercise: workshop.E8, Check: "SilentEnd", Says: "waits for a call",
			New: on(func(h *handle) stages.Lock { return woken{leased{h}, true, false, 0, callFirst} }),
		},
	}
}

// woken is sound if it tries again once it listens, and knows how long the
// lease lasts.
type woken struct {
	leased
	tryAgain, clock bool
	ask             time.Duration // between two tries that nobody called for, if it makes any
	call            *redis.Script
}

// callFirst deletes the lock and calls, and callNobody forgets the call.
var (
	callFirst = redis.NewScript(`
-- callFirst: delete the lock if it is still its owner's, and call.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
	return 0
end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', KEYS[1] .. ':free', 'free')
return 1
`)
	callNobody = releaseIfOwner
)

func (l woken) Lock(ctx context.Context) error {
	ok, err := l.TryLock(ctx)
	if err != nil || ok {
		return err
	}
	calls := l.rdb.Subscribe(ctx, l.key+":free")
	defer func() { _ = calls.Close() }() // the connection ends with it
	if _, err := calls.Receive(ctx); err != nil {
		return err
	}
	for first := true; ; first = false {
		if !first || l.tryAgain {
			if ok, err := l.TryLock(ctx); err != nil || ok {
				return err
			}
		}
		left := 24 * time.Hour
		if l.clock {
			if left, err = l.rdb.PTTL(ctx, l.key).Result(); err != nil {
				return err
			}
			if left < 0 && !l.tryAgain { // free, or without a lease: the call will come
				left = 24 * time.Hour
			}
		}
		if l.ask > 0 {
			left = l.ask
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-calls.Channel():
		case <-time.After(max(0, left)):
		}
	}
}

func (l woken) Unlock(ctx context.Context) error {
	deleted, err := l.call.Run(ctx, l.rdb, []string{l.key}, l.token).Int()
	if err == nil && deleted == 0 {
		err = errNotHeld
	}
	return err
}
