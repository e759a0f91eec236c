package hazards

import (
	"time"
)

// StopTheWorld: one item is left. A has read that and is about to write, when the
// garbage collector stops all of A, its watchdog too, for longer than the lease.
var StopTheWorld = Hazard{
	Name:  "StopTheWorld",
	Story: "The whole process of the holder sleeps through the end of its lease.",
	Play: func(s *Scene) error {
		if s.Stage.Acquire == "" {
			return s.CantArise("a mutex has no lease")
		}
		s.Restock(1)
		a, b := s.Client("A"), s.Client("B")

		a.Lock() // lease: 30 s
		a.PauseBeforeWrite()
		a.Sell(0)
		s.Sleep(31 * time.Second)
		b.Lock()
		if b.Inside() {
			b.Sell(0)
			b.Unlock()
		}
		a.Resume() // A writes what it knew

		if s.Books().SoldTwice() > 0 {
			return s.Broken("the last item was sold twice: A slept through the end of its lease")
		}
		return nil
	},
	Expect: []Row{
		{NoCause, "a mutex has no lease", []string{"v0"}},
		{Holds, "without a lease nobody gets in while A sleeps (see Crash)", []string{"v1", "v2"}},
		{Breaks, "the last item was sold twice: A slept through the end of its lease", []string{"v3", "v4", "v5", "v6", "v7"}},
		{Holds, "the shop has seen a higher number, and refuses A's write", []string{"fencing"}},
	},
}
