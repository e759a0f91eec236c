package hazards

import (
	"time"
)

// LateLease: A dies as soon as Redis has done the command that takes the lock.
// For an hour nobody wants it. Then B does, whose customer has not got half a
// second.
var LateLease = Hazard{
	Name:  "LateLease",
	Story: "The lock of a dead holder gets its lease from the next who comes, and not before.",
	Play: func(s *Scene) error {
		if s.Stage.Acquire == "" {
			return s.CantArise("a mutex sends no commands")
		}
		a, b := s.Client("A"), s.Client("B")

		a.CrashAfter(s.Stage.Acquire)
		a.Lock()
		s.Sleep(time.Hour)                   // nobody comes
		b.LockWithin(390 * time.Millisecond) // in which no answer to TTL changes
		s.Sleep(time.Second)
		if b.Inside() {
			return nil
		}
		s.Mark("B is sent away")
		return s.Broken("A has been dead for an hour, and B waits for its lock in vain")
	},
	Expect: []Row{
		{NoCause, "a mutex sends no commands", []string{"v0"}},
		{Breaks, "A has been dead for an hour, and B waits for its lock in vain", []string{"v1", "v2", "two_commands", "two_commands_patched", "whole_seconds"}},
		{Holds, "the lease began with the lock, and has ended long since", []string{"v3", "v4", "v5", "v6", "v7"}},
	},
}
