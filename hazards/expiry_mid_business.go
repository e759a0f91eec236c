package hazards

import (
	"time"
)

// ExpiryMidBusiness: one item is left. A reads that, and waits 35 s for the payment
// before it writes. Its lease is 30 s.
var ExpiryMidBusiness = Hazard{
	Name:  "ExpiryMidBusiness",
	Story: "The business outlives the lease, and two are inside.",
	Play: func(s *Scene) error {
		if s.Stage.Acquire == "" {
			return s.CantArise("a mutex has no lease")
		}
		s.Restock(1)
		a, b := s.Client("A"), s.Client("B")

		a.Lock() // lease: 30 s
		a.Sell(35 * time.Second)
		s.Sleep(31 * time.Second)
		if b.TryLock() {
			b.Sell(0)
			b.Unlock()
		}
		s.Sleep(5 * time.Second) // A writes

		if s.Books().SoldTwice() > 0 {
			return s.Broken("the last item was sold twice: A's lease ended before its work did")
		}
		return nil
	},
	Expect: []Row{
		{NoCause, "a mutex has no lease", []string{"v0"}},
		{Holds, "the lock lasts as long as the work, and longer (see Crash)", []string{"v1", "v2"}},
		{Breaks, "the last item was sold twice: A's lease ended before its work did", []string{"v3", "v4", "v5", "v6"}},
		{Holds, "the lease is renewed while A works", []string{"v7"}},
		{Holds, "two are inside, and the shop refuses A's write, which comes late", []string{"fencing"}},
	},
}
