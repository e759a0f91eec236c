package watchdog

import (
	"testing"

	"lockstep/hazards"
	"lockstep/stages"
	"lockstep/workshop"
)

// mine is the lock in lock.go, handed in.
var mine = workshop.Entry{
	Exercise: workshop.E7,
	New: func(f stages.Flow) (stages.Lock, error) {
		return New(f.Redis, f.Key, f.Owner, f.Lease)
	},
	ErrNotHeld: ErrNotHeld,
}

// What this exercise is about.

func TestExpiryMidBusiness(t *testing.T)   { mine.Survives(t, hazards.ExpiryMidBusiness) }
func TestRenewalGivesUp(t *testing.T)      { mine.Survives(t, hazards.RenewalGivesUp) }
func TestRenewalPiledUp(t *testing.T)      { mine.Survives(t, hazards.RenewalPiledUp) }
func TestRenewalEnds(t *testing.T)         { mine.Survives(t, workshop.RenewalEnds) }
func TestNoRevival(t *testing.T)           { mine.Survives(t, workshop.NoRevival) }
func TestLateRenewal(t *testing.T)         { mine.Survives(t, workshop.LateRenewal) }
func TestWaiterRenewsNothing(t *testing.T) { mine.Survives(t, workshop.WaiterRenewsNothing) }
func TestCancelledUnlock(t *testing.T)     { mine.Survives(t, hazards.CancelledUnlock) }
func TestToldOfLoss(t *testing.T)          { mine.Survives(t, workshop.ToldOfLoss) }
func TestLostReply(t *testing.T)           { mine.Survives(t, hazards.LostReply) }
func TestRepeatedUnlock(t *testing.T)      { mine.Survives(t, workshop.RepeatedUnlock) }

// What every lock promises.

func TestFreeLock(t *testing.T)         { mine.Survives(t, workshop.FreeLock) }
func TestPoliteWait(t *testing.T)       { mine.Survives(t, workshop.PoliteWait) }
func TestTakenLock(t *testing.T)        { mine.Survives(t, workshop.TakenLock) }
func TestHandOff(t *testing.T)          { mine.Survives(t, workshop.HandOff) }
func TestDeadlineKept(t *testing.T)     { mine.Survives(t, workshop.DeadlineKept) }
func TestWaitCancelled(t *testing.T)    { mine.Survives(t, workshop.WaitCancelled) }
func TestCalledOff(t *testing.T)        { mine.Survives(t, workshop.CalledOff) }
func TestSecondUse(t *testing.T)        { mine.Survives(t, workshop.SecondUse) }
func TestHolderTries(t *testing.T)      { mine.Survives(t, workshop.HolderTries) }
func TestOtherKey(t *testing.T)         { mine.Survives(t, workshop.OtherKey) }
func TestOtherProcess(t *testing.T)     { mine.Survives(t, workshop.OtherProcess) }
func TestLockedAnew(t *testing.T)       { mine.Survives(t, workshop.LockedAnew) }
func TestUnanswered(t *testing.T)       { mine.Survives(t, workshop.Unanswered) }
func TestBadInput(t *testing.T)         { mine.Survives(t, workshop.BadInput) }
func TestLeaseAsAsked(t *testing.T)     { mine.Survives(t, workshop.LeaseAsAsked) }
func TestWholeLease(t *testing.T)       { mine.Survives(t, workshop.WholeLease) }
func TestStaleHandle(t *testing.T)      { mine.Survives(t, workshop.StaleHandle) }
func TestSameService(t *testing.T)      { mine.Survives(t, workshop.SameService) }
func TestNothingToUnlock(t *testing.T)  { mine.Survives(t, workshop.NothingToUnlock) }
func TestUnlockAfterLoss(t *testing.T)  { mine.Survives(t, workshop.UnlockAfterLoss) }
func TestLateUnlock(t *testing.T)       { mine.Survives(t, workshop.LateUnlock) }
func TestEmptyOwner(t *testing.T)       { mine.Survives(t, workshop.EmptyOwner) }
func TestAllUnlocked(t *testing.T)      { mine.Survives(t, workshop.AllUnlocked) }
func TestInnerLease(t *testing.T)       { mine.Survives(t, workshop.InnerLease) }
func TestLateEntry(t *testing.T)        { mine.Survives(t, workshop.LateEntry) }
func TestLateExit(t *testing.T)         { mine.Survives(t, workshop.LateExit) }
func TestInnerHandle(t *testing.T)      { mine.Survives(t, workshop.InnerHandle) }
func TestRenewedAsAsked(t *testing.T)   { mine.Survives(t, workshop.RenewedAsAsked) }
func TestRenewedAfterTry(t *testing.T)  { mine.Survives(t, workshop.RenewedAfterTry) }
func TestRenewedAfterWait(t *testing.T) { mine.Survives(t, workshop.RenewedAfterWait) }
func TestUnknownEntry(t *testing.T)     { mine.Survives(t, workshop.UnknownEntry) }
func TestWaitLimit(t *testing.T)        { mine.Survives(t, workshop.WaitLimit) }
func TestOuterRenewed(t *testing.T)     { mine.Survives(t, workshop.OuterRenewed) }
func TestFailedUnlock(t *testing.T)     { mine.Survives(t, workshop.FailedUnlock) }
func TestFalseAlarm(t *testing.T)       { mine.Survives(t, workshop.FalseAlarm) }
func TestCutOff(t *testing.T)           { mine.Survives(t, workshop.CutOff) }

// What was won before, and must not be lost.

func TestTwoServers(t *testing.T)        { mine.Survives(t, hazards.TwoServers) }
func TestRecursionOverflow(t *testing.T) { mine.Survives(t, hazards.RecursionOverflow) }
func TestCrash(t *testing.T)             { mine.Survives(t, hazards.Crash) }
func TestTwoCommands(t *testing.T)       { mine.Survives(t, hazards.TwoCommands) }
func TestLateLease(t *testing.T)         { mine.Survives(t, hazards.LateLease) }
func TestLeaseTruncated(t *testing.T)    { mine.Survives(t, hazards.LeaseTruncated) }
func TestResultIgnored(t *testing.T)     { mine.Survives(t, hazards.ResultIgnored) }
func TestMisDelete(t *testing.T)         { mine.Survives(t, hazards.MisDelete) }
func TestForeignUnlock(t *testing.T)     { mine.Survives(t, hazards.ForeignUnlock) }
func TestOwnerCollision(t *testing.T)    { mine.Survives(t, hazards.OwnerCollision) }
func TestGCPause(t *testing.T)           { mine.Survives(t, hazards.GCPause) }
func TestRetriedDelete(t *testing.T)     { mine.Survives(t, hazards.RetriedDelete) }
func TestReentry(t *testing.T)           { mine.Survives(t, hazards.Reentry) }
func TestInnerUnlock(t *testing.T)       { mine.Survives(t, hazards.InnerUnlock) }
func TestSharedOwner(t *testing.T)       { mine.Survives(t, hazards.SharedOwner) }
func TestThreadNamedKey(t *testing.T)    { mine.Survives(t, hazards.ThreadNamedKey) }
func TestLeaseCutShort(t *testing.T)     { mine.Survives(t, hazards.LeaseCutShort) }
func TestHolderGone(t *testing.T)        { mine.Survives(t, hazards.HolderGone) }
func TestWonButSaidNo(t *testing.T)      { mine.Survives(t, hazards.WonButSaidNo) }

// What nobody thought of.

func TestSchedules(t *testing.T) { mine.SurvivesSearch(t) }
