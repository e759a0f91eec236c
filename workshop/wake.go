package workshop

import (
	"time"

	"lockstep/faults"
	"lockstep/hazards"
)

// What is asked of a lock that wakes its waiters.
var (
	// SilentWait: A is inside for long. B waits.
	SilentWait = hazards.Hazard{
		Name:  "SilentWait",
		Story: "A waiter that asks again and again keeps Redis busy with nothing.",
		Play: func(s *hazards.Scene) error {
			a, b := s.Client("A"), s.Client("B")

			a.Lock() // lease: 30 s
			b.Lock()
			s.Sleep(time.Second) // B lies down
			sent := b.Sent()
			s.Sleep(20 * time.Second)
			if n := b.Sent() - sent; n > 3 {
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

	// SilentEnd: A dies. B has come late, and waits for it.
	SilentEnd = hazards.Hazard{
		Name:  "SilentEnd",
		Story: "A dead holder calls nobody, and its lease ends when it ends.",
		Play: func(s *hazards.Scene) error {
			a, b := s.Client("A"), s.Client("B")

			a.Lock() // lease: 30 s
			s.Sleep(20700 * time.Millisecond)
			b.Lock()
			a.Crash()
			s.Sleep(10 * time.Second) // of which the lease lasts for 9.3
			if !b.Inside() {
				return s.Broken("A is dead, its lease has ended, and B still waits, for a call or for too long")
			}
			return nil
		},
	}

	// HalfwayOut: B waits for A, who unlocks, and is held up before each of the
	// commands that this takes, but the first.
	HalfwayOut = hazards.Hazard{
		Name:  "HalfwayOut",
		Story: "The holder is held up in the middle of its unlock, and nobody waits for a lock that is free.",
		Play: func(s *hazards.Scene) error {
			a, b := s.Client("A"), s.Client("B")

			var commands []string // that an unlock takes
			leaves := false
			s.Observe(func(step *faults.Step) {
				if leaves && len(step.Commands) > 0 {
					commands = append(commands, called(step))
				}
			})

			a.Lock()
			a.Unlock() // Redis knows its script from now on
			a.Lock()
			leaves = true
			a.Unlock()
			leaves = false
			for _, next := range commands[min(1, len(commands)):] {
				a.Lock()
				b.Lock()
				s.Sleep(time.Second) // B lies down
				a.PauseBefore(next)
				a.Unlock()
				s.Sleep(time.Millisecond)
				if s.Held() == 0 {
					s.Mark("free, and nobody is told")
					return s.Broken("the lock is free, A is held up before it calls, and B waits: if A dies there, nobody calls")
				}
				a.Disarm() // it need not send the same each time
				if a.Paused() {
					a.Resume()
				}
				s.Sleep(time.Millisecond)
				if !b.Inside() {
					return s.Broken("A has called before it left: B came, found the lock taken, and lies down again beside a free one")
				}
				b.Unlock()
			}
			return nil
		},
	}
)
