package owner_test

import (
	"testing"

	"lockstep/hazards"
	"lockstep/stages"
)

func TestMisDelete(t *testing.T)      { hazards.MisDelete.Lesson(t, stages.V3, stages.V4) }
func TestForeignUnlock(t *testing.T)  { hazards.ForeignUnlock.Lesson(t, stages.V3, stages.V4) }
func TestOwnerCollision(t *testing.T) { hazards.OwnerCollision.Lesson(t, stages.ThreadID, stages.V4) }
