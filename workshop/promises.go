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

// The promises that every lock keeps, from the first stage on. They are played
// like hazards, and no stage breaks them; wrong locks do.
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

	// EmptyOwner: somebody has no name for its flow of control.
	EmptyOwner = hazards.Hazard{
		Name:  "EmptyOwner",
		Story: "New refuses an owner without a name: all who forget it would be one.",
		Play: func(s *hazards.Scene) error {
			a := s.Client("A")
			if _, err := a.NewLock(stages.Flow{Key: "lock:stock", Lease: s.Lease, Thread: 1, NoOwner: true}); err == nil {
				return s.Broken("New accepts an empty owner: two who forget it are inside together")
			}
			return nil
		},
	}

	// LeaseAsAsked: A asks for 1.5 s.
	LeaseAsAsked = hazards.Hazard{
		Name:  "LeaseAsAsked",
		Story: "The lease is as long as it was asked for, to the millisecond.",
		Play: func(s *hazards.Scene) error {
			s.Lease = 1500 * time.Millisecond
			a := s.Client("A")

			for _, way := range []struct {
				in   string
				take func()
			}{
				{"Lock", a.Lock},
				{"TryLock", func() { a.TryLock() }},
				{"Lock, with a deadline in a second,", func() { a.LockWithin(time.Second) }},
			} {
				way.take()
				if s.Held() == 0 {
					return s.Broken("A asked %s for a lease of 1.5 s, and has no lock: %s", way.in, answer(a))
				}
				for _, lock := range s.Watched() {
					if lock.Ends == faults.Never {
						return s.Broken("A asked %s for a lease of 1.5 s, and has one without end: if A dies now, nobody gets in any more", way.in)
					}
					if lock.Ends != s.Now()+s.Lease {
						return s.Broken("A asked %s for a lease of 1.5 s, and has one of %v", way.in, lock.Ends-s.Now())
					}
				}
				a.Unlock()
			}
			return nil
		},
	}

	// WholeLease: B has waited for A, a good part of a lease.
	WholeLease = hazards.Hazard{
		Name:  "WholeLease",
		Story: "The lease begins when the lock is taken, and not when somebody begins to wait for it.",
		Play: func(s *hazards.Scene) error {
			a, b := s.Client("A"), s.Client("B")

			a.Lock()
			b.Lock()
			s.Sleep(10 * time.Second)
			a.Unlock()
			if !s.Await(b.Client, 100*time.Millisecond) || !b.Inside() {
				return s.Broken("A has left, and B, who has waited, is not inside 100 ms later: %s", answer(b))
			}
			for _, lock := range s.Watched() {
				if lock.Ends == faults.Never {
					return s.Broken("B asked for a lease of 30 s, and has one without end")
				}
				if left := lock.Ends - s.Now(); left < 29*time.Second {
					return s.Broken("B asked for a lease of 30 s, has waited for 10, and has %v left now that it is inside", left.Round(time.Second))
				}
			}
			return nil
		},
	}

	// StaleHandle: A's lease has ended, and B is inside.
	StaleHandle = hazards.Hazard{
		Name:  "StaleHandle",
		Story: "Who has lost the lock does not get in because it remembers to be inside.",
		Play: func(s *hazards.Scene) error {
			a, b, operator := s.Client("A"), s.Client("B"), s.World.Client("operator")

			a.Lock()
			wipe(s, operator)
			b.Lock()
			if a.TryLock() {
				return s.Broken("B is inside, and A's TryLock says yes: it remembers that A was inside, and does not ask Redis")
			}
			return nil
		},
	}

	// SameService: A is inside. Another request of the same service unlocks.
	SameService = hazards.Hazard{
		Name:  "SameService",
		Story: "Two requests of one service are two owners.",
		Play: func(s *hazards.Scene) error {
			a, c := s.Client("A"), s.Client("C")
			a2 := a.Thread(2)

			a.Lock()
			a2.Unlock()
			if s.Held() > 0 {
				return nil
			}
			c.Lock()
			return s.Broken("A and C are both inside: another request of A's service has freed A's lock, and each is an owner of its own")
		},
	}

	// NothingToUnlock: A never locked, or has unlocked already.
	NothingToUnlock = hazards.Hazard{
		Name:  "NothingToUnlock",
		Story: "Unlock says so when there was nothing of yours to unlock.",
		Play: func(s *hazards.Scene) error {
			a, b := s.Client("A"), s.Client("B")
			says := func(when string) error {
				if errors.Is(a.Err(), s.Stage.NotHeld) && s.Stage.NotHeld != nil {
					return nil
				}
				return s.Broken("%s, and its Unlock says %s: it should be ErrNotHeld", when, said(a.Err()))
			}

			a.Unlock()
			if err := says("A never locked"); err != nil {
				return err
			}
			if s.Held() > 0 {
				return s.Broken("A never locked, and its Unlock has made a key: now everybody waits for nobody")
			}
			a.Lock()
			a.Unlock()
			a.Unlock()
			if err := says("A has unlocked already"); err != nil {
				return err
			}
			b.Lock()
			a.Unlock()
			return says("B holds the lock")
		},
	}

	// UnlockAfterLoss: A has lost the lock, and B is inside.
	UnlockAfterLoss = hazards.Hazard{
		Name:  "UnlockAfterLoss",
		Story: "Who has lost the lock unlocks nobody else's.",
		Play: func(s *hazards.Scene) error {
			a, b, operator := s.Client("A"), s.Client("B"), s.World.Client("operator")

			a.Lock()
			wipe(s, operator)
			b.Lock()
			a.Unlock()
			if s.Held() == 0 {
				return s.Broken("A's lock was lost, B took it, and A's Unlock has freed the lock of B")
			}
			if s.Stage.NotHeld == nil || !errors.Is(a.Err(), s.Stage.NotHeld) {
				return s.Broken("A's lock was lost, B has it now, and A's Unlock says %s: it should be ErrNotHeld", said(a.Err()))
			}
			return nil
		},
	}

	// LateUnlock: A's lease has ended before its work.
	LateUnlock = hazards.Hazard{
		Name:  "LateUnlock",
		Story: "Unlock says so when the lease has ended before the work.",
		Play: func(s *hazards.Scene) error {
			a := s.Client("A")

			a.Lock() // lease: 30 s
			s.Sleep(31 * time.Second)
			if s.Held() > 0 {
				return nil // it is renewed
			}
			a.Unlock()
			if s.Stage.NotHeld == nil || !errors.Is(a.Err(), s.Stage.NotHeld) {
				return s.Broken("A's lease ended a second ago, and its Unlock says %s: it should be ErrNotHeld", said(a.Err()))
			}
			return nil
		},
	}

	// AllUnlocked: A enters three times, and leaves three times.
	AllUnlocked = hazards.Hazard{
		Name:  "AllUnlocked",
		Story: "The last of as many unlocks as there were locks frees it, and one more is refused.",
		Play: func(s *hazards.Scene) error {
			a, b := s.Client("A"), s.Client("B")

			for range 3 {
				a.Lock()
				if a.Waiting() {
					return s.Broken("A waits for a lock that A itself holds")
				}
			}
			a.Unlock()
			a.Unlock()
			if s.Held() == 0 || b.TryLock() {
				return s.Broken("A is inside three times and has left twice, and the lock is gone")
			}
			a.Unlock()
			if s.Held() > 0 {
				return s.Broken("A has left as often as it came, and the lock is still there")
			}
			a.Unlock()
			if s.Stage.NotHeld == nil || !errors.Is(a.Err(), s.Stage.NotHeld) {
				return s.Broken("A has left once more than it came, and its Unlock says %s: it should be ErrNotHeld", said(a.Err()))
			}
			return nil
		},
	}

	// InnerLease: A enters again, late in its lease.
	InnerLease = hazards.Hazard{
		Name:  "InnerLease",
		Story: "Who enters again gets the whole lease again.",
		Play: func(s *hazards.Scene) error {
			a := s.Client("A")

			a.Lock() // lease: 30 s
			s.Sleep(5 * time.Second)
			a.Lock()
			for _, lock := range s.Watched() {
				if lock.Ends != s.Now()+s.Lease {
					return s.Broken("A entered again, and has %v left of 30 s: the inner work may take as long as the outer", lock.Ends-s.Now())
				}
			}
			return nil
		},
	}

	// LateEntry: A, inside, enters again, and is held up over it. Its lease ends, and
	// B gets in.
	LateEntry = hazards.Hazard{
		Name:  "LateEntry",
		Story: "The inner Lock comes late, and does not get in beside the next holder.",
		Play: func(s *hazards.Scene) error {
			a, b := s.Client("A"), s.Client("B")

			a.Lock()
			before := len(a.Did())
			s.Sleep(time.Second)
			a.Lock()
			if a.Waiting() {
				return s.CantArise("A can't enter twice")
			}
			enter := changing(a.Did()[before:]) // how A enters again
			a.Unlock()
			a.Unlock()
			if enter == "" {
				return nil
			}
			a.Lock()
			a.PauseBefore(enter)
			a.Lock()
			s.Sleep(31 * time.Second)
			b.Lock()
			a.Resume()
			if !a.Waiting() && a.Err() == nil {
				return s.Broken("A and B are both inside: when A looked it was inside still, and when it entered again it was not")
			}
			return nil
		},
	}

	// LateExit: A, inside twice, leaves once, and is held up over it. Its lease ends,
	// and B gets in.
	LateExit = hazards.Hazard{
		Name:  "LateExit",
		Story: "The inner Unlock comes late, and does nothing to the lock of the next holder.",
		Play: func(s *hazards.Scene) error {
			a, b := s.Client("A"), s.Client("B")

			a.Lock()
			a.Lock()
			if a.Waiting() {
				return s.CantArise("A can't enter twice")
			}
			before := len(a.Did())
			a.Unlock()
			leave := changing(a.Did()[before:]) // how A leaves once
			a.Unlock()
			if leave == "" {
				return nil
			}
			a.Lock()
			a.Lock()
			a.PauseBefore(leave)
			a.Unlock()
			s.Sleep(31 * time.Second)
			b.Lock()
			lock := s.Watched()
			a.Resume()
			if !slices.Equal(s.Watched(), lock) {
				s.Mark("A changes B's lock")
				return s.Broken("B is inside, and A's inner unlock has changed its lock: when A looked, the lock was A's still")
			}
			return nil
		},
	}

	// RepeatedUnlock: A is inside twice, and leaves once. The reply is lost, and
	// go-redis sends it again.
	RepeatedUnlock = hazards.Hazard{
		Name:  "RepeatedUnlock",
		Story: "An inner unlock comes twice, because its reply was lost, and counts once.",
		Play: func(s *hazards.Scene) error {
			a, b := s.Client("A"), s.Client("B")

			a.Lock()
			a.Lock()
			if a.Waiting() {
				return s.CantArise("A can't enter twice")
			}
			before := len(a.Did())
			a.Unlock()
			leave := changing(a.Did()[before:]) // how A leaves
			a.Unlock()
			if leave == "" {
				return nil
			}
			a.Lock()
			a.Lock()
			a.LoseReply(leave)
			a.Unlock()
			if b.TryLock() {
				return s.Broken("A and B are both inside: A left once, and was counted out twice")
			}
			return nil
		},
	}

	// InnerHandle: A, inside, calls a function that makes a handle of its own.
	InnerHandle = hazards.Hazard{
		Name:  "InnerHandle",
		Story: "All handles of one owner enter together, whoever made them.",
		Play: func(s *hazards.Scene) error {
			a, b := s.Client("A"), s.Client("B")
			flow := stages.Flow{Key: "lock:stock", Lease: s.Lease, Thread: 1, Owner: "order-4711"}
			outer, err := a.NewLock(flow)
			if err != nil {
				return s.Broken("New gives no lock to the owner order-4711: %v", err)
			}
			inner, err := a.NewLock(flow)
			if err != nil {
				return s.Broken("New gives no second lock to the owner order-4711: %v", err)
			}
			entered := false

			a.Do("Lock", func(ctx context.Context) { err = outer.Lock(ctx) })
			a.Do("TryLock", func(ctx context.Context) { entered, err = inner.TryLock(ctx) })
			if err != nil || !entered {
				return s.Broken("an owner is inside, and does not get in once more through another handle: it says %s", cmp.Or(text(err), "no"))
			}
			a.Do("Unlock", func(ctx context.Context) { err = inner.Unlock(ctx) })
			if err != nil {
				return s.Broken("the inner handle was inside, and its Unlock says: %v", err)
			}
			if s.Held() == 0 || b.TryLock() {
				return s.Broken("the inner handle has unlocked, and with it the outer one's lock is gone")
			}
			a.Do("Unlock", func(ctx context.Context) { err = outer.Unlock(ctx) })
			if err != nil || s.Held() > 0 {
				return s.Broken("both handles have unlocked, and the lock is not free: the last says %s", said(err))
			}
			return nil
		},
	}

	// RenewalEnds: A has unlocked. What still runs?
	RenewalEnds = hazards.Hazard{
		Name:  "RenewalEnds",
		Story: "The watchdog ends with the last unlock, and sends nothing more.",
		Play: func(s *hazards.Scene) error {
			a, b := s.Client("A"), s.Client("B")

			a.Lock()
			s.Sleep(45 * time.Second) // the watchdog renews
			if s.Held() == 0 {
				return s.Broken("A is still working, and its lock is gone: nobody has renewed it")
			}
			a.Unlock()
			sent := a.Sent()
			b.Lock()
			b.Crash()
			s.Sleep(31 * time.Second)
			if n := a.Sent() - sent; n > 0 {
				return s.Broken("A has unlocked, and its watchdog has sent something since: %d times", n)
			}
			if s.Held() > 0 {
				return s.Broken("B is dead, and somebody renews its lock")
			}
			return nil
		},
	}

	// RenewedAsAsked: A asks for 1.5 s, and works for ten.
	RenewedAsAsked = hazards.Hazard{
		Name:  "RenewedAsAsked",
		Story: "A renewal begins the lease anew that was asked for, and no longer one.",
		Play: func(s *hazards.Scene) error {
			s.Lease = 1500 * time.Millisecond
			a := s.Client("A")
			var longest time.Duration

			a.Lock()
			for range 100 {
				s.Sleep(100 * time.Millisecond)
				for _, lock := range s.Watched() {
					left := lock.Ends - s.Now()
					if lock.Ends == faults.Never {
						return s.Broken("A asked for a lease of 1.5 s, and after a renewal it is without end")
					}
					longest = max(longest, left)
				}
				if s.Held() == 0 {
					return s.Broken("A asked for a lease of 1.5 s and is still working, and its lock is gone: the renewals do not keep it")
				}
			}
			if longest > s.Lease {
				return s.Broken("A asked for a lease of 1.5 s, and renewals make it %v: if A dies, the others wait that long", longest)
			}
			return nil
		},
	}

	// RenewedAfterWait: A waits for B, and then works for longer than a lease.
	RenewedAfterWait = hazards.Hazard{
		Name:  "RenewedAfterWait",
		Story: "Who has waited for the lock is renewed like everybody else.",
		Play: func(s *hazards.Scene) error {
			a, b := s.Client("A"), s.Client("B")

			b.Lock()
			a.Lock()
			s.Sleep(12 * time.Second) // more than a third of the lease
			b.Unlock()
			s.Sleep(45 * time.Second) // A is still working
			if !a.Inside() || s.Held() == 0 {
				return s.Broken("A has waited for the lock, is still working, and its lock is gone: nobody has renewed it")
			}
			return nil
		},
	}

	// RenewedAfterTry: A has the lock from TryLock.
	RenewedAfterTry = hazards.Hazard{
		Name:  "RenewedAfterTry",
		Story: "The lock of a TryLock is renewed like any other.",
		Play: func(s *hazards.Scene) error {
			a := s.Client("A")

			a.TryLock()
			s.Sleep(45 * time.Second) // A is still working
			if s.Held() == 0 {
				return s.Broken("A got the lock from TryLock, is still working, and its lock is gone: nobody has renewed it")
			}
			return nil
		},
	}

	// UnknownEntry: Redis gives A the lock, and the reply is lost. A hears of an
	// error.
	UnknownEntry = hazards.Hazard{
		Name:      "UnknownEntry",
		Story:     "Who was told of an error is not inside, and so nobody may renew the lock that it may have.",
		NoRetries: true,
		Play: func(s *hazards.Scene) error {
			if s.Stage.Acquire == "" {
				return s.CantArise("it asks Redis for nothing")
			}
			a := s.Client("A")

			a.LoseReply(s.Stage.Acquire)
			a.TryLock()
			s.Sleep(31 * time.Second)
			a.Disarm()
			if s.Held() > 0 {
				return s.Broken("A's TryLock said %s, A has gone away, and the lock that it took all the same is renewed for ever", said(a.Err()))
			}
			return nil
		},
	}

	// WaitLimit: A would wait for a second, gets in at once, and works for longer.
	WaitLimit = hazards.Hazard{
		Name:  "WaitLimit",
		Story: "The context of Lock limits the wait, and not the work.",
		Play: func(s *hazards.Scene) error {
			a := s.Client("A")

			a.LockWithin(time.Second)
			s.Sleep(45 * time.Second) // A is still working
			if s.Held() == 0 && s.Stage.Renew != "" {
				return s.Broken("A is still working, and its lock is gone: the renewals ended with the context of Lock")
			}
			if s.Held() == 0 {
				return s.Broken("A is still working, and its lock is gone: nobody has renewed it")
			}
			return nil
		},
	}

	// OuterRenewed: A is inside twice, leaves once, and works on.
	OuterRenewed = hazards.Hazard{
		Name:  "OuterRenewed",
		Story: "The inner unlock does not end the renewals of the outer work.",
		Play: func(s *hazards.Scene) error {
			a := s.Client("A")

			a.Lock()
			a.Lock()
			a.Unlock()
			s.Sleep(45 * time.Second) // A is still working
			if s.Held() == 0 && s.Stage.Renew != "" {
				return s.Broken("A is still inside, and its lock is gone: the inner unlock has stopped the watchdog")
			}
			if s.Held() == 0 {
				return s.Broken("A is still inside, and its lock is gone: nobody has renewed it")
			}
			return nil
		},
	}

	// FailedUnlock: A's unlock never arrives.
	FailedUnlock = hazards.Hazard{
		Name:      "FailedUnlock",
		Story:     "An unlock that fails leaves the rest to the lease, and so nobody may renew it.",
		NoRetries: true,
		Play: func(s *hazards.Scene) error {
			if s.Stage.Release == "" {
				return s.CantArise("it asks Redis for nothing")
			}
			a := s.Client("A")

			a.Lock()
			a.LoseRequest(s.Stage.Release)
			a.Unlock()
			s.Sleep(31 * time.Second)
			a.Disarm()
			if s.Held() > 0 {
				return s.Broken("A's unlock failed, A has gone on to other things, and its watchdog renews the lock for ever")
			}
			return nil
		},
	}

	// FalseAlarm: the reply to a renewal is lost. Two thirds of the lease are left.
	FalseAlarm = hazards.Hazard{
		Name:      "FalseAlarm",
		Story:     "One renewal that fails is no loss, as long as the lease lasts.",
		NoRetries: true,
		Play: func(s *hazards.Scene) error {
			if s.Stage.Renew == "" {
				return s.CantArise("it renews nothing")
			}
			a := s.Client("A")
			teller, ok := a.Handle().(teller)
			if !ok {
				return s.Broken("the lock has no method Lost() <-chan struct{}: its holder can't be told")
			}

			a.Lock()
			lost := teller.Lost()
			a.LoseRequest(s.Stage.Renew)
			s.Sleep(25 * time.Second)
			if isClosed(lost) {
				return s.Broken("one renewal has failed, A still has its lock, and Lost says that it is gone")
			}
			return nil
		},
	}

	// CutOff: nothing of what A sends arrives, for longer than a lease.
	CutOff = hazards.Hazard{
		Name:  "CutOff",
		Story: "Who can't reach Redis for a whole lease has lost the lock, and is told.",
		Play: func(s *hazards.Scene) error {
			a := s.Client("A")
			teller, ok := a.Handle().(teller)
			if !ok {
				return s.Broken("the lock has no method Lost() <-chan struct{}: its holder can't be told")
			}

			a.Lock()
			lost := teller.Lost()
			a.Pause() // its timers go on, and nothing gets through
			s.Sleep(31 * time.Second)
			if !isClosed(lost) {
				return s.Broken("no renewal has got through for a whole lease, the lock is gone, and Lost does not say so")
			}
			return nil
		},
	}

	// NoRevival: an operator deletes A's lock while A works. B takes it, and dies.
	// Then the same happens to C, and nobody comes.
	NoRevival = hazards.Hazard{
		Name:  "NoRevival",
		Story: "A renewal never makes a lock that is gone, and never prolongs another's.",
		Play: func(s *hazards.Scene) error {
			a, b, c, operator := s.Client("A"), s.Client("B"), s.Client("C"), s.World.Client("operator")

			a.Lock()
			wipe(s, operator)
			b.Lock() // before A's watchdog looks again
			b.Crash()
			s.Sleep(31 * time.Second)
			if s.Held() > 0 {
				return s.Broken("B is dead, and A's watchdog renews its lock")
			}
			c.Lock()
			wipe(s, operator)
			s.Sleep(15 * time.Second)
			if s.Held() > 0 {
				return s.Broken("the lock was deleted, and C's watchdog has made it anew: C may have lost it to another meanwhile")
			}
			return nil
		},
	}

	// LateRenewal: A's watchdog is about to renew, and is held up. The lock is lost,
	// and B takes it.
	LateRenewal = hazards.Hazard{
		Name:  "LateRenewal",
		Story: "A renewal that was on its way when the lock was lost does not reach the next holder's.",
		Play: func(s *hazards.Scene) error {
			if s.Stage.Renew == "" {
				return s.CantArise("it renews nothing")
			}
			a, b, operator := s.Client("A"), s.Client("B"), s.World.Client("operator")

			a.Lock() // lease: 30 s
			a.PauseBefore(s.Stage.Renew)
			for !a.Paused() && s.Held() > 0 {
				s.Sleep(5 * time.Second)
			}
			if !a.Paused() {
				return s.Broken("A is still working, and its lock is gone: nobody has renewed it")
			}
			wipe(s, operator)
			b.Lock()
			s.Sleep(100 * time.Millisecond)
			left := s.Left()
			a.Resume()
			if s.Left() > left {
				s.Mark("A prolongs B's lease")
				return s.Broken("B is inside, and A's watchdog has prolonged its lease: when it looked, the lock was A's still")
			}
			return nil
		},
	}

	// WaiterRenewsNothing: A dies. B waits for it.
	WaiterRenewsNothing = hazards.Hazard{
		Name:  "WaiterRenewsNothing",
		Story: "Only who is inside renews: a waiter's watchdog would keep a dead holder's lock.",
		Play: func(s *hazards.Scene) error {
			a, b := s.Client("A"), s.Client("B")

			a.Lock()
			b.Lock()
			a.Crash()
			s.Sleep(31 * time.Second)
			if !b.Inside() {
				return s.Broken("A is dead, a lease has gone by, and B still waits")
			}
			return nil
		},
	}

	// ToldOfLoss: an operator deletes A's lock while A works.
	ToldOfLoss = hazards.Hazard{
		Name:  "ToldOfLoss",
		Story: "Who loses the lock is told, and who unlocks it is not.",
		Play: func(s *hazards.Scene) error {
			a, operator := s.Client("A"), s.World.Client("operator")
			teller, ok := a.Handle().(teller)
			if !ok {
				return s.Broken("the lock has no method Lost() <-chan struct{}: its holder can't be told")
			}

			a.Lock()
			first := teller.Lost()
			a.Unlock()
			if isClosed(first) {
				return s.Broken("A has unlocked, and Lost tells of a loss: who listens to it gives up work that was well done")
			}
			a.Lock()
			before := teller.Lost()
			if isClosed(before) {
				return s.Broken("A is inside, and Lost says that it is not")
			}
			wipe(s, operator)
			s.Sleep(11 * time.Second) // a third of the lease, and a bit
			if !isClosed(before) {
				return s.Broken("A's lock is gone, a third of its lease has gone by, and Lost does not say so")
			}
			return nil
		},
	}
)

