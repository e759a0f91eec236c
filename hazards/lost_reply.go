package hazards

import (
	"time"
)

// LostReply: Redis gives A the lock, and the reply is lost. go-redis sends the
// command again, as it does by default.
var LostReply = Hazard{
	Name:  "LostReply",
	Story: "The server took the lock, the reply was lost, and go-redis asks again.",
	Play: func(s *Scene) error {
		if s.Stage.Acquire == "" {
			return s.CantArise("a mutex gets no replies")
		}
		a, b := s.Client("A"), s.Client("B")

		a.LoseReply(s.Stage.Acquire)
		a.Lock()
		s.Sleep(time.Second)
		if a.Waiting() {
			s.Mark("A waits for A")
			return s.Broken("A waits for a lock that A itself holds")
		}
		a.Unlock()
		if s.Held() > 0 {
			b.Lock()
			s.Mark("nobody will unlock it")
			return s.Broken("A entered once and was counted twice: its unlock leaves the lock behind")
		}
		return nil
	},
	Expect: []Row{
		{NoCause, "a mutex gets no replies", []string{"v0"}},
		{Breaks, "A waits for a lock that A itself holds", []string{"v1", "v2", "v3", "v4", "v5"}},
		{Breaks, "A entered once and was counted twice: its unlock leaves the lock behind", []string{"v6", "reset_expire", "won_but_said_no", "renewal_gives_up"}},
		{Holds, "each entry has a name, and one that comes twice counts once", []string{"v7"}},
		{Holds, "the owner enters again, and nobody counts", []string{"no_count"}},
	},
}
