package wrong

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/stages"
	"lockstep/workshop"
)

// leases lists the locks whose lease is not the one that was asked for.
func leases() []Lock {
	return []Lock{
		{
			Name:     "no lease",
			Mistake:  "SETNX alone: the holder dies, and the lock stays until somebody deletes it by hand.",
			Exercise: workshop.E3, Check: "Crash", Says: "nobody can buy any more",
			New: on(func(h *handle) stages.Lock { return plain{h} }),
		},
		{
			Name:     "SETNX, then EXPIRE",
			Mistake:  "Two commands, and a death between them leaves a lock without a lease (laravel/horizon#1738, lukas-krecan/ShedLock#65, redis/redis-py#554).",
			Exercise: workshop.E3, Check: "TwoCommands", Says: "before its lock had a lease",
			New: on(func(h *handle) stages.Lock { return twoCommands{leased{h}} }),
		},
		{
			Name:     "the next one adds the lease",
			Mistake:  "The same two commands, and a patch for it: who fails to get in looks for a missing lease, and adds one. It begins when somebody comes.",
			Exercise: workshop.E3, Check: "LateLease", Says: "A has been dead for an hour",
			New: on(func(h *handle) stages.Lock { return patched{twoCommands{leased{h}}} }),
		},
		{
			Name:     "SETNX and EXPIRE in one pipeline",
			Mistake:  "The pipeline saves a round trip, and sends the EXPIRE of the loser too: who tries often enough keeps the holder's lock alive for ever.",
			Exercise: workshop.E3, Check: "TakenLock", Says: "has prolonged A's lease",
			New: on(func(h *handle) stages.Lock { return pipelined{leased{h}} }),
		},
		{
			Name:     "the loser refreshes the lease",
			Mistake:  "A taken lock may have no lease, so the loser gives it one to be safe. A dead holder's lock then lasts as long as anybody waits.",
			Exercise: workshop.E3, Check: "TakenLock", Says: "has prolonged A's lease",
			New: on(func(h *handle) stages.Lock { return loserRefreshes{leased{h}} }),
		},
		{
			Name:     "whole seconds to EX",
			Mistake:  "int(lease.Seconds()) cuts. 999 ms are 0 s, and Redis refuses that (kent8192/reinhardt-web#736).",
			Exercise: workshop.E3, Check: "LeaseTruncated", Says: "gets no lock",
			New: on(func(h *handle) stages.Lock {
				return setWith{leased{h}, []any{"EX", int(h.lease.Seconds())}}
			}),
		},
		{
			Name:     "whole seconds to EXPIRE",
			Mistake:  "The same cut in a script. EXPIRE 0 is a DEL: the lock is gone as soon as it is there.",
			Exercise: workshop.E3, Check: "LeaseTruncated", Says: "the lock was gone at once",
			New: on(func(h *handle) stages.Lock { return wholeSeconds{leased{h}} }),
		},
		{
			Name:     "seconds, rounded up",
			Mistake:  "No zero any more, and 1.5 s are two.",
			Exercise: workshop.E3, Check: "LeaseAsAsked", Says: "has one of 2s",
			New: on(func(h *handle) stages.Lock {
				return setWith{leased{h}, []any{"EX", int((h.lease + time.Second - 1).Seconds())}}
			}),
		},
		{
			Name:     "nanoseconds to PX",
			Mistake:  "int64(lease) is what a time.Duration counts: thirty seconds become a year.",
			Exercise: workshop.E3, Check: "LeaseAsAsked", Says: "has one of 416h40m0s",
			New: on(func(h *handle) stages.Lock { return setWith{leased{h}, []any{"PX", int64(h.lease)}} }),
		},
		{
			Name:     "a Duration to EX",
			Mistake:  "Do(ctx, \"SET\", …, \"EX\", lease): go-redis sends what a time.Duration counts, and thirty seconds become 951 years.",
			Exercise: workshop.E3, Check: "Crash", Says: "a, years left",
			New: on(func(h *handle) stages.Lock { return setWith{leased{h}, []any{"EX", h.lease}} }),
		},
		{
			Name:     "milliseconds to EX",
			Mistake:  "One letter, and a lease of thirty seconds lasts for eight hours.",
			Exercise: workshop.E3, Check: "LeaseAsAsked", Says: "has one of 25m0s",
			New: on(func(h *handle) stages.Lock { return setWith{leased{h}, []any{"EX", h.lease.Milliseconds()}} }),
		},
		{
			Name:     "a constant for a lease",
			Mistake:  "The caller asks for a lease, and gets the author's.",
			Exercise: workshop.E3, Check: "LeaseAsAsked", Says: "has one of 10s",
			New: on(func(h *handle) stages.Lock { h.lease = 10 * time.Second; return leased{h} }),
		},
		{
			Name:     "a lease for Lock alone",
			Mistake:  "Lock asks for a lease, and TryLock is the one from before there were any.",
			Exercise: workshop.E3, Check: "LeaseAsAsked", Says: "A asked TryLock for a lease of 1.5 s, and has one without end",
			New: on(func(h *handle) stages.Lock { return lockAlone{plain{h}} }),
		},
		{
			Name:     "the context's deadline as the lease",
			Mistake:  "time.Until(deadline) where ctx has one: how long the caller would wait becomes how long it may work.",
			Exercise: workshop.E3, Check: "LeaseAsAsked", Says: "with a deadline in a second, for a lease of 1.5 s, and has one of 1s",
			New: on(func(h *handle) stages.Lock { return leaseFromContext{leased{h}} }),
		},
		{
			Name:     "SET takes the lease away",
			Mistake:  "Once inside, the holder writes down who it is with a second SET. Without KEEPTTL that drops the lease.",
			Exercise: workshop.E3, Check: "LeaseAsAsked", Says: "one without end",
			New: on(func(h *handle) stages.Lock { return setTwice{leased{h}} }),
		},
		{
			Name:     "the end of the lease as the value",
			Mistake:  "SETNX with a timestamp, GETSET when it is over: redis.io's advice before 2013. The clients' clocks decide, and a loser's GETSET overwrites the winner's time (PatrickTulskie/redis-lock#12, abelaska/jedis-lock#5).",
			Exercise: workshop.E3, Check: "LeaseAsAsked", Says: "one without end",
			New: on(func(h *handle) stages.Lock { return &timestamp{leased: leased{h}} }),
		},
		{
			Name:     "a lease that begins with the wait",
			Mistake:  "The end is worked out once, when Lock is called. Who waits for most of a lease gets what is left of it.",
			Exercise: workshop.E3, Check: "WholeLease", Says: "has waited for 10, and has 20s left",
			New: on(func(h *handle) stages.Lock { return leaseFromWait{leased{h}} }),
		},
		{
			Name:     "a sleep for the holder's whole lease",
			Mistake:  "PTTL says when the lock ends at the latest, and the waiter sleeps until then. The holder unlocks after a millisecond.",
			Exercise: workshop.E3, Check: "HandOff", Says: "is not inside 100 ms later",
			New: on(func(h *handle) stages.Lock { return sleepsForLease{leased{h}} }),
		},
		{
			Name:     "it remembers to be inside",
			Mistake:  "TryLock says yes because a field says so. The lease that ended meanwhile told nobody.",
			Exercise: workshop.E3, Check: "StaleHandle", Says: "does not ask Redis",
			New: on(func(h *handle) stages.Lock { return &remembers{leased: leased{h}} }),
		},
		{
			Name:     "an unlock by a shorter lease",
			Mistake:  "PEXPIRE in place of DEL, to keep others from coming in too soon: what is unlocked is not free.",
			Exercise: workshop.E3, Check: "FreeLock", Says: "Redis still has lock:stock",
			New: on(func(h *handle) stages.Lock { return unlockByLease{leased{h}} }),
		},
	}
}

