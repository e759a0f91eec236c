package wrong

import (
	"context"
	"errors"
	"time"

	"lockstep/stages"
	"lockstep/workshop"
)

// waiting lists the locks that wait in a wrong way.
func waiting() []Lock {
	return []Lock{
		{
			Name:     "a wait that no context ends",
			Mistake:  "time.Sleep between two tries, and nobody looks at ctx (go-redsync/redsync#68). The customer has left, and his request still waits.",
			Exercise: workshop.E1, Check: "DeadlineKept", Says: "still waits after 150",
			New: on(func(h *handle) stages.Lock { return deafWait{plain{h}} }),
		},
		{
			Name:     "the end of the wait is a nil",
			Mistake:  "ctx.Done() leads out of the loop, and what follows the loop returns nil: the caller is inside, as far as it knows.",
			Exercise: workshop.E1, Check: "DeadlineKept", Says: "should get the error of its context: it says that it is inside",
			New: on(func(h *handle) stages.Lock { return timeoutIsNil{plain{h}} }),
		},
		{
			Name:     "an error of one's own",
			Mistake:  "errors.New(\"timeout\") hides what the context says, so no caller can tell a deadline from a failure with errors.Is.",
			Exercise: workshop.E1, Check: "DeadlineKept", Says: "should get the error of its context: lock: timeout",
			New: on(func(h *handle) stages.Lock { return ownError{plain{h}} }),
		},
		{
			Name:     "a ghost goes on waiting",
			Mistake:  "A goroutine does the waiting, and is left alone when the context ends (mco-gh/gcslock#15). Later it wins, for nobody.",
			Exercise: workshop.E1, Check: "DeadlineKept", Says: "takes the lock all the same",
			New: on(func(h *handle) stages.Lock { return ghost{plain{h}} }),
		},
		{
			Name:     "enough tries, and in",
			Mistake:  "for i := range 10, and after the loop return nil.",
			Exercise: workshop.E1, Check: "TakenLock", Says: "A and B are both inside",
			New: on(func(h *handle) stages.Lock { return triesThenIn{plain{h}} }),
		},
		{
			Name:     "enough tries, and out",
			Mistake:  "A fixed number of tries, whatever the context allows: right for many, and not what Lock promises here.",
			Exercise: workshop.E1, Check: "TakenLock", Says: "B's Lock does not wait for A",
			New: on(func(h *handle) stages.Lock { return triesThenOut{plain{h}, enoughTries} }),
		},
		{
			Name:     "a second between two tries",
			Mistake:  "A poll so slow that the lock lies free for most of the time in which it is wanted.",
			Exercise: workshop.E1, Check: "HandOff", Says: "is not inside 100 ms later",
			New: on(func(h *handle) stages.Lock { return slowPoll{plain{h}} }),
		},
		{
			Name:     "back-off without a ceiling",
			Mistake:  "Each wait is twice as long as the one before. Who has waited longest comes last.",
			Exercise: workshop.E1, Check: "HandOff", Says: "is not inside 100 ms later",
			New: on(func(h *handle) stages.Lock { return backOff{plain{h}} }),
		},
		{
			Name:     "an error is no reason to stop",
			Mistake:  "The loop goes on after an error, at once. With a context that is over there is one each time, and nothing is even sent.",
			Exercise: workshop.E1, Check: "CalledOff", Says: "it goes on and on, and never pauses",
			New: on(func(h *handle) stages.Lock { return stubborn{plain{h}} }),
		},
		{
			Name:     "a deadline and no cancel",
			Mistake:  "The loop runs until the deadline of its context, and for ever if that has none. A request whose customer has left is cancelled, and has no deadline.",
			Exercise: workshop.E1, Check: "WaitCancelled", Says: "100 ms later B still waits",
			New: on(func(h *handle) stages.Lock { return deadlineOnly{plain{h}} }),
		},
		{
			Name:     "a microsecond between two tries",
			Mistake:  "A pause so that it is no busy loop. It is one.",
			Exercise: workshop.E1, Check: "PoliteWait", Says: "commands in 10 ms",
			New: on(func(h *handle) stages.Lock { return hastyPoll{plain{h}} }),
		},
		{
			Name:     "recursion by way of another function",
			Mistake:  "Lock calls again, and again calls Lock. Go has no tail calls: each try leaves its frames.",
			Exercise: workshop.E2, Check: "RecursionOverflow", Says: "each try adds",
			New: on(func(h *handle) stages.Lock { return recursion{plain{h}} }),
		},
		{
			Name:     "enough tries for a test",
			Mistake:  "A hundred of them, two seconds: no test waits for that long, and every sale does.",
			Exercise: workshop.E2, Check: "TakenLock", Says: "its context lasts, and its Lock gives up: lock: too many tries",
			New: on(func(h *handle) stages.Lock { return triesThenOut{plain{h}, 100} }),
		},
		{
			Name:     "a loop without a pause",
			Mistake:  "for !ok { ok, _ = TryLock() }: one waiter keeps a core of the service and Redis busy (redis/rueidis#602).",
			Exercise: workshop.E2, Check: "PoliteWait", Says: "never pauses",
			New: on(func(h *handle) stages.Lock { return noPause{plain{h}} }),
		},
	}
}

