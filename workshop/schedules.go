package workshop

import (
	"context"
	"errors"
	"fmt"

	"lockstep/explore"
	"lockstep/faults"
	"lockstep/stages"
)

const schedulesName = "Schedules"

// question is one search. The lock may break only what is not asked.
type question struct {
	explore.Question
	only explore.Property // empty for all
}

// questionsOf lists the searches that find nothing on a stage.
func questionsOf(stage stages.Stage) []question {
	ask := func(b explore.Budget, p explore.Program) question {
		return question{Question: explore.Question{Budget: b, Program: p}}
	}
	all := []question{
		ask(explore.Budget{Clients: 2, Slow: 2}, explore.Plain),
		ask(explore.Budget{Clients: 3}, explore.Plain),
		ask(explore.Budget{Clients: 2}, explore.Tries),
	}
	if since(stage, stages.V3) {
		all = append(all, ask(explore.Budget{Clients: 2, Crashes: 1}, explore.Plain))
	}
	if since(stage, stages.V5) {
		all = append(all, ask(explore.Budget{Clients: 2, Lost: 1}, explore.Plain))
	}
	if since(stage, stages.V5) && stage.Renew == "" { // renewals would multiply it
		late := ask(explore.Budget{Clients: 2, Slow: 4}, explore.Plain)
		late.only = explore.OwnHand
		all = append(all, late)
	}
	if since(stage, stages.V6) {
		all = append(all, ask(explore.Budget{Clients: 2}, explore.Nested))
	}
	if since(stage, stages.V7) {
		all = append(all, ask(explore.Budget{Clients: 2}, explore.Long))
	}
	return all
}

// schedules is the search as a check.
func schedules(stage stages.Stage) Check {
	return Check{
		Name:  schedulesName,
		Story: "A machine tries every order of steps, and some faults, to break the lock.",
		examine: func(lock stages.Stage) Result {
			for _, q := range questionsOf(stage) {
				q.Stage = lock
				if r := q.ask(); !r.OK {
					return r
				}
			}
			return Result{OK: true}
		},
	}
}

// legend says how to read a schedule.
const legend = `(a letter: the next command of that client passes; with ?, its reply is lost;
with !, the client dies; a dot: time passes. No shorter order does it.)`

// lost is what a broken property means to the people in the shop.
var lost = map[explore.Property]string{
	explore.OwnHand:    "a lock was taken away from a client that had it",
	explore.OneInside:  "two clients are inside at the same time",
	explore.NoDeadlock: "nobody gets the lock any more, and nobody is inside",
	explore.ToldInTime: "a client sold after its lock was gone, and Lost had not told it",
	explore.TrueBooks:  "an item was sold twice",
	explore.AnAnswer:   "a customer bought an item, and saw an error",
}

// ask searches, and shows the first thing that was found.
func (q question) ask() Result {
	q.Until = explore.Any
	if q.only != "" {
		q.Until = q.only
	}
	report, err := explore.Search(context.Background(), q.Question)
	switch {
	case errors.Is(err, faults.ErrSchedule):
		// Waits of random length, say. The plays have to do without it.
		return Result{OK: true}
	case err != nil:
		return Result{Why: err.Error()}
	}
	for _, b := range report.Breaks {
		if q.only != "" && b.Property != q.only {
			continue
		}
		timeline, err := explore.Replay(q.Question, b.Schedule)
		if err != nil && !errors.Is(err, faults.ErrBroken) {
			return Result{Why: err.Error()}
		}
		timeline.Verdict = lost[b.Property] + ", whatever the order of steps"
		if len(b.Schedule) > 0 {
			timeline.Verdict = fmt.Sprintf("%s, in this order of steps: %s\n"+legend, lost[b.Property], b.Schedule)
		}
		return Result{Why: timeline.Verdict, Timeline: timeline}
	}
	return Result{OK: true}
}
