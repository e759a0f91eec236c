package hazards

// TwoServers: one item is left. A, on the first server, has read that, and is about
// to write. B, on the second server, asks for the lock.
var TwoServers = Hazard{
	Name:  "TwoServers",
	Story: "Two servers sell the last item at the same time.",
	Play: func(s *Scene) error {
		s.Restock(1)
		a, b := s.Client("A"), s.Client("B")

		a.Lock()
		a.PauseBeforeWrite() // A has read: one is left
		a.Sell(0)
		if b.TryLock() {
			b.Sell(0)
			b.Unlock()
		}
		a.Resume()

		if s.Books().SoldTwice() > 0 {
			return s.Broken("the last item was sold twice: the lock of A did not keep B out")
		}
		return nil
	},
	Expect: []Row{
		{Breaks, "the last item was sold twice: the lock of A did not keep B out", []string{"v0", "answer_dropped"}},
		{Holds, "the lock is in Redis, where both servers look", []string{"v1", "v2", "v3", "v4", "v5", "v6", "v7"}},
	},
}
