package workshop

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"lockstep/hazards"
	"lockstep/stages"
)

// What a lock keeps that its owner enters again.
var (
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
)
