package hazards

import (
	"time"
)

// WonButSaidNo: the lock is free, and A tries to take it.
var WonButSaidNo = Hazard{
	Name:  "WonButSaidNo",
	Story: "The try-lock takes the lock and answers no; its caller walks away.",
	Play: func(s *Scene) error {
		a, b := s.Client("A"), s.Client("B")

		if a.TryLock() {
			return nil
		}
		s.Sleep(31 * time.Second)
		b.Lock()
		if b.Waiting() {
			s.Mark("A has it, and does not know")
		}
		switch {
		case b.Waiting() && s.Stage.Renew == "":
			return s.Broken("A was told no and walked away; its lock is still there, and B waits")
		case b.Waiting():
			return s.Broken("A was told no and walked away; its lock is renewed for ever, and B waits")
		}
		return nil
	},
	Expect: []Row{
		{Holds, "TryLock says what it did", []string{"v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7"}},
		{Breaks, "A was told no and walked away; its lock is renewed for ever, and B waits", []string{"won_but_said_no"}},
	},
}
