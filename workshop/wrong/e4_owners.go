package wrong

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/stages"
	"lockstep/workshop"
)

// owners lists the locks that take one owner for another.
func owners() []Lock {
	return []Lock{
		{
			Name:     "no owner check",
			Mistake:  "DEL, whoever holds it. The commonest of all (twentyhq/twenty#25661, nexspence/nexspence#223).",
			Exercise: workshop.E4, Check: "ForeignUnlock", Says: "B freed a lock that it never held",
			New: on(func(h *handle) stages.Lock { return anybodys{leased{h}} }),
		},
		{
			Name:     "a look whether there is a lock",
			Mistake:  "EXISTS before DEL: it asks whether somebody is inside, and not who.",
			Exercise: workshop.E4, Check: "MisDelete", Says: "A deleted B's lock",
			New: on(func(h *handle) stages.Lock { return existsThenDel{leased{h}} }),
		},
		{
			Name:     "memory for an owner check",
			Mistake:  "The handle knows that it has locked, and so it may delete. That its lease ended long ago, it can't know.",
			Exercise: workshop.E4, Check: "MisDelete", Says: "A deleted B's lock",
			New: on(func(h *handle) stages.Lock { return &byMemory{leased: leased{h}} }),
		},
		{
			Name:     "one token for all",
			Mistake:  "The value is a constant, \"1\" or \"locked\" (kent8192/reinhardt-web#740). Everybody's comparison succeeds.",
			Exercise: workshop.E4, Check: "ForeignUnlock", Says: "B freed a lock that it never held",
			New: on(func(h *handle) stages.Lock { h.token = "locked"; return leased{h} }),
		},
		{
			Name:     "a token from the clock",
			Mistake:  "time.Now() as the token: two requests that come in together are one owner. Clocks are coarser than they print.",
			Exercise: workshop.E4, Check: "ForeignUnlock", Says: "B freed a lock that it never held",
			New: on(func(h *handle) stages.Lock {
				h.token = strconv.FormatInt(time.Now().Unix(), 10)
				return leased{h}
			}),
		},
		{
			Name:     "a token per process",
			Mistake:  "Host and process number, made once in init(). All requests of a service are one owner.",
			Exercise: workshop.E4, Check: "SameService", Says: "another request of A's service has freed A's lock",
			New: on(func(h *handle) stages.Lock {
				h.token = fmt.Sprintf("host-%p", h.rdb) // a service has one client
				return leased{h}
			}),
		},
		{
			Name:     "the thread's number as the token",
			Mistake:  "Every process has a thread 1.",
			Exercise: workshop.E4, Check: "OwnerCollision", Says: "B's thread 1 passed for A's thread 1",
			New: func(f stages.Flow) (stages.Lock, error) {
				return on(func(h *handle) stages.Lock {
					h.token = strconv.Itoa(f.Thread)
					return leased{h}
				})(f)
			},
		},
		{
			Name:     "half a token compared",
			Mistake:  "The value is \"worker:\" and something random, and only what stands before the colon is compared.",
			Exercise: workshop.E4, Check: "ForeignUnlock", Says: "B freed a lock that it never held",
			New: on(func(h *handle) stages.Lock {
				h.token = "worker:" + h.token
				return prefixOnly{leased{h}}
			}),
		},
		{
			Name:     "a token per try",
			Mistake:  "TryLock draws a new token and keeps it, whether it wins or not. The holder that tries once more can't unlock what it holds.",
			Exercise: workshop.E4, Check: "HolderTries", Says: "its Unlock does not free the lock",
			New: on(func(h *handle) stages.Lock { return tokenPerTry{leased{h}} }),
		},
		{
			Name:     "nothing to unlock, and all is well",
			Mistake:  "Unlock returns nil if the lock was somebody else's. Whoever worked without a lock for a while never hears of it.",
			Exercise: workshop.E4, Check: "NothingToUnlock", Says: "its Unlock says that all is well",
			New: on(func(h *handle) stages.Lock { return neverRefuses{leased{h}} }),
		},
		{
			Name:     "redis.Nil from Unlock",
			Mistake:  "GET's redis.Nil is passed on as it is: the caller tests for ErrNotHeld and takes it for a failure of Redis.",
			Exercise: workshop.E4, Check: "NothingToUnlock", Says: "redis: nil: it should be ErrNotHeld",
			New: on(func(h *handle) stages.Lock { return nilFromUnlock{leased{h}} }),
		},
		{
			Name:     "no answer for an answer",
			Mistake:  "owner, _ := Get(): what Redis did not answer is empty, and so somebody else's. Unlock says that the lock is lost, and it is there.",
			Exercise: workshop.E4, Check: "Unanswered", Says: "B's unlock was lost, and says ErrNotHeld",
			New: on(func(h *handle) stages.Lock { return dropsError{leased{h}} }),
		},
		{
			Name:     "a loss that nobody reports",
			Mistake:  "Unlock refuses what was never locked, and drops Redis's answer otherwise. That the lease ended before the work is the one thing that the caller had to know.",
			Exercise: workshop.E4, Check: "LateUnlock", Says: "it should be ErrNotHeld",
			New: on(func(h *handle) stages.Lock { return &dropsAnswer{leased: leased{h}} }),
		},
		{
			Name:     "stuck after a loss",
			Mistake:  "Unlock finds the lock lost, and leaves before it resets the handle: it never locks again (spring-projects/spring-integration#1888).",
			Exercise: workshop.E4, Check: "LockedAnew", Says: "does not get it again although it is free",
			New: on(func(h *handle) stages.Lock { return &stuck{leased: leased{h}} }),
		},
	}
}

