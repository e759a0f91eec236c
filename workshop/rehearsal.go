package workshop

import (
	"cmp"
	"crypto/rand"
	"slices"
	"time"

	"lockstep/faults"
	"lockstep/hazards"
	"lockstep/stages"
)

// rehearsed is the entry as a stage. What a fault has to know of it, the
// commands that take the lock, free it and renew it, is seen in a rehearsal:
// whatever the learner sends, one command makes the key appear, one makes it go,
// and one moves the end of its lease. If the shop is the learner's, too, one
// changes the stock.
//
// A lock that gets stuck in the rehearsal has no such commands. The checks say
// then what is wrong with it.
func (e Entry) rehearsed() stages.Stage {
	stage := stages.Stage{
		Name:    e.Exercise.Name,
		Lease:   e.Exercise.Stage.Lease,
		New:     e.made,
		NotHeld: e.ErrNotHeld,
		Sell:    e.Sell,
		Stale:   e.ErrStale,
	}
	// What goes wrong here goes wrong in the checks too, and is told there.
	_, _ = hazards.Perform(stage, faults.Options{}, func(s *hazards.Scene) error {
		inside := false // what prolongs the lease before that, belongs to the taking
		s.Observe(func(step *faults.Step) {
			switch was, is := step.Before, step.After; {
			case len(step.Commands) == 0:
			case len(was) == 0 && len(is) > 0 && stage.Acquire == "":
				stage.Acquire = called(step)
			case len(was) > 0 && len(is) == 0:
				stage.Release = called(step)
			case inside && prolongs(was, is):
				stage.Renew = called(step)
			}
		})
		a := s.Client("A")
		a.Lock()
		inside = true
		s.Sleep(hazards.Lease - time.Second)
		inside = false
		a.Unlock()
		a.Lock() // and at once again: the lease may have been too short
		a.Unlock()
		return nil
	})
	if stage.Sell == nil {
		return stage
	}
	_, _ = hazards.Perform(stage, faults.Options{}, func(s *hazards.Scene) error {
		s.Restock(1)
		a := s.Client("A")
		a.Lock()
		s.Observe(func(step *faults.Step) {
			if len(step.Commands) > 0 && stage.Write == "" && s.Books().Left == 0 {
				stage.Write = writing(step, hazards.StockKey)
			}
		})
		a.Sell(0)
		return nil
	})
	return stage
}

// made is a lock of the entry. Where nobody says whose it is, it is its own.
func (e Entry) made(f stages.Flow) (stages.Lock, error) {
	if !f.NoOwner {
		f.Owner = cmp.Or(f.Owner, rand.Text())
	}
	return e.New(f)
}

// prolongs reports whether a key of the lock lasts longer than before.
func prolongs(was, is []faults.Holding) bool {
	return slices.ContainsFunc(is, func(after faults.Holding) bool {
		return slices.ContainsFunc(was, func(before faults.Holding) bool {
			return before.Key == after.Key && before.Ends != faults.Never && (after.Ends > before.Ends || after.Ends == faults.Never)
		})
	})
}

// changing is how a fault calls the first of some steps that changes the lock;
// empty if none does.
func changing(steps []*faults.Step) string {
	for _, step := range steps {
		if !slices.Equal(step.Before, step.After) {
			return called(step)
		}
	}
	return ""
}

// writing is how a fault calls the commands of a step that change a key: with the
// key, where one begins with it, because the same command may write others.
func writing(step *faults.Step, key string) string {
	for _, words := range step.Commands {
		if len(words) > 1 && words[1] == key && words[0] != "GET" && words[0] != "WATCH" {
			return words[0] + " " + key
		}
	}
	return called(step)
}

// called is how a fault calls the commands of a step, which went together: by the
// first that does something, and a script by its name.
func called(step *faults.Step) string {
	for _, words := range step.Commands {
		switch {
		case words[0] == "MULTI" || words[0] == "GET" || words[0] == "EXISTS":
		case words[0] == "EVAL" && len(words) > 1:
			return words[1]
		default:
			return words[0]
		}
	}
	return step.Commands[0][0]
}
