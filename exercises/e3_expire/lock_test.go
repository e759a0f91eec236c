package expire

import (
	"testing"

	"lockstep/hazards"
	"lockstep/stages"
	"lockstep/workshop"
)

// mine is the lock in lock.go, handed in.
var mine = workshop.Entry{
	Exercise: workshop.E3,
	New: func(f stages.Flow) (stages.Lock, error) {
		return New(f.Redis, f.Key, f.Lease)
	},
}

// What this exercise is about.

func TestCrash(t *testing.T)          { mine.Survives(t, hazards.Crash) }
func TestHolderGone(t *testing.T)     { mine.Survives(t, hazards.HolderGone) }
func TestTwoCommands(t *testing.T)    { mine.Survives(t, hazards.TwoCommands) }
func TestLateLease(t *testing.T)      { mine.Survives(t, hazards.LateLease) }
func TestLeaseTruncated(t *testing.T) { mine.Survives(t, hazards.LeaseTruncated) }

// What every lock promises.

func TestFreeLock(t *testing.T)      { mine.Survives(t, workshop.FreeLock) }
func TestPoliteWait(t *testing.T)    { mine.Survives(t, workshop.PoliteWait) }
func TestTakenLock(t *testing.T)     { mine.Survives(t, workshop.TakenLock) }
func TestHandOff(t *testing.T)       { mine.Survives(t, workshop.HandOff) }
func TestDeadlineKept(t *testing.T)  { mine.Survives(t, workshop.DeadlineKept) }
func TestWaitCancelled(t *testing.T) { mine.Survives(t, workshop.WaitCancelled) }
func TestCalledOff(t *testing.T)     { mine.Survives(t, workshop.CalledOff) }
func TestSecondUse(t *testing.T)     { mine.Survives(t, workshop.SecondUse) }
func TestHolderTries(t *testing.T)   { mine.Survives(t, workshop.HolderTries) }
func TestOtherKey(t *testing.T)      { mine.Survives(t, workshop.OtherKey) }
func TestOtherProcess(t *testing.T)  { mine.Survives(t, workshop.OtherProcess) }
func TestLockedAnew(t *testing.T)    { mine.Survives(t, workshop.LockedAnew) }
func TestUnanswered(t *testing.T)    { mine.Survives(t, workshop.Unanswered) }
func TestBadInput(t *testing.T)      { mine.Survives(t, workshop.BadInput) }
func TestLeaseAsAsked(t *testing.T)  { mine.Survives(t, workshop.LeaseAsAsked) }
func TestWholeLease(t *testing.T)    { mine.Survives(t, workshop.WholeLease) }
func TestStaleHandle(t *testing.T)   { mine.Survives(t, workshop.StaleHandle) }

// What was won before, and must not be lost.

func TestTwoServers(t *testing.T)        { mine.Survives(t, hazards.TwoServers) }
func TestRecursionOverflow(t *testing.T) { mine.Survives(t, hazards.RecursionOverflow) }
func TestResultIgnored(t *testing.T)     { mine.Survives(t, hazards.ResultIgnored) }
func TestSharedOwner(t *testing.T)       { mine.Survives(t, hazards.SharedOwner) }
func TestThreadNamedKey(t *testing.T)    { mine.Survives(t, hazards.ThreadNamedKey) }
func TestWonButSaidNo(t *testing.T)      { mine.Survives(t, hazards.WonButSaidNo) }

// What nobody thought of.

func TestSchedules(t *testing.T) { mine.SurvivesSearch(t) }
