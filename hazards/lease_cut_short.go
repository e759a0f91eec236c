package hazards

import (
	"time"
)

// LeaseCutShort: A asks for 30 s, enters twice and, 5 s later, leaves once. 11 s
// after that it is still inside.
var LeaseCutShort = Hazard{
	Name:  "LeaseCutShort",
	Story: "The inner unlock sets a lease that nobody asked for.",
	Play: func(s *Scene) error {
		a, b := s.Client("A"), s.Client("B")

		a.Lock() // lease: 30 s
		a.Lock()
		if a.Waiting() {
			return s.CantArise("A can't enter twice")
		}
		s.Sleep(5 * time.Second)
		had := s.Left()
		a.Unlock()
		if s.Held() == 0 {
			return s.CantArise("the inner unlock frees the lock, and no lease is left to cut")
		}
		left := s.Left()
		if left > had {
			s.Mark("a lease that nobody asked for")
			return s.Broken("A had %v left, and the inner unlock set more: if A dies now, B waits for longer than A asked", had)
		}
		s.Sleep(11 * time.Second) // A is still working
		if s.Held() == 0 {
			b.Lock()
			return s.Broken("A and B are both inside: of A's %v the inner unlock left %v", had, left)
		}
		if left < had {
			return s.Broken("A is still inside, and of its %v the inner unlock left %v", had, left)
		}
		return nil
	},
	Expect: []Row{
		{NoCause, "A can't enter twice", []string{"v0", "v1", "v2", "v3", "v4", "v5"}},
		{Holds, "the inner unlock leaves the lease alone", []string{"v6", "v7"}},
		{NoCause, "the inner unlock frees the lock, and no lease is left to cut", []string{"no_count"}},
		{Breaks, "A and B are both inside: of A's 25s the inner unlock left 10s", []string{"fixed_lease"}},
	},
}
