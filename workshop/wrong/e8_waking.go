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
			New: on(func(h *handle) stages.Lock {
				return woken{leased{h}, true, byLease, 20 * time.Millisecond, deleteAndCall}
			}),
		},
		{
			Name:     "no call on the way out",
			Mistake:  "The release calls on one of its ways, and this is the other. Who waits is woken by the end of the lease.",
			Exercise: workshop.E8, Check: "WokenAtOnce", Says: "a millisecond later",
			New: on(func(h *handle) stages.Lock { return woken{leased{h}, true, byLease, 0, callNobody} }),
		},
		{
			Name:     "a try, and then an ear",
			Mistake:  "Try, subscribe, wait. A lock that comes free between the first and the second has called already.",
			Exercise: workshop.E8, Check: "MissedCall", Says: "a call that has been",
			New: on(func(h *handle) stages.Lock { return woken{leased{h}, false, byLease, 0, deleteAndCall} }),
		},
		{
			Name:     "an ear, and no clock",
			Mistake:  "Only a call wakes. A dead holder does not call.",
			Exercise: workshop.E8, Check: "SilentEnd", Says: "for a call or for too long",
			New: on(func(h *handle) stages.Lock { return woken{leased{h}, true, never, 0, deleteAndCall} }),
		},
		{
			Name:     "a lease of its own to wait",
			Mistake:  "time.After(l.lease): who comes when the holder's lease is nearly over sleeps for another whole one.",
			Exercise: workshop.E8, Check: "SilentEnd", Says: "for a call or for too long",
			New: on(func(h *handle) stages.Lock { return woken{leased{h}, true, byOwnLease, 0, deleteAndCall} }),
		},
		{
			Name:     "what is left, in seconds",
			Mistake:  "TTL for PTTL. In the last half second it says zero, and the waiter asks as fast as it can.",
			Exercise: workshop.E8, Check: "SilentEnd", Says: "never pauses",
			New: on(func(h *handle) stages.Lock { return woken{leased{h}, true, bySeconds, 0, deleteAndCall} }),
		},
		{
			Name:     "a call before the way out",
			Mistake:  "PUBLISH, and then the release. Who is called comes at once, finds the lock taken, and lies down again.",
			Exercise: workshop.E8, Check: "HalfwayOut", Says: "A has called before it left",
			New: on(func(h *handle) stages.Lock { return callsFirst{sleeper(h)} }),
		},
		{
			Name:     "a call after the way out",
			Mistake:  "The release, and then PUBLISH. A holder that dies in between has freed the lock and told nobody.",
			Exercise: workshop.E8, Check: "HalfwayOut", Says: "A is held up before it calls",
			New: on(func(h *handle) stages.Lock { return callsLast{sleeper(h)} }),
		},
		{
			Name:     "a subscription that stays",
			Mistake:  "Nobody closes it. Each wait leaves a connection behind, and two goroutines.",
			Exercise: workshop.E8, Check: "WokenAtOnce", Says: "is open at the end",
			New: on(func(h *handle) stages.Lock { return staysSubscribed{sleeper(h)} }),
		},
	}
}

// woken is sound if it tries again once it listens, and knows how long the
// lease lasts.
type woken struct {
	leased
	tryAgain bool
	left     func(context.Context, leased) (time.Duration, error) // that it waits at most
	ask      time.Duration                                        // between two tries that nobody called for, if it makes any
	call     *redis.Script
}

// sleeper is sound, but for the call when it leaves.
func sleeper(h *handle) woken { return woken{leased{h}, true, byLease, 0, callNobody} }

func byLease(ctx context.Context, l leased) (time.Duration, error) {
	return l.rdb.PTTL(ctx, l.key).Result()
}

func bySeconds(ctx context.Context, l leased) (time.Duration, error) {
	return l.rdb.TTL(ctx, l.key).Result()
}

func byOwnLease(_ context.Context, l leased) (time.Duration, error) { return l.lease, nil }

func never(context.Context, leased) (time.Duration, error) { return 24 * time.Hour, nil }

// deleteAndCall deletes the lock and calls, and callNobody forgets the call.
var (
	deleteAndCall = redis.NewScript(`
-- deleteAndCall: delete the lock if it is still its owner's, and call.
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
		left, err := l.left(ctx, l.leased)
		if err != nil {
			return err
		}
		if left < 0 && !l.tryAgain { // free, or without a lease: the call will come
			left = 24 * time.Hour
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

type callsFirst struct{ woken }

func (l callsFirst) Unlock(ctx context.Context) error {
	if err := l.rdb.Publish(ctx, l.key+":free", "free").Err(); err != nil {
		return err
	}
	return l.woken.Unlock(ctx)
}

type callsLast struct{ woken }

func (l callsLast) Unlock(ctx context.Context) error {
	if err := l.woken.Unlock(ctx); err != nil {
		return err
	}
	return l.rdb.Publish(ctx, l.key+":free", "free").Err()
}

type staysSubscribed struct{ woken }

func (l staysSubscribed) Lock(ctx context.Context) error {
	ok, err := l.TryLock(ctx)
	if err != nil || ok {
		return err
	}
	_ = l.rdb.Subscribe(ctx, l.key+":free").Channel()
	return l.woken.Lock(ctx)
}
