package hazards

// SharedOwner: two requests come to the same service, each in a goroutine of its
// own.
var SharedOwner = Hazard{
	Name:  "SharedOwner",
	Story: "Every goroutine of a service has its constructor's owner.",
	Play: func(s *Scene) error {
		a := s.Client("A")
		a2 := a.Thread(2)

		a.Lock()
		a2.Lock()

		if a2.Inside() {
			return s.Broken("two goroutines of A are both inside")
		}
		return nil
	},
	Expect: []Row{
		{Holds, "the goroutines of a process share one mutex", []string{"v0"}},
		{Holds, "each goroutine has a token of its own", []string{"v1", "v2", "v3", "v4", "v5"}},
		{Holds, "each flow of control has a factory, and so an owner, of its own", []string{"v6", "v7"}},
		{Breaks, "two goroutines of A are both inside", []string{"shared_owner", "thread_named_key", "answer_dropped"}},
	},
}
