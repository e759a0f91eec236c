package workshop

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"lockstep/faults"
	"lockstep/hazards"
	"lockstep/stages"
)

// What every lock keeps, from the first stage on.
var (
	// FreeLock: nobody is inside, and A wants in.
	FreeLock = hazards.Hazard{
		Name:  "FreeLock",
		Story: "The lock is free, and whoever wants it gets it at once.",
		Play: func(s *hazards.Scene) error {
			a, b := s.Client("A"), s.Client("B")

			if !a.TryLock() {
				if s.Held() > 0 {
					return s.Broken("A's TryLock takes the lock, and does not say so: %s", answer(a))
				}
				return s.Broken("the lock is free, and A's TryLock does not take it: %s", answer(a))
			}
			if keys := elsewhere(s); s.Held() == 0 && keys != "" {
				return s.Broken("A is inside, and Redis has no key lock:stock, but %s: the key is to be as New got it", keys)
			}
			if s.Held() == 0 {
				return s.Broken("A says that it is inside, and Redis knows nothing of it: how should another server?")
			}
			a.Unlock()
			if a.Err() != nil {
				return s.Broken("A was inside, and its Unlock says: %v", a.Err())
			}
			if s.Held() > 0 {
				return s.Broken("A has unlocked, and Redis still has %s: what begins with lock:stock is the lock, and it is not free", leftover(s))
			}
			b.Lock()
			if !b.Inside() {
				return s.Broken("the lock is free, and B's Lock does not take it: %s", answer(b))
			}
			return nil
		},
	}

	// TakenLock: A is inside. B tries, and then waits.
	TakenLock = hazards.Hazard{
		Name:  "TakenLock",
		Story: "The lock is taken: TryLock says no at once, Lock waits, and neither touches it.",
		Play: func(s *hazards.Scene) error {
			a, b := s.Client("A"), s.Client("B")

			a.Lock() // lease: 30 s
			s.Sleep(5 * time.Second)
			if b.TryLock() {
				return s.Broken("A and B are both inside")
			}
			if b.Waiting() {
				return s.Broken("B's TryLock waits: it should say no, and leave the waiting to Lock")
			}
			if b.Err() != nil {
				return s.Broken("a lock that is taken is an answer, not an error: %v", b.Err())
			}
			b.Lock()
			s.Sleep(time.Second)
			if b.Inside() {
				return s.Broken("A and B are both inside")
			}
			if !b.Waiting() {
				return s.Broken("B's Lock does not wait for A: %s", answer(b))
			}
			if slices.ContainsFunc(b.Did(), func(step *faults.Step) bool { return prolongs(step.Before, step.After) }) {
				return s.Broken("B is not inside, and has prolonged A's lease: if A is dead, B waits for ever")
			}
			s.Sleep(20 * time.Second) // A is still working
			if !b.Waiting() {
				s.Mark("B gives up")
				return s.Broken("B has waited for 21 s, its context lasts, and its Lock gives up: %s", answer(b))
			}
			return nil
		},
	}

	// PoliteWait: A is inside, and B waits for a hundredth of a second.
	PoliteWait = hazards.Hazard{
		Name:  "PoliteWait",
		Story: "Who waits asks now and then, and leaves Redis time for the others.",
		Play: func(s *hazards.Scene) error {
			a, b := s.Client("A"), s.Client("B")

			a.Lock()
			b.Lock()
			sent := b.Sent()
			s.Sleep(10 * time.Millisecond)
			if n := b.Sent() - sent; n > 20 {
				return s.Broken("B waits, and has sent %d commands in 10 ms: a hundred waiters, and Redis does nothing else", n)
			}
			return nil
		},
	}

	// HandOff: B and C wait for A.
	HandOff = hazards.Hazard{
		Name:  "HandOff",
		Story: "Who waits gets in, soon after the holder unlocks.",
		Play: func(s *hazards.Scene) error {
			a, b, c := s.Client("A"), s.Client("B"), s.Client("C")

			a.Lock()
			b.Lock()
			s.Sleep(time.Second)
			a.Unlock()
			if !s.Await(b.Client, 100*time.Millisecond) || !b.Inside() {
				return s.Broken("A has left, and B, who has waited, is not inside 100 ms later: %s", answer(b))
			}
			c.Lock()
			s.Sleep(time.Second)
			b.Unlock()
			if !s.Await(c.Client, 100*time.Millisecond) || !c.Inside() {
				return s.Broken("B has left, and C, who has waited, is not inside 100 ms later: %s", answer(c))
			}
			c.Unlock()
			if s.Held() > 0 {
				return s.Broken("everybody has left, and the lock is not free")
			}
			return nil
		},
	}

	// DeadlineKept: A is inside. B waits for it, 97 ms and no longer: it is an odd
	// number, so that no poll falls on the same instant.
	DeadlineKept = hazards.Hazard{
		Name:  "DeadlineKept",
		Story: "A wait ends with its context, and leaves nothing behind.",
		Play: func(s *hazards.Scene) error {
			a, b, c := s.Client("A"), s.Client("B"), s.Client("C")

			a.Lock()
			b.LockWithin(97*time.Millisecond + 313*time.Microsecond)
			if !s.Await(b.Client, 150*time.Millisecond) {
				return s.Broken("B would wait 97 ms, and still waits after 150")
			}
			if !errors.Is(b.Err(), context.DeadlineExceeded) {
				return s.Broken("B waited in vain, and should get the error of its context: %s", answer(b))
			}
			a.Unlock()
			s.Sleep(time.Second)
			if s.Held() > 0 {
				return s.Broken("B has given up, and takes the lock all the same: nobody will unlock it")
			}
			c.Lock()
			if !c.Inside() {
				return s.Broken("the lock is free, and C does not get it: %s", answer(c))
			}
			return nil
		},
	}

	// WaitCancelled: A is inside. B waits for it, and is called back.
	WaitCancelled = hazards.Hazard{
		Name:  "WaitCancelled",
		Story: "A wait ends when its context is cancelled, deadline or not.",
		Play: func(s *hazards.Scene) error {
			a, b := s.Client("A"), s.Client("B")
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			var err error

			a.Lock()
			b.Do("Lock", func(context.Context) { err = b.Handle().Lock(ctx) })
			s.Sleep(97*time.Millisecond + 313*time.Microsecond)
			cancel()
			if !s.Await(b.Client, 100*time.Millisecond) {
				return s.Broken("B's customer has left, its context is cancelled, and 100 ms later B still waits")
			}
			if !errors.Is(err, context.Canceled) {
				return s.Broken("B's context was cancelled, and its Lock says %s: it should be the context's error", said(err))
			}
			return nil
		},
	}

	// CalledOff: A's request is over before it asks for the lock.
	CalledOff = hazards.Hazard{
		Name:  "CalledOff",
		Story: "A context that is over takes no lock.",
		Play: func(s *hazards.Scene) error {
			a := s.Client("A")
			over, cancel := context.WithCancel(context.Background())
			cancel()
			var ok bool
			var tried, locked error

			a.Do("TryLock", func(context.Context) { ok, tried = a.Handle().TryLock(over) })
			if ok {
				return s.Broken("A's context is over, and its TryLock says yes: it should be the context's error")
			}
			if !errors.Is(tried, context.Canceled) {
				return s.Broken("A's context is over, and its TryLock says %s: it should be the context's error", said(tried))
			}
			a.Do("Lock", func(context.Context) { locked = a.Handle().Lock(over) })
			s.Sleep(100 * time.Millisecond)
			if a.Waiting() {
				return s.Broken("A's context is over, and its Lock waits for ever")
			}
			if !errors.Is(locked, context.Canceled) {
				return s.Broken("A's context is over, and its Lock says %s: it should be the context's error", said(locked))
			}
			if s.Held() > 0 {
				return s.Broken("A's context was over, and now it holds a lock that nobody will unlock")
			}
			return nil
		},
	}

	// SecondUse: A locks and unlocks with the same handle, again and again.
	SecondUse = hazards.Hazard{
		Name:  "SecondUse",
		Story: "A handle can lock again when it has unlocked.",
		Play: func(s *hazards.Scene) error {
			a, b := s.Client("A"), s.Client("B")

			for range 3 {
				a.Lock()
				if !a.Inside() {
					return s.Broken("A has unlocked, and does not get in again: %s", answer(a))
				}
				if b.TryLock() {
					return s.Broken("A and B are both inside")
				}
				a.Unlock()
				if a.Err() != nil {
					return s.Broken("A was inside, and its unlock says: %v", a.Err())
				}
			}
			if !b.TryLock() {
				return s.Broken("A has left, and B does not get in: %s", answer(b))
			}
			return nil
		},
	}

	// HolderTries: A is inside, and tries once more.
	HolderTries = hazards.Hazard{
		Name:  "HolderTries",
		Story: "The holder's own TryLock, whatever it says, takes nothing away from it.",
		Play: func(s *hazards.Scene) error {
			a, b := s.Client("A"), s.Client("B")

			a.Lock()
			again := a.TryLock()
			if a.Waiting() || a.Err() != nil {
				return s.Broken("A is inside, and its TryLock should say yes or no: %s", answer(a))
			}
			if s.Held() == 0 || b.TryLock() {
				return s.Broken("A is inside, has tried once more, and its lock is gone")
			}
			if again {
				a.Unlock()
			}
			a.Unlock()
			if a.Err() != nil || s.Held() > 0 {
				return s.Broken("A was inside, has tried once more, and now its Unlock does not free the lock, and says %s", said(a.Err()))
			}
			return nil
		},
	}

	// OtherProcess: Redis has a lock as another process takes it. This process
	// knows nothing of that one.
	OtherProcess = hazards.Hazard{
		Name:  "OtherProcess",
		Story: "Redis alone decides who is inside, because other processes ask nobody else.",
		Play: func(s *hazards.Scene) error {
			a, b, process := s.Client("A"), s.Client("B"), s.World.Client("another")

			a.Lock()
			for _, lock := range s.Watched() {
				process.Do("COPY", func(ctx context.Context) { process.Redis().Copy(ctx, lock.Key, "kept:"+lock.Key, 0, true) })
			}
			a.Unlock()
			if s.Held() > 0 {
				return s.Broken("A has unlocked, and Redis still has %s: the lock is not free", leftover(s))
			}
			for _, key := range s.Keys() {
				if name, ok := strings.CutPrefix(key.Name, "kept:"); ok {
					process.Do("RENAME", func(ctx context.Context) { process.Redis().Rename(ctx, key.Name, name) })
				}
			}
			if b.TryLock() {
				return s.Broken("another process holds the lock in Redis, and B gets in beside it: something in B's own process decides")
			}
			wipe(s, process)
			b.Lock()
			if !b.Inside() {
				return s.Broken("the other process is gone, and B does not get in: %s", answer(b))
			}
			wipe(s, process)
			if !a.TryLock() {
				return s.Broken("Redis has lost the lock of B, and A does not get in: something in A's own process decides")
			}
			return nil
		},
	}

	// LockedAnew: A's lock was deleted. A unlocks in vain, and locks once more.
	LockedAnew = hazards.Hazard{
		Name:  "LockedAnew",
		Story: "A handle that has lost the lock can take it again, and it is a lock as good as the first.",
		Play: func(s *hazards.Scene) error {
			a, b, operator := s.Client("A"), s.Client("B"), s.World.Client("operator")

			a.Lock()
			wipe(s, operator)
			s.Sleep(11 * time.Second) // a third of the lease, and a bit
			a.Unlock()
			a.Lock()
			s.Sleep(100 * time.Millisecond)
			if !a.Inside() || s.Held() == 0 {
				return s.Broken("A lost the lock, has unlocked, and does not get it again although it is free: %s", answer(a))
			}
			if teller, ok := a.Handle().(teller); ok && isClosed(teller.Lost()) {
				return s.Broken("A is inside again, and Lost still tells of the last time")
			}
			if s.Stage.Renew != "" {
				s.Sleep(45 * time.Second)
			}
			if s.Held() == 0 || b.TryLock() {
				return s.Broken("A is inside again, and this time nobody renews its lease")
			}
			a.Unlock()
			if a.Err() != nil || s.Held() > 0 {
				return s.Broken("A is inside again, and its Unlock does not free the lock, and says %s", said(a.Err()))
			}
			return nil
		},
	}

	// OtherKey: A holds one lock. B wants another.
	OtherKey = hazards.Hazard{
		Name:  "OtherKey",
		Story: "Locks on two keys have nothing to do with each other.",
		Play: func(s *hazards.Scene) error {
			a, b := s.Client("A"), s.Client("B")
			other, err := b.NewLock(stages.Flow{Key: "lock:stock:2", Lease: s.Lease, Thread: 1})
			if err != nil {
				return s.Broken("New gives no lock on lock:stock:2: %v", err)
			}
			var ok bool

			a.Lock()
			before := leftover(s)
			b.Do("TryLock", func(ctx context.Context) { ok, err = other.TryLock(ctx) })
			if !ok || err != nil {
				return s.Broken("A holds lock:stock, and so B does not get lock:stock:2")
			}
			b.Do("Unlock", func(ctx context.Context) { err = other.Unlock(ctx) })
			if after := leftover(s); err != nil || after != before {
				return s.Broken("B has unlocked lock:stock:2, and Redis has now %s: it should have %s, which A holds", cmp.Or(after, "no lock"), before)
			}
			return nil
		},
	}

	// Unanswered: the network fails while A asks, and while it unlocks.
	Unanswered = hazards.Hazard{
		Name:      "Unanswered",
		Story:     "Redis does not answer, and the caller has to hear of it.",
		NoRetries: true,
		Play: func(s *hazards.Scene) error {
			if s.Stage.Acquire == "" || s.Stage.Release == "" {
				return s.CantArise("it asks Redis for nothing")
			}
			a, b, operator := s.Client("A"), s.Client("B"), s.World.Client("operator")

			a.LoseRequest(s.Stage.Acquire)
			switch inside := a.TryLock(); {
			case inside && s.Held() == 0:
				return s.Broken("A's request was lost, and A believes to be inside")
			case inside: // it has asked again
				a.Unlock()
			case a.Err() == nil:
				return s.Broken("A's request was lost, and its TryLock says that the lock is taken: it should be an error")
			}
			b.Lock()
			before := len(b.Did())
			b.Unlock()
			for _, step := range b.Did()[before:] { // each thing that Redis was asked
				b.Lock()
				b.LoseRequest(called(step))
				b.Unlock()
				b.Disarm() // it may be asked only once
				switch {
				case s.Held() == 0: // it has asked again
				case b.Err() == nil:
					return s.Broken("B's unlock was lost, and says that all is well: the lock is still there")
				case s.Stage.NotHeld != nil && errors.Is(b.Err(), s.Stage.NotHeld):
					s.Mark("the lock is B's still")
					return s.Broken("B's unlock was lost, and says ErrNotHeld: Redis has not answered, and the lock is B's")
				}
				wipe(s, operator)
			}
			return nil
		},
	}

	// BadInput: somebody calls New with what can't be.
	BadInput = hazards.Hazard{
		Name:  "BadInput",
		Story: "What can't be a lock is refused by New, and nothing is sent.",
		Play: func(s *hazards.Scene) error {
			a := s.Client("A")
			flow := stages.Flow{Redis: a.Redis(), Key: "lock:stock", Lease: hazards.Lease, Thread: 1}
			for _, bad := range []struct {
				what string
				flow stages.Flow
				only bool // for locks that have a lease
			}{
				{"no Redis client", stages.Flow{Key: flow.Key, Lease: flow.Lease, Thread: 1}, false},
				{"an empty key", stages.Flow{Redis: flow.Redis, Lease: flow.Lease, Thread: 1}, false},
				{"a lease of zero, which Redis takes for none or refuses", stages.Flow{Redis: flow.Redis, Key: flow.Key, Thread: 1}, true},
				{"a lease of −1 s", stages.Flow{Redis: flow.Redis, Key: flow.Key, Lease: -time.Second, Thread: 1}, true},
				{"a lease of 500 µs, which Redis can't keep", stages.Flow{Redis: flow.Redis, Key: flow.Key, Lease: 500 * time.Microsecond, Thread: 1}, true},
				{"a lease of 1.5 ms, which Redis can't keep", stages.Flow{Redis: flow.Redis, Key: flow.Key, Lease: 1500 * time.Microsecond, Thread: 1}, true},
			} {
				if bad.only && !s.Stage.Lease {
					continue
				}
				var err error
				a.Do("New", func(context.Context) { _, err = s.Stage.New(bad.flow) })
				if err == nil {
					return s.Broken("New accepts %s: the mistake shows itself later, in production", bad.what)
				}
			}
			if a.Sent() > 0 {
				return s.Broken("New has sent a command: it should take nothing yet")
			}
			return nil
		},
	}
)
