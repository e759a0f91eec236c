package reentrant_test

import (
	"testing"

	"lockstep/hazards"
	"lockstep/stages"
)

func TestReentry(t *testing.T)     { hazards.Reentry.Lesson(t, stages.V5, stages.V6) }
func TestInnerUnlock(t *testing.T) { hazards.InnerUnlock.Lesson(t, stages.NoCount, stages.V6) }
func TestSharedOwner(t *testing.T) { hazards.SharedOwner.Lesson(t, stages.SharedOwner, stages.V6) }
func TestThreadNamedKey(t *testing.T) {
	hazards.ThreadNamedKey.Lesson(t, stages.ThreadNamedKey, stages.V6)
}

func TestLeaseCutShort(t *testing.T) { hazards.LeaseCutShort.Lesson(t, stages.FixedLease, stages.V6) }
