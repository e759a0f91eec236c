package workshop

import (
	"cmp"
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
	Wins  []Check      // what it is about, in the order of the table in its README
	Keeps []Check      // what every lock promises, and what was won before
}

// Playable reports whether the server that plays run on can do what the exercise
// needs: a real one carries no subscriptions here.
func (e Exercise) Playable() bool { return !e.Stage.Listens || os.Getenv(faults.ServerEnv) == "" }

// Checks lists what the exercise asks of a lock, in the order in which a learner
// meets it.
func (e Exercise) Checks() []Check { return slices.Concat(e.Wins, e.Keeps) }

// Solution is the stage that the exercise builds, handed in.
func (e Exercise) Solution() Entry {
	return Entry{Exercise: e, New: e.Stage.New, ErrNotHeld: e.Stage.NotHeld, Sell: e.Stage.Sell, ErrStale: e.Stage.Stale}
}

// The exercises. E1 to E7 build the seven stages, and E8 and E9 go beyond them.
var (
	E1 = exercise("e1_setnx", stages.V1, hazards.TwoServers)
	E2 = exercise("e2_spin", stages.V2, hazards.RecursionOverflow)
	E3 = exercise("e3_expire", stages.V3,
		hazards.Crash, hazards.HolderGone, hazards.TwoCommands, hazards.LateLease, hazards.LeaseTruncated)
	E4 = exercise("e4_owner", stages.V4, hazards.MisDelete, hazards.ForeignUnlock, hazards.OwnerCollision)
	E5 = exercise("e5_lua_release", stages.V5, hazards.GCPause, hazards.RetriedDelete)
	E6 = exercise("e6_reentrant_hash", stages.V6, hazards.Reentry, hazards.InnerUnlock, hazards.LeaseCutShort)
	E7 = exercise("e7_watchdog", stages.V7,
		hazards.ExpiryMidBusiness, hazards.RenewalGivesUp, hazards.RenewalPiledUp, RenewalEnds, NoRevival, LateRenewal,
		WaiterRenewsNothing, hazards.CancelledUnlock, ToldOfLoss, hazards.LostReply, RepeatedUnlock)
	E8 = exercise("e8_wakeup", stages.Wakeup, SilentWait, WokenAtOnce, MissedCall, HalfwayOut, SilentEnd)
	E9 = exercise("e9_fencing", stages.Fenced,
		hazards.StopTheWorld, TokenGrows, TokenInOrder, TokenIsShared, StaleSale, HalfSale, TenthHold, SecondSale)
)

// All lists the exercises, in order.
func All() []Exercise { return []Exercise{E1, E2, E3, E4, E5, E6, E7, E8, E9} }

// callers are the hazards that a caller makes, with whatever lock, and one that
// a stage with a lease can't survive.
var callers = []string{"Panic", "EmptyAnswer", "StopTheWorld"}

// exercise is the exercise that builds a stage: all that holds on the stage is
// asked of it, what it is about first.
func exercise(name string, stage stages.Stage, about ...hazards.Hazard) Exercise {
	e := Exercise{Name: name, Stage: stage}
	asked := slices.Clone(callers)
	for _, h := range about {
		e.Wins = append(e.Wins, play(h))
		asked = append(asked, h.Name)
	}
	keep := func(h hazards.Hazard) {
		if !slices.Contains(asked, h.Name) {
			e.Keeps = append(e.Keeps, play(h))
		}
	}
	for _, promise := range promisesOf(stage) {
		keep(promise)
	}
	for _, h := range hazards.All() {
		if h.Expected(stage).Outcome == hazards.Holds {
			keep(h)
		}
	}
	if !stage.Listens { // the search knows nothing of messages that are under way
		e.Keeps = append(e.Keeps, schedules(stage))
	}
	return e
}

// since reports whether a stage comes no earlier than another, or is like one
// that doesn't.
func since(stage, first stages.Stage) bool { return cmp.Or(stage.Like, stage.Name) >= first.Name }
