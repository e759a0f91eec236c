package stages

import (
	"context"

	"github.com/redis/go-redis/v9"

	"lockstep/beyond/fencing"
	"lockstep/beyond/wakeup"
	"lockstep/drafts"

	v1 "lockstep/v1_setnx"
	v2 "lockstep/v2_spin"
	v3 "lockstep/v3_expire"
	v4 "lockstep/v4_owner"
	v5 "lockstep/v5_lua_release"
	v6 "lockstep/v6_reentrant_hash"
	v7 "lockstep/v7_watchdog"
)

// The mutex and the seven stages.
var (
	V0 = Stage{
		Name:       "v0_mutex",
		Adds:       "a mutex in the process",
		PerService: true,
		New:        func(Flow) (Lock, error) { return &mutex{}, nil },
	}
	V1 = Stage{
		Name:    "v1_setnx",
		Adds:    "one lock for all processes: SET NX, DEL",
		Acquire: "SET", Release: "DEL",
		New: func(f Flow) (Lock, error) { return v1.New(f.Redis, f.Key) },
	}
	V2 = Stage{
		Name:    "v2_spin",
		Adds:    "waiting in a loop",
		Acquire: "SET", Release: "DEL",
		New: func(f Flow) (Lock, error) { return v2.New(f.Redis, f.Key) },
	}
	V3 = Stage{
		Name:    "v3_expire",
		Adds:    "a lease, in the same command",
		Lease:   true,
		Acquire: "SET", Release: "DEL",
		New: func(f Flow) (Lock, error) { return v3.New(f.Redis, f.Key, f.Lease) },
	}
	V4 = Stage{
		Name:    "v4_owner",
		Adds:    "a look at the owner before the DEL",
		Lease:   true,
		Acquire: "SET", Release: "DEL",
		NotHeld: v4.ErrNotHeld,
		New:     func(f Flow) (Lock, error) { return v4.New(f.Redis, f.Key, f.Lease) },
	}
	V5 = Stage{
		Name:    "v5_lua_release",
		Adds:    "look and delete in one script",
		Lease:   true,
		Acquire: "SET", Release: "releaseIfOwner",
		NotHeld: v5.ErrNotHeld,
		New:     func(f Flow) (Lock, error) { return v5.New(f.Redis, f.Key, f.Lease) },
	}
	V6 = Stage{
		Name:    "v6_reentrant_hash",
		Adds:    "a count for the owner who locks again",
		Lease:   true,
		Acquire: "acquireOrReenter", Release: "releaseOnce",
		NotHeld: v6.ErrNotHeld,
		New: func(f Flow) (Lock, error) {
			if f.Owner != "" || f.NoOwner {
				return v6.New(f.Redis, f.Key, f.Owner, f.Lease)
			}
			factory, err := v6.NewFactory(f.Redis, f.Lease)
			if err != nil {
				return nil, err
			}
			return factory.New(v6.Redis, f.Key)
		},
	}
	V7 = Stage{
		Name:    "v7_watchdog",
		Adds:    "renewal while the work goes on, and news of a loss",
		Lease:   true,
		Acquire: "acquireOrReenter", Release: "releaseOnce", Renew: "renewIfOwner",
		Rests:   true,
		NotHeld: v7.ErrNotHeld,
		New: func(f Flow) (Lock, error) {
			if f.Owner != "" || f.NoOwner {
				return v7.New(f.Redis, f.Key, f.Owner, f.Lease)
			}
			factory, err := v7.NewFactory(f.Redis, f.Lease)
			if err != nil {
				return nil, err
			}
			return factory.New(v7.Redis, f.Key)
		},
	}
)

// V5Watch is v5 with the fourth article's transaction in place of the script.
// It is no draft: it does the same by other means.
var V5Watch = Stage{
	Name:    "v5_watch_release",
	Adds:    "look and delete in WATCH … MULTI … EXEC",
	Lease:   true,
	Acquire: "SET", Release: "DEL",
	NotHeld: v5.ErrNotHeld,
	Like:    "v5_lua_release",
	New:     func(f Flow) (Lock, error) { return v5.NewWatch(f.Redis, f.Key, f.Lease) },
}