type twoCommands struct{ leased }

func (l twoCommands) TryLock(ctx context.Context) (bool, error) {
	ok, err := l.rdb.SetNX(ctx, l.key, l.token, 0).Result()
	if err != nil || !ok {
		return false, err
	}
	err = l.rdb.PExpire(ctx, l.key, l.lease).Err()
	return err == nil, err
}

type patched struct{ twoCommands }

func (l patched) TryLock(ctx context.Context) (bool, error) {
	ok, err := l.twoCommands.TryLock(ctx)
	if err != nil || ok {
		return ok, err
	}
	left, err := l.rdb.TTL(ctx, l.key).Result()
	if err == nil && left == -1 { // no lease
		err = l.rdb.PExpire(ctx, l.key, l.lease).Err()
	}
	return false, err
}

type pipelined struct{ leased }

func (l pipelined) TryLock(ctx context.Context) (bool, error) {
	pipe := l.rdb.Pipeline()
	took := pipe.SetNX(ctx, l.key, l.token, 0)
	pipe.PExpire(ctx, l.key, l.lease)
	_, err := pipe.Exec(ctx)
	return took.Val(), err
}

type loserRefreshes struct{ leased }

func (l loserRefreshes) TryLock(ctx context.Context) (bool, error) {
	ok, err := l.leased.TryLock(ctx)
	if err == nil && !ok {
		err = l.rdb.PExpire(ctx, l.key, l.lease).Err()
	}
	return ok, err
}

