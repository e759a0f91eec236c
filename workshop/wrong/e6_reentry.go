package wrong

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"lockstep/stages"
	"lockstep/workshop"
)

// reentry lists the locks that let their owner in again, and come to grief.
func reentry() []Lock {
	return []Lock{
		{
			Name:     "no way in again",
			Mistake:  "The owner is not looked at: a function that locks what its caller has locked waits for itself.",
			Exercise: workshop.E6, Check: "Reentry", Says: "A waits for a lock that A itself holds",
			New: on(func(h *handle) stages.Lock { return leased{h} }),
		},
		{
			Name:     "in again, and not counted",
			Mistake:  "The owner's SET succeeds again, and the first of two unlocks deletes (zeromicro/go-zero#1704).",
			Exercise: workshop.E6, Check: "InnerUnlock", Says: "the inner unlock freed the outer's lock",
			New: on(func(h *handle) stages.Lock { h.token = h.owner; return uncounted{leased{h}} }),
		},
		{
			Name:     "a count that only grows",
			Mistake:  "Each entry counts up, and only what was entered once is ever deleted.",
			Exercise: workshop.E6, Check: "AllUnlocked", Says: "A has left as often as it came, and the lock is still there",
			New: on(func(h *handle) stages.Lock { return byCount{handle: h, enter: countUp, leave: neverDown} }),
		},
		{
			Name:     "a count below zero",
			Mistake:  "HINCRBY −1 without a look makes the key if it is not there: a lock with −1 entries, and no lease.",
			Exercise: workshop.E6, Check: "NothingToUnlock", Says: "its Unlock has made a key",
			New: on(func(h *handle) stages.Lock { return byCount{handle: h, enter: countUp, leave: belowZero} }),
		},
		{
			Name:     "one count for all",
			Mistake:  "The count is there and the owner is not: whoever comes is counted in.",
			Exercise: workshop.E6, Check: "TwoServers", Says: "did not keep B out",
			New: on(func(h *handle) stages.Lock {
				h.owner = "entries"
				return byCount{handle: h, enter: countUp, leave: countDown}
			}),
		},
		{
			Name:     "the lease of the first entry",
			Mistake:  "Only the first entry sets the lease. The inner function, called late, has what the outer has left.",
			Exercise: workshop.E6, Check: "InnerLease", Says: "25s left of 30 s",
			New: on(func(h *handle) stages.Lock { return byCount{handle: h, enter: leaseOnce, leave: countDown} }),
		},
		{
			Name:     "a new lease at the inner unlock",
			Mistake:  "The inner unlock sets ten seconds, so that the lock does not outlive its owner by much. The outer work takes longer.",
			Exercise: workshop.E6, Check: "LeaseCutShort", Says: "the inner unlock left 10",
			New: on(func(h *handle) stages.Lock { return byCount{handle: h, enter: countUp, leave: tenSeconds} }),
		},
		{
			Name:     "thirty seconds at the inner unlock",
			Mistake:  "The same, and more than enough. Nobody asked for it, and nobody enters: it is the owner's last sign of life, and the others wait for it.",
			Exercise: workshop.E6, Check: "LeaseCutShort", Says: "A had 25s left, and the inner unlock set more",
			New: on(func(h *handle) stages.Lock { return byCount{handle: h, enter: countUp, leave: thirtySeconds} }),
		},
		{
			Name:     "HINCRBY, then PEXPIRE",
			Mistake:  "The lesson of two commands, forgotten as soon as there is a hash.",
			Exercise: workshop.E6, Check: "TwoCommands", Says: "before its lock had a lease",
			New: on(func(h *handle) stages.Lock { return leaseLater{byCount{handle: h, enter: countOnly, leave: countDown}} }),
		},
		{
			Name:     "EXISTS in Go, HINCRBY in Redis",
			Mistake:  "Whether the lock is free or mine is asked first, and then it is entered.",
			Exercise: workshop.E6, Check: "Schedules", Says: "A and B are both inside",
			New: on(func(h *handle) stages.Lock {
				return lookThenEnter{byCount{handle: h, enter: countUp, leave: countDown}}
			}),
		},
		{
			Name:     "the inner entry outside of the script",
			Mistake:  "Who is free to take it is asked in a script; who is inside already, in Go. The lease can end between HEXISTS and HINCRBY, and the count is then a guest in another's hash.",
			Exercise: workshop.E6, Check: "LateEntry", Says: "when A looked it was inside still",
			New: on(func(h *handle) stages.Lock {
				return lookThenCount{byCount{handle: h, enter: countUp, leave: countDown}}
			}),
		},
		{
			Name:     "the inner unlock outside of the script",
			Mistake:  "The last unlock is a script, and the others count down in Go: HGET, and then HINCRBY. In between the lease can end, and the next holder's hash gets a field of −1: its owner is inside, from then on.",
			Exercise: workshop.E6, Check: "LateExit", Says: "A's inner unlock has changed its lock",
			New: on(func(h *handle) stages.Lock {
				return lookThenLeave{byCount{handle: h, enter: countUp, leave: countDown}}
			}),
		},
		{
			Name:     "an owner without a name",
			Mistake:  "New takes an empty owner as it takes any other. Two who forget it are one, and inside together.",
			Exercise: workshop.E6, Check: "EmptyOwner", Says: "New accepts an empty owner",
			New: func(f stages.Flow) (stages.Lock, error) {
				f.NoOwner = false
				return on(func(h *handle) stages.Lock { return &counted{handle: h} })(f)
			},
		},
		{
			Name:     "the service is the owner",
			Mistake:  "The owner is made with the service, and every request that it serves may enter what another one holds.",
			Exercise: workshop.E6, Check: "SharedOwner", Says: "two goroutines of A are both inside",
			New: on(func(h *handle) stages.Lock {
				h.owner = fmt.Sprintf("%p", h.rdb) // a service has one client
				return &counted{handle: h}
			}),
		},
		{
			Name:     "a count in memory",
			Mistake:  "if l.count > 0 { l.count++; return true }: no round trip, and no idea that the lease ended.",
			Exercise: workshop.E6, Check: "StaleHandle", Says: "does not ask Redis",
			New: on(func(h *handle) stages.Lock { return &inMemory{counted: &counted{handle: h}} }),
		},
		{
			Name:     "the handle is the owner",
			Mistake:  "Each handle draws an owner, and only the same handle may enter again. The function that makes its own waits.",
			Exercise: workshop.E6, Check: "InnerHandle", Says: "does not get in once more through another handle",
			New: on(func(h *handle) stages.Lock { h.owner = h.token; return &counted{handle: h} }),
		},
		{
			Name:     "an unlock too many is nobody's",
			Mistake:  "The script answers −1, and only 0 was thought of.",
			Exercise: workshop.E6, Check: "AllUnlocked", Says: "A has left once more than it came",
			New: on(func(h *handle) stages.Lock { return onceTooMany{&counted{handle: h}} }),
		},
	}
}

