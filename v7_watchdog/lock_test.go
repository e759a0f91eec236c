package watchdog_test

import (
	"testing"

	"lockstep/hazards"
	"lockstep/stages"
)

func TestExpiryMidBusiness(t *testing.T) { hazards.ExpiryMidBusiness.Lesson(t, stages.V6, stages.V7) }
func TestHolderGone(t *testing.T)        { hazards.HolderGone.Lesson(t, stages.V2, stages.V7) }
func TestCancelledUnlock(t *testing.T)   { hazards.CancelledUnlock.Lesson(t, stages.V6, stages.V7) }
func TestRenewalPiledUp(t *testing.T) {
	hazards.RenewalPiledUp.Lesson(t, stages.ResetExpire, stages.V7)
}

func TestRenewalGivesUp(t *testing.T) {
	hazards.RenewalGivesUp.Lesson(t, stages.RenewalGivesUp, stages.V7)
}

func TestWonButSaidNo(t *testing.T) { hazards.WonButSaidNo.Lesson(t, stages.WonButSaidNo, stages.V7) }
func TestLostReply(t *testing.T)    { hazards.LostReply.Lesson(t, stages.V6, stages.V7) }
