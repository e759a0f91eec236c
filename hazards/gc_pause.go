package hazards

import (
	"time"
)

// GCPause: A unlocks. Between its look at the owner and its DEL the garbage
// collector stops A for 31 s. B takes the lock.
var GCPause = Hazard{
	Name:  "GCPause",
	Story: "A pause between the check and the delete lets A delete the lock of B.",
	Play: func(s *Scene) error {
		if !s.Stage.Lease {
			return s.CantArise("A's lock does not end during the pause")
		}
		a, b, c := s.Client("A"), s.Client("B"), s.Client("C")

		a.Lock() // lease: 30 s
		a.PauseBefore(s.Stage.Release)
		a.Unlock()
		s.Sleep(31 * time.Second)
		b.Lock()
		a.Resume()
		if s.Held() > 0 {
			return nil
		}
		c.Lock()
		return s.Broken("B and C are both inside: A's delete came late, and hit B's lock")
	},
	Expect: []Row{
		{NoCause, "A's lock does not end during the pause", []string{"v0", "v1", "v2"}},
		{Breaks, "B and C are both inside: A's delete came late, and hit B's lock", []string{"v3", "v4", "thread_id"}},
		{Holds, "Redis looks and deletes in one step, after the pause", []string{"v5", "v6"}},
		{Holds, "EXEC sees that the key has changed since WATCH, and does nothing", []string{"v5_watch_release"}},
		{Holds, "Redis looks and deletes in one step, and after two seconds the unlock gives up", []string{"v7"}},
		{Holds, "Redis looks and deletes in one step, after the pause", []string{"reset_expire", "won_but_said_no", "renewal_gives_up"}},
	},
}
