package workshop

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"lockstep/faults"
	"lockstep/hazards"
	"lockstep/stages"
)

// Check is one thing that an exercise asks of a lock.
type Check struct {
	Name  string // of its test, without Test
	Story string // what happens, in a sentence

	examine func(stages.Stage) Result
}

// Result is what came of a check.
type Result struct {
	OK       bool
	Why      string           // what a person lost, or what the check could not do
	Timeline *faults.Timeline // nil if there is nothing to see
}

// play is a hazard as a check: it must not break the lock, and it must be able
// to arise. Where it can't be played, a lock that doesn't even do what is asked of
// every lock is told so: its error from Redis, say, is why.
func play(h hazards.Hazard) Check {
	return Check{Name: h.Name, Story: h.Story, examine: func(lock stages.Stage) Result {
		r, err := h.Run(lock)
		switch {
		case err == nil && r.Outcome == hazards.Holds:
			return Result{OK: true, Timeline: r.Timeline}
		case err == nil && r.Outcome == hazards.Breaks:
			if two := alike(r.Timeline); two != "" && lock.NotHeld != nil { // from then on a token says whose a lock is
				r.Timeline.Verdict += ". " + two + " have the same token"
			}
			return Result{Why: r.Timeline.Verdict, Timeline: r.Timeline}
		}
		if first, err := FreeLock.Run(lock); err == nil && first.Outcome == hazards.Breaks && h.Name != FreeLock.Name {
			first.Timeline.Verdict = fmt.Sprintf("this can't be tried yet, because of %s: %s", FreeLock.Name, first.Why)
			return Result{Why: first.Timeline.Verdict, Timeline: first.Timeline}
		}
		if err != nil {
			r.Timeline.Verdict = unwrapped(err)
			return Result{Why: r.Timeline.Verdict, Timeline: r.Timeline}
		}
		r.Timeline.Broke, r.Timeline.Verdict = true, r.Why+", so there is nothing to try yet"
		return Result{Why: r.Timeline.Verdict, Timeline: r.Timeline}
	}}
}

// unwrapped is what went wrong, without whose play it was in. That the play could
// not go on is the lock's doing here, and no mistake of the play.
func unwrapped(err error) string {
	if inner := errors.Unwrap(err); inner != nil {
		err = inner
	}
	return strings.TrimPrefix(err.Error(), faults.ErrPlay.Error()+": ")
}

// alike names two clients that took the lock with the same token, which a
// timeline shows by one name; empty if there are none. Who has read a token may
// have put it back.
func alike(t *faults.Timeline) string {
	whose, read := map[string]string{}, map[string][]string{}
	for _, step := range t.Steps {
		for _, lock := range step.After {
			there := slices.ContainsFunc(step.Before, func(before faults.Holding) bool { return before.Key == lock.Key })
			token, _, _ := strings.Cut(lock.Value, " ")
			named := len(step.Client) == 1 // A or B, and not "operator"
			if there || token == "" || !named || slices.Contains(read[step.Client], token) {
				continue
			}
			if first := cmp.Or(whose[token], step.Client); first != step.Client {
				return first + " and " + step.Client
			}
			whose[token] = step.Client
		}
		read[step.Client] = append(read[step.Client], step.Replies...)
	}
	return ""
}

// Report is a result with what it was about, as a learner reads it.
func (c Check) Report(r Result) string {
	return fmt.Sprintf("%s: %s\n\n%s", c.Name, c.Story, r)
}

// mostSteps is how many steps of a timeline a learner gets to read. Who waits in some
// way that is new each time makes hundreds.
const mostSteps = 40

// String is the result as a learner reads it.
func (r Result) String() string {
	if r.Timeline == nil {
		return "✗ " + r.Why + "\n"
	}
	if r.OK || r.Timeline.Verdict == r.Why {
		return r.Timeline.Short(mostSteps)
	}
	return fmt.Sprintf("%s✗ %s\n", r.Timeline.Short(mostSteps), r.Why)
}
