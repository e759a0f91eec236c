package wrong

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/stages"
	"lockstep/workshop"
)

// scripts lists the locks whose release is not one step, or not the right one.
func scripts() []Lock {
	return []Lock{
		{
			Name:     "the check outside the script",
			Mistake:  "GET and compare in Go, and then a script that deletes. Lua makes atomic what is inside of it.",
			Exercise: workshop.E5, Check: "GCPause", Says: "A's delete came late",
			New: on(func(h *handle) stages.Lock { return compareInGo{leased{h}, deleteIt} }),
		},
		{
			Name:     "MULTI without WATCH",
			Mistake:  "A transaction around the DEL, and the GET before it. Nothing ties the two together.",
			Exercise: workshop.E5, Check: "GCPause", Says: "A's delete came late",
			New: on(func(h *handle) stages.Lock { return compareInGo{leased{h}, deleteInMulti} }),
		},
		{
			Name:     "WATCH after GET",
			Mistake:  "What changed between the two, EXEC does not see. The right three commands in the wrong order.",
			Exercise: workshop.E5, Check: "Schedules", Says: "A deleted B's lock",
			New: on(func(h *handle) stages.Lock { return compareInGo{leased{h}, deleteWatched} }),
		},
		{
			Name:     "take it, look, and put it back",
			Mistake:  "GETDEL is atomic, and if the value was another's, SET puts it back. For a moment in between the lock is free, and it comes back without its lease.",
			Exercise: workshop.E5, Check: "Schedules", Says: "A deleted B's lock",
			New: on(func(h *handle) stages.Lock { return putBack{leased{h}} }),
		},
		{
			Name:     "the client's clock for an owner",
			Mistake:  "By my watch the lease has not ended, and so it is mine, and DEL. The watch is looked at before the pause.",
			Exercise: workshop.E5, Check: "GCPause", Says: "A's delete came late",
			New: on(func(h *handle) stages.Lock { return &byClock{leased: leased{h}, release: deleteAny} }),
		},
		{
			Name:     "the server's clock for an owner",
			Mistake:  "The script deletes until the lease would have ended, by Redis's own TIME. Sent twice by go-redis, within the lease, it deletes twice.",
			Exercise: workshop.E5, Check: "RetriedDelete", Says: "the second hit B's lock",
			New: on(func(h *handle) stages.Lock { return &byClock{leased: leased{h}, release: deleteInTime} }),
		},
		{
			Name:     "the key in the script",
			Mistake:  "redis.call('DEL', 'lock:stock'): copied from where it was tried out. KEYS is not for Redis alone.",
			Exercise: workshop.E5, Check: "OtherKey", Says: "and Redis has now lock:stock:2",
			New: on(func(h *handle) stages.Lock { return byScript{leased{h}, releaseStock} }),
		},
		{
			Name:     "the token as a number",
			Mistake:  "tonumber(ARGV[1]) is nil for a random token, and so is that of everybody else: nil == nil.",
			Exercise: workshop.E5, Check: "ForeignUnlock", Says: "B freed a lock that it never held",
			New: on(func(h *handle) stages.Lock { return byScript{leased{h}, releaseIfEqual} }),
		},
		{
			Name:     "the script's answer dropped",
			Mistake:  "The script knows that there was nothing to delete, and Unlock looks at the error alone.",
			Exercise: workshop.E5, Check: "LateUnlock", Says: "its Unlock says that all is well",
			New: on(func(h *handle) stages.Lock { return neverRefuses{leased{h}} }),
		},
		{
			Name:     "a script that returns nothing",
			Mistake:  "if … then return redis.call('DEL', …) end, and no else. Nothing is nil, and go-redis calls nil an error: not ErrNotHeld, but redis.Nil.",
			Exercise: workshop.E5, Check: "NothingToUnlock", Says: "redis: nil: it should be ErrNotHeld",
			New: on(func(h *handle) stages.Lock { return byScript{leased{h}, releaseOrNil} }),
		},
		{
			Name:     "any error is ErrNotHeld",
			Mistake:  "if err != nil || deleted == 0 { return ErrNotHeld }. Redis can't be reached, and the caller hears that its lock is lost: it holds it for a lease yet.",
			Exercise: workshop.E5, Check: "Unanswered", Says: "B's unlock was lost, and says ErrNotHeld",
			New: on(func(h *handle) stages.Lock { return oneError{leased{h}} }),
		},
		{
			Name:     "a script that doesn't compile",
			Mistake:  "A then is missing. Only Redis compiles Lua, and says so when the script is sent: in the error of Unlock.",
			Exercise: workshop.E5, Check: "GCPause", Says: "can't be tried yet, because of FreeLock: A was inside, and its Unlock says: ERR Error compiling script",
			New: on(func(h *handle) stages.Lock { return byScript{leased{h}, thenMissing} }),
		},
		{
			Name:     "if not, then anyway",
			Mistake:  "The script found another owner, and a DEL follows to be sure that nothing stays behind.",
			Exercise: workshop.E5, Check: "MisDelete", Says: "A deleted B's lock",
			New: on(func(h *handle) stages.Lock { return anyway{leased{h}} }),
		},
	}
}

