package wrong

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"

	"lockstep/stages"
	"lockstep/workshop"
)

// acquiring lists the locks that take Redis's answer for another.
func acquiring() []Lock {
	return []Lock{
		{
			Name:     "redis.Nil is an error",
			Mistake:  "SET … NX answers nil when the key is there, and go-redis calls nil an error. Passed on, it makes of every taken lock a failure of Redis.",
			Exercise: workshop.E1, Check: "TakenLock", Says: "is an answer, not an error: redis: nil",
			New: on(func(h *handle) stages.Lock { return nilIsAnError{plain{h}} }),
		},
		{
			Name:     "an error is a no",
			Mistake:  "TryLock drops the error and says that the lock is taken. While Redis is down, every server waits politely.",
			Exercise: workshop.E1, Check: "Unanswered", Says: "it should be an error",
			New: on(func(h *handle) stages.Lock { return errorIsNo{plain{h}} }),
		},
		{
			Name:     "an error is a yes",
			Mistake:  "Where Redis does not answer, TryLock lets everybody in, so that the shop goes on selling: two at a time.",
			Exercise: workshop.E1, Check: "Unanswered", Says: "believes to be inside",
			New: on(func(h *handle) stages.Lock { return errorIsYes{plain{h}} }),
		},
		{
			Name:     "won, but said no",
			Mistake:  "TryLock takes the lock and returns another variable: one of := in place of = is enough.",
			Exercise: workshop.E1, Check: "WonButSaidNo", Says: "A was told no",
			New: on(func(h *handle) stages.Lock { return wonButSaidNo{plain{h}} }),
		},
		{
			Name:     "the answer dropped",
			Mistake:  "Lock tries once and looks at the error alone. A lock that is taken is no error.",
			Exercise: workshop.E1, Check: "ResultIgnored", Says: "B sold without the lock",
			New: on(func(h *handle) stages.Lock { return answerDropped{plain{h}} }),
		},
		{
			Name:     "TryLock that waits",
			Mistake:  "TryLock and Lock are one method, and it waits. Who wanted to do something else meanwhile, can't.",
			Exercise: workshop.E1, Check: "TakenLock", Says: "B's TryLock waits",
			New: on(func(h *handle) stages.Lock { return tryThatWaits{plain{h}} }),
		},
		{
			Name:     "the loser counts too",
			Mistake:  "INCR, and 1 means that you are in. The losers' increments are never taken back, and after the first unlock nobody gets to 1.",
			Exercise: workshop.E1, Check: "HandOff", Says: "B, who has waited, is not inside",
			New: on(func(h *handle) stages.Lock { return losersCount{plain{h}} }),
		},
		{
			Name:     "the context left behind",
			Mistake:  "context.Background() on the way to Redis: the request is over, and still takes the lock.",
			Exercise: workshop.E1, Check: "CalledOff", Says: "A's context is over",
			New: on(func(h *handle) stages.Lock { return noContext{plain{h}} }),
		},
		{
			Name:     "good for one use",
			Mistake:  "The handle notes that it is done, and never that it begins again.",
			Exercise: workshop.E1, Check: "SecondUse", Says: "does not get in again",
			New: on(func(h *handle) stages.Lock { return &oneUse{plain: plain{h}} }),
		},
		{
			Name:     "a lease that nobody asked for",
			Mistake:  "Ten seconds, so that nothing stays behind, where the exercise has no lease yet. The work of somebody else takes eleven.",
			Exercise: workshop.E1, Check: "ExpiryMidBusiness", Says: "A's lease ended before its work did",
			New: on(func(h *handle) stages.Lock { h.lease = 10e9; return leased{h} }),
		},
	}
}

type nilIsAnError struct{ plain }

func (l nilIsAnError) TryLock(ctx context.Context) (bool, error) {
	err := l.rdb.SetArgs(ctx, l.key, l.token, redis.SetArgs{Mode: "NX"}).Err()
	return err == nil, err
}

type errorIsNo struct{ plain }

func (l errorIsNo) TryLock(ctx context.Context) (bool, error) {
	ok, err := l.plain.TryLock(ctx)
	return err == nil && ok, ctx.Err()
}

type errorIsYes struct{ plain }

func (l errorIsYes) TryLock(ctx context.Context) (bool, error) {
	ok, err := l.plain.TryLock(ctx)
	return err != nil || ok, ctx.Err()
}

type wonButSaidNo struct{ plain }

func (l wonButSaidNo) TryLock(ctx context.Context) (bool, error) {
	_, err := l.plain.TryLock(ctx)
	return false, err
}

func (l wonButSaidNo) Lock(ctx context.Context) error {
	l.handle.self = l.plain
	return l.plain.Lock(ctx)
}

type answerDropped struct{ plain }

func (l answerDropped) Lock(ctx context.Context) error {
	_, err := l.TryLock(ctx)
	return err
}

type tryThatWaits struct{ plain }

func (l tryThatWaits) TryLock(ctx context.Context) (bool, error) {
	l.self = l.plain
	err := l.Lock(ctx)
	return err == nil, err
}

type losersCount struct{ plain }

func (l losersCount) TryLock(ctx context.Context) (bool, error) {
	n, err := l.rdb.Incr(ctx, l.key).Result()
	return n == 1, err
}

func (l losersCount) Unlock(ctx context.Context) error {
	n, err := l.rdb.Decr(ctx, l.key).Result()
	if err == nil && n == 0 {
		err = l.plain.Unlock(ctx)
	}
	return err
}

type noContext struct{ plain }

func (l noContext) TryLock(context.Context) (bool, error) {
	return l.plain.TryLock(context.Background())
}

type oneUse struct {
	plain
	done bool
}

func (l *oneUse) TryLock(ctx context.Context) (bool, error) {
	if l.done {
		return false, errors.New("lock: used already")
	}
	return l.plain.TryLock(ctx)
}

func (l *oneUse) Unlock(ctx context.Context) error {
	l.done = true
	return l.plain.Unlock(ctx)
}