type uncounted struct{ leased }

var acquireAsOwner = redis.NewScript(`
-- acquireAsOwner: take the lock if it is free or the owner's already.
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then
	return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`)

func (l uncounted) TryLock(ctx context.Context) (bool, error) {
	return acquireAsOwner.Run(ctx, l.rdb, []string{l.key}, l.token, l.lease.Milliseconds()).Bool()
}

// byCount is v6's lock, a hash with the owner's count, with scripts of its own.
type byCount struct {
	*handle
	enter, leave *redis.Script
}

func (l byCount) TryLock(ctx context.Context) (bool, error) {
	return l.enter.Run(ctx, l.rdb, []string{l.key}, l.owner, l.lease.Milliseconds()).Bool()
}

func (l byCount) Unlock(ctx context.Context) error {
	left, err := l.leave.Run(ctx, l.rdb, []string{l.key}, l.owner).Int()
	if err == nil && left < 0 {
		return errNotHeld
	}
	return err
}

var countUp = redis.NewScript(`
-- countUp: take the lock, or enter it once more as its owner.
if redis.call('EXISTS', KEYS[1]) == 1 and redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
	return 0
end
redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
`)

var leaseOnce = redis.NewScript(`
-- leaseOnce: take the lock, or enter it once more as its owner.
if redis.call('EXISTS', KEYS[1]) == 1 and redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
	return 0
end
if redis.call('HINCRBY', KEYS[1], ARGV[1], 1) == 1 then
	redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 1
`)