// promisesOf lists the promises of a stage, in the order in which a learner
// meets them.
func promisesOf(stage stages.Stage) []hazards.Hazard {
	promises := []hazards.Hazard{
		FreeLock, PoliteWait, TakenLock, HandOff, DeadlineKept, WaitCancelled, CalledOff, SecondUse, HolderTries,
		OtherKey, OtherProcess, LockedAnew, Unanswered, BadInput,
	}
	if stage.Lease {
		promises = append(promises, LeaseAsAsked, WholeLease, StaleHandle)
	}
	if stage.NotHeld != nil {
		promises = append(promises, SameService, NothingToUnlock, UnlockAfterLoss, LateUnlock)
	}
	if since(stage, stages.V6) {
		promises = append(promises, EmptyOwner, AllUnlocked, InnerLease, LateEntry, LateExit, InnerHandle)
	}
	if stage.Renew != "" {
		promises = append(promises, RenewedAsAsked, RenewedAfterTry, RenewedAfterWait, UnknownEntry, WaitLimit, OuterRenewed, RenewalEnds, FailedUnlock,
			NoRevival, LateRenewal, WaiterRenewsNothing, ToldOfLoss, FalseAlarm, CutOff, RepeatedUnlock)
	}
	return promises
}

// teller is a lock that tells its holder when it is lost.
type teller interface{ Lost() <-chan struct{} }