type deafWait struct{ plain }

func (l deafWait) Lock(ctx context.Context) error {
	for {
		ok, err := l.TryLock(context.WithoutCancel(ctx))
		if err != nil || ok {
			return err
		}
		time.Sleep(retryEvery)
	}
}

type timeoutIsNil struct{ plain }

func (l timeoutIsNil) Lock(ctx context.Context) error {
	for ctx.Err() == nil {
		ok, err := l.TryLock(ctx)
		if err != nil || ok {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(retryEvery):
		}
	}
	return nil
}

type ownError struct{ plain }

func (l ownError) Lock(ctx context.Context) error {
	err := l.plain.Lock(ctx)
	if err != nil && ctx.Err() != nil {
		return errors.New("lock: timeout")
	}
	return err
}

type ghost struct{ plain }

func (l ghost) Lock(ctx context.Context) error {
	won := make(chan error, 1)
	go func() { won <- l.plain.Lock(context.WithoutCancel(ctx)) }()
	select {
	case err := <-won:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

const enoughTries = 10

type triesThenIn struct{ plain }

func (l triesThenIn) Lock(ctx context.Context) error {
	for range enoughTries {
		ok, err := l.TryLock(ctx)
		if err != nil || ok {
			return err
		}
		time.Sleep(retryEvery)
	}
	return nil
}

type triesThenOut struct {
	plain
	tries int
}

func (l triesThenOut) Lock(ctx context.Context) error {
	for range l.tries {
		ok, err := l.TryLock(ctx)
		if err != nil || ok {
			return err
		}
		time.Sleep(retryEvery)
	}
	return errors.New("lock: too many tries")
}

type slowPoll struct{ plain }

func (l slowPoll) Lock(ctx context.Context) error {
	return waitWith(ctx, l, func(time.Duration) time.Duration { return 1500 * time.Millisecond })
}

type backOff struct{ plain }

func (l backOff) Lock(ctx context.Context) error {
	return waitWith(ctx, l, func(last time.Duration) time.Duration { return 2 * max(last, retryEvery) })
}

type stubborn struct{ plain }

func (l stubborn) Lock(ctx context.Context) error {
	for {
		ok, err := l.TryLock(ctx)
		switch {
		case ok:
			return nil
		case err != nil:
			continue
		}
		time.Sleep(retryEvery)
	}
}

type hastyPoll struct{ plain }

func (l hastyPoll) Lock(ctx context.Context) error {
	return waitWith(ctx, l, func(time.Duration) time.Duration { return time.Microsecond })
}

type deadlineOnly struct{ plain }

func (l deadlineOnly) Lock(ctx context.Context) error {
	ends, limited := ctx.Deadline()
	for {
		ok, err := l.TryLock(context.WithoutCancel(ctx))
		if err != nil || ok {
			return err
		}
		if limited && time.Until(ends) < retryEvery {
			return context.DeadlineExceeded
		}
		time.Sleep(retryEvery)
	}
}

// waitWith waits between two tries as long as next says, which is told of the
// wait before.
func waitWith(ctx context.Context, l stages.Lock, next func(time.Duration) time.Duration) error {
	for wait := next(0); ; wait = next(wait) {
		ok, err := l.TryLock(ctx)
		if err != nil || ok {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

type recursion struct{ plain }

func (l recursion) Lock(ctx context.Context) error {
	ok, err := l.TryLock(ctx)
	if err != nil || ok {
		return err
	}
	return l.again(ctx)
}

func (l recursion) again(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(retryEvery):
		return l.Lock(ctx)
	}
}

type noPause struct{ plain }

func (l noPause) Lock(ctx context.Context) error {
	for {
		ok, err := l.TryLock(ctx)
		if err != nil || ok {
			return err
		}
	}
}
