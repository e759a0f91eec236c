package wrong

import (
	"context"
	"sync"

	"lockstep/stages"
	"lockstep/workshop"
)

// notInRedis lists the locks that decide without Redis, or against it.
func notInRedis() []Lock {
	mutexes := &sync.Map{} // the package's own, in the program that this stands for
	return []Lock{
		{
			Name:     "a mutex of the process",
			Mistake:  "A sync.Mutex guards what two servers share. It is there in every service that once ran on one server.",
			Exercise: workshop.E1, Check: "TwoServers", Says: "sold twice",
			New: on(func(h *handle) stages.Lock { return &mutexOnly{handle: h} }),
		},
		{
			Name:     "a global mutex with a key for show",
			Mistake:  "A map of mutexes in the package decides, and a key in Redis only says so. In a test, where all servers are one process, it works.",
			Exercise: workshop.E1, Check: "OtherProcess", Says: "something in B's own process decides",
			New: on(func(h *handle) stages.Lock { return keyForShow{plain{h}, mutexes} }),
		},
		{
			Name:     "a door that is always open",
			Mistake:  "TryLock says yes and does nothing: a stub that nobody came back to.",
			Exercise: workshop.E1, Check: "FreeLock", Says: "Redis knows nothing of it",
			New: on(func(h *handle) stages.Lock { return alwaysOpen{h} }),
		},
		{
			Name:     "a door that never opens",
			Mistake:  "TryLock says no, whatever Redis says. Nobody is ever inside twice, and nobody once.",
			Exercise: workshop.E1, Check: "FreeLock", Says: "A's TryLock does not take it",
			New: on(func(h *handle) stages.Lock { return neverOpen{plain{h}} }),
		},
		{
			Name:     "SET without NX",
			Mistake:  "SET succeeds whether the key was there or not, and so does everybody.",
			Exercise: workshop.E1, Check: "TwoServers", Says: "did not keep B out",
			New: on(func(h *handle) stages.Lock { return setWithoutNX{plain{h}} }),
		},
		{
			Name:     "EXISTS, then SET",
			Mistake:  "Look, and then take: two can look before either takes. A plan that reads well, and that no play with one try at a time finds out.",
			Exercise: workshop.E1, Check: "Schedules", Says: "B overwrote A's lock",
			New: on(func(h *handle) stages.Lock { return existsThenSet{plain{h}} }),
		},
		{
			Name:     "a field for each owner",
			Mistake:  "HSETNX looks at the field and not at the key. With the owner as the field it succeeds for everybody.",
			Exercise: workshop.E1, Check: "TwoServers", Says: "did not keep B out",
			New: on(func(h *handle) stages.Lock { return fieldPerOwner{plain{h}} }),
		},
		{
			Name:     "one key for all",
			Mistake:  "The key is a constant, and the lock on one product waits for the lock on another.",
			Exercise: workshop.E1, Check: "OtherKey", Says: "B does not get lock:stock:2",
			New: on(func(h *handle) stages.Lock { h.key = "lock:stock"; return plain{h} }),
		},
		{
			Name:     "a key of one's own",
			Mistake:  "The key contains the thread, the host or the request. Everybody gets a lock, each another one.",
			Exercise: workshop.E1, Check: "ThreadNamedKey", Says: "each has a key of its own",
			New: func(f stages.Flow) (stages.Lock, error) {
				return on(func(h *handle) stages.Lock {
					h.key += ":thread-" + string(rune('0'+f.Thread))
					return plain{h}
				})(f)
			},
		},
		{
			Name:     "a key of another name",
			Mistake:  "A prefix before the key: harmless, until two programs that should exclude each other disagree about it.",
			Exercise: workshop.E1, Check: "FreeLock", Says: "but my-lock:lock:stock",
			New: on(func(h *handle) stages.Lock {
				if h.key != "" {
					h.key = "my-lock:" + h.key
				}
				return plain{h}
			}),
		},
		{
			Name:     "New takes anything",
			Mistake:  "No look at what New gets: the nil client panics, and the empty key locks, much later.",
			Exercise: workshop.E1, Check: "BadInput", Says: "New accepts no Redis client",
			New: func(f stages.Flow) (stages.Lock, error) {
				h := &handle{rdb: f.Redis, key: f.Key, token: "1", lease: f.Lease}
				h.self = plain{h}
				return h.self, nil
			},
		},
		{
			Name:     "New talks to Redis",
			Mistake:  "New pings the server first. To make a lock fails now, and has no context to end it.",
			Exercise: workshop.E1, Check: "BadInput", Says: "New has sent a command",
			New: func(f stages.Flow) (stages.Lock, error) {
				if f.Redis != nil {
					if err := f.Redis.Ping(context.Background()).Err(); err != nil {
						return nil, err
					}
				}
				return on(func(h *handle) stages.Lock { return plain{h} })(f)
			},
		},
	}
}

type mutexOnly struct {
	*handle
	mu sync.Mutex
}

func (l *mutexOnly) TryLock(context.Context) (bool, error) { return l.mu.TryLock(), nil }

func (l *mutexOnly) Unlock(context.Context) error {
	l.mu.TryLock()
	l.mu.Unlock()
	return nil
}

type keyForShow struct {
	plain
	mutexes *sync.Map
}

func (l keyForShow) TryLock(ctx context.Context) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if _, taken := l.mutexes.LoadOrStore(l.key, l.token); taken {
		return false, nil
	}
	return true, l.rdb.Set(ctx, l.key, l.token, 0).Err()
}

func (l keyForShow) Unlock(ctx context.Context) error {
	l.mutexes.Delete(l.key)
	return l.plain.Unlock(ctx)
}

type alwaysOpen struct{ *handle }

func (l alwaysOpen) TryLock(ctx context.Context) (bool, error) { return ctx.Err() == nil, ctx.Err() }
func (l alwaysOpen) Unlock(context.Context) error              { return nil }

type neverOpen struct{ plain }

func (l neverOpen) TryLock(ctx context.Context) (bool, error) { return false, ctx.Err() }

type setWithoutNX struct{ plain }

func (l setWithoutNX) TryLock(ctx context.Context) (bool, error) {
	err := l.rdb.Set(ctx, l.key, l.token, 0).Err()
	return err == nil, err
}

type existsThenSet struct{ plain }

func (l existsThenSet) TryLock(ctx context.Context) (bool, error) {
	taken, err := l.rdb.Exists(ctx, l.key).Result()
	if err != nil || taken > 0 {
		return false, err
	}
	err = l.rdb.Set(ctx, l.key, l.token, 0).Err()
	return err == nil, err
}

type fieldPerOwner struct{ plain }

func (l fieldPerOwner) TryLock(ctx context.Context) (bool, error) {
	return l.rdb.HSetNX(ctx, l.key, l.token, 1).Result()
}
