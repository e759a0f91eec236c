package hazards

// ThreadNamedKey: a thread of A is inside. A thread of B that has another number
// wants the same lock.
var ThreadNamedKey = Hazard{
	Name:  "ThreadNamedKey",
	Story: "The key contains the name of the thread, so everybody has a lock of their own.",
	Play: func(s *Scene) error {
		if s.Stage.Acquire == "" {
			return s.CantArise("a mutex has no key")
		}
		a, b := s.Client("A"), s.Client("B").Thread(2)

		a.Lock()
		one := s.Held()
		b.Lock()

		if b.Inside() && s.Held() > one {
			return s.Broken("A and B are both inside: each has a key of its own")
		}
		return nil
	},
	Expect: []Row{
		{NoCause, "a mutex has no key", []string{"v0"}},
		{Holds, "the key names what is locked, not who locks it", []string{"v1", "v2", "v3", "v4", "v5", "v6", "v7"}},
		{Breaks, "A and B are both inside: each has a key of its own", []string{"thread_named_key"}},
	},
}
