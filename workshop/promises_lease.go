package workshop

import (
	"time"

	"lockstep/faults"
	"lockstep/hazards"
)

// What a lock with a lease keeps.
var (
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
)
