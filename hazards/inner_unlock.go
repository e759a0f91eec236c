package hazards

// InnerUnlock: A is inside twice, and leaves once.
var InnerUnlock = Hazard{
	Name:  "InnerUnlock",
	Story: "The inner unlock frees the lock of the outer.",
	Play: func(s *Scene) error {
		a, b := s.Client("A"), s.Client("B")

		a.Lock()
		a.Lock() // a function that A calls
		if a.Waiting() {
			return s.CantArise("A can't enter twice")
		}
		a.Unlock() // the function returns; A is still working
		if s.Held() > 0 {
			return nil
		}
		b.Lock()
		return s.Broken("A and B are both inside: the inner unlock freed the outer's lock")
	},
	Expect: []Row{
		{NoCause, "A can't enter twice", []string{"v0", "v1", "v2", "v3", "v4", "v5"}},
		{Holds, "one of two entries is left", []string{"v6", "v7"}},
		{Breaks, "A and B are both inside: the inner unlock freed the outer's lock", []string{"no_count"}},
	},
}
