package hazards

import (
	"time"
)

// LeaseTruncated: A asks for a lease of 999 ms.
var LeaseTruncated = Hazard{
	Name:  "LeaseTruncated",
	Story: "A lease that is not whole seconds is cut to nothing.",
	Play: func(s *Scene) error {
		s.Lease = 999 * time.Millisecond
		if !s.Stage.Lease {
			return s.CantArise("it has no lease")
		}
		a, b := s.Client("A"), s.Client("B")

		a.Lock()
		if s.Held() > 0 {
			return nil
		}
		if !a.Inside() {
			return s.Broken("A asks for a lease of 999 ms, and gets no lock: %v", a.Err())
		}
		b.Lock()
		return s.Broken("999 ms became 0 s, and the lock was gone at once: A and B are both inside")
	},
	Expect: []Row{
		{NoCause, "it has no lease", []string{"v0", "v1", "v2"}},
		{Holds, "the lease goes to Redis in milliseconds", []string{"v3", "v4", "v5", "v6", "v7"}},
		{Breaks, "999 ms became 0 s, and the lock was gone at once: A and B are both inside", []string{"whole_seconds"}},
	},
}
