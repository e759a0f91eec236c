package hazards

import (
	"time"
)

// RenewalGivesUp: the reply to a renewal is lost. A works on, for longer than the
// lease.
var RenewalGivesUp = Hazard{
	Name:      "RenewalGivesUp",
	Story:     "One renewal fails, and the timer is dropped.",
	NoRetries: true,
	Play: func(s *Scene) error {
		if s.Stage.Renew == "" {
			return s.CantArise("it renews nothing")
		}
		a, b := s.Client("A"), s.Client("B")

		a.Lock()
		a.LoseReply(s.Stage.Renew)
		s.Sleep(45 * time.Second) // A is still working
		if s.Held() > 0 {
			return nil
		}
		b.Lock()
		return s.Broken("A and B are both inside: one lost reply ended the renewals")
	},
	Expect: []Row{
		{NoCause, "it renews nothing", []string{"v0", "v1", "v2", "v3", "v4", "v5", "v6"}},
		{Holds, "a renewal that fails is tried again", []string{"v7"}},
		{Breaks, "A and B are both inside: one lost reply ended the renewals", []string{"renewal_gives_up"}},
	},
}
