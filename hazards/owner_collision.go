package hazards

// OwnerCollision: thread 1 of A is inside. Thread 2 of A unlocks, and then thread
// 1 of another process, B.
var OwnerCollision = Hazard{
	Name:  "OwnerCollision",
	Story: "Two processes use the number of the thread as the token, and both have a thread 1.",
	Play: func(s *Scene) error {
		if s.Stage.Acquire == "" {
			return s.CantArise("B can't reach the mutex of A's process")
		}
		a := s.Client("A")
		a2, b, c := a.Thread(2), s.Client("B"), s.Client("C")

		a.Lock()
		a2.Unlock()
		if s.Held() == 0 {
			return s.CantArise("A's second thread can free the lock: the token decides nothing")
		}
		b.Unlock()
		if s.Held() > 0 {
			return nil
		}
		c.Lock()
		return s.Broken("A and C are both inside: B's thread 1 passed for A's thread 1")
	},
	Expect: []Row{
		{NoCause, "B can't reach the mutex of A's process", []string{"v0"}},
		{NoCause, "A's second thread can free the lock: the token decides nothing", []string{"v1", "v2", "v3", "shared_owner"}},
		{Holds, "the token is random, and no two are alike", []string{"v4", "v5", "v6", "v7"}},
		{Breaks, "A and C are both inside: B's thread 1 passed for A's thread 1", []string{"thread_id"}},
	},
}