// setWith takes the lock with a lease in its own words.
type setWith struct {
	leased
	lease []any
}

func (l setWith) TryLock(ctx context.Context) (bool, error) {
	err := l.rdb.Do(ctx, append([]any{"SET", l.key, l.token, "NX"}, l.lease...)...).Err()
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	return err == nil, err
}

type wholeSeconds struct{ leased }

var acquireForSeconds = redis.NewScript(`
-- acquireForSeconds: take the lock, for whole seconds.
if redis.call('SETNX', KEYS[1], ARGV[1]) == 0 then
	return 0
end
redis.call('EXPIRE', KEYS[1], math.floor(ARGV[2] / 1000))
return 1
`)

func (l wholeSeconds) TryLock(ctx context.Context) (bool, error) {
	return acquireForSeconds.Run(ctx, l.rdb, []string{l.key}, l.token, l.lease.Milliseconds()).Bool()
}

type lockAlone struct{ plain }

func (l lockAlone) Lock(ctx context.Context) error {
	h := *l.handle
	h.self = leased{&h}
	return h.Lock(ctx)
}

type leaseFromContext struct{ leased }

func (l leaseFromContext) TryLock(ctx context.Context) (bool, error) {
	lease := l.lease
	if ends, ok := ctx.Deadline(); ok {
		lease = max(time.Millisecond, time.Until(ends))
	}
	return l.rdb.SetNX(ctx, l.key, l.token, lease).Result()
}

type setTwice struct{ leased }

func (l setTwice) TryLock(ctx context.Context) (bool, error) {
	ok, err := l.leased.TryLock(ctx)
	if ok {
		err = l.rdb.Set(ctx, l.key, l.token, 0).Err()
	}
	return ok, err
}

type timestamp struct {
	leased
	ends string
}

func (l *timestamp) TryLock(ctx context.Context) (bool, error) {
	l.ends = strconv.FormatInt(time.Now().Add(l.lease).UnixMilli(), 10)
	ok, err := l.rdb.SetNX(ctx, l.key, l.ends, 0).Result()
	if err != nil || ok {
		return ok, err
	}
	seen, err := l.rdb.Get(ctx, l.key).Result()
	if errors.Is(err, redis.Nil) { // it was unlocked meanwhile
		return false, nil
	}
	if ends, _ := strconv.ParseInt(seen, 10, 64); ends > time.Now().UnixMilli() {
		return false, nil
	}
	before, err := l.rdb.GetSet(ctx, l.key, l.ends).Result() //nolint:staticcheck // as old as the advice
	return err == nil && before == seen, err
}

func (l *timestamp) Unlock(ctx context.Context) error { return plain{l.handle}.Unlock(ctx) }

type leaseFromWait struct{ leased }

func (l leaseFromWait) Lock(ctx context.Context) error {
	ends := time.Now().Add(l.leased.lease)
	for {
		ok, err := l.rdb.SetNX(ctx, l.key, l.token, max(time.Millisecond, time.Until(ends))).Result()
		if err != nil || ok {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(retryEvery):
		}
	}
}

type sleepsForLease struct{ leased }

func (l sleepsForLease) Lock(ctx context.Context) error {
	return waitWith(ctx, l, func(time.Duration) time.Duration {
		left, err := l.rdb.PTTL(ctx, l.key).Result()
		if err != nil {
			return retryEvery
		}
		return max(left, retryEvery)
	})
}

type remembers struct {
	leased
	inside bool
}

func (l *remembers) TryLock(ctx context.Context) (bool, error) {
	if l.inside {
		return true, nil
	}
	ok, err := l.leased.TryLock(ctx)
	l.inside = ok
	return ok, err
}

func (l *remembers) Unlock(ctx context.Context) error {
	l.inside = false
	return l.leased.Unlock(ctx)
}

type unlockByLease struct{ leased }

func (l unlockByLease) Unlock(ctx context.Context) error {
	return l.rdb.PExpire(ctx, l.key, 50*time.Millisecond).Err()
}
