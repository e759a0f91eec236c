package workshop

import (
	"time"

	"lockstep/faults"
	"lockstep/hazards"
)

// What a lock with a watchdog keeps.
var (
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
