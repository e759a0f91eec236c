package hazards

import (
	"time"
)

// TwoCommands: A dies as soon as Redis has done the command that takes the lock.
// B tries in vain; a lease later C wants the lock.
var TwoCommands = Hazard{
	Name:  "TwoCommands",
	Story: "The holder dies between taking the lock and giving it a lease.",
	Play: func(s *Scene) error {
		if s.Stage.Acquire == "" {
			return s.CantArise("a mutex sends no commands")
		}
		a, b, c := s.Client("A"), s.Client("B"), s.Client("C")

		a.CrashAfter(s.Stage.Acquire)
		a.Lock()
		s.Sleep(31 * time.Second)
		b.LockWithin(50 * time.Millisecond)
		s.Sleep(31 * time.Second)
		if b.Inside() {
			return nil
		}
		c.Lock()

		if c.Waiting() {
			s.Mark("nobody will ever unlock it")
			return s.Broken("A died before its lock had a lease: nobody gets in any more")
		}
		return nil
	},
	Expect: []Row{
		{NoCause, "a mutex sends no commands", []string{"v0"}},
		{Breaks, "A died before its lock had a lease: nobody gets in any more", []string{"v1", "v2", "two_commands", "whole_seconds"}},
		{Holds, "lock and lease are one command", []string{"v3", "v4", "v5", "v6", "v7"}},
		{Holds, "B, who fails to get in, adds the missing lease, and C gets in when that ends", []string{"two_commands_patched"}},
	},
}
