package hazards

import (
	"time"
)

// EmptyAnswer: B's customer has to wait for the lock. B gets it, and sells.
var EmptyAnswer = Hazard{
	Name:  "EmptyAnswer",
	Story: "The customer who had to wait is served, and sees an empty page.",
	Play: func(s *Scene) error {
		s.Restock(2)
		a, b := s.Client("A"), s.Client("B")

		a.Lock()
		b.Serve() // waits for the lock
		s.Sleep(50 * time.Millisecond)
		a.Unlock()
		s.Sleep(50 * time.Millisecond)

		s.Note("B's customer sees %q", b.Answer())
		if s.Books().Sold > 0 && b.Answer() == "" {
			s.Mark("B has sold an item")
			return s.Broken("B's customer bought an item and sees an empty page")
		}
		return nil
	},
	Expect: []Row{
		{Holds, "what the last try returns is what the caller gets", []string{"v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7"}},
		{Breaks, "B's customer bought an item and sees an empty page", []string{"empty_answer"}},
	},
}
