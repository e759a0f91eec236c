package hazards

// ForeignUnlock: A is inside. B, who never locked, unlocks: a deferred unlock
// that runs although the lock failed, say.
var ForeignUnlock = Hazard{
	Name:  "ForeignUnlock",
	Story: "B, who holds nothing, frees the lock of A.",
	Play: func(s *Scene) error {
		if s.Stage.Acquire == "" {
			return s.CantArise("B can't reach the mutex of A's process")
		}
		a, b, c := s.Client("A"), s.Client("B"), s.Client("C")

		a.Lock()
		b.Unlock()
		if s.Held() > 0 {
			return nil
		}
		c.Lock()
		return s.Broken("A and C are both inside: B freed a lock that it never held")
	},
	Expect: []Row{
		{NoCause, "B can't reach the mutex of A's process", []string{"v0"}},
		{Breaks, "A and C are both inside: B freed a lock that it never held", []string{"v1", "v2", "v3", "thread_id"}},
		{Holds, "B's unlock finds another owner, and leaves the lock alone", []string{"v4", "v5", "v6", "reset_expire", "won_but_said_no", "renewal_gives_up"}},
		{Holds, "B's handle knows that it has no entry, and asks nobody", []string{"v7"}},
	},
}