// Wakeup is v5 whose waiters are woken, and need not ask.
var Wakeup = Stage{
	Name:    "wakeup",
	Adds:    "a call to who waits, in place of polling",
	Lease:   true,
	Listens: true,
	Acquire: "SET", Release: "releaseAndWake",
	NotHeld: wakeup.ErrNotHeld,
	Like:    "v5_lua_release",
	New:     func(f Flow) (Lock, error) { return wakeup.New(f.Redis, f.Key, f.Lease) },
}

// Fenced is what comes after the stages: a lock that counts its holds, and a shop
// that refuses whom a later hold has overtaken.
var Fenced = Stage{
	Name:    "fencing",
	Adds:    "a number that grows, and a shop that looks at it",
	Lease:   true,
	Acquire: "acquireAndCount", Release: "releaseIfOwner", Write: "writeUnlessStale",
	NotHeld: fencing.ErrNotHeld,
	Stale:   fencing.ErrStale,
	Like:    "v5_lua_release",
	New:     func(f Flow) (Lock, error) { return fencing.New(f.Redis, f.Key, f.Lease) },
	Sell: func(ctx context.Context, lock Lock, rdb *redis.Client, stock string) (int, error) {
		return fencing.NewShop(rdb, stock).Sell(ctx, lock.(*fencing.Lock).Token())
	},
}