// isClosed reports whether a channel is closed.
func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// said is an error in a sentence.
func said(err error) string { return cmp.Or(text(err), "that all is well") }

// text is an error's, if there is one.
func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// answer is what a client's last call came to, for messages.
func answer(c *hazards.Client) string {
	switch {
	case c.Waiting():
		return "it waits"
	case c.Err() != nil:
		return c.Err().Error()
	case c.Inside():
		return "it says that it is inside"
	default:
		return "it says no, and no error"
	}
}

// wipe deletes the lock, as an operator does or a server that starts anew.
func wipe(s *hazards.Scene, operator *faults.Client) {
	operator.Do("DEL", func(ctx context.Context) {
		for _, lock := range s.Watched() {
			operator.Redis().Del(ctx, lock.Key)
		}
	})
}

// leftover names the keys that begin like the lock's. They are what a play takes
// for the lock.
func leftover(s *hazards.Scene) string {
	var names []string
	for _, lock := range s.Watched() {
		names = append(names, lock.Key)
	}
	return strings.Join(names, ", ")
}

// elsewhere names the keys that do not.
func elsewhere(s *hazards.Scene) string {
	var names []string
	for _, key := range s.Keys() {
		names = append(names, key.Name)
	}
	return strings.Join(names, ", ")
}
