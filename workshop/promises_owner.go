package workshop

import (
	"errors"
	"time"

	"lockstep/hazards"
)

// What a lock with an owner keeps.
var (
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
)
