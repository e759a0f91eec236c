package hazards

import (
	"time"
)

// Reentry: A, inside, calls a function that takes the same lock.
var Reentry = Hazard{
	Name:  "Reentry",
	Story: "The holder calls a function that locks again.",
	Play: func(s *Scene) error {
		a := s.Client("A")

		a.Lock()
		a.Lock()
		s.Sleep(200 * time.Millisecond)

		if a.Waiting() {
			s.Mark("A waits for A")
			return s.Broken("A waits for a lock that A itself holds")
		}
		return nil
	},
	Expect: []Row{
		{Breaks, "A waits for a lock that A itself holds", []string{"v0", "v1", "v2", "v3", "v4", "v5"}},
		{Holds, "the owner enters again, and is counted", []string{"v6", "v7"}},
		{Holds, "the owner enters again, uncounted", []string{"no_count"}},
	},
}
