package workshop

import (
	"cmp"
	"context"
	"strings"

	"lockstep/faults"
	"lockstep/hazards"
	"lockstep/stages"
)

// promisesOf lists the promises of a stage, in the order in which a learner
// meets them. They are played like hazards, and no stage breaks them; wrong locks
// do.
func promisesOf(stage stages.Stage) []hazards.Hazard {
	promises := []hazards.Hazard{
		FreeLock, PoliteWait, TakenLock, HandOff, DeadlineKept, WaitCancelled, CalledOff, SecondUse, HolderTries,
		OtherKey, OtherProcess, LockedAnew, Unanswered, BadInput,
	}
	if stage.Lease {
		promises = append(promises, LeaseAsAsked, WholeLease, StaleHandle)
	}
	if stage.NotHeld != nil {
		promises = append(promises, SameService, NothingToUnlock, UnlockAfterLoss, LateUnlock)
	}
	if since(stage, stages.V6) {
		promises = append(promises, EmptyOwner, AllUnlocked, InnerLease, LateEntry, LateExit, InnerHandle)
	}
	if stage.Renew != "" {
		promises = append(promises, RenewedAsAsked, RenewedAfterTry, RenewedAfterWait, UnknownEntry, WaitLimit, OuterRenewed, RenewalEnds, FailedUnlock,
			NoRevival, LateRenewal, WaiterRenewsNothing, ToldOfLoss, FalseAlarm, CutOff, RepeatedUnlock)
	}
	return promises
}

// teller is a lock that tells its holder when it is lost.
type teller interface{ Lost() <-chan struct{} }

// isClosed reports whether a channel is closed.
func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// said is an error in a sentence.
func said(err error) string { return cmp.Or(text(err), "that all is well") }

// text is an error's, if there is one.
func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// answer is what a client's last call came to, for messages.
func answer(c *hazards.Client) string {
	switch {
	case c.Waiting():
		return "it waits"
	case c.Err() != nil:
		return c.Err().Error()
	case c.Inside():
		return "it says that it is inside"
	default:
		return "it says no, and no error"
	}
}

// wipe deletes the lock, as an operator does or a server that starts anew.
func wipe(s *hazards.Scene, operator *faults.Client) {
	operator.Do("DEL", func(ctx context.Context) {
		for _, lock := range s.Watched() {
			operator.Redis().Del(ctx, lock.Key)
		}
	})
}

// leftover names the keys that begin like the lock's. They are what a play takes
// for the lock.
func leftover(s *hazards.Scene) string {
	var names []string
	for _, lock := range s.Watched() {
		names = append(names, lock.Key)
	}
	return strings.Join(names, ", ")
}

// elsewhere names the keys that do not.
func elsewhere(s *hazards.Scene) string {
	var names []string
	for _, key := range s.Keys() {
		names = append(names, key.Name)
	}
	return strings.Join(names, ", ")
}
