package hazards

import (
	"time"
)

// LeaseCutShort: A asks for 30 s, enters twice and leaves once. 11 s later it is
// still inside.
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
		a.Unlock()
		if s.Held() == 0 {
			return s.CantArise("the inner unlock frees the lock, and no lease is left to cut")
		}
		s.Sleep(11 * time.Second) // A is still working
		if s.Held() > 0 {
			return nil
		}
		b.Lock()
		return s.Broken("A and B are both inside: of A's 30 s the inner unlock left 10")
	},
	Expect: []Row{
		{NoCause, "A can't enter twice", []string{"v0", "v1", "v2", "v3", "v4", "v5"}},
		{Holds, "the inner unlock leaves the lease alone", []string{"v6", "v7"}},
		{NoCause, "the inner unlock frees the lock, and no lease is left to cut", []string{"no_count"}},
		{Breaks, "A and B are both inside: of A's 30 s the inner unlock left 10", []string{"fixed_lease"}},
	},
}
