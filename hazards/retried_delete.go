package hazards

import "time"

// RetriedDelete: A unlocks, and the reply is lost. go-redis backs off and sends
// the release again, as it does by default; meanwhile B, who has waited, is
// inside.
//
// Nobody thought of this one: a search over the schedules of the real code came
// upon it.
var RetriedDelete = Hazard{
	Name:  "RetriedDelete",
	Story: "The reply to A's unlock is lost; go-redis sends it again, and it hits B.",
	Play: func(s *Scene) error {
		if s.Stage.Release == "" {
			return s.CantArise("a mutex gets no replies")
		}
		a, b, c := s.Client("A"), s.Client("B"), s.Client("C")

		a.Lock()
		b.Lock() // waits
		a.LoseReply(s.Stage.Release)
		a.Delay(s.Stage.Release, 50*time.Millisecond) // the second time
		a.Unlock()
		s.Sleep(30 * time.Millisecond) // B gets in
		if s.Held() == 0 {
			return nil
		}
		s.Sleep(30 * time.Millisecond)
		a.Disarm() // not every stage is sent again
		if s.Held() > 0 {
			return nil
		}
		c.Lock()
		return s.Broken("B and C are both inside: A's delete came twice, and the second hit B's lock")
	},
	Expect: []Row{
		{NoCause, "a mutex gets no replies", []string{"v0"}},
		{Breaks, "B and C are both inside: A's delete came twice, and the second hit B's lock", []string{"v1", "v2", "v3", "v4", "thread_id"}},
		{Holds, "Redis looks at the owner the second time, too", []string{"v5", "v6", "v7"}},
		{Holds, "go-redis sends no part of a watched transaction again", []string{"v5_watch_release"}},
	},
}