type anybodys struct{ leased }

func (l anybodys) Unlock(ctx context.Context) error {
	deleted, err := l.rdb.Del(ctx, l.key).Result()
	if err == nil && deleted == 0 {
		return errNotHeld
	}
	return err
}

type existsThenDel struct{ leased }

func (l existsThenDel) Unlock(ctx context.Context) error {
	found, err := l.rdb.Exists(ctx, l.key).Result()
	if err != nil {
		return err
	}
	if found == 0 {
		return errNotHeld
	}
	return l.rdb.Del(ctx, l.key).Err()
}

type byMemory struct {
	leased
	inside bool
}

func (l *byMemory) TryLock(ctx context.Context) (bool, error) {
	ok, err := l.leased.TryLock(ctx)
	l.inside = l.inside || ok
	return ok, err
}

func (l *byMemory) Unlock(ctx context.Context) error {
	if !l.inside {
		return errNotHeld
	}
	l.inside = false
	return anybodys{l.leased}.Unlock(ctx)
}

type prefixOnly struct{ leased }

func (l prefixOnly) Unlock(ctx context.Context) error {
	value, err := l.rdb.Get(ctx, l.key).Result()
	name, _, _ := strings.Cut(l.token, ":")
	switch {
	case errors.Is(err, redis.Nil), err == nil && !strings.HasPrefix(value, name):
		return errNotHeld
	case err != nil:
		return err
	}
	return l.rdb.Del(ctx, l.key).Err()
}

type tokenPerTry struct{ leased }

func (l tokenPerTry) TryLock(ctx context.Context) (bool, error) {
	l.token = newToken()
	return l.leased.TryLock(ctx)
}

type neverRefuses struct{ leased }

func (l neverRefuses) Unlock(ctx context.Context) error {
	err := l.leased.Unlock(ctx)
	if errors.Is(err, errNotHeld) {
		return nil
	}
	return err
}

type nilFromUnlock struct{ leased }

func (l nilFromUnlock) Unlock(ctx context.Context) error {
	value, err := l.rdb.Get(ctx, l.key).Result()
	if err != nil {
		return err
	}
	if value != l.token {
		return errNotHeld
	}
	return l.rdb.Del(ctx, l.key).Err()
}

type dropsError struct{ leased }

func (l dropsError) Unlock(ctx context.Context) error {
	owner, _ := l.rdb.Get(ctx, l.key).Result()
	if owner != l.token {
		return errNotHeld
	}
	return l.rdb.Del(ctx, l.key).Err()
}

type dropsAnswer struct {
	leased
	inside bool
}

func (l *dropsAnswer) TryLock(ctx context.Context) (bool, error) {
	ok, err := l.leased.TryLock(ctx)
	l.inside = l.inside || ok
	return ok, err
}

func (l *dropsAnswer) Unlock(ctx context.Context) error {
	if !l.inside {
		return errNotHeld
	}
	l.inside = false
	if err := l.leased.Unlock(ctx); !errors.Is(err, errNotHeld) {
		return err
	}
	return nil
}

type stuck struct {
	leased
	inside bool
}

func (l *stuck) TryLock(ctx context.Context) (bool, error) {
	if l.inside {
		return false, nil
	}
	ok, err := l.leased.TryLock(ctx)
	l.inside = ok
	return ok, err
}

func (l *stuck) Unlock(ctx context.Context) error {
	if err := l.leased.Unlock(ctx); err != nil {
		return err
	}
	l.inside = false
	return nil
}
