package hazards

import (
	"time"
)

// RecursionOverflow: A works for long. B waits, try after try.
var RecursionOverflow = Hazard{
	Name:  "RecursionOverflow",
	Story: "A waiter that calls itself for each try grows its stack until the process dies.",
	Play: func(s *Scene) error {
		a, b := s.Client("A"), s.Client("B")
		b.CountFrames()

		a.Lock()
		b.Lock()
		if b.Inside() {
			return s.CantArise("B does not have to wait")
		}
		s.Sleep(100 * time.Millisecond)
		early, tries := b.Frames(), b.Sent()
		s.Sleep(500 * time.Millisecond) // A is still working
		deeper, more := b.Frames()-early, b.Sent()-tries

		if deeper > 0 {
			s.Mark("B's stack grows with each try")
		}
		switch {
		case deeper > more:
			return s.Broken("%d more tries, and B's stack is %d frames deeper: each try adds some", more, deeper)
		case deeper > 0:
			return s.Broken("%d more tries, and B's stack is %d frames deeper: each try adds one", more, deeper)
		}
		return nil
	},
	Expect: []Row{
		{NoCause, "B does not have to wait", []string{"v0", "answer_dropped"}},
		{Breaks, "25 more tries, and B's stack is 25 frames deeper: each try adds one", []string{"v1"}},
		{Holds, "it waits in a loop; the stack stays as it is", []string{"v2", "v3", "v4", "v5", "v6", "v7"}},
	},
}