// The drafts, in the order of the stages that put them right.
var (
	NoDefer = Stage{
		Name:    "no_defer",
		Adds:    "unlock after the work, not deferred",
		Draft:   "first article",
		Like:    "v1_setnx",
		Acquire: "SET", Release: "DEL",
		New: V1.New,
		Do: func(ctx context.Context, lock Lock, business Business) (string, error) {
			return drafts.DoWithoutDefer(ctx, lock, business)
		},
	}
	EmptyAnswer = Stage{
		Name:    "empty_answer",
		Adds:    "the retry's result is dropped",
		Draft:   "first article",
		Like:    "v1_setnx",
		Acquire: "SET", Release: "DEL",
		New: V1.New,
		Do: func(ctx context.Context, lock Lock, business Business) (string, error) {
			return drafts.DoAndForget(ctx, lock, business)
		},
	}
	TwoCommands = Stage{
		Name:    "two_commands",
		Adds:    "SETNX, then EXPIRE",
		Draft:   "fourth article",
		Like:    "v5_lua_release",
		Lease:   true,
		Acquire: "SET", Release: "releaseIfOwner",
		New: func(f Flow) (Lock, error) { return drafts.NewTwoCommands(f.Redis, f.Key, f.Lease), nil },
	}
	TwoCommandsPatched = Stage{
		Name:    "two_commands_patched",
		Adds:    "waiters add a missing lease",
		Draft:   "fourth article",
		Like:    "v5_lua_release",
		Lease:   true,
		Acquire: "SET", Release: "releaseIfOwner",
		New: func(f Flow) (Lock, error) { return drafts.NewTwoCommandsPatched(f.Redis, f.Key, f.Lease), nil },
	}
	WholeSeconds = Stage{
		Name:    "whole_seconds",
		Adds:    "a lease cut to whole seconds",
		Draft:   "fourth article",
		Like:    "v5_lua_release",
		Lease:   true,
		Acquire: "SET", Release: "releaseIfOwner",
		New: func(f Flow) (Lock, error) { return drafts.NewWholeSeconds(f.Redis, f.Key, f.Lease), nil },
	}
	TimeoutIgnored = Stage{
		Name:    "timeout_ignored",
		Adds:    "the work is done without the lock, too",
		Draft:   "fourth article",
		Like:    "v5_lua_release",
		Lease:   true,
		Acquire: "SET", Release: "releaseIfOwner",
		New: V5.New,
		Do: func(ctx context.Context, lock Lock, business Business) (string, error) {
			return drafts.DoAnyway(ctx, lock, business)
		},
	}
	AnswerDropped = Stage{
		Name:    "answer_dropped",
		Adds:    "Redis's answer is not looked at",
		Draft:   "second article",
		Like:    "v6_reentrant_hash",
		Lease:   true,
		Acquire: "acquireOrReenter", Release: "releaseOnce",
		New: func(f Flow) (Lock, error) { return drafts.NewAnswerDropped(f.Redis, f.Key, f.Lease), nil },
	}
	ThreadID = Stage{
		Name:    "thread_id",
		Adds:    "the thread's number as the token",
		Draft:   "third article",
		Like:    "v5_lua_release",
		Lease:   true,
		Acquire: "SET", Release: "releaseIfOwner",
		New: func(f Flow) (Lock, error) { return drafts.NewThreadID(f.Redis, f.Key, f.Thread, f.Lease), nil },
	}
	NoCount = Stage{
		Name:    "no_count",
		Adds:    "the owner may lock again, uncounted",
		Draft:   "ours, on the way to v6",
		Like:    "v6_reentrant_hash",
		Lease:   true,
		Acquire: "acquireAsOwner", Release: "releaseIfOwner",
		New: func(f Flow) (Lock, error) { return drafts.NewNoCount(f.Redis, f.Key, f.Lease), nil },
	}
	SharedOwner = Stage{
		Name:       "shared_owner",
		Adds:       "one lock in a field of the service",
		Draft:      "first article",
		Like:       "v6_reentrant_hash",
		PerService: true,
		Lease:      true,
		Acquire:    "acquireOrReenter", Release: "releaseOnce",
		New: func(f Flow) (Lock, error) { return drafts.NewSharedOwner(f.Redis, f.Key, f.Lease), nil },
	}
	ThreadNamedKey = Stage{
		Name:    "thread_named_key",
		Adds:    "the thread's name in the key",
		Draft:   "second article",
		Like:    "v6_reentrant_hash",
		Lease:   true,
		Acquire: "acquireOrReenter", Release: "releaseOnce",
		New: func(f Flow) (Lock, error) { return drafts.NewThreadNamedKey(f.Redis, f.Key, f.Thread, f.Lease), nil },
	}
	FixedLease = Stage{
		Name:    "fixed_lease",
		Adds:    "an inner unlock sets ten seconds",
		Draft:   "second article",
		Like:    "v6_reentrant_hash",
		Lease:   true,
		Acquire: "acquireOrReenter", Release: "releaseAndExpire",
		New: func(f Flow) (Lock, error) { return drafts.NewFixedLease(f.Redis, f.Key, f.Lease), nil },
	}
	ResetExpire = Stage{
		Name:    "reset_expire",
		Adds:    "a timer for each entry, none stopped",
		Draft:   "first article",
		Like:    "v7_watchdog",
		Lease:   true,
		Acquire: "acquireOrReenter", Release: "releaseOnce", Renew: "renewIfOwner",
		New: func(f Flow) (Lock, error) { return drafts.NewResetExpire(f.Redis, f.Key, f.Lease), nil },
	}
	WonButSaidNo = Stage{
		Name:    "won_but_said_no",
		Adds:    "TryLock wins and says no",
		Draft:   "first article",
		Like:    "v7_watchdog",
		Lease:   true,
		Acquire: "acquireOrReenter", Release: "releaseOnce", Renew: "renewIfOwner",
		New: func(f Flow) (Lock, error) { return drafts.NewWonButSaidNo(f.Redis, f.Key, f.Lease), nil },
	}
	RenewalGivesUp = Stage{
		Name:    "renewal_gives_up",
		Adds:    "one failed renewal is the last",
		Draft:   "Redisson 3.17",
		Like:    "v7_watchdog",
		Lease:   true,
		Acquire: "acquireOrReenter", Release: "releaseOnce", Renew: "renewIfOwner",
		New: func(f Flow) (Lock, error) { return drafts.NewRenewalGivesUp(f.Redis, f.Key, f.Lease), nil },
	}
)

// All lists the mutex and the stages, in order.
func All() []Stage { return []Stage{V0, V1, V2, V3, V4, V5, V6, V7} }

// Drafts lists what stands beside the stages: v5's other release, and the wrong
// turns.
func Drafts() []Stage {
	return []Stage{
		V5Watch,
		NoDefer, EmptyAnswer,
		TwoCommands, TwoCommandsPatched, WholeSeconds, TimeoutIgnored, AnswerDropped,
		ThreadID,
		NoCount, SharedOwner, ThreadNamedKey, FixedLease,
		ResetExpire, WonButSaidNo, RenewalGivesUp,
	}
}
