package hazards

import (
	"time"
)

// RenewalPiledUp: A has been inside before, with an inner lock. Now it is inside
// once. How many renewals does that take?
var RenewalPiledUp = Hazard{
	Name:  "RenewalPiledUp",
	Story: "Each entry starts a timer that renews, and no unlock stops it.",
	Play: func(s *Scene) error {
		if s.Stage.Renew == "" {
			return s.CantArise("it renews nothing")
		}
		a := s.Client("A")

		a.Lock()
		s.Sleep(11 * time.Second) // a third of the lease, and a bit
		one := max(1, a.Renewals())
		a.Unlock()
		a.Lock()
		a.Lock()
		a.Unlock()
		a.Unlock()
		a.Lock()
		before := a.Renewals()
		s.Sleep(11 * time.Second)

		if n := a.Renewals() - before; n > one {
			s.Mark("%d renewals of one hold", n)
			return s.Broken("A is inside once, and %d timers renew its lease", n/one)
		}
		return nil
	},
	Expect: []Row{
		{NoCause, "it renews nothing", []string{"v0", "v1", "v2", "v3", "v4", "v5", "v6"}},
		{Holds, "one watchdog for a hold, and the last unlock stops it", []string{"v7"}},
		{Breaks, "A is inside once, and 4 timers renew its lease", []string{"reset_expire"}},
	},
}
