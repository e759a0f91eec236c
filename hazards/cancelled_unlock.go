package hazards

// CancelledUnlock: A's request times out. The deferred unlock gets the context of
// that request, which is over.
var CancelledUnlock = Hazard{
	Name:  "CancelledUnlock",
	Story: "A deferred unlock with a cancelled context leaves the lock behind.",
	Play: func(s *Scene) error {
		a, b := s.Client("A"), s.Client("B")

		a.Lock()
		a.UnlockCancelled()
		if s.Held() == 0 {
			return nil
		}
		b.Lock()
		s.Mark("B waits for a request that is over")
		return s.Broken("A's request is over, and its lock stays: the unlock was cancelled with it")
	},
	Expect: []Row{
		{Holds, "a mutex needs no context to unlock", []string{"v0"}},
		{Breaks, "A's request is over, and its lock stays: the unlock was cancelled with it", []string{"v1", "v2", "v3", "v4", "v5", "v6"}},
		{Holds, "the unlock leaves the cancellation behind, and has a time limit of its own", []string{"v7"}},
		{Breaks, "A's request is over, and its lock stays: the unlock was cancelled with it", []string{"reset_expire", "won_but_said_no", "renewal_gives_up"}},
	},
}
