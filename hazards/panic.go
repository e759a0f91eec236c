package hazards

import (
	"context"
)

// Panic: A's business panics while A holds the lock. The server survives that, as
// net/http does; does the lock come free?
var Panic = Hazard{
	Name:  "Panic",
	Story: "The business panics, and nobody unlocks.",
	Play: func(s *Scene) error {
		a, b := s.Client("A"), s.Client("B")

		a.Bracket("Work", func(context.Context) (string, error) {
			s.Note("A's business panics")
			panic("no such voucher")
		})
		if s.Held() == 0 {
			return nil
		}
		b.Lock()
		s.Mark("nobody will ever unlock it")
		return s.Broken("A's request is over, and its lock is still there: B waits")
	},
	Expect: []Row{
		{Holds, "the unlock is deferred, and runs in a panic too", []string{"v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7"}},
		{Breaks, "A's request is over, and its lock is still there: B waits", []string{"no_defer"}},
	},
}
