package wakeup_test

import (
	"os"
	"testing"
	"time"

	"lockstep/faults"
	"lockstep/hazards"
	"lockstep/stages"
)

// onEmbedded skips a test where the server is a real one.
func onEmbedded(t *testing.T) {
	t.Helper()
	if os.Getenv(faults.ServerEnv) != "" {
		t.Skip("a real server carries no subscribers")
	}
}

// perform plays on this lock. A play that returns an error has found it broken.
func perform(t *testing.T, play func(*hazards.Scene) error) {
	t.Helper()
	onEmbedded(t)
	timeline, err := hazards.Perform(stages.Wakeup, faults.Options{}, play)
	if err != nil {
		t.Fatalf("%v\n\n%s", err, timeline)
	}
}

// It survives what v5 survives, and breaks where v5 does.
func TestItDoesAsV5(t *testing.T) {
	onEmbedded(t)
	for _, h := range hazards.All() {
		t.Run(h.Name, func(t *testing.T) {
			t.Parallel()
			got, err := h.Run(stages.Wakeup)
			if err != nil {
				t.Fatalf("%v\n\n%s", err, got.Timeline)
			}
			if want := h.Expected(stages.V5); got.Outcome != want.Outcome {
				t.Errorf("it %s, and v5 %s\n\n%s", got.Outcome, want.Outcome, got.Timeline)
			}
		})
	}
}

// A waiter sends next to nothing, and is inside as soon as the holder has left.
func TestWaiterIsWoken(t *testing.T) {
	t.Parallel()
	perform(t, func(s *hazards.Scene) error {
		a, b := s.Client("A"), s.Client("B")
		a.Lock()
		b.Lock()
		sent := b.Sent()
		s.Sleep(20 * time.Second)
		if n := b.Sent() - sent; n > 7 { // go-redis looks after the line every three seconds
			return s.Broken("B sent %d commands in 20 s", n)
		}
		a.Unlock()
		if !b.Inside() {
			return s.Broken("A has left, and B sleeps on")
		}
		return nil
	})
}

// The call comes before B listens.
func TestMissedCall(t *testing.T) {
	t.Parallel()
	perform(t, func(s *hazards.Scene) error {
		a, b := s.Client("A"), s.Client("B")
		a.Lock()
		b.Delay("SUBSCRIBE", time.Second)
		b.Lock()
		a.Unlock()
		s.Sleep(2 * time.Second)
		if !b.Inside() {
			return s.Broken("B listens for a call that has been")
		}
		return nil
	})
}

// The holder dies, and calls nobody.
func TestSilentEnd(t *testing.T) {
	t.Parallel()
	perform(t, func(s *hazards.Scene) error {
		a, b := s.Client("A"), s.Client("B")
		a.Lock()
		b.Lock()
		a.Crash()
		s.Sleep(31 * time.Second)
		if !b.Inside() {
			return s.Broken("A is dead, its lease is over, and B sleeps on")
		}
		return nil
	})
}

// The line breaks while B listens, and the call comes before go-redis has
// subscribed again.
func TestBrokenLine(t *testing.T) {
	t.Parallel()
	perform(t, func(s *hazards.Scene) error {
		a, b := s.Client("A"), s.Client("B")
		a.Lock()
		b.Lock()
		b.LoseReply("PING") // go-redis looks after the line
		b.Delay("SUBSCRIBE", 10*time.Second)
		s.Sleep(5 * time.Second)
		a.Unlock()
		s.Sleep(26 * time.Second)
		if !b.Inside() {
			return s.Broken("B's line broke, and B sleeps on")
		}
		return nil
	})
}

// Waiters all wake, one gets in, and the others lie down again.
func TestManyWaiters(t *testing.T) {
	t.Parallel()
	perform(t, func(s *hazards.Scene) error {
		a, b, c, d := s.Client("A"), s.Client("B"), s.Client("C"), s.Client("D")
		a.Lock()
		b.Lock()
		c.Lock()
		d.Lock()
		a.Unlock()
		for _, next := range []*hazards.Client{b, c, d} {
			if !next.Inside() {
				return s.Broken("%s should be inside", next.Name())
			}
			next.Unlock()
		}
		return nil
	})
}
