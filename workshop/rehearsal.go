package workshop

import (
	"time"

	"lockstep/faults"
	"lockstep/hazards"
	"lockstep/stages"
)

// rehearsed is the entry as a stage. What a fault has to know of it, the
// commands that take the lock, free it and renew it, is seen in a rehearsal:
// whatever the learner sends, one command makes the key appear, one makes it go,
// and one moves the end of its lease.
//
// A lock that gets stuck in the rehearsal has no such commands. The checks say
// then what is wrong with it.
func (e Entry) rehearsed() stages.Stage {
	stage := stages.Stage{
		Name:    e.Exercise.Name,
		Lease:   e.Exercise.Stage.Lease,
		New:     e.New,
		NotHeld: e.ErrNotHeld,
	}
	// What goes wrong here goes wrong in the checks too, and is told there.
	_, _ = hazards.Perform(stage, faults.Options{}, func(s *hazards.Scene) error {
		s.Observe(func(step *faults.Step) {
			switch was, is := step.Before, step.After; {
			case len(step.Commands) == 0:
			case len(was) == 0 && len(is) > 0 && stage.Acquire == "":
				stage.Acquire = called(step)
			case len(was) > 0 && len(is) == 0:
				stage.Release = called(step)
			case len(was) > 0 && len(is) > 0 && is[0].Ends > was[0].Ends:
				stage.Renew = called(step)
			}
		})
		a := s.Client("A")
		a.Lock()
		s.Sleep(hazards.Lease - time.Second)
		a.Unlock()
		return nil
	})
	return stage
}

// called is how a fault calls the command of a step: by its first word, or a
// script by its name.
func called(step *faults.Step) string {
	words := step.Commands[0]
	if words[0] == "EVAL" && len(words) > 1 {
		return words[1]
	}
	return words[0]
}
