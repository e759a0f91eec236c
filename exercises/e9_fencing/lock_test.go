package fencing

import (
	"context"
	"testing"

	"github.com/redis/go-redis/v9"

	"lockstep/hazards"
	"lockstep/stages"
	"lockstep/workshop"
)

// mine is the lock and the shop in lock.go, handed in.
var mine = workshop.Entry{
	Exercise: workshop.E9,
	New: func(f stages.Flow) (stages.Lock, error) {
		return New(f.Redis, f.Key, f.Lease)
	},
	ErrNotHeld: ErrNotHeld,
	Sell: func(ctx context.Context, lock stages.Lock, rdb *redis.Client, stock string) (int, error) {
		return NewShop(rdb, stock).Sell(ctx, lock.(*Lock).Token())
	},
	ErrStale: ErrStale,
}

// What this exercise is about.

func TestStopTheWorld(t *testing.T)  { mine.Survives(t, hazards.StopTheWorld) }
func TestTokenGrows(t *testing.T)    { mine.Survives(t, workshop.TokenGrows) }
func TestTokenInOrder(t *testing.T)  { mine.Survives(t, workshop.TokenInOrder) }
func TestTokenIsShared(t *testing.T) { mine.Survives(t, workshop.TokenIsShared) }
func TestStaleSale(t *testing.T)     { mine.Survives(t, workshop.StaleSale) }
func TestHalfSale(t *testing.T)      { mine.Survives(t, workshop.HalfSale) }
func TestTenthHold(t *testing.T)     { mine.Survives(t, workshop.TenthHold) }
func TestSecondSale(t *testing.T)    { mine.Survives(t, workshop.SecondSale) }

// What every lock promises.

func TestFreeLock(t *testing.T)        { mine.Survives(t, workshop.FreeLock) }
func TestPoliteWait(t *testing.T)      { mine.Survives(t, workshop.PoliteWait) }
func TestTakenLock(t *testing.T)       { mine.Survives(t, workshop.TakenLock) }
func TestHandOff(t *testing.T)         { mine.Survives(t, workshop.HandOff) }
func TestDeadlineKept(t *testing.T)    { mine.Survives(t, workshop.DeadlineKept) }
func TestWaitCancelled(t *testing.T)   { mine.Survives(t, workshop.WaitCancelled) }
func TestCalledOff(t *testing.T)       { mine.Survives(t, workshop.CalledOff) }
func TestSecondUse(t *testing.T)       { mine.Survives(t, workshop.SecondUse) }
func TestHolderTries(t *testing.T)     { mine.Survives(t, workshop.HolderTries) }
func TestOtherKey(t *testing.T)        { mine.Survives(t, workshop.OtherKey) }
func TestOtherProcess(t *testing.T)    { mine.Survives(t, workshop.OtherProcess) }
func TestLockedAnew(t *testing.T)      { mine.Survives(t, workshop.LockedAnew) }
func TestUnanswered(t *testing.T)      { mine.Survives(t, workshop.Unanswered) }
func TestBadInput(t *testing.T)        { mine.Survives(t, workshop.BadInput) }
func TestLeaseAsAsked(t *testing.T)    { mine.Survives(t, workshop.LeaseAsAsked) }
func TestWholeLease(t *testing.T)      { mine.Survives(t, workshop.WholeLease) }
func TestStaleHandle(t *testing.T)     { mine.Survives(t, workshop.StaleHandle) }
func TestSameService(t *testing.T)     { mine.Survives(t, workshop.SameService) }
func TestNothingToUnlock(t *testing.T) { mine.Survives(t, workshop.NothingToUnlock) }
func TestUnlockAfterLoss(t *testing.T) { mine.Survives(t, workshop.UnlockAfterLoss) }
func TestLateUnlock(t *testing.T)      { mine.Survives(t, workshop.LateUnlock) }

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
func TestSharedOwner(t *testing.T)       { mine.Survives(t, hazards.SharedOwner) }
func TestThreadNamedKey(t *testing.T)    { mine.Survives(t, hazards.ThreadNamedKey) }
func TestExpiryMidBusiness(t *testing.T) { mine.Survives(t, hazards.ExpiryMidBusiness) }
func TestHolderGone(t *testing.T)        { mine.Survives(t, hazards.HolderGone) }
func TestWonButSaidNo(t *testing.T)      { mine.Survives(t, hazards.WonButSaidNo) }

// What nobody thought of.

func TestSchedules(t *testing.T) { mine.SurvivesSearch(t) }
