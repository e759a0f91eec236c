package hazards

import (
	"time"
)

// MisDelete: A works longer than its lease. B takes the lock. A, done at last,
// unlocks, and C walks in beside B.
var MisDelete = Hazard{
	Name:  "MisDelete",
	Story: "A unlocks after its lease has ended, and deletes B's lock.",
	Play: func(s *Scene) error {
		if !s.Stage.Lease {
			return s.CantArise("A's lock ends when A says so, and not before")
		}
		a, b, c := s.Client("A"), s.Client("B"), s.Client("C")

		a.Lock()                  // lease: 30 s
		s.Sleep(31 * time.Second) // A is still working
		b.Lock()
		if b.Waiting() {
			return nil
		}
		a.Unlock() // whose lock is this?
		if s.Held() > 0 {
			return nil
		}
		c.Lock()
		return s.Broken("B and C are both inside: A deleted B's lock")
	},
	Expect: []Row{
		{NoCause, "A's lock ends when A says so, and not before", []string{"v0", "v1", "v2"}},
		{Breaks, "B and C are both inside: A deleted B's lock", []string{"v3", "thread_id"}},
		{Holds, "A's unlock finds another owner, and leaves the lock alone", []string{"v4", "v5", "v6"}},
		{Holds, "A's lease is renewed while A works, so B has to wait", []string{"v7"}},
	},
}
