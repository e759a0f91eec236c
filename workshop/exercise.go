package workshop

import (
	"os"
	"slices"

	"lockstep/faults"
	"lockstep/hazards"
	"lockstep/stages"
)

// Exercise is one step that a learner takes.
type Exercise struct {
	Name  string       // its folder: e4_owner
	Stage stages.Stage // what it builds; its lock.go is one solution
	Wins  []Check      // what it is about
	Keeps []Check      // what every lock promises, and what was won before

	// Embedded means that it needs what the embedded server alone can do here: to
	// carry subscriptions.
	Embedded bool
}

// Playable reports whether the server that plays run on can do what the exercise
// needs.
func (e Exercise) Playable() bool { return !e.Embedded || os.Getenv(faults.ServerEnv) == "" }

// Checks lists what the exercise asks of a lock, in the order in which a learner
// meets it.
func (e Exercise) Checks() []Check { return slices.Concat(e.Wins, e.Keeps) }

// The exercises that build the seven stages.
var (
	E1 = exercise("e1_setnx", stages.V1, "TwoServers")
	E2 = exercise("e2_spin", stages.V2, "RecursionOverflow")
	E3 = exercise("e3_expire", stages.V3, "Crash", "TwoCommands", "LateLease", "LeaseTruncated", "HolderGone")
	E4 = exercise("e4_owner", stages.V4, "MisDelete", "ForeignUnlock", "OwnerCollision")
	E5 = exercise("e5_lua_release", stages.V5, "GCPause", "RetriedDelete")
	E6 = exercise("e6_reentrant_hash", stages.V6, "Reentry", "InnerUnlock", "LeaseCutShort")
	E7 = exercise("e7_watchdog", stages.V7, "ExpiryMidBusiness", "RenewalGivesUp", "RenewalPiledUp", "CancelledUnlock", "LostReply")
)

// E8 and E9 go beyond the stages.
var (
	E8 = exercise("e8_wakeup", stages.Wakeup)
	E9 = exercise("e9_fencing", stages.Fenced, "StopTheWorld")
)

// All lists the exercises, in order.
func All() []Exercise { return []Exercise{E1, E2, E3, E4, E5, E6, E7, E8, E9} }

// callers are the hazards that a caller makes, with whatever lock, and one that
// a stage with a lease can't survive.
var callers = []string{"Panic", "EmptyAnswer", "StopTheWorld"}

// exercise is the exercise that builds a stage: all that holds on the stage is
// asked of it, what it is about first.
func exercise(name string, stage stages.Stage, about ...string) Exercise {
	e := Exercise{Name: name, Stage: stage}
	for _, promise := range promisesOf(stage) {
		e.Keeps = append(e.Keeps, play(promise))
	}
	for _, h := range hazards.All() {
		switch {
		case slices.Contains(about, h.Name):
			e.Wins = append(e.Wins, play(h))
		case h.Expected(stage).Outcome == hazards.Holds && !slices.Contains(callers, h.Name):
			e.Keeps = append(e.Keeps, play(h))
		}
	}
	if stage.Sell != nil {
		for _, promise := range fencePromises() {
			e.Wins = append(e.Wins, play(promise))
		}
	}
	if stage.Name == stages.Wakeup.Name {
		for _, promise := range wakePromises() {
			e.Wins = append(e.Wins, play(promise))
		}
		e.Embedded = true
		return e // the search knows nothing of messages that are under way
	}
	e.Keeps = append(e.Keeps, schedules(stage))
	return e
}
