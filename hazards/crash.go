package hazards

import (
	"time"
)

// Crash: A dies with the lock in its hands. B waits for it, longer than any lease.
var Crash = Hazard{
	Name:  "Crash",
	Story: "The holder dies before its deferred unlock.",
	Play: func(s *Scene) error {
		a, b := s.Client("A"), s.Client("B")

		a.Lock()
		a.Crash()
		s.Sleep(31 * time.Second)
		b.Lock()

		if b.Waiting() {
			s.Mark("nobody will ever unlock it")
			return s.Broken("A is dead and holds the lock for ever: nobody can buy any more")
		}
		return nil
	},
	Expect: []Row{
		{Holds, "a mutex dies with its process", []string{"v0"}},
		{Breaks, "A is dead and holds the lock for ever: nobody can buy any more", []string{"v1", "v2"}},
		{Holds, "the lease ends, whether A lives or not", []string{"v3", "v4", "v5", "v6", "v7"}},
	},
}
