package wrong

import (
	"context"

	"lockstep/stages"
	"lockstep/workshop"
)

// unlocking lists the locks that do not give back, or too much.
func unlocking() []Lock {
	return []Lock{
		{
			Name:     "an unlock that does nothing",
			Mistake:  "Unlock leaves it to Redis to forget the key. Without a lease that is never.",
			Exercise: workshop.E1, Check: "FreeLock", Says: "Redis still has lock:stock",
			New: on(func(h *handle) stages.Lock { return lazyUnlock{plain{h}} }),
		},
		{
			Name:     "an unlock that swallows its error",
			Mistake:  "_ = rdb.Del(…): the lock is still there, and nobody knows.",
			Exercise: workshop.E1, Check: "Unanswered", Says: "says that all is well",
			New: on(func(h *handle) stages.Lock { return quietUnlock{plain{h}} }),
		},
		{
			Name:     "an unlock in the background",
			Mistake:  "go rdb.Del(…), so that the caller need not wait. What comes of it, nobody hears.",
			Exercise: workshop.E1, Check: "Unanswered", Says: "says that all is well",
			New: on(func(h *handle) stages.Lock { return asyncUnlock{plain{h}} }),
		},
		{
			Name:     "an unlock by pattern",
			Mistake:  "KEYS lock* and DEL for each: every lock that begins like this one is free.",
			Exercise: workshop.E1, Check: "OtherKey", Says: "Redis has now no lock",
			New: on(func(h *handle) stages.Lock { return unlockByPattern{plain{h}} }),
		},
		{
			Name:     "a set of owners",
			Mistake:  "The lock is a set, with the owners as members: everybody can be in it at once.",
			Exercise: workshop.E1, Check: "TakenLock", Says: "A and B are both inside",
			New: on(func(h *handle) stages.Lock { return members{plain{h}} }),
		},
	}
}

type lazyUnlock struct{ plain }

func (l lazyUnlock) Unlock(context.Context) error { return nil }

type quietUnlock struct{ plain }

func (l quietUnlock) Unlock(ctx context.Context) error {
	_ = l.plain.Unlock(ctx)
	return nil
}

type asyncUnlock struct{ plain }

func (l asyncUnlock) Unlock(ctx context.Context) error {
	go func() { _ = l.plain.Unlock(ctx) }()
	return nil
}

type unlockByPattern struct{ plain }

func (l unlockByPattern) Unlock(ctx context.Context) error {
	keys, err := l.rdb.Keys(ctx, "lock*").Result()
	if err != nil || len(keys) == 0 {
		return err
	}
	return l.rdb.Del(ctx, keys...).Err()
}

type members struct{ plain }

func (l members) TryLock(ctx context.Context) (bool, error) {
	n, err := l.rdb.SAdd(ctx, l.key, l.token).Result()
	return n == 1, err
}