var countOnly = redis.NewScript(`
-- countOnly: take the lock, or enter it once more as its owner. The lease comes later.
if redis.call('EXISTS', KEYS[1]) == 1 and redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
	return 0
end
return redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
`)

var countDown = redis.NewScript(`
-- countDown: leave the lock once; the last to leave frees it.
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
	return -1
end
local left = redis.call('HINCRBY', KEYS[1], ARGV[1], -1)
if left == 0 then
	redis.call('DEL', KEYS[1])
end
return left
`)

var neverDown = redis.NewScript(`
-- neverDown: free the lock if it was entered once.
local entries = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or -1)
if entries == 1 then
	redis.call('DEL', KEYS[1])
end
return entries
`)

var belowZero = redis.NewScript(`
-- belowZero: leave the lock once; the last to leave frees it.
local left = redis.call('HINCRBY', KEYS[1], ARGV[1], -1)
if left == 0 then
	redis.call('DEL', KEYS[1])
end
return left
`)

var tenSeconds = redis.NewScript(`
-- tenSeconds: leave the lock once; if entries are left, ten seconds are enough for anybody.
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
	return -1
end
local left = redis.call('HINCRBY', KEYS[1], ARGV[1], -1)
if left == 0 then
	redis.call('DEL', KEYS[1])
else
	redis.call('EXPIRE', KEYS[1], 10)
end
return left
`)

var thirtySeconds = redis.NewScript(`
-- thirtySeconds: leave the lock once; if entries are left, the lease begins again.
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
	return -1
end
local left = redis.call('HINCRBY', KEYS[1], ARGV[1], -1)
if left == 0 then
	redis.call('DEL', KEYS[1])
else
	redis.call('PEXPIRE', KEYS[1], 30000)
end
return left
`)

type leaseLater struct{ byCount }

func (l leaseLater) TryLock(ctx context.Context) (bool, error) {
	ok, err := l.byCount.TryLock(ctx)
	if ok {
		err = l.rdb.PExpire(ctx, l.key, l.lease).Err()
	}
	return ok && err == nil, err
}

type lookThenEnter struct{ byCount }

func (l lookThenEnter) TryLock(ctx context.Context) (bool, error) {
	fields, err := l.rdb.HKeys(ctx, l.key).Result()
	if err != nil || len(fields) > 0 && fields[0] != l.owner {
		return false, err
	}
	pipe := l.rdb.TxPipeline()
	pipe.HIncrBy(ctx, l.key, l.owner, 1)
	pipe.PExpire(ctx, l.key, l.lease)
	_, err = pipe.Exec(ctx)
	return err == nil, err
}

type lookThenCount struct{ byCount }

func (l lookThenCount) TryLock(ctx context.Context) (bool, error) {
	inside, err := l.rdb.HExists(ctx, l.key, l.owner).Result()
	if err != nil {
		return false, err
	}
	if !inside {
		return l.byCount.TryLock(ctx)
	}
	if err := l.rdb.HIncrBy(ctx, l.key, l.owner, 1).Err(); err != nil {
		return false, err
	}
	return true, l.rdb.PExpire(ctx, l.key, l.lease).Err()
}

type lookThenLeave struct{ byCount }

func (l lookThenLeave) Unlock(ctx context.Context) error {
	entries, err := l.rdb.HGet(ctx, l.key, l.owner).Int()
	if err != nil && !errors.Is(err, redis.Nil) {
		return err
	}
	if entries > 1 {
		return l.rdb.HIncrBy(ctx, l.key, l.owner, -1).Err()
	}
	return l.byCount.Unlock(ctx)
}

type inMemory struct {
	*counted
	inside int
}

func (l *inMemory) TryLock(ctx context.Context) (bool, error) {
	if l.inside > 0 {
		l.inside++
		return true, nil
	}
	ok, err := l.counted.TryLock(ctx)
	if ok {
		l.inside = 1
	}
	return ok, err
}

func (l *inMemory) Unlock(ctx context.Context) error {
	l.inside = max(0, l.inside-1)
	if l.inside > 0 {
		return nil
	}
	return l.counted.Unlock(ctx)
}

type onceTooMany struct{ *counted }

func (l onceTooMany) Unlock(ctx context.Context) error {
	if err := l.counted.Unlock(ctx); !errors.Is(err, errNotHeld) {
		return err
	}
	return nil
}
