package expire_test

import (
	"testing"

	"lockstep/hazards"
	"lockstep/stages"
)

func TestCrash(t *testing.T)       { hazards.Crash.Lesson(t, stages.V2, stages.V3) }
func TestTwoCommands(t *testing.T) { hazards.TwoCommands.Lesson(t, stages.TwoCommands, stages.V3) }
func TestLeaseTruncated(t *testing.T) {
	hazards.LeaseTruncated.Lesson(t, stages.WholeSeconds, stages.V3)
}

func TestResultIgnored(t *testing.T) {
	hazards.ResultIgnored.Lesson(t, stages.AnswerDropped, stages.V3)
}

// Here it is not the lock that ignores the result, but its caller.
func TestResultIgnoredByCaller(t *testing.T) {
	hazards.ResultIgnored.Lesson(t, stages.TimeoutIgnored, stages.V3)
}

func TestLateLease(t *testing.T) {
	hazards.LateLease.Lesson(t, stages.TwoCommandsPatched, stages.V3)
}

// The fourth article repairs TwoCommands at the waiters, not at the holder.
func TestTwoCommandsPatched(t *testing.T) {
	hazards.TwoCommands.Lesson(t, stages.TwoCommands, stages.TwoCommandsPatched)
}
