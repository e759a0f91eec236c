package hazards

import (
	"time"
)

// HolderGone: A works for longer than its lease, and dies over it.
var HolderGone = Hazard{
	Name:  "HolderGone",
	Story: "The holder dies in the middle of long work; its lock must end with its lease.",
	Play: func(s *Scene) error {
		a, b := s.Client("A"), s.Client("B")

		a.Lock()
		s.Sleep(45 * time.Second) // A is still working
		a.Crash()
		s.Sleep(31 * time.Second)
		b.Lock()

		if b.Waiting() {
			s.Mark("nobody will ever unlock it")
			return s.Broken("A died in the middle of its work, and its lock stays for ever")
		}
		return nil
	},
	Expect: []Row{
		{Holds, "a mutex dies with its process", []string{"v0"}},
		{Breaks, "A died in the middle of its work, and its lock stays for ever", []string{"v1", "v2"}},
		{Holds, "the lease has ended, though in the middle of the work (see ExpiryMidBusiness)", []string{"v3", "v4", "v5", "v6"}},
		{Holds, "the watchdog dies with A, and then the lease ends", []string{"v7"}},
	},
}
