package workshop

import (
	"time"

	"lockstep/hazards"
)

// What is asked of a lock that wakes its waiters.
var (
	// SilentWait: A is inside for long. B waits.
	SilentWait = hazards.Hazard{
		Name:  "SilentWait",
		Story: "Who waits asks for nothing, until it is called.",
		Play: func(s *hazards.Scene) error {
			a, b := s.Client("A"), s.Client("B")

			a.Lock() // lease: 30 s
			b.Lock()
			s.Sleep(time.Second) // B lies down
			sent := b.Sent()
			s.Sleep(20 * time.Second)
			// go-redis looks after a subscription every three seconds.
			if n := b.Sent() - sent; n > 10 {
				s.Mark("B asks, again and again")
				return s.Broken("B has waited for 20 s, and sent %d commands meanwhile: it polls", n)
			}
			return nil
		},
	}

	// WokenAtOnce: B waits for A, who unlocks.
	WokenAtOnce = hazards.Hazard{
		Name:  "WokenAtOnce",
		Story: "Who waits is inside as soon as the holder has left.",
		Play: func(s *hazards.Scene) error {
			a, b, c := s.Client("A"), s.Client("B"), s.Client("C")

			a.Lock()
			b.Lock()
			c.Lock()
			s.Sleep(time.Second)
			a.Unlock()
			s.Sleep(time.Millisecond)
			if b.Inside() == c.Inside() {
				return s.Broken("A has left, B and C wait, and a millisecond later it should be one of them who is inside")
			}
			first, second := b, c
			if c.Inside() {
				first, second = c, b
			}
			first.Unlock()
			s.Sleep(time.Millisecond)
			if !second.Inside() {
				return s.Broken("%s has left, and %s, who was called before and came too late, is not called again", first.Name(), second.Name())
			}
			return nil
		},
	}

	// MissedCall: the lock comes free after B has tried, and before B listens.
	MissedCall = hazards.Hazard{
		Name:  "MissedCall",
		Story: "The call comes before the waiter listens.",
		Play: func(s *hazards.Scene) error {
			a, b := s.Client("A"), s.Client("B")

			a.Lock()
			b.Delay("SUBSCRIBE", time.Second)
			b.Lock()
			a.Unlock()
			s.Sleep(2 * time.Second)
			b.Disarm() // not every lock listens like this
			if !b.Inside() {
				return s.Broken("A left while B lay down, and B listens for a call that has been")
			}
			return nil
		},
	}

	// SilentEnd: A dies. B waits for it.
	SilentEnd = hazards.Hazard{
		Name:  "SilentEnd",
		Story: "A dead holder calls nobody.",
		Play: func(s *hazards.Scene) error {
			a, b := s.Client("A"), s.Client("B")

			a.Lock() // lease: 30 s
			b.Lock()
			a.Crash()
			s.Sleep(31 * time.Second)
			if !b.Inside() {
				return s.Broken("A is dead, its lease has ended a second ago, and B waits for a call")
			}
			return nil
		},
	}
)