// compareInGo compares in Go, and deletes in some other way.
type compareInGo struct {
	leased
	del func(context.Context, leased) error
}

func (l compareInGo) Unlock(ctx context.Context) error {
	value, err := l.rdb.Get(ctx, l.key).Result()
	switch {
	case errors.Is(err, redis.Nil), err == nil && value != l.token:
		return errNotHeld
	case err != nil:
		return err
	}
	return l.del(ctx, l.leased)
}

var deleteAny = redis.NewScript(`
-- deleteAny: delete the lock.
return redis.call('DEL', KEYS[1])
`)

func deleteIt(ctx context.Context, l leased) error {
	return released(deleteAny.Run(ctx, l.rdb, []string{l.key}))
}

func deleteInMulti(ctx context.Context, l leased) error {
	_, err := l.rdb.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
		pipe.Del(ctx, l.key)
		return nil
	})
	return err
}

func deleteWatched(ctx context.Context, l leased) error {
	err := l.rdb.Watch(ctx, func(tx *redis.Tx) error {
		_, err := tx.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
			pipe.Del(ctx, l.key)
			return nil
		})
		return err
	}, l.key)
	if errors.Is(err, redis.TxFailedErr) {
		return errNotHeld
	}
	return err
}

type putBack struct{ leased }

func (l putBack) Unlock(ctx context.Context) error {
	value, err := l.rdb.GetDel(ctx, l.key).Result()
	switch {
	case errors.Is(err, redis.Nil):
		return errNotHeld
	case err != nil:
		return err
	case value != l.token:
		_ = l.rdb.SetNX(ctx, l.key, value, 0).Err()
		return errNotHeld
	}
	return nil
}

// byClock releases as long as its lease lasts.
type byClock struct {
	leased
	release *redis.Script
	ends    time.Time
}

func (l *byClock) TryLock(ctx context.Context) (bool, error) {
	ends := time.Now().Add(l.lease)
	ok, err := l.leased.TryLock(ctx)
	if ok {
		l.ends = ends
	}
	return ok, err
}

var deleteInTime = redis.NewScript(`
-- deleteInTime: delete the lock before a time.
local now = redis.call('TIME')
if now[1] * 1000 + now[2] / 1000 >= tonumber(ARGV[1]) then
	return 0
end
return redis.call('DEL', KEYS[1])
`)

func (l *byClock) Unlock(ctx context.Context) error {
	ends := l.ends
	l.ends = time.Time{}
	if !time.Now().Before(ends) {
		return errNotHeld
	}
	return released(l.release.Run(ctx, l.rdb, []string{l.key}, ends.UnixMilli()))
}

// byScript releases by a script of its own.
type byScript struct {
	leased
	release *redis.Script
}

func (l byScript) Unlock(ctx context.Context) error {
	return released(l.release.Run(ctx, l.rdb, []string{l.key}, l.token))
}

var releaseStock = redis.NewScript(`
-- releaseStock: delete the lock if it is still its owner's.
if redis.call('GET', KEYS[1]) == ARGV[1] then
	redis.call('DEL', 'lock:stock')
	return 1
end
return 0
`)

var releaseIfEqual = redis.NewScript(`
-- releaseIfEqual: delete the lock if its number is the owner's.
if tonumber(redis.call('GET', KEYS[1]) or '') == tonumber(ARGV[1]) then
	return redis.call('DEL', KEYS[1])
end
return 0
`)

var releaseOrNil = redis.NewScript(`
-- releaseOrNil: delete the lock if it is still its owner's.
if redis.call('GET', KEYS[1]) == ARGV[1] then
	return redis.call('DEL', KEYS[1])
end
`)

type oneError struct{ leased }

func (l oneError) Unlock(ctx context.Context) error {
	if l.leased.Unlock(ctx) != nil {
		return errNotHeld
	}
	return nil
}

var thenMissing = redis.NewScript(`
-- thenMissing: delete the lock if it is still its owner's.
if redis.call('GET', KEYS[1]) == ARGV[1]
	return redis.call('DEL', KEYS[1])
end
return 0
`)

type anyway struct{ leased }

func (l anyway) Unlock(ctx context.Context) error {
	err := l.leased.Unlock(ctx)
	if errors.Is(err, errNotHeld) {
		_ = l.rdb.Del(ctx, l.key).Err()
	}
	return err
}
