package hazards

import (
	"time"
)

// ResultIgnored: A is inside. B serves a customer meanwhile, who waits no
// longer than 150 ms.
var ResultIgnored = Hazard{
	Name:  "ResultIgnored",
	Story: "The answer of the lock is not looked at, and everybody is inside.",
	Play: func(s *Scene) error {
		if s.Stage.Acquire == "" {
			return s.CantArise("a mutex gives no answer that could be ignored")
		}
		s.Restock(1)
		a, b := s.Client("A"), s.Client("B")

		a.Lock()
		b.ServeWithin(150 * time.Millisecond)
		s.Sleep(200 * time.Millisecond) // A is still working

		if s.Books().Sold > 0 {
			return s.Broken("B sold without the lock, while A was inside")
		}
		if b.Err() == nil {
			s.Mark("B has given up")
			return s.Broken("B has sold nothing, and nobody tells its customer")
		}
		return nil
	},
	Expect: []Row{
		{NoCause, "a mutex gives no answer that could be ignored", []string{"v0"}},
		{Holds, "without the lock there is an error, and no sale", []string{"v1", "v2", "v3", "v4", "v5", "v6", "v7"}},
		{Breaks, "B sold without the lock, while A was inside", []string{"answer_dropped", "timeout_ignored"}},
		{Breaks, "B has sold nothing, and nobody tells its customer", []string{"empty_answer"}},
	},
}
